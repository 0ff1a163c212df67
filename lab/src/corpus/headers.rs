//! Where the headers of a source are: hosts pass `-I`, which a source does not
//! show.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::sources::walk;

/// Folders to search for the headers that `source` includes and that are not
/// beside it: those of its suite that have a file of that name, the nearest
/// first. `source` and `suite` are absolute.
pub fn folders(source: &Path, suite: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    walk(suite, &mut |path| files.push(path.to_owned()))?;
    files.sort();
    let mut folders = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![source.to_owned()];
    while let Some(path) = open.pop() {
        // A header that can't be read is clang's to complain about.
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        for name in included(&String::from_utf8_lossy(&bytes)) {
            // `./x.h` may be meant relative to a folder of the host's.
            let name = name.trim_start_matches("./").to_owned();
            let beside = path.parent().map(|folder| folder.join(&name));
            if let Some(beside) = beside.filter(|p| p.is_file()) {
                if seen.insert(beside.clone()) {
                    open.push(beside);
                }
                continue;
            }
            let Some(found) = nearest(&files, &name, source) else {
                continue;
            };
            let depth = Path::new(&name).components().count();
            if let Some(folder) = found.ancestors().nth(depth)
                && !folders.contains(&folder.to_owned())
            {
                folders.push(folder.to_owned());
            }
            if seen.insert(found.clone()) {
                open.push(found);
            }
        }
    }
    Ok(folders)
}

/// The file whose path ends with `name` and shares most of its path with
/// `source`.
fn nearest(files: &[PathBuf], name: &str, source: &Path) -> Option<PathBuf> {
    let shared = |path: &Path| {
        let pairs = path.components().zip(source.components());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let fits = files.iter().filter(|path| path.ends_with(name));
    fits.max_by_key(|path| (shared(path), std::cmp::Reverse(path.components().count())))
        .cloned()
}

/// Names behind `#include`.
fn included(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("include")?.trim_start();
        let close = match rest.chars().next()? {
            '"' => '"',
            '<' => '>',
            _ => return None,
        };
        let end = rest[1..].find(close)?;
        Some(rest[1..=end].to_owned())
    };
    text.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_in_the_suite() -> anyhow::Result<()> {
        let suite = tempfile::tempdir()?;
        let root = suite.path();
        for folder in ["a/kernels", "a/inc/sub", "b/inc/sub"] {
            std::fs::create_dir_all(root.join(folder))?;
        }
        let source = root.join("a/kernels/k.cl");
        std::fs::write(&source, "  # include <sub/x.h>\n#include \"./own.h\"\n")?;
        std::fs::write(root.join("a/kernels/own.h"), "#include \"./y.h\"\n")?;
        std::fs::write(root.join("a/inc/sub/x.h"), "")?;
        std::fs::write(root.join("a/inc/y.h"), "")?;
        std::fs::write(root.join("b/inc/sub/x.h"), "")?;
        assert_eq!(folders(&source, root)?, [root.join("a/inc")]);
        Ok(())
    }
}
