//! Findings that the source or the session allows.
//!
//! A comment `// tilewise: allow TW101` (several codes with commas between)
//! allows findings on its own line, or, where it stands alone on a line, in the
//! statement behind it; before a function it allows them in the whole function.

use tilewise_report::Diagnostic;

use crate::load::Loaded;
use crate::session::Session;

/// Takes out what is allowed.
pub(super) fn drop_allowed(session: &Session, loaded: &Loaded, findings: &mut Vec<Diagnostic>) {
    findings.retain(|finding| {
        let by_flag = session.allow.iter().any(|c| names(c, &finding.code));
        let by_comment = || {
            let text = loaded.file_text(&finding.file);
            text.is_some_and(|text| allows(text, finding.line, &finding.code))
        };
        !by_flag && !by_comment()
    });
}

fn names(list: &str, code: &str) -> bool {
    list.split([',', ' '])
        .any(|word| word.trim().eq_ignore_ascii_case(code))
}

/// The codes that a line's comment allows.
fn allowed(line: &str) -> Option<&str> {
    let comment = &line[line.find("//").or_else(|| line.find("/*"))?..];
    let (_, rest) = comment.split_once("tilewise:")?;
    let codes = rest.trim_start().strip_prefix("allow")?;
    Some(codes.trim_end().trim_end_matches("*/"))
}

/// Whether a comment of a source text allows a code on a line, counted from 1.
fn allows(text: &str, line: u32, code: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let Some(index) = (line as usize).checked_sub(1).filter(|&i| i < lines.len()) else {
        return false;
    };
    let named = |line: &str| allowed(line).is_some_and(|codes| names(codes, code));
    let start = statement(&lines, index);
    if named(lines[index]) || above(&lines, start).any(named) {
        return true;
    }
    // Depth of braces tells where the function around the line begins.
    let mut depth = 0i32;
    for (i, text) in lines[..index].iter().enumerate().rev() {
        let text = text.split("//").next().unwrap_or_default();
        for c in text.chars().rev() {
            match c {
                '}' => depth += 1,
                '{' if depth > 0 => depth -= 1,
                // The head of a block; the outermost one is the function's.
                '{' if head(&lines, i).any(named) && is_outermost(&lines, i) => return true,
                _ => {}
            }
        }
    }
    false
}

/// The first line of the statement that a line is part of.
fn statement(lines: &[&str], index: usize) -> usize {
    let goes_on = |line: &&str| {
        let code = line.split("//").next().unwrap_or_default().trim();
        let ends = code.is_empty() || code.starts_with('#') || code.starts_with("/*");
        !ends && !code.ends_with([';', '{', '}', ':'])
    };
    let before = lines[..index].iter().rev().take_while(|l| goes_on(l));
    index - before.count()
}

/// Lines of comments alone that stand right above a line.
fn above<'t>(lines: &'t [&'t str], index: usize) -> impl Iterator<Item = &'t str> {
    let comment = |l: &&str| {
        let l = l.trim_start();
        l.starts_with("//") || l.starts_with("/*")
    };
    lines[..index].iter().rev().copied().take_while(comment)
}

/// The lines of a function's head, from its brace upwards, and the comments
/// above it.
fn head<'t>(lines: &'t [&'t str], brace: usize) -> impl Iterator<Item = &'t str> {
    let end = |l: &&str| {
        let code = l.split("//").next().unwrap_or_default().trim_end();
        code.ends_with(['}', ';']) || (code.is_empty() && !l.contains("//"))
    };
    let rest = lines[..brace].iter().rev().copied();
    std::iter::once(lines[brace]).chain(rest.take_while(move |l| !end(l)))
}

fn is_outermost(lines: &[&str], brace: usize) -> bool {
    let code = |l: &str| l.split("//").next().unwrap_or_default().to_owned();
    let depth: i64 = lines[..brace]
        .iter()
        .flat_map(|l| code(l).chars().collect::<Vec<_>>())
        .map(|c| match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        })
        .sum();
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::allows;

    const TEXT: &str = "\
// tilewise: allow TW102
// for the whole kernel
__kernel void a(__global int *p)
{
    p[0] = 1;
    if (p[1]) {
        p[2] = 1;
    }
}

__kernel void b(__global int *p) {
    p[0] = 1; // tilewise: allow TW101, tw102
    // tilewise: allow TW105
    p[1] = 1;
    p[2] = 1;
    // tilewise: allow TW104
    p[3] = p[4] +
           p[5];
    p[6] = 1;
}
";

    #[test]
    fn comments_allow_a_line_or_a_function() {
        for (line, code, expected) in [
            (5, "TW102", true),
            (7, "TW102", true),
            (7, "TW101", false),
            (12, "TW102", true),
            (12, "TW101", true),
            (12, "TW105", false),
            (14, "TW105", true),
            (15, "TW105", false),
            (15, "TW102", false),
            (17, "TW104", true),
            (18, "TW104", true),
            (19, "TW104", false),
            (99, "TW102", false),
            (0, "TW102", false),
        ] {
            assert_eq!(allows(TEXT, line, code), expected, "{code} on line {line}");
        }
    }
}
