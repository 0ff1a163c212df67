//! A source with its headers in it, for where their folders are not.
//!
//! Each `#include` of a file that is found, as a compiler would find it, gives way to
//! that file's text, whatever the conditions around it are. What it misses: names that
//! macros give, and directives in comments, which are replaced like others; both leave
//! the meaning as it is.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Headers within headers; more of them include each other for ever.
const DEEPEST: usize = 32;

/// The text with the headers that it includes. `folder` is where the text's file is,
/// `folders` are those of `-I`.
pub fn with_headers(text: &str, folder: &Path, folders: &[PathBuf]) -> String {
    let mut headers = Headers {
        folders,
        once: HashSet::new(),
    };
    headers.within(text, folder, 0)
}

/// Whether a text includes a file of its own folder, as `#include "…"` finds it first.
pub fn includes_beside(text: &str, folder: &Path) -> bool {
    let mut names = text.lines().filter_map(included);
    names.any(|name| folder.join(name).is_file())
}

struct Headers<'a> {
    folders: &'a [PathBuf],
    /// Headers that say `#pragma once` and have been seen.
    once: HashSet<PathBuf>,
}

impl Headers<'_> {
    fn within(&mut self, text: &str, folder: &Path, depth: usize) -> String {
        let mut all = String::new();
        for line in text.split_inclusive('\n') {
            let found = included(line).filter(|_| depth < DEEPEST).and_then(|name| {
                let places = [folder]
                    .into_iter()
                    .chain(self.folders.iter().map(PathBuf::as_path));
                let path = places.map(|f| f.join(name)).find(|p| p.is_file())?;
                Some((std::fs::read_to_string(&path).ok()?, path))
            });
            let Some((header, path)) = found else {
                all.push_str(line);
                continue;
            };
            let is_once = header.lines().any(is_once);
            let known = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            if is_once && !self.once.insert(known) {
                continue;
            }
            let header: String = header
                .split_inclusive('\n')
                .filter(|l| !is_once || !self::is_once(l))
                .collect();
            let folder = path.parent().unwrap_or(Path::new(""));
            all.push_str(&self.within(&header, folder, depth + 1));
            if !all.ends_with('\n') {
                all.push('\n');
            }
        }
        all
    }
}

/// The words behind a `#`.
pub fn directive(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('#').map(str::trim_start)
}

/// The file that a line includes.
fn included(line: &str) -> Option<&str> {
    let rest = directive(line)?.strip_prefix("include")?.trim_start();
    let end = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    rest[1..].split_once(end).map(|(name, _)| name)
}

fn is_once(line: &str) -> bool {
    let words = directive(line).map(|d| d.split_whitespace().collect::<Vec<_>>());
    words.is_some_and(|w| w == ["pragma", "once"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_stand_where_they_are_included() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("a file");
        };
        std::fs::create_dir(folder.path().join("deep")).expect("a folder");
        write("a.h", "#pragma once\n#include \"deep/b.h\"\nint a;\n");
        write("deep/b.h", "#include <c.h>\nint b;");
        write("deep/c.h", "int c;\n");
        let text = "#include \"a.h\"\n  #  include \"a.h\"\n#include <none.h>\nint d;\n";
        let deep = [folder.path().join("deep")];
        assert_eq!(
            with_headers(text, folder.path(), &deep),
            "int c;\nint b;\nint a;\n#include <none.h>\nint d;\n"
        );
        write("self.h", "#include \"self.h\"\n");
        let text = with_headers("#include \"self.h\"\n", folder.path(), &[]);
        assert_eq!(text, "#include \"self.h\"\n");
    }
}
