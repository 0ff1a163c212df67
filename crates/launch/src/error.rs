//! What can be wrong with a launch as described. Each message says what is
//! wrong, where it was written, why, and what to write instead. All of them
//! are mistakes of input (exit code 2 of the command line).

use std::fmt;
use std::path::PathBuf;

use crate::text::TextError;

/// A launch that can't be made from its description.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// `--arg` without `NAME=VALUE`.
    #[error(
        "`--arg {text}` has no NAME=VALUE form; write `--arg n=1024`, or `--arg 2=1024` by index"
    )]
    ArgFlag {
        /// What followed the flag.
        text: String,
    },

    /// A text that can't be read or evaluated.
    #[error("{place}: {error}")]
    Text {
        /// Where it was written.
        place: String,
        /// What is wrong in it.
        error: TextError,
    },

    /// A name that is no parameter of the kernel.
    #[error(
        "{place}: kernel {kernel} has no argument `{name}`{}\n  its parameters: {parameters}",
        did_you_mean(suggestion)
    )]
    UnknownArgument {
        /// Where it was written.
        place: String,
        /// The kernel.
        kernel: String,
        /// The name as written.
        name: String,
        /// The parameter that was probably meant.
        suggestion: Option<String>,
        /// All parameters with index and type.
        parameters: String,
    },

    /// An index beyond the last parameter.
    #[error(
        "{place}: kernel {kernel} has {count} arguments, so the last index is {}\n  its parameters: {parameters}",
        count.saturating_sub(1)
    )]
    IndexOutOfRange {
        /// Where it was written.
        place: String,
        /// The kernel.
        kernel: String,
        /// Number of its parameters.
        count: usize,
        /// All parameters with index and type.
        parameters: String,
    },

    /// The same argument twice.
    #[error("argument {name} is given twice: {first} and {second}; remove one")]
    DuplicateArgument {
        /// The parameter.
        name: String,
        /// Where first.
        first: String,
        /// Where again.
        second: String,
    },

    /// Values that have no default and were not given; all of them at once.
    #[error("kernel {kernel} can't be launched yet: {}", list_missing(missing))]
    Missing {
        /// The kernel.
        kernel: String,
        /// What is missing.
        missing: Vec<Missing>,
    },

    /// A value of one kind for a parameter of another.
    #[error("{place}: {name} is `{spelling}`, {problem}\n  write for instance {suggestion}")]
    WrongKind {
        /// Where it was written.
        place: String,
        /// The parameter.
        name: String,
        /// Its type in the source.
        spelling: String,
        /// What was given and why it can't be.
        problem: String,
        /// A flag that would do.
        suggestion: String,
    },

    /// An element type other than the kernel's.
    #[error(
        "{place}: {name} is given as {given}, but the kernel has {kernel_type} (`{spelling}`)\n  leave the type out: it comes from the kernel"
    )]
    TypeMismatch {
        /// Where it was written.
        place: String,
        /// The parameter.
        name: String,
        /// The type as given.
        given: String,
        /// The kernel's element type.
        kernel_type: String,
        /// The parameter's type in the source.
        spelling: String,
    },

    /// A value of the wrong shape for its type.
    #[error("{place}: {name} is `{spelling}`: {problem}")]
    Value {
        /// Where it was written.
        place: String,
        /// The parameter.
        name: String,
        /// Its type in the source.
        spelling: String,
        /// What is wrong and what would be right.
        problem: String,
    },

    /// Values that need each other.
    #[error("these values need each other, so none can be computed: {}", chain.join(" needs "))]
    Cycle {
        /// The circle; the first stands again at its end.
        chain: Vec<String>,
    },

    /// The work-group size does not divide the global size.
    #[error(
        "the work-group size {local} does not divide the global size {global} in dimension {dim}, \
         which OpenCL before 2.0 requires\n  \
         round the global size up (the kernel must guard its range): {fix_global}{}\n  \
         or build for OpenCL 2.0 or later, which allows a smaller last group: \
         --build-options -cl-std=CL2.0",
        or_group(fix_local)
    )]
    LocalDoesNotDivide {
        /// First dimension in which it does not, from 0.
        dim: usize,
        /// The work-group size, as `16x16`.
        local: String,
        /// The global size, as `1000x1000`.
        global: String,
        /// Flag with the global size rounded up.
        fix_global: String,
        /// Flag with a work-group size that divides, if there is a useful one.
        fix_local: Option<String>,
    },

    /// A work-group beyond the device's limit.
    #[error("{place}: {problem} on {device}\n  a group that fits: {suggestion}")]
    GroupTooLarge {
        /// Where it was written.
        place: String,
        /// Which limit, with figures.
        problem: String,
        /// The device.
        device: String,
        /// Flag with a size that fits.
        suggestion: String,
    },

    /// A work-group size other than the one that the kernel requires.
    #[error(
        "{place}: kernel {kernel} requires work-groups of {required} (reqd_work_group_size)\n  leave --local out, or write --local {required}"
    )]
    RequiredGroup {
        /// Where it was written.
        place: String,
        /// The kernel.
        kernel: String,
        /// The size that the kernel requires.
        required: String,
    },

    /// A size that is 0.
    #[error("{place}: {what} is 0, and nothing would run; it must be at least 1")]
    ZeroSize {
        /// Where it was written.
        place: String,
        /// What is 0.
        what: String,
    },

    /// A size beyond what can be addressed.
    #[error("{place}: {what} is beyond 2^63")]
    TooLarge {
        /// Where it was written.
        place: String,
        /// What is too large.
        what: String,
    },

    /// Sizes with different numbers of dimensions.
    #[error("{place}: {problem}\n  write {suggestion}")]
    Dimensions {
        /// Where it was written.
        place: String,
        /// The two numbers.
        problem: String,
        /// The corrected flag.
        suggestion: String,
    },

    /// More local memory than a group can have.
    #[error(
        "the __local arguments take {bytes} bytes a work-group ({parts}), {device} has {limit}\n  make the tile or --local smaller"
    )]
    LocalMemory {
        /// Bytes of all local arguments, each aligned.
        bytes: u64,
        /// Bytes by argument.
        parts: String,
        /// The device.
        device: String,
        /// Its limit per work-group in bytes.
        limit: u64,
    },

    /// An alias of something that it can't be an alias of.
    #[error("{place}: {problem}")]
    Alias {
        /// Where it was written.
        place: String,
        /// What is wrong and what would be right.
        problem: String,
    },

    /// A file that can't be read.
    #[error("{place}: can't read {}: {source}", path.display())]
    Read {
        /// Where the file was named.
        place: String,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },

    /// A file whose contents don't fit the argument.
    #[error("{place}: {}: {problem}", path.display())]
    Contents {
        /// Where the file was named.
        place: String,
        /// The file.
        path: PathBuf,
        /// What does not fit and what would.
        problem: String,
    },

    /// A launch file that says something wrong.
    #[error("{}{}: {message}{}", path.display(), at_line(*line), quoted_line(source_line))]
    LaunchFile {
        /// The file.
        path: PathBuf,
        /// Line from 1, where it is known.
        line: Option<usize>,
        /// The line's text.
        source_line: String,
        /// What is wrong and what would be right.
        message: String,
    },

    /// No launch of that name or kernel in the file.
    #[error("{}: {problem}\n  launches in it: {launches}", path.display())]
    NoSuchLaunch {
        /// The file.
        path: PathBuf,
        /// What was looked for, or why there is no choice.
        problem: String,
        /// The launches in it.
        launches: String,
    },

    /// A name that can't be a free size.
    #[error("{place}: {problem}")]
    Size {
        /// Where it was asked for.
        place: String,
        /// Why not, and what could be.
        problem: String,
    },

    /// Several mistakes, each to be mended.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<LaunchError>),
}

/// A value that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What it is: `n (int)` or `the global size`.
    pub what: String,
    /// A flag that would give it, quoted for a shell.
    pub flag: String,
}

impl LaunchError {
    /// No error, the one, or [`LaunchError::Several`].
    pub(crate) fn all(mut errors: Vec<LaunchError>) -> Result<(), LaunchError> {
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(LaunchError::Several(errors)),
        }
    }
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion
        .as_ref()
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

fn or_group(flag: &Option<String>) -> String {
    flag.as_ref()
        .map(|flag| format!("\n  or take a group that divides it: {flag}"))
        .unwrap_or_default()
}

fn list_missing(missing: &[Missing]) -> String {
    let width = missing
        .iter()
        .map(|m| m.what.chars().count())
        .max()
        .unwrap_or(0);
    let names: Vec<String> = missing
        .iter()
        .map(|m| format!("\n  {:width$}  for instance {}", m.what, m.flag))
        .collect();
    let count = match missing.len() {
        1 => "a value is missing".to_owned(),
        n => format!("{n} values are missing"),
    };
    format!("{count}{}", names.concat())
}

fn at_line(line: Option<usize>) -> impl fmt::Display {
    line.map(|line| format!(", line {line}"))
        .unwrap_or_default()
}

fn quoted_line(line: &str) -> String {
    if line.trim().is_empty() {
        String::new()
    } else {
        format!("\n    {}", line.trim())
    }
}
