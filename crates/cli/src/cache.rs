//! Where compiled kernels are kept between runs.

use std::path::PathBuf;

/// The user's cache folder for this program: below `XDG_CACHE_HOME` where that
/// is an absolute path (as the XDG base directory specification wants it), else
/// where the platform keeps caches. `None` where there is no such place.
pub fn folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let base = absolute("XDG_CACHE_HOME").or_else(|| {
        if cfg!(windows) {
            absolute("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            Some(absolute("HOME")?.join("Library/Caches"))
        } else {
            Some(absolute("HOME")?.join(".cache"))
        }
    });
    Some(base?.join("tilewise"))
}
