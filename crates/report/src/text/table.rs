//! Borderless tables: a quiet header, columns two spaces apart, figures to the
//! right. The layout is comfy-table's; colours are added to whole lines after
//! it, so that escape sequences can't disturb the widths.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table as Layout, presets};

use crate::style::Style;

/// Which side the cells of a column stand on.
#[derive(Clone, Copy)]
pub(super) enum Side {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A table under construction.
pub(super) struct Table {
    columns: Vec<Side>,
    layout: Layout,
}

impl Table {
    /// A table with these column titles.
    pub(super) fn new(columns: &[(&str, Side)]) -> Self {
        let sides: Vec<Side> = columns.iter().map(|&(_, side)| side).collect();
        let mut layout = Layout::new();
        layout
            .load_preset(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Disabled);
        let titles: Vec<String> = columns.iter().map(|&(title, _)| title.to_owned()).collect();
        layout.set_header(cells(&sides, titles));
        Self {
            columns: sides,
            layout,
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, row: impl IntoIterator<Item = String>) {
        self.layout.add_row(cells(&self.columns, row));
    }

    /// The table, indented by two spaces, without trailing spaces.
    pub(super) fn render(mut self, style: Style) -> String {
        for column in self.layout.column_iter_mut() {
            column.set_padding((0, 2));
        }
        let mut out = String::new();
        for (i, line) in self.layout.lines().enumerate() {
            let line = line.trim_end();
            out.push_str("  ");
            if i == 0 {
                out.push_str(&style.quiet(line));
            } else {
                out.push_str(line);
            }
            out.push('\n');
        }
        out
    }
}

fn cells(sides: &[Side], row: impl IntoIterator<Item = String>) -> Vec<Cell> {
    row.into_iter()
        .zip(sides)
        .map(|(text, side)| {
            Cell::new(text).set_alignment(match side {
                Side::Left => CellAlignment::Left,
                Side::Right => CellAlignment::Right,
            })
        })
        .collect()
}
