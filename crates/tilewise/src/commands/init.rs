//! `tilewise init`: a first launch file, guessed from the signatures.

use std::path::{Path, PathBuf};

use tilewise_launch::guess::Guess;
use tilewise_launch::{Signature, file, shell_command};

use crate::error::Error;
use crate::input::KernelInput;
use crate::load::compile;
use crate::session::Session;
use crate::target::{Need, Target};

/// A guessed launch file.
pub struct Init {
    /// Where it belongs: `K.toml` beside `K.cl`.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The kernels in it.
    pub kernels: Vec<String>,
    /// The same launches as command lines, one per kernel.
    pub command_lines: Vec<String>,
    /// What to know about the guesses.
    pub notes: Vec<String>,
}

/// Guesses a launch of the named kernel, or of each kernel of the file.
///
/// # Errors
/// The file can't be read or compiled, or holds no such kernel.
pub fn init(input: &KernelInput) -> Result<Init, Error> {
    let session = Session::default();
    let target = Target::resolve(&session, Need::Profile)?.swap_remove(0);
    let unit = compile(&session, &target, input, &input.flags)?;
    let wanted = input.kernel.as_deref().or(input.flags.kernel.as_deref());
    let signatures: Vec<&Signature> = unit
        .compiled
        .signatures
        .iter()
        .filter(|s| wanted.is_none_or(|name| s.kernel == name))
        .collect();
    if signatures.is_empty() {
        return Err(Error::Input(match wanted {
            Some(name) => format!("{} has no kernel `{name}`", input.path.display()),
            None => format!(
                "{} holds no kernel: no function in it is marked __kernel",
                input.path.display()
            ),
        }));
    }
    let guesses: Vec<Guess> = signatures
        .iter()
        .map(|s| Guess::new(s).overridden_by(input.flags.clone()))
        .collect();
    let pairs: Vec<(&Signature, &Guess)> = signatures.iter().copied().zip(&guesses).collect();
    Ok(Init {
        path: input.path.with_extension("toml"),
        text: file::guessed_toml(&pairs, input.path.parent().unwrap_or(Path::new(""))),
        kernels: signatures.iter().map(|s| s.kernel.clone()).collect(),
        command_lines: guesses
            .iter()
            .map(|g| shell_command("profile", &input.path, g.spec()))
            .collect(),
        notes: unit.compiled.notes.clone(),
    })
}
