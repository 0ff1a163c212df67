//! Positions: from the text that is compiled back to the user's files.
//!
//! The compiled text is the preprocessor's output, so that each access inside
//! a macro has a column of its own. [`PositionMap`] leads from its lines and
//! columns to the place where the user's code stands (for code from a macro:
//! where the macro is used) and, inside a macro, to where its text stands.
//!
//! Method: line markers give file and line. Where a line differs from its source,
//! the source line is expanded here as well ([`expander`]), each token knowing
//! where it comes from, and the result is laid beside the preprocessor's. A line
//! on which the two differ (an include guard in the middle of a macro call, say)
//! keeps what fits; the rest has the position of the token before it.

pub(crate) mod build;
mod expander;
mod token;

use std::path::Path;

use serde::{Deserialize, Serialize};

/// File name under which the compiled text appears in debug information.
pub const EXPANDED: &str = "expanded.cl";

/// Leads from the compiled text to the user's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionMap {
    /// Names of the files; the first is the user's main file.
    pub(crate) files: Vec<String>,
    /// One entry per line of the compiled text; empty for SPIR-V from
    /// elsewhere, whose positions are taken as they are.
    pub(crate) lines: Vec<LineMap>,
}

/// Where a line of the compiled text comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LineMap {
    /// Index into the files.
    pub file: u32,
    /// Line in that file, from 1.
    pub line: u32,
    /// Where columns differ from the source: entries by ascending column of
    /// the compiled text. Empty where all columns are the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnMap>,
}

/// Where the text from a column on comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ColumnMap {
    /// First column in the compiled text, from 1.
    pub from: u32,
    /// Line in the source; a macro call may span lines.
    pub line: u32,
    /// Column in the source; of the macro's name inside an expansion.
    pub column: u32,
    /// Inside an expansion: file, line and column of the macro's text.
    pub spelling: Option<(u32, u32, u32)>,
}

/// A position in the user's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located<'a> {
    /// File.
    pub file: &'a str,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1; 0 where only the line is known.
    pub column: u32,
    /// Inside a macro: file, line and column of the macro's text.
    pub spelling: Option<(&'a str, u32, u32)>,
}

impl PositionMap {
    /// The map that changes nothing, for SPIR-V that comes from elsewhere.
    pub fn identity(main_file: &str) -> Self {
        Self {
            files: vec![main_file.to_owned()],
            lines: Vec::new(),
        }
    }

    /// The user's main file; empty if there is none.
    pub fn main_file(&self) -> &str {
        self.files.first().map_or("", String::as_str)
    }

    /// Names of all files, the main one first, then those that come before it and
    /// those that are included.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Names files below a folder as seen from where that folder's name is known.
    pub(crate) fn rename(&mut self, folder: &Path, shown: &Path) {
        for name in &mut self.files {
            if let Ok(below) = Path::new(name.as_str()).strip_prefix(folder) {
                *name = shown.join(below).display().to_string();
            }
        }
    }

    /// Where a position of the compiled text comes from.
    pub fn locate<'a>(&'a self, file: &'a str, line: u32, column: u32) -> Located<'a> {
        let plain = Located {
            file,
            line,
            column,
            spelling: None,
        };
        let index = (line as usize).wrapping_sub(1);
        let is_expanded = file == EXPANDED || file.ends_with("/expanded.cl");
        let Some(map) = self.lines.get(index).filter(|_| is_expanded) else {
            return plain;
        };
        let name = |file: u32| self.files.get(file as usize).map_or("", String::as_str);
        let mut located = Located {
            file: name(map.file),
            line: map.line,
            column,
            spelling: None,
        };
        if column == 0 {
            return located;
        }
        let at = map.columns.partition_point(|c| c.from <= column);
        if let Some(entry) = at.checked_sub(1).and_then(|i| map.columns.get(i)) {
            located.line = entry.line;
            located.column = match entry.spelling {
                Some(_) => entry.column,
                None => entry.column + (column - entry.from),
            };
            located.spelling = entry.spelling.map(|(f, l, c)| (name(f), l, c));
        }
        located
    }
}
