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
    Staged(OnDevice),
    /// Refused.
    Refused {
        /// The code.
        code: String,
        /// The reason.
        why: String,
    },
    /// The staged form does something else.
    Wrong(String),
    /// It, or the kernel itself, does not compile or run.
    Failed(String),
    /// It panicked.
    Crashed(String),
}

/// What a device says of a staged kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum OnDevice {
    /// It was not asked.
    NotAsked,
    /// Both forms gave the same there.
    Equal,
    /// It could not run them: the reason.
    NotRun(String),
}

impl Outcome {
    /// The kind of fault, if it is one.
    pub fn fault(&self) -> Option<&'static str> {
        match self {
            Self::Staged(_) | Self::Refused { .. } => None,
            Self::Wrong(_) | Self::Failed(_) => Some("wrong"),
            Self::Crashed(_) => Some("crashed"),
        }
    }

    /// What it says.
    pub fn why(&self) -> &str {
        match self {
            Self::Staged(_) => "staged and proved",
            Self::Refused { why, .. }
            | Self::Wrong(why)
            | Self::Failed(why)
            | Self::Crashed(why) => why,
        }
    }
}

/// Stages a kernel and proves it, on the simulator and, where one is named, on an OpenCL
/// device.
///
/// # Errors
/// It can't be written to a file.
pub fn stage(kernel: &Naive, device: Option<&DeviceChoice>) -> anyhow::Result<Outcome> {
    let simulated = DeviceChoice::Simulated(DEVICE.to_owned());
    let Some(device) = device else {
        return stage_on(kernel, &simulated, OnDevice::NotAsked);
    };
    match stage_on(kernel, device, OnDevice::Equal)? {
        // What a device lacks, or its compiler does not take, is no fault of a form that
        // the simulator finds equal.
        Outcome::Failed(why) => stage_on(kernel, &simulated, OnDevice::NotRun(why)),
        outcome => Ok(outcome),
    }
}

fn stage_on(kernel: &Naive, device: &DeviceChoice, on_device: OnDevice) -> anyhow::Result<Outcome> {
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    let path = folder.path().join("k.cl");
    std::fs::write(&path, kernel.text()).context("can't write the kernel")?;
    let input = KernelInput {
        path,
        flags: kernel.shape().spec(),
        ..KernelInput::default()
    };
    let session = Session {
        device: device.clone(),
        threads: Some(1),
        ..Session::default()
    };
    let done = catch_unwind(AssertUnwindSafe(|| {
        stage_kernel(&session, &input, &StageOptions::default())
    }));
    let mut runs = match done {
        Ok(Ok(runs)) => runs,
        Ok(Err(error)) => return Ok(Outcome::Failed(error.to_string())),
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
    let compiler = run.warnings.iter().find(|w| w.contains("compiler warns"));
    if let Some(warning) = compiler {
        return Ok(Outcome::Wrong(warning.clone()));
    }
    Ok(match (verified, run.findings.first()) {
        (Some(verified), _) if verified.equal => Outcome::Staged(on_device),
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
