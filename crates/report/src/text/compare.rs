//! The kernel and its candidates as columns of one table.

use super::section;
use super::table::{Side, Table};
use crate::compare::side_by_side;
use crate::phrase;
use crate::run::Run;
use crate::style::Style;

/// The comparison; empty without candidates or without a figure to compare.
pub(super) fn compare(run: &Run, style: Style) -> String {
    let rows = side_by_side(run);
    if rows.is_empty() {
        return String::new();
    }
    let mut columns = vec![("", Side::Left), (run.kernel.as_str(), Side::Right)];
    columns.extend(run.candidates.iter().map(|c| (c.id.as_str(), Side::Right)));
    columns.push(("", Side::Left));
    let mut table = Table::new(&columns);
    for row in rows {
        let figures = row
            .figures
            .into_iter()
            .map(|f| f.unwrap_or_else(|| "-".to_owned()));
        table.row(
            std::iter::once(row.name.to_owned())
                .chain(figures)
                .chain([row.how.to_owned()]),
        );
    }
    let mut out = section("Side by side", "", style);
    out.push_str(&table.render(style));
    for candidate in &run.candidates {
        out.push_str(&format!(
            "  {}: {}, results {}\n",
            candidate.id,
            phrase::candidate_role(candidate),
            phrase::verified(candidate.verified.as_ref())
        ));
    }
    out
}
