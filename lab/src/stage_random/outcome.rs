//! What becomes of one kernel.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Context;
use tilewise::commands::stage::{StageOptions, stage as stage_kernel};
use tilewise::input::KernelInput;
use tilewise::session::{DeviceChoice, Session};
use tilewise_generate::naive::Naive;

/// The device whose limits count.
const DEVICE: &str = "h200";

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Staged, and proved.
    Staged,
    /// Refused.
    Refused {
        /// The code.
        code: String,
        /// The reason.
        why: String,
    },
    /// The staged form does something else, or does not compile.
    Wrong(String),
    /// It panicked.
    Crashed(String),
}

impl Outcome {
    /// The kind of fault, if it is one.
    pub fn fault(&self) -> Option<&'static str> {
        match self {
            Self::Staged | Self::Refused { .. } => None,
            Self::Wrong(_) => Some("wrong"),
            Self::Crashed(_) => Some("crashed"),
        }
    }

    /// What it says.
    pub fn why(&self) -> &str {
        match self {
            Self::Staged => "staged and proved",
            Self::Refused { why, .. } | Self::Wrong(why) | Self::Crashed(why) => why,
        }
    }
}

/// Stages a kernel and proves it.
///
/// # Errors
/// It can't be written to a file.
pub fn stage(kernel: &Naive) -> anyhow::Result<Outcome> {
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    let path = folder.path().join("k.cl");
    std::fs::write(&path, kernel.text()).context("can't write the kernel")?;
    let input = KernelInput {
        path,
        flags: kernel.shape().spec(),
        ..KernelInput::default()
    };
    let session = Session {
        device: DeviceChoice::Simulated(DEVICE.to_owned()),
        threads: Some(1),
        ..Session::default()
    };
    let done = catch_unwind(AssertUnwindSafe(|| {
        stage_kernel(&session, &input, &StageOptions::default())
    }));
    let mut runs = match done {
        Ok(Ok(runs)) => runs,
        Ok(Err(error)) => return Ok(Outcome::Wrong(error.to_string())),
        Err(payload) => {
            let text = payload
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            return Ok(Outcome::Crashed(text.unwrap_or_default()));
        }
    };
    let run = runs.pop().context("no run came back")?;
    let verified = run.candidates.first().and_then(|c| c.verified.as_ref());
    Ok(match (verified, run.findings.first()) {
        (Some(verified), _) if verified.equal => Outcome::Staged,
        (Some(verified), finding) => {
            let trial = verified.trials.iter().find(|t| !t.equal);
            let difference = trial
                .map(|t| format!("{}: {}", t.launch, t.difference.clone().unwrap_or_default()));
            let finding = finding.map(|f| f.message.clone());
            let why = difference.or(finding);
            Outcome::Wrong(why.unwrap_or_else(|| "nothing was tried".to_owned()))
        }
        (None, Some(finding)) => Outcome::Refused {
            code: finding.code.clone(),
            why: finding.message.clone(),
        },
        (None, None) => Outcome::Wrong("neither staged nor refused".to_owned()),
    })
}
