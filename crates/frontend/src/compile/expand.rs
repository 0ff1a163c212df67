//! The preprocessor's run: expanded text, the macros of the source, and the
//! check of the source as the user wrote it.

use std::ffi::OsString;
use std::path::Path;

use super::extension_hint;
use super::process::{self, Finished};
use super::{Options, Source, half_prelude};
use crate::error::FrontendError;
use crate::position::PositionMap;
use crate::position::build::read_expansion;
use crate::toolchain::Toolchain;

/// Expanded source.
#[derive(Debug)]
pub struct Expanded {
    /// The text without directives, markers and clang's own header.
    pub text: String,
    /// Leads back to the user's files.
    pub positions: PositionMap,
    /// What clang warns about.
    pub warnings: String,
}

/// Checks and expands a source.
///
/// # Errors
/// [`FrontendError::Compile`] with clang's messages where it is no OpenCL C.
pub fn expand(
    tools: &Toolchain,
    source: &Source,
    options: &Options,
    folder: &Path,
) -> Result<Expanded, FrontendError> {
    let input = joined(source);
    let common = invocation(source, options)?;
    half_prelude::write(options, folder)?;
    let run = |extra: &[&str], prelude: Vec<OsString>| -> Result<Finished, FrontendError> {
        let mut args: Vec<OsString> = extra.iter().map(OsString::from).collect();
        args.extend(prelude);
        args.extend(common.iter().cloned());
        args.push("-".into());
        process::run(&tools.clang, &args, folder, Some(&input))
    };
    let (checked, expanded) = std::thread::scope(|scope| {
        let check = scope.spawn(|| run(&["-fsyntax-only"], half_prelude::flags(options, None)));
        // Declarations would only be copied into the text here.
        let expanded = run(&["-E", "-dD", "-w"], Vec::new());
        (joined_thread(check), expanded)
    });
    let (checked, expanded) = (checked?, expanded?);
    if !checked.success || !expanded.success {
        let stderr = if checked.success {
            expanded.stderr
        } else {
            checked.stderr
        };
        let hints = extension_hint::hints(&stderr, options.extensions.as_deref());
        return Err(FrontendError::Compile {
            path: source.path.clone(),
            stderr: format!("{}{hints}", stderr.trim_end()),
        });
    }
    let text = String::from_utf8_lossy(&expanded.stdout);
    let (text, mut positions) = read_expansion(&text, source);
    // Clang runs elsewhere and was given whole paths: headers are named as the main
    // file is.
    let base = source.path.parent().unwrap_or(Path::new(""));
    if source.path.is_relative()
        && let (Ok(whole), Ok(here)) = (
            std::path::absolute(base.join(".")),
            std::path::absolute("."),
        )
    {
        positions.rename(&whole, base);
        positions.rename(&here, Path::new(""));
    }
    Ok(Expanded {
        text,
        positions,
        warnings: checked.stderr,
    })
}

/// The flags with which clang reads a source from its standard input, in any
/// folder.
pub(crate) fn invocation(
    source: &Source,
    options: &Options,
) -> Result<Vec<OsString>, FrontendError> {
    let base = source
        .path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut flags = options.language_flags()?;
    flags.extend(options.preprocessor_flags()?);
    flags.push("-iquote".into());
    flags.push(
        std::path::absolute(base)
            .unwrap_or_else(|_| base.to_owned())
            .into(),
    );
    Ok(flags)
}

/// The result of a thread; a panic in it goes on here.
pub(super) fn joined_thread<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// All texts one after the other, each under its own name.
pub(crate) fn joined(source: &Source) -> String {
    let mut text = in_front(source);
    text.push_str(&source.text);
    if !source.text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Bytes in front of the main file in the text that [`joined`] gives.
pub(crate) fn main_offset(source: &Source) -> usize {
    in_front(source).len()
}

fn in_front(source: &Source) -> String {
    let mut text = String::new();
    for (path, part) in &source.prepend {
        text.push_str(&marker(path));
        text.push_str(part);
        if !part.ends_with('\n') {
            text.push('\n');
        }
    }
    text.push_str(&marker(&source.path));
    text
}

fn marker(path: &Path) -> String {
    let name = path.display().to_string();
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("# 1 \"{name}\"\n")
}
