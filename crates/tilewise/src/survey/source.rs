//! Compiling a source for a survey.

use std::sync::Arc;

use tilewise_frontend::FrontendError;
use tilewise_launch::LaunchSpec;

use super::{RefusedKernel, SourceOutcome, SurveyInput};
use crate::error::Error;
use crate::input::KernelInput;
use crate::load::{Unit, compile as compile_unit};
use crate::session::Session;
use crate::target::Target;

/// The profile that is simulated.
const PROFILE: &str = "h200";

/// Extensions that a surveyed source may use beside the profile's: all that
/// the simulator runs.
const EXTENSIONS: &[&str] = &[
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_subgroups",
];

/// Versions of the language that are tried in turn where the options name
/// none, after the one that is taken without a word.
const LATER: &[&str] = &["CL2.0", "CL3.0"];

/// The target of a survey.
pub(super) fn target() -> Result<Target, Error> {
    let mut target = Target::builtin(PROFILE)?;
    let known = &mut target.profile.to_mut().opencl.extensions.value;
    for extension in EXTENSIONS {
        if !known.iter().any(|e| e == extension) {
            known.push((*extension).to_owned());
        }
    }
    Ok(target)
}

/// Compiles and lowers a source.
pub(super) fn compile(
    input: &SurveyInput,
    target: &Target,
) -> Result<(SourceOutcome, Option<Arc<Unit>>), Error> {
    let given = input.build_options.trim();
    let mut first = None;
    let versions = [None].into_iter().chain(LATER.iter().copied().map(Some));
    for version in versions {
        let options = match version {
            Some(version) => format!("{given} -cl-std={version}"),
            None => given.to_owned(),
        };
        match attempt(input, target, options.trim()) {
            Ok(unit) => {
                let outcome = compiled(&unit, version);
                return Ok((outcome, Some(Arc::new(unit))));
            }
            Err(Error::Frontend(error)) => match *error {
                missing @ (FrontendError::ToolMissing { .. } | FrontendError::Io { .. }) => {
                    return Err(missing.into());
                }
                FrontendError::Compile { .. } => {
                    first.get_or_insert(SourceOutcome::Rejected {
                        message: first_error(&error.to_string()),
                    });
                    if given.contains("-cl-std=") {
                        break;
                    }
                }
                FrontendError::Translator { message, .. } => {
                    return Ok((SourceOutcome::NotTranslated { message }, None));
                }
                other => {
                    let message = other.to_string();
                    return Ok((SourceOutcome::NotLowered { message }, None));
                }
            },
            Err(other) => {
                let message = other.to_string();
                return Ok((SourceOutcome::NotLowered { message }, None));
            }
        }
    }
    let rejected = first.unwrap_or(SourceOutcome::Rejected {
        message: "clang gave no message".to_owned(),
    });
    Ok((rejected, None))
}

fn attempt(input: &SurveyInput, target: &Target, options: &str) -> Result<Unit, Error> {
    let spec = LaunchSpec {
        build_options: (!options.is_empty()).then(|| options.to_owned()),
        include: input.include.clone(),
        prepend: input.prepend.clone(),
        ..LaunchSpec::default()
    };
    let kernel = KernelInput {
        path: input.path.clone(),
        ..KernelInput::default()
    };
    compile_unit(&Session::default(), target, &kernel, &spec)
}

fn compiled(unit: &Unit, version: Option<&str>) -> SourceOutcome {
    let refused = unit.compiled.refusals.iter().map(|r| RefusedKernel {
        kernel: r.kernel.clone(),
        construct: r.construct.clone(),
        reason: r.reason.clone(),
    });
    SourceOutcome::Compiled {
        kernels: unit
            .compiled
            .signatures
            .iter()
            .map(|s| s.kernel.clone())
            .collect(),
        refused: refused.collect(),
        stands_in: unit.compiled.stands_in.clone(),
        version: version.map(str::to_owned),
    }
}

/// The first line of clang's output that tells of an error.
fn first_error(message: &str) -> String {
    let error = message.lines().find(|l| l.contains("error: "));
    error
        .or(message.lines().next())
        .unwrap_or_default()
        .trim()
        .to_owned()
}
