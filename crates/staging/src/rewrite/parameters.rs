//! The new parameters of a kernel.

use crate::loads::Accesses;
use crate::refusal::{Code, Refusal};

use super::edit::{TextEdit, line_start};

/// A new parameter.
pub enum Parameter {
    /// Local memory.
    Tile {
        /// Type of an element.
        element: String,
        /// Its name.
        name: String,
    },
    /// The number of elements of a buffer.
    Length(String),
}

/// The new parameters, behind the last one; `None` where there are none.
///
/// # Errors
/// The last parameter comes out of a macro.
pub fn parameters(accesses: &Accesses<'_>, new: &[Parameter]) -> Result<Option<TextEdit>, Refusal> {
    if new.is_empty() {
        return Ok(None);
    }
    let tree = accesses.bindings.tree;
    let last = accesses.function.params.last();
    let range = last.and_then(|p| p.span.editable()).ok_or_else(|| {
        Refusal::new(
            tree,
            accesses.function.span,
            Code::Macro,
            "the parameters come out of a macro, so none can be added",
        )
    })?;
    let (start, indent) = line_start(&tree.text, range.start);
    let own_line = start + indent.len() == range.start;
    let separator = if own_line {
        format!(",\n{indent}")
    } else {
        ", ".to_owned()
    };
    // The source's own way to write a pointer.
    let declarators = accesses.function.params.iter();
    let mut declarators = declarators.filter_map(|p| tree.text_of(p.span));
    let tight = declarators.any(|d| d.contains("* ") && !d.contains(" *"));
    let text: String = new
        .iter()
        .map(|parameter| match parameter {
            Parameter::Tile { element, name } => {
                let pointer = if tight { "* " } else { " *" };
                format!("{separator}__local {element}{pointer}{name}")
            }
            Parameter::Length(name) => format!("{separator}int {name}"),
        })
        .collect();
    Ok(Some(TextEdit::insert(range.end, text)))
}
