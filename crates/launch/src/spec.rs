//! What the user says about a launch, from flags or a launch file, before the
//! kernel's signature is applied. Every text keeps its origin, so that a
//! message can name the flag or the line, and so that a file name in a launch
//! file is relative to that file.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::error::LaunchError;
use crate::quote::shell_quote;

/// One launch as the user describes it. Empty fields take defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchSpec {
    /// Name of the launch, where a file holds several.
    pub name: Option<String>,
    /// Name of the kernel function.
    pub kernel: Option<String>,
    /// The global size: `4096x4096`, `roundup(W,16),H`.
    pub global: Option<Text>,
    /// The work-group size: `16x16`.
    pub local: Option<Text>,
    /// The global offset.
    pub offset: Option<Text>,
    /// Arguments in the order in which they were given.
    pub args: Vec<ArgSetting>,
    /// Macros as after `-D`: `N=16` or `FAST`.
    pub defines: Vec<String>,
    /// Folders as after `-I`.
    pub include: Vec<PathBuf>,
    /// Further build options, as `clBuildProgram` takes them.
    pub build_options: Option<String>,
    /// Sources that the host puts before the kernel's.
    pub prepend: Vec<PathBuf>,
    /// Seed of the random fills.
    pub seed: Option<u64>,
    /// Names of arguments that are to be free sizes although nothing shows it.
    pub sizes: Vec<String>,
}

/// The value of one argument as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgSetting {
    /// Which argument.
    pub key: ArgKey,
    /// Its value, in the grammar of [`crate::parse`].
    pub value: Text,
}

/// How an argument was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgKey {
    /// By the parameter's name.
    Name(String),
    /// By the index of `clSetKernelArg`.
    Index(usize),
}

impl ArgKey {
    /// A name, or an index where the text is all digits.
    pub fn new(text: &str) -> Self {
        match text.parse() {
            Ok(index) if text.bytes().all(|b| b.is_ascii_digit()) => ArgKey::Index(index),
            _ => ArgKey::Name(text.to_owned()),
        }
    }
}

impl fmt::Display for ArgKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgKey::Name(name) => f.write_str(name),
            ArgKey::Index(index) => write!(f, "{index}"),
        }
    }
}

/// A text and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Where it was written.
    pub origin: Origin,
}

/// Where a text was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// On the command line (or by a program through the library).
    Flag,
    /// In a launch file.
    File {
        /// The file.
        path: Arc<Path>,
        /// Line, from 1.
        line: usize,
    },
}

impl Origin {
    /// The folder to which file names in the text are relative.
    pub fn folder(&self) -> &Path {
        match self {
            Origin::Flag => Path::new(""),
            Origin::File { path, .. } => path.parent().unwrap_or(Path::new("")),
        }
    }
}

impl Text {
    /// A text from the command line.
    pub fn flag(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            origin: Origin::Flag,
        }
    }

    /// The text as it has to stand in a file in `folder` (or, with an empty
    /// `folder`, on the command line): a file name behind an `@` is relative to
    /// where it was written, so it may have to change.
    pub fn relative_to(&self, folder: &Path) -> String {
        match self.text.split_once('@') {
            // In the same folder every name stays as it is, letter by letter.
            Some((head, path)) if self.origin.folder() != folder => {
                let path = self.origin.folder().join(path.trim());
                format!("{head}@{}", path_from(&path, folder).display())
            }
            _ => self.text.clone(),
        }
    }

    /// How a message calls this text, given as the value of `setting`
    /// (`global`, `arg n`): `--global 100` or `global in blur.toml, line 3`.
    pub(crate) fn place(&self, setting: &Setting<'_>) -> String {
        match (&self.origin, setting) {
            (Origin::Flag, Setting::Arg(key)) => {
                format!("--arg {}", shell_quote(&format!("{key}={}", self.text)))
            }
            (Origin::Flag, Setting::Range(flag)) => {
                format!("--{flag} {}", shell_quote(&self.text))
            }
            (Origin::File { path, line }, Setting::Arg(key)) => {
                format!("argument {key} in {}, line {line}", path.display())
            }
            (Origin::File { path, line }, Setting::Range(key)) => {
                format!("{key} in {}, line {line}", path.display())
            }
        }
    }
}

/// What a text is the value of, for messages.
pub(crate) enum Setting<'a> {
    /// `global`, `local` or `offset`.
    Range(&'static str),
    /// An argument.
    Arg(&'a ArgKey),
}

impl ArgSetting {
    /// Reads `NAME=VALUE` or `INDEX=VALUE`, as after `--arg`.
    pub fn from_flag(text: &str) -> Result<Self, LaunchError> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => Ok(Self {
                key: ArgKey::new(key.trim()),
                value: Text::flag(value.trim()),
            }),
            _ => Err(LaunchError::ArgFlag {
                text: text.to_owned(),
            }),
        }
    }

    pub(crate) fn place(&self) -> String {
        self.value.place(&Setting::Arg(&self.key))
    }
}

impl LaunchSpec {
    /// This description (say, of a launch file) with `over` (say, the flags)
    /// laid over it. Single values and arguments of the same key are replaced;
    /// macros are replaced by name; folders and sources are added behind.
    #[must_use]
    pub fn overridden_by(mut self, over: LaunchSpec) -> LaunchSpec {
        let LaunchSpec {
            name,
            kernel,
            global,
            local,
            offset,
            args,
            defines,
            include,
            build_options,
            prepend,
            seed,
            sizes,
        } = over;
        self.name = name.or(self.name);
        self.kernel = kernel.or(self.kernel);
        self.global = global.or(self.global);
        self.local = local.or(self.local);
        self.offset = offset.or(self.offset);
        self.args
            .retain(|old| args.iter().all(|new| new.key != old.key));
        self.args.extend(args);
        self.defines
            .retain(|old| defines.iter().all(|new| macro_name(new) != macro_name(old)));
        self.defines.extend(defines);
        self.include.extend(include);
        self.build_options = build_options.or(self.build_options);
        self.prepend.extend(prepend);
        self.seed = seed.or(self.seed);
        self.sizes.extend(sizes);
        self
    }

    /// Macros of [`Self::defines`] with a name and a value, for expressions.
    pub(crate) fn macro_values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.defines
            .iter()
            .filter_map(|define| define.split_once('='))
    }
}

/// `path`, relative to the working folder, as seen from `folder`. Where that
/// can't be told from the names alone, the absolute path.
pub(crate) fn path_from(path: &Path, folder: &Path) -> PathBuf {
    let normal = |c: &Component<'_>| matches!(c, Component::Normal(_));
    if let Ok(rest) = path.strip_prefix(folder) {
        return rest.to_owned();
    }
    if path.is_absolute() {
        return path.to_owned();
    }
    let folders: Vec<Component<'_>> = folder
        .components()
        .filter(|c| *c != Component::CurDir)
        .collect();
    if !folders.iter().all(normal) {
        // Without a working folder there is nothing better than the name.
        return std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    }
    let parts: Vec<Component<'_>> = path
        .components()
        .filter(|c| *c != Component::CurDir)
        .collect();
    let common = folders
        .iter()
        .zip(&parts)
        .take_while(|(a, b)| a == b)
        .count();
    let up = folders[common..].iter().map(|_| Component::ParentDir);
    up.chain(parts[common..].iter().copied()).collect()
}

/// The name of a macro as after `-D`.
fn macro_name(define: &str) -> &str {
    define.split(['=', '(']).next().unwrap_or(define)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file() {
        let origin = Origin::File {
            path: Path::new("k/blur.toml").into(),
            line: 4,
        };
        let in_file = |key: &str, text: &str| ArgSetting {
            key: ArgKey::new(key),
            value: Text {
                text: text.into(),
                origin: origin.clone(),
            },
        };
        let file = LaunchSpec {
            kernel: Some("blur".into()),
            global: Some(Text {
                text: "n".into(),
                origin: origin.clone(),
            }),
            args: vec![in_file("n", "1"), in_file("in", "[n]")],
            defines: vec!["T=1".into(), "FAST".into()],
            seed: Some(1),
            ..LaunchSpec::default()
        };
        let flags = LaunchSpec {
            global: Some(Text::flag("256")),
            args: vec![ArgSetting::from_flag("n=2").unwrap()],
            defines: vec!["T=2".into()],
            ..LaunchSpec::default()
        };
        let both = file.overridden_by(flags);
        assert_eq!(both.kernel.as_deref(), Some("blur"));
        assert_eq!(both.global, Some(Text::flag("256")));
        assert_eq!(both.defines, ["FAST", "T=2"]);
        assert_eq!(both.seed, Some(1));
        let args: Vec<String> = both
            .args
            .iter()
            .map(|a| format!("{}={}", a.key, a.value.text))
            .collect();
        assert_eq!(args, ["in=[n]", "n=2"]);
        assert_eq!(both.args[0].place(), "argument in in k/blur.toml, line 4");
        assert_eq!(both.args[1].place(), "--arg n=2");
    }

    #[test]
    fn file_names_follow_the_text() {
        let seen = |path: &str, folder: &str| path_from(Path::new(path), Path::new(folder));
        assert_eq!(seen("a/b.npy", ""), Path::new("a/b.npy"));
        assert_eq!(seen("a/b.npy", "a"), Path::new("b.npy"));
        assert_eq!(seen("b.npy", "a"), Path::new("../b.npy"));
        assert_eq!(seen("a/c/x.npy", "./a/b/d"), Path::new("../../c/x.npy"));
        assert_eq!(seen("/x.npy", "a"), Path::new("/x.npy"));
        assert!(seen("x.npy", "../a").is_absolute());
        assert!(seen("x.npy", "/a").is_absolute());

        let origin = Origin::File {
            path: Path::new("k/blur.toml").into(),
            line: 4,
        };
        let text = Text {
            text: "[n]:@in.npy".into(),
            origin,
        };
        assert_eq!(text.relative_to(Path::new("")), "[n]:@k/in.npy");
        assert_eq!(text.relative_to(Path::new("k")), "[n]:@in.npy");
        assert_eq!(
            Text::flag("@in.npy").relative_to(Path::new("k")),
            "@../in.npy"
        );
    }

    #[test]
    fn keys_are_names_or_indices() {
        assert_eq!(ArgKey::new("12"), ArgKey::Index(12));
        assert_eq!(ArgKey::new("in"), ArgKey::Name("in".into()));
        let setting = ArgSetting::from_flag("p={a:1, b=2}").unwrap();
        assert_eq!(setting.value.text, "{a:1, b=2}");
        for wrong in ["n", "=5", ""] {
            assert!(matches!(
                ArgSetting::from_flag(wrong),
                Err(LaunchError::ArgFlag { .. })
            ));
        }
    }
}
