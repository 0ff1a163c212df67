//! Launch files: TOML beside the kernel, `K.toml` for `K.cl`, with one or
//! several `[[launch]]` tables.
//!
//! ```toml
//! [[launch]]
//! name = "large"
//! kernel = "blur_naive"
//! global = "roundup(n,256)"
//! local = "256"
//!
//! [launch.args]
//! n = 16777216
//! in = "[n]"
//! out = "[n]"
//! ```
//!
//! Keys: `name`, `kernel`, `global`, `local`, `offset`, `args`, `defines`,
//! `include`, `build_options`, `prepend`, `seed`, `sizes`. An unknown key is an
//! error. File names are relative to the launch file.

mod read;
mod write;

use std::path::{Path, PathBuf};

pub use write::{guessed_toml, to_toml};

use crate::error::LaunchError;
use crate::spec::LaunchSpec;
use crate::suggest::nearest;

/// A launch file as read.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its launches in order; at least one.
    pub launches: Vec<LaunchSpec>,
}

impl LaunchFile {
    /// Reads the file at `path`.
    pub fn read(path: &Path) -> Result<Self, LaunchError> {
        let text = std::fs::read_to_string(path).map_err(|source| LaunchError::Read {
            place: "launch file".to_owned(),
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, path)
    }

    /// Reads the text of a launch file; `path` says where it is from.
    pub fn parse(text: &str, path: &Path) -> Result<Self, LaunchError> {
        Ok(Self {
            path: path.to_owned(),
            launches: read::launches(text, path)?,
        })
    }

    /// The launch file that belongs to a kernel file: the same name with the
    /// ending `.toml`, if there is one.
    pub fn beside(kernel_file: &Path) -> Option<PathBuf> {
        let path = kernel_file.with_extension("toml");
        path.is_file().then_some(path)
    }

    /// The kernel that all launches name, if it is one.
    pub fn only_kernel(&self) -> Option<&str> {
        match self.kernels()[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The kernels that the launches name, in their order; none where a launch names
    /// none, and so serves for any.
    pub fn kernels(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for launch in &self.launches {
            match launch.kernel.as_deref() {
                Some(kernel) if found.contains(&kernel) => {}
                Some(kernel) => found.push(kernel),
                None => return Vec::new(),
            }
        }
        found
    }

    /// The launch called `name`, or the first one of `kernel`, or, with
    /// neither, the only one. A launch that names no kernel serves for each.
    pub fn select(
        &self,
        name: Option<&str>,
        kernel: Option<&str>,
    ) -> Result<&LaunchSpec, LaunchError> {
        let found = |spec: &&LaunchSpec| {
            name.is_none_or(|n| spec.name.as_deref() == Some(n))
                && kernel.is_none_or(|k| spec.kernel.as_deref().is_none_or(|other| other == k))
        };
        let mut matching = self.launches.iter().filter(found);
        let problem = match (matching.next(), matching.next(), name, kernel) {
            (Some(spec), None, ..) | (Some(spec), Some(_), _, Some(_)) => return Ok(spec),
            (Some(spec), Some(_), Some(_), None) => return Ok(spec),
            (Some(_), Some(_), None, None) => {
                "it holds several launches; name a kernel as FILE.cl::KERNEL".to_owned()
            }
            (None, _, Some(name), _) => {
                let names = self.launches.iter().filter_map(|l| l.name.as_deref());
                let help = nearest(name, names).map(|n| format!("; did you mean `{n}`?"));
                format!("no launch is called `{name}`{}", help.unwrap_or_default())
            }
            (None, _, None, Some(kernel)) => format!("no launch is for kernel `{kernel}`"),
            (None, _, None, None) => "it holds no launch".to_owned(),
        };
        Err(LaunchError::NoSuchLaunch {
            path: self.path.clone(),
            problem,
            launches: self
                .launches
                .iter()
                .map(label)
                .collect::<Vec<_>>()
                .join(", "),
        })
    }
}

fn label(spec: &LaunchSpec) -> String {
    match (&spec.name, &spec.kernel) {
        (Some(name), Some(kernel)) => format!("{name} (kernel {kernel})"),
        (Some(name), None) => name.clone(),
        (None, Some(kernel)) => format!("kernel {kernel}"),
        (None, None) => "one without a kernel".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec::Origin;

    fn parse(text: &str) -> Result<LaunchFile, String> {
        LaunchFile::parse(text, Path::new("k/blur.toml")).map_err(|error| error.to_string())
    }

    const TWO: &str = r#"
[[launch]]
name = "small"
kernel = "blur_naive"
global = 1024
local = [16, "8*2"]
seed = 3
defines = { TILE = 16, FAST = true, T = "float" }
include = "inc"

[launch.args]
n = 1_000
a = 1.5
in = "@in.npy"

[[launch]]
name = "large"
kernel = "blur_naive"
"#;

    #[test]
    fn keys_of_every_type() {
        let file = parse(TWO).unwrap();
        let spec = &file.launches[0];
        let text = |t: &Option<crate::spec::Text>| t.as_ref().map(|t| t.text.clone());
        assert_eq!(text(&spec.global).as_deref(), Some("1024"));
        assert_eq!(text(&spec.local).as_deref(), Some("16,8*2"));
        assert_eq!(spec.defines, ["FAST", "T=float", "TILE=16"]);
        assert_eq!(spec.include, [PathBuf::from("k/inc")]);
        assert_eq!(spec.seed, Some(3));
        let args: Vec<String> = spec
            .args
            .iter()
            .map(|a| format!("{}={}", a.key, a.value.text))
            .collect();
        assert_eq!(args, ["n=1000", "a=1.5", "in=@in.npy"]);
        let Origin::File { line, .. } = &spec.args[2].value.origin else {
            panic!("no origin")
        };
        assert_eq!(*line, 14);
        assert_eq!(spec.args[2].value.origin.folder(), Path::new("k"));
    }

    #[test]
    fn one_table_is_enough() {
        assert_eq!(
            parse("[launch]\nkernel = \"k\"\n").unwrap().launches.len(),
            1
        );
    }

    #[test]
    fn mistakes_have_a_line_and_a_way_out() {
        for (text, expected) in [
            (
                "[[launch]]\n[launch.args]\n0 = 1\nn = 2\n00 = 3",
                "k/blur.toml, line 5: argument 0 is given twice, as `0` and as `00`; remove one\n    00 = 3",
            ),
            (
                "[[launch]]\ngloabl = \"n\"\n",
                "k/blur.toml, line 2: unknown key `gloabl`: did you mean `global`?\n    gloabl = \"n\"",
            ),
            (
                "kernel = \"k\"\n",
                "k/blur.toml, line 1: unknown key `kernel`; it belongs below a line `[[launch]]`\n    kernel = \"k\"",
            ),
            (
                "",
                "k/blur.toml: it holds no launch; begin one with a line `[[launch]]`",
            ),
            (
                "[[launch]]\nseed = -1\n",
                "k/blur.toml, line 2: `seed` is a whole number from 0 to 2^64 - 1\n    seed = -1",
            ),
            (
                "[[launch]]\nkernel = 5\n",
                "k/blur.toml, line 2: `kernel` should be a string, this is a TOML integer\n    kernel = 5",
            ),
            (
                "[[launch]]\nlaunch = 1\n",
                "k/blur.toml, line 2: unknown key `launch`: the keys are name, kernel, global, local, offset, args, defines, include, build_options, prepend, seed, sizes\n    launch = 1",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected);
        }
        assert!(
            parse("[[launch]]\n[launch.args]\nn = [1]\n")
                .unwrap_err()
                .contains("line 3")
        );
        assert!(parse("[[launch]\n").unwrap_err().contains("line 1"));
    }

    #[test]
    fn a_launch_is_chosen_by_name_or_kernel() {
        let file = parse(TWO).unwrap();
        let name = |name, kernel| file.select(name, kernel).map(|s| s.name.clone().unwrap());
        assert_eq!(name(Some("large"), None).unwrap(), "large");
        assert_eq!(name(None, Some("blur_naive")).unwrap(), "small");
        let wrong = |n, k| name(n, k).unwrap_err().to_string();
        assert!(wrong(Some("lrge"), None).contains("did you mean `large`?"));
        assert!(wrong(None, Some("conv")).contains("no launch is for kernel `conv`"));
        assert!(wrong(None, None).contains("name a kernel as FILE.cl::KERNEL"));
        assert!(wrong(None, None).contains("small (kernel blur_naive), large"));
    }

    #[test]
    fn a_file_of_one_kernel_names_it() {
        let only = |text: &str| parse(text).map(|f| f.only_kernel().map(str::to_owned));
        let one = "[[launch]]\nkernel = \"k\"\n[[launch]]\nkernel = \"k\"\n";
        assert_eq!(only(one), Ok(Some("k".to_owned())));
        let two =
            "[[launch]]\nkernel = \"k\"\n[[launch]]\nkernel = \"l\"\n[[launch]]\nkernel = \"k\"\n";
        let file = parse(two).expect("a launch file");
        assert_eq!(file.kernels(), ["k", "l"]);
        assert_eq!(
            only("[[launch]]\nkernel = \"k\"\n[[launch]]\nkernel = \"l\"\n"),
            Ok(None)
        );
        assert_eq!(
            only("[[launch]]\nkernel = \"k\"\n[[launch]]\nname = \"big\"\n"),
            Ok(None)
        );
    }

    #[test]
    fn files_are_found_beside_kernels() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = folder.path().join("blur.cl");
        assert_eq!(LaunchFile::beside(&kernel), None);
        let path = folder.path().join("blur.toml");
        std::fs::write(&path, TWO).unwrap();
        assert_eq!(LaunchFile::beside(&kernel), Some(path.clone()));
        assert_eq!(LaunchFile::read(&path).unwrap().launches.len(), 2);
        let missing = LaunchFile::read(&folder.path().join("no.toml"))
            .unwrap_err()
            .to_string();
        assert!(missing.contains("can't read"), "{missing}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\[\\[launch\\]\\]\n)?([a-z]{1,6} ?= ?[\"0-9a-z\\[\\]{}=]{0,8}\n){0,4}|\\PC{0,60}") {
            let _outcome = parse(&text);
        }
    }
}
