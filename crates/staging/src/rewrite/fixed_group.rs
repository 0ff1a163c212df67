//! A kernel whose groups have one size: the size as macros, and the attribute that
//! asks for it.
//!
//! ```text
//! #define GROUP 16
//!
//! __attribute__((reqd_work_group_size(GROUP, GROUP, 1)))
//! __kernel void matmul(…)
//! ```
//!
//! With it, a compiler knows the widths of tiles and the length of a chunk: it folds
//! indices, joins neighbouring loads and unrolls the loop over a chunk.

use crate::loads::Accesses;
use crate::refusal::{Code, Refusal};
use crate::symbolic::GroupSizes;

use super::edit::{TextEdit, line_start};
use super::names::Names;

/// Macros for the sizes of a group: one for all that are equal.
pub fn group_sizes(text: &str, local: [u64; 3]) -> GroupSizes {
    let mut names = Names::of(text);
    let dims = local.iter().rposition(|n| *n != 1).map_or(1, |d| d + 1);
    let used = &local[..dims];
    let size = |d: usize| local.get(d).map_or(1, |n| i128::from(*n));
    if used.iter().all(|n| *n == used[0]) {
        let name = names.fresh("GROUP");
        return [0, 1, 2].map(|d| match d < dims {
            true => (name.clone(), size(d)),
            false => ("1".to_owned(), 1),
        });
    }
    let mut named = |d: usize, wanted: &str| match d < dims {
        true => (names.fresh(wanted), size(d)),
        false => ("1".to_owned(), 1),
    };
    [
        named(0, "GROUP_X"),
        named(1, "GROUP_Y"),
        named(2, "GROUP_Z"),
    ]
}

/// The macros and the attribute, in front of the kernel and what is said of it.
///
/// # Errors
/// The kernel does not begin on a line of its own.
pub fn fixed_group(accesses: &Accesses<'_>) -> Result<Vec<TextEdit>, Refusal> {
    let tree = accesses.bindings.tree;
    let Some(sizes) = accesses.bindings.atoms.group_sizes() else {
        return Ok(Vec::new());
    };
    let line = kernel_line(accesses)?;
    let indent = line_start(&tree.text, accesses.function.span.begin).1;
    let mut defines = Vec::new();
    for (name, value) in sizes {
        let line = format!("#define {name} {value}\n");
        if name != "1" && !defines.contains(&line) {
            defines.push(line);
        }
    }
    let mut edits = vec![TextEdit::insert(
        above_comments(&tree.text, line),
        format!("{}\n", defines.concat()),
    )];
    if !accesses.function.has_required_size {
        let [x, y, z] = sizes;
        edits.push(TextEdit::insert(
            line,
            format!(
                "{indent}__attribute__((reqd_work_group_size({}, {}, {})))\n",
                x.0, y.0, z.0
            ),
        ));
    }
    Ok(edits)
}

/// A macro for a number, in front of the kernel and what is said of it.
///
/// # Errors
/// The kernel does not begin on a line of its own.
pub fn define(accesses: &Accesses<'_>, name: &str, value: u64) -> Result<TextEdit, Refusal> {
    let line = kernel_line(accesses)?;
    let at = above_comments(&accesses.bindings.tree.text, line);
    Ok(TextEdit::insert(at, format!("#define {name} {value}\n\n")))
}

/// Whether a text has `#define NAME VALUE`, and no other definition of the name.
pub fn defines(text: &str, name: &str, value: u64) -> bool {
    let is_name = |line: &&str| {
        let mut words = line.trim().trim_start_matches('#').split_whitespace();
        line.trim_start().starts_with('#')
            && matches!(words.next(), Some("define" | "undef"))
            && words.next() == Some(name)
    };
    let mut lines = text.lines().filter(is_name);
    let is_value = |line: &str| line.split_whitespace().last() == Some(&value.to_string());
    lines.next().is_some_and(is_value) && lines.next().is_none()
}

/// The first byte of the line on which the kernel begins.
fn kernel_line(accesses: &Accesses<'_>) -> Result<usize, Refusal> {
    let tree = accesses.bindings.tree;
    let begin = accesses.function.span.begin;
    let (line, _) = line_start(&tree.text, begin);
    let before = tree.text.get(line..begin).unwrap_or_default();
    let only_words = before
        .trim()
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ' ');
    if only_words {
        return Ok(line);
    }
    Err(Refusal::new(
        tree,
        accesses.function.span,
        Code::Macro,
        "the kernel does not begin on a line of its own, so that no macro can be put in front of it",
    ))
}

/// The first byte of the comment that ends in the line in front of `line`; `line`
/// itself where there is none.
pub fn above_comments(text: &str, line: usize) -> usize {
    let mut top = line;
    let mut inside = false;
    while top > 0 {
        let start = line_start(text, top - 1).0;
        let shown = text[start..top].trim();
        let is_comment = inside || shown.starts_with("//") || shown.ends_with("*/");
        if !is_comment {
            break;
        }
        inside = (inside || shown.ends_with("*/")) && !shown.contains("/*");
        top = start;
    }
    // A comment that no line opens was none.
    if inside { line } else { top }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_stand_above_what_is_said_of_a_kernel() {
        let text = "int f;\n/* One.\n * Two. */\n// Three.\n__kernel";
        let line = text.find("__kernel").expect("it is there");
        assert_eq!(above_comments(text, line), 7);
        assert_eq!(above_comments("x */\nk", 5), 5);
        assert_eq!(above_comments("k", 0), 0);
    }

    #[test]
    fn equal_sizes_have_one_name() {
        let named = |local| group_sizes("int GROUP_Y;", local).map(|(n, _)| n);
        assert_eq!(named([16, 16, 1]), ["GROUP", "GROUP", "1"]);
        assert_eq!(named([32, 8, 1]), ["GROUP_X", "GROUP_Y2", "1"]);
        assert_eq!(named([64, 1, 1]), ["GROUP", "1", "1"]);
    }
}
