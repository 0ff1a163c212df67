//! Finds clang and the translator from LLVM bitcode to SPIR-V.
//!
//! Both must be of one LLVM version: the translator reads bitcode of its own
//! version only. Version 14 is preferred where there are several, since it
//! translates the most kernels; 15 is left out, since its translator aborts on
//! images.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::error::FrontendError;

/// Environment variable that names the clang to use.
pub const CLANG_VARIABLE: &str = "TILEWISE_CLANG";
/// Environment variable that names the translator to use.
pub const TRANSLATOR_VARIABLE: &str = "TILEWISE_LLVM_SPIRV";

/// The oldest version that works.
const OLDEST: u32 = 14;
/// The newest version that is looked for.
const NEWEST: u32 = 30;
/// The version that is taken where it is there.
const PREFERRED: u32 = 14;
/// The version that is never taken by itself.
const SKIPPED: u32 = 15;

/// A clang and a matching translator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// clang.
    pub clang: PathBuf,
    /// `llvm-spirv`.
    pub translator: PathBuf,
    /// Where to look for what they gave before, and to keep what they give.
    pub cache: Option<Cache>,
}

impl Toolchain {
    /// Finds the tools, with nothing kept of what they give: by the environment variables [`CLANG_VARIABLE`] and
    /// [`TRANSLATOR_VARIABLE`], else on the `PATH` and where Debian's packages
    /// put them.
    ///
    /// # Errors
    /// [`FrontendError::ToolMissing`], with the line that installs the tool on
    /// this platform.
    pub fn find() -> Result<Self, FrontendError> {
        let search = Search {
            clang: std::env::var_os(CLANG_VARIABLE).map(PathBuf::from),
            translator: std::env::var_os(TRANSLATOR_VARIABLE).map(PathBuf::from),
            folders: std::env::var_os("PATH")
                .map(|path| std::env::split_paths(&path).collect())
                .unwrap_or_default(),
            llvm: PathBuf::from("/usr/lib"),
            os_release: std::fs::read_to_string("/etc/os-release").unwrap_or_default(),
        };
        search.find()
    }
}

/// Where tools are looked for.
struct Search {
    clang: Option<PathBuf>,
    translator: Option<PathBuf>,
    folders: Vec<PathBuf>,
    /// Folder that holds `llvm-N/bin`.
    llvm: PathBuf,
    os_release: String,
}

impl Search {
    fn find(&self) -> Result<Toolchain, FrontendError> {
        if let (Some(clang), Some(translator)) = (&self.clang, &self.translator) {
            return Ok(Toolchain {
                clang: self.named("clang", CLANG_VARIABLE, clang)?,
                translator: self.named("llvm-spirv", TRANSLATOR_VARIABLE, translator)?,
                cache: None,
            });
        }
        let mut versions = vec![PREFERRED];
        versions.extend((OLDEST..=NEWEST).filter(|&n| n != PREFERRED && n != SKIPPED));
        let mut found_clang = None;
        for version in versions {
            let clang = match &self.clang {
                Some(path) => Some(self.named("clang", CLANG_VARIABLE, path)?),
                None => self.locate("clang", version),
            };
            let translator = match &self.translator {
                Some(path) => Some(self.named("llvm-spirv", TRANSLATOR_VARIABLE, path)?),
                None => self.locate("llvm-spirv", version),
            };
            match (clang, translator) {
                (Some(clang), Some(translator)) => {
                    return Ok(Toolchain {
                        clang,
                        translator,
                        cache: None,
                    });
                }
                (Some(clang), None) => {
                    found_clang.get_or_insert((version, clang));
                }
                _ => {}
            }
        }
        Err(match found_clang {
            None => self.missing(
                "clang",
                format!(
                    "looked for clang-{OLDEST} and newer on the PATH and in /usr/lib/llvm-*/bin"
                ),
                PREFERRED,
            ),
            Some((version, clang)) => self.missing(
                "llvm-spirv",
                format!(
                    "{} is there, but not the translator of the same version \
                     (looked for llvm-spirv-{version} on the PATH and in /usr/lib/llvm-*/bin)",
                    clang.display()
                ),
                version,
            ),
        })
    }

    /// A tool that the user named.
    fn named(
        &self,
        tool: &'static str,
        variable: &str,
        path: &Path,
    ) -> Result<PathBuf, FrontendError> {
        let found = if path.components().count() > 1 {
            Some(path.to_owned()).filter(|p| p.is_file())
        } else {
            self.on_path(path.as_os_str())
        };
        found.ok_or_else(|| FrontendError::ToolMissing {
            tool,
            reason: format!("{variable} names {}, which is no file", path.display()),
            install: format!("set {variable} to the tool's path, or unset it to search for one"),
        })
    }

    fn locate(&self, tool: &str, version: u32) -> Option<PathBuf> {
        self.on_path(OsStr::new(&format!("{tool}-{version}")))
            .or_else(|| {
                let path = self.llvm.join(format!("llvm-{version}/bin")).join(tool);
                path.is_file().then_some(path)
            })
    }

    fn on_path(&self, name: &OsStr) -> Option<PathBuf> {
        self.folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
    }

    fn missing(&self, tool: &'static str, reason: String, version: u32) -> FrontendError {
        FrontendError::ToolMissing {
            tool,
            reason,
            install: install_line(&self.os_release, version),
        }
    }
}

/// The line that installs both tools on the platform that `/etc/os-release`
/// describes.
fn install_line(os_release: &str, version: u32) -> String {
    let field = |key: &str| {
        os_release.lines().find_map(|line| {
            let value = line.strip_prefix(key)?.strip_prefix('=')?;
            Some(value.trim_matches('"').to_lowercase())
        })
    };
    let ids = format!(
        "{} {}",
        field("ID").unwrap_or_default(),
        field("ID_LIKE").unwrap_or_default()
    );
    if ids
        .split_whitespace()
        .any(|id| id == "debian" || id == "ubuntu")
    {
        format!("install them: sudo apt-get install -y clang-{version} llvm-spirv-{version}")
    } else {
        format!(
            "install clang {version} and its SPIRV-LLVM-Translator (the command llvm-spirv, of \
             the same version) with your package manager, or set {CLANG_VARIABLE} and \
             {TRANSLATOR_VARIABLE} to their paths"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(folder: &Path, tools: &[&str]) -> Search {
        for tool in tools {
            std::fs::write(folder.join(tool), "").unwrap();
        }
        Search {
            clang: None,
            translator: None,
            folders: vec![folder.to_owned()],
            llvm: folder.join("lib"),
            os_release: "ID=debian\nVERSION_ID=\"12\"\n".to_owned(),
        }
    }

    #[test]
    fn takes_the_preferred_matching_pair() {
        let folder = tempfile::tempdir().unwrap();
        let tools = [
            "clang-14",
            "llvm-spirv-14",
            "clang-15",
            "llvm-spirv-15",
            "clang-16",
            "llvm-spirv-16",
        ];
        let found = search(folder.path(), &tools).find().unwrap();
        assert_eq!(found.clang, folder.path().join("clang-14"));
        assert_eq!(found.translator, folder.path().join("llvm-spirv-14"));
    }

    #[test]
    fn skips_version_15_and_pairs_that_do_not_match() {
        let folder = tempfile::tempdir().unwrap();
        let tools = [
            "clang-14",
            "clang-15",
            "llvm-spirv-15",
            "clang-17",
            "llvm-spirv-17",
        ];
        let found = search(folder.path(), &tools).find().unwrap();
        assert_eq!(found.clang, folder.path().join("clang-17"));
    }

    #[test]
    fn says_what_to_install() {
        let folder = tempfile::tempdir().unwrap();
        let error = search(folder.path(), &[]).find().unwrap_err();
        assert_eq!(error.exit_code(), 3);
        let text = error.to_string();
        assert!(text.starts_with("clang not found"), "{text}");
        assert!(
            text.contains("sudo apt-get install -y clang-14 llvm-spirv-14"),
            "{text}"
        );

        let error = search(folder.path(), &["clang-16"]).find().unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("llvm-spirv not found"), "{text}");
        assert!(text.contains("llvm-spirv-16"), "{text}");
    }

    #[test]
    fn a_tool_named_by_the_environment_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let mut search = search(folder.path(), &["clang-14", "llvm-spirv-14"]);
        search.clang = Some(PathBuf::from("/no/such/clang"));
        let text = search.find().unwrap_err().to_string();
        assert!(
            text.contains("TILEWISE_CLANG names /no/such/clang, which is no file"),
            "{text}"
        );
    }

    #[test]
    fn other_platforms_get_the_names_of_the_tools() {
        let line = install_line("ID=fedora\n", 14);
        assert!(line.contains("SPIRV-LLVM-Translator"), "{line}");
        assert!(install_line("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", 14).contains("apt-get"));
    }
}
