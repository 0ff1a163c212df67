//! `tilewise init`: a first launch file, guessed from the signatures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tilewise_frontend::FrontendError;
use tilewise_launch::guess::Guess;
use tilewise_launch::{Signature, file, shell_command};

use crate::error::Error;
use crate::fit::{Subject, fit_usual};
use crate::input::KernelInput;
use crate::load::{compile, no_such_kernel};
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
pub fn init(session: &Session, input: &KernelInput) -> Result<Init, Error> {
    let target = Target::resolve(session, Need::Profile)?.swap_remove(0);
    let unit = Arc::new(compile(session, &target, input, &input.flags)?);
    let wanted = input.kernel.as_deref().or(input.flags.kernel.as_deref());
    let signatures: Vec<&Signature> = unit
        .compiled
        .signatures
        .iter()
        .filter(|s| wanted.is_none_or(|name| s.kernel == name))
        .collect();
    if signatures.is_empty() {
        return Err(no_such_kernel(&input.path, wanted, &unit.compiled));
    }
    let mut notes = unit.compiled.notes.clone();
    notes.extend(
        unit.compiled
            .refusals
            .iter()
            .filter(|r| wanted.is_none_or(|name| r.kernel.as_deref() == Some(name)))
            .map(|refusal| FrontendError::from(refusal.clone()).to_string()),
    );
    let mut guesses: Vec<Guess> = Vec::new();
    for &signature in &signatures {
        let subject = Subject {
            target: &target,
            path: &input.path,
            unit: &unit,
            signature,
        };
        let kernel = &signature.kernel;
        let plain = || Guess::new(signature).overridden_by(input.flags.clone());
        guesses.push(match fit_usual(session, subject, input.flags.clone()) {
            Ok(fitted) => {
                if !fitted.clean {
                    notes.push(format!(
                        "the guessed launch of {kernel} was tried and is not clean: `tilewise check` shows what is wrong"
                    ));
                }
                fitted.guess
            }
            // A file to begin with helps all the same.
            Err(error) => {
                notes.push(format!("the guessed launch of {kernel} was not tried: {error}"));
                plain()
            }
        });
    }
    let pairs: Vec<(&Signature, &Guess)> = signatures.iter().copied().zip(&guesses).collect();
    Ok(Init {
        path: input.path.with_extension("toml"),
        text: file::guessed_toml(&pairs, input.path.parent().unwrap_or(Path::new(""))),
        kernels: signatures.iter().map(|s| s.kernel.clone()).collect(),
        command_lines: guesses
            .iter()
            .map(|g| shell_command("profile", &input.path, g.spec()))
            .collect(),
        notes,
    })
}
