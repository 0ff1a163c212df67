//! Findings as a good compiler shows them: the source line, a caret at the
//! place, further places, notes and help. The layout is annotate-snippets'.
//!
//! Columns are clang's: bytes from 1. A finding without a snippet is shown by
//! its position, one without a line by its file. Findings of one code at one
//! place are shown once, with the number of the others; long lists are cut.

use std::cmp::Reverse;
use std::ops::Range;

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet as Source,
};

use crate::diagnostic::{Diagnostic, Label, Severity, Snippet};
use crate::number;
use crate::phrase;
use crate::style::Style;

/// Places that are shown with their source before a list is cut.
const PLACES_SHOWN: usize = 40;

/// Findings of one code at one place.
struct Place<'a> {
    first: &'a Diagnostic,
    count: u64,
}

/// Renders findings, the worst first, else in the order given. Each is followed
/// by an empty line. Empty if there are none.
pub fn render(findings: &[Diagnostic], style: Style) -> String {
    let renderer = if style.is_colour() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let places = places(findings);
    let mut out = String::new();
    for place in places.iter().take(PLACES_SHOWN) {
        out.push_str(&renderer.render(&report(place)));
        out.push_str("\n\n");
    }
    let cut = places.len().saturating_sub(PLACES_SHOWN);
    if cut > 0 {
        out.push_str(&format!(
            "… {} not shown; the JSON form has all of them\n\n",
            number::counted(cut as u64, "place", "places")
        ));
    }
    out
}

fn places(findings: &[Diagnostic]) -> Vec<Place<'_>> {
    let mut places: Vec<Place<'_>> = Vec::new();
    for finding in findings {
        let same = places.iter_mut().find(|p| {
            let f = p.first;
            f.code == finding.code
                && f.file == finding.file
                && f.line == finding.line
                && f.column == finding.column
                && f.kernel == finding.kernel
        });
        match same {
            Some(place) => place.count = place.count.saturating_add(finding.count.max(1)),
            None => places.push(Place {
                first: finding,
                count: finding.count.max(1),
            }),
        }
    }
    places.sort_by_key(|p| Reverse(p.first.severity));
    places
}

/// The finding and what belongs to it, as annotate-snippets' groups: places that
/// the snippet doesn't cover come as groups of their own.
fn report<'a>(place: &Place<'a>) -> Vec<Group<'a>> {
    let finding = place.first;
    let level = level(finding.severity);
    let mut group = level
        .primary_title(phrase::printable(&finding.message))
        .id(phrase::printable(&finding.code))
        .elements(std::iter::empty::<annotate_snippets::Element<'_>>());
    let view = finding.snippet.as_ref().and_then(|s| View::new(s, finding));
    let (near, far): (Vec<&Label>, Vec<&Label>) = finding
        .labels
        .iter()
        .partition(|label| view.as_ref().is_some_and(|v| v.covers(finding, label)));
    group = match &view {
        Some(view) => group.element(view.source(finding, &near)),
        None => group.element(origin(&finding.file, finding.line, finding.column)),
    };
    for note in &finding.notes {
        group = group.element(Level::NOTE.message(phrase::printable(note)));
    }
    if place.count > 1 {
        let more = number::count(place.count - 1);
        let at = if finding.line > 0 { "line" } else { "place" };
        group = group.element(Level::NOTE.message(format!("… {more} more at this {at}")));
    }
    for help in &finding.help {
        group = group.element(Level::HELP.message(phrase::printable(help)));
    }
    let mut groups = vec![group];
    groups.extend(far.into_iter().map(|label| {
        Level::NOTE
            .secondary_title(phrase::printable(&label.message))
            .element(origin(&label.file, label.line, label.column))
    }));
    groups
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

fn origin<'a>(file: &str, line: u32, column: u32) -> Origin<'a> {
    let mut origin = Origin::path(phrase::printable(file));
    if line > 0 {
        origin = origin.line(line as usize);
        if column > 0 {
            origin = origin.char_column(column as usize);
        }
    }
    origin
}

/// A snippet as one text, with the offset of each line in it.
struct View {
    text: String,
    first_line: u32,
    starts: Vec<usize>,
}

impl View {
    /// `None` if the snippet lacks the finding's line.
    fn new(snippet: &Snippet, finding: &Diagnostic) -> Option<Self> {
        let mut text = String::new();
        let mut starts = Vec::with_capacity(snippet.lines.len());
        for line in &snippet.lines {
            starts.push(text.len());
            // A stray line end inside a line would shift every later line.
            text.push_str(line.lines().next().unwrap_or_default());
            text.push('\n');
        }
        let view = Self {
            text,
            first_line: snippet.first_line.max(1),
            starts,
        };
        view.span(finding.line, finding.column)?;
        Some(view)
    }

    fn covers(&self, finding: &Diagnostic, label: &Label) -> bool {
        label.file == finding.file && self.span(label.line, label.column).is_some()
    }

    /// The bytes that a position names: an identifier or number, another single
    /// character, or, without a column, the line without its indentation.
    fn span(&self, line: u32, column: u32) -> Option<Range<usize>> {
        let index = line.checked_sub(self.first_line)? as usize;
        let start = *self.starts.get(index)?;
        let rest = &self.text[start..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let within = match (column as usize).checked_sub(1) {
            Some(byte) => token(line, byte),
            None => line.len() - line.trim_start().len()..line.trim_end().len(),
        };
        // A blank line has its indentation after its end.
        let end = within.end.max(within.start);
        Some(start + within.start..start + end)
    }

    fn source<'a>(
        &self,
        finding: &'a Diagnostic,
        labels: &[&'a Label],
    ) -> Source<'a, Annotation<'a>> {
        let mut source = Source::source(self.text.clone())
            .line_start(self.first_line as usize)
            .path(phrase::printable(&finding.file));
        if let Some(span) = self.span(finding.line, finding.column) {
            source = source.annotation(AnnotationKind::Primary.span(span));
        }
        for label in labels {
            if let Some(span) = self.span(label.line, label.column) {
                source = source.annotation(
                    AnnotationKind::Context
                        .span(span)
                        .label(phrase::printable(&label.message)),
                );
            }
        }
        source
    }
}

/// The token at a byte of a line; empty at the end of the line beyond it.
fn token(line: &str, byte: usize) -> Range<usize> {
    if byte >= line.len() {
        return line.len()..line.len();
    }
    let start = line.floor_char_boundary(byte);
    let rest = &line[start..];
    let word = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    start..start + word.max(first)
}

#[cfg(test)]
mod tests {
    use super::token;

    #[test]
    fn a_token_is_a_word_or_one_character() {
        assert_eq!(token("x = in[gid - 1];", 4), 4..6);
        assert_eq!(token("x = in[gid - 1];", 2), 2..3);
        assert_eq!(token("x", 9), 1..1);
        assert_eq!(token("", 0), 0..0);
    }

    #[test]
    fn a_column_inside_a_character_is_moved_to_its_start() {
        assert_eq!(token("a é b", 3), 2..4);
    }
}
