//! What a survey tells.

use serde::{Deserialize, Serialize};

/// A step of a survey, or its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurveyEvent {
    /// What is tried next.
    Begin(Stage),
    /// What came of compiling the source.
    Source(SourceOutcome),
    /// What came of a kernel so far; what is told last holds.
    Kernel(KernelOutcome),
}

/// What a survey is at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "stage", content = "kernel")]
pub enum Stage {
    /// Compiling the source and lowering both forms.
    Compile,
    /// Finding a launch of this kernel, with runs of it as written.
    Launch(String),
    /// Running this kernel as compiled, with every analysis.
    Profile(String),
    /// Building and running this kernel on the device.
    Device(String),
}

impl Stage {
    /// The kernel, except while compiling.
    pub fn kernel(&self) -> Option<&str> {
        match self {
            Stage::Compile => None,
            Stage::Launch(name) | Stage::Profile(name) | Stage::Device(name) => Some(name),
        }
    }
}

/// What came of compiling a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum SourceOutcome {
    /// It has its IR.
    Compiled {
        /// Kernels that are lowered as written, in the order of the source.
        kernels: Vec<String>,
        /// Kernels that are not, with the reason.
        refused: Vec<RefusedKernel>,
        /// Why the form as written stands in for the form as compiled, if it
        /// does.
        stands_in: Option<String>,
        /// The version of the language that was taken where the given options
        /// name none and the usual one does not do.
        version: Option<String>,
    },
    /// clang rejects it.
    Rejected {
        /// clang's first error, with its place.
        message: String,
    },
    /// clang accepts it, the translator to SPIR-V does not.
    NotTranslated {
        /// What the translator said.
        message: String,
    },
    /// The whole file is refused, or its SPIR-V is found malformed.
    NotLowered {
        /// The error.
        message: String,
    },
}

/// A kernel that is not lowered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedKernel {
    /// Its name, if the refusal is that of one kernel.
    pub kernel: Option<String>,
    /// The construct.
    pub construct: String,
    /// Why it is refused.
    pub reason: String,
}

/// What came of one kernel that is lowered as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelOutcome {
    /// Its name.
    pub kernel: String,
    /// A command line that makes the launch; empty where none was found.
    pub command: String,
    /// The run as written, every work-group of it.
    pub written: Simulated,
    /// The run as compiled, with every analysis; `None` where there was no
    /// launch.
    pub compiled: Option<Simulated>,
    /// The run on the device.
    pub device: OnDevice,
}

/// What came of a simulated run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Simulated {
    /// Nothing was found.
    Clean,
    /// The run has findings.
    Findings {
        /// Their codes, each once, in order.
        codes: Vec<String>,
        /// The first, with its place.
        first: String,
    },
    /// The kernel needs data that can't be guessed.
    NeedsData {
        /// The message.
        message: String,
    },
    /// No launch could be made.
    NoLaunch {
        /// Why.
        message: String,
    },
    /// The simulator has no such operation.
    Refused {
        /// The message.
        message: String,
    },
}

/// What came of a run on the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum OnDevice {
    /// Every buffer holds what the simulator's holds.
    Agrees {
        /// `bit for bit`, or within how many ulp.
        how: String,
    },
    /// A buffer does not.
    Differs {
        /// The first difference.
        difference: String,
    },
    /// The device did not build or run it.
    Failed {
        /// What it said.
        message: String,
    },
    /// It was not run.
    NotRun {
        /// Why.
        why: String,
    },
}
