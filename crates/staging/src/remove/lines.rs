//! Statements that go, as edits of lines.

use std::ops::Range;

use crate::rewrite::TextEdit;
use crate::rewrite::comments::rest_of_line;
use crate::rewrite::fixed_group::above_comments;

/// Edits that take out statements: with their lines, the comments above them and behind
/// them, and an empty line too many, where they stand alone. `code` is the text without
/// comments.
pub fn without(text: &str, code: &str, statements: &[Range<usize>]) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    let mut lines = Vec::new();
    for range in joined(code, statements) {
        let line = code[..range.start].rfind('\n').map_or(0, |i| i + 1);
        let first = code[line..range.start].trim().is_empty();
        match (first, rest_of_line(code, range.end)) {
            (true, Some(end)) => lines.push(above_comments(text, line)..end),
            // What stands behind it takes its place.
            (_, None) => {
                let blanks = code[range.end..]
                    .chars()
                    .take_while(|c| *c == ' ' || *c == '\t');
                edits.push(range.start..range.end + blanks.count());
            }
            // What stands behind it is a comment on the line.
            (false, Some(_)) => {
                edits.push(code[..range.start].trim_end_matches([' ', '\t']).len()..range.end);
            }
        }
    }
    edits.extend(with_empty_lines(text, lines));
    edits
        .into_iter()
        .map(|r| TextEdit::replace(r, ""))
        .collect()
}

/// Statements with those that follow on the same line.
fn joined(code: &str, statements: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sorted: Vec<Range<usize>> = statements.to_vec();
    sorted.sort_by_key(|r| (r.start, std::cmp::Reverse(r.end)));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in sorted {
        let last = joined.last_mut().filter(|l| {
            let between = code.get(l.end..range.start);
            between.is_none_or(|b| b.chars().all(|c| c == ' ' || c == '\t'))
        });
        match last {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
}

/// Whole lines with the empty ones beside them that would then follow an opening brace,
/// stand in front of a closing one, or follow another empty line.
fn with_empty_lines(text: &str, mut gone: Vec<Range<usize>>) -> Vec<Range<usize>> {
    gone.sort_by_key(|r| r.start);
    let mut taken = Vec::new();
    let mut from = 0;
    while from < gone.len() {
        // Lines that go, with nothing but empty ones between them.
        let mut to = from;
        while gone
            .get(to + 1)
            .is_some_and(|next| blank(text, gone[to].end, next.start))
        {
            to += 1;
        }
        let begin = empty_above(text, gone[from].start);
        let end = empty_below(text, gone[to].end);
        let opens = text[..begin].trim_end_matches(['\n', '\r']).ends_with('{');
        let closes = text[end..].trim_start().starts_with('}');
        let above = begin < gone[from].start;
        let between = gone[from..=to]
            .windows(2)
            .any(|pair| pair[0].end < pair[1].start);
        let below = gone[to].end < end;
        if opens || closes {
            taken.push(begin..end);
        } else if above && (between || below) || between && below {
            // The empty lines above stay, or else those below.
            match above {
                true => taken.push(gone[from].start..end),
                false => taken.push(gone[from].start..gone[to].end),
            }
        } else {
            taken.extend(gone[from..=to].iter().cloned());
        }
        from = to + 1;
    }
    taken
}

fn blank(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to).is_none_or(|t| t.trim().is_empty())
}

/// Where the empty lines above a line begin.
fn empty_above(text: &str, line: usize) -> usize {
    let mut top = line;
    while top > 0 {
        let start = text[..top - 1].rfind('\n').map_or(0, |i| i + 1);
        if !blank(text, start, top) {
            break;
        }
        top = start;
    }
    top
}

/// Where the empty lines from an offset on end.
fn empty_below(text: &str, line: usize) -> usize {
    let mut end = line;
    for next in text[line..].split_inclusive('\n') {
        if !next.trim().is_empty() || !next.ends_with('\n') {
            break;
        }
        end += next.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::apply;
    use crate::rewrite::comments::blanked;

    fn cut(text: &str, statements: &[&str]) -> String {
        let ranges: Vec<Range<usize>> = statements
            .iter()
            .map(|s| text.find(s).map(|at| at..at + s.len()).expect(s))
            .collect();
        apply(text, &without(text, &blanked(text), &ranges)).expect("apart")
    }

    #[test]
    fn a_line_goes_with_its_comments() {
        let text = "  a;\n  // Wait.\n  b; /* for\n   all */\n  c;\n";
        assert_eq!(cut(text, &["b;"]), "  a;\n  c;\n");
    }

    #[test]
    fn code_on_the_line_stays() {
        let text = "  a; /* copy */ if (x) b;\n";
        assert_eq!(cut(text, &["a;"]), "  if (x) b;\n");
        assert_eq!(cut("  a; b; // last\n", &["b;"]), "  a; // last\n");
        assert_eq!(cut("  a; b; c;\n  d;\n", &["a;", "b;", "c;"]), "  d;\n");
    }

    #[test]
    fn empty_lines_elsewhere_stay() {
        let text = "{\n\n  a;\n  \n\n  b;\n\n  c;\n\n  d;\n\n}\n\n\n";
        assert_eq!(
            cut(text, &["b;"]),
            "{\n\n  a;\n  \n\n  c;\n\n  d;\n\n}\n\n\n"
        );
        assert_eq!(cut(text, &["d;"]), "{\n\n  a;\n  \n\n  b;\n\n  c;\n}\n\n\n");
        assert_eq!(cut("{\n  a;\n\n  b;\n}\n", &["a;"]), "{\n  b;\n}\n");
        assert_eq!(cut("x;\na;\n\nb;\n\ny;\n", &["a;", "b;"]), "x;\n\ny;\n");
    }
}
