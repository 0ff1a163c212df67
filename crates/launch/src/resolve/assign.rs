//! Which text belongs to which parameter.

use super::scalars::text_error;
use super::{Setup, image};
use crate::encode::value_example;
use crate::error::{LaunchError, Missing};
use crate::guess::Guess;
use crate::parse::{ArgText, parse_arg};
use crate::quote::shell_quote;
use crate::signature::{ParamKind, Signature};
use crate::spec::{ArgKey, ArgSetting, LaunchSpec, Origin};
use crate::suggest::nearest;

/// An argument as given.
pub(super) struct Given<'a> {
    pub(super) setting: &'a ArgSetting,
    pub(super) text: ArgText,
}

impl Given<'_> {
    pub(super) fn place(&self) -> String {
        self.setting.place()
    }
}

/// One entry per parameter. Unknown and doubled names, unreadable texts, and
/// then everything that is missing, are each reported together.
pub(super) fn assign<'a>(setup: &Setup<'a>) -> Result<Vec<Option<Given<'a>>>, LaunchError> {
    let Setup {
        spec, signature, ..
    } = *setup;
    let mut settings: Vec<Option<&ArgSetting>> = vec![None; signature.params.len()];
    let mut errors = Vec::new();
    for setting in &spec.args {
        let index = match index_of(&setting.key, signature, || setting.place()) {
            Ok(index) => index,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        match settings[index] {
            // By name in the file and by index on the command line, say.
            Some(first)
                if matches!(first.value.origin, Origin::File { .. })
                    && setting.value.origin == Origin::Flag =>
            {
                settings[index] = Some(setting);
            }
            Some(first) => errors.push(LaunchError::DuplicateArgument {
                name: signature.params[index].name.clone(),
                first: first.place(),
                second: setting.place(),
            }),
            None => settings[index] = Some(setting),
        }
    }
    let mut given = Vec::new();
    for setting in settings {
        let Some(setting) = setting else {
            given.push(None);
            continue;
        };
        match parse_arg(&setting.value.text) {
            Ok(text) => given.push(Some(Given { setting, text })),
            Err(error) => errors.push(text_error(setting.place(), error)),
        }
    }
    LaunchError::all(errors)?;
    report_missing(spec, signature, &given)?;
    Ok(given)
}

/// The index of the parameter that `key` names.
pub(super) fn index_of(
    key: &ArgKey,
    signature: &Signature,
    place: impl Fn() -> String,
) -> Result<usize, LaunchError> {
    let kernel = signature.kernel.clone();
    match key {
        ArgKey::Index(index) if *index < signature.params.len() => Ok(*index),
        ArgKey::Index(_) => Err(LaunchError::IndexOutOfRange {
            place: place(),
            kernel,
            count: signature.params.len(),
            parameters: parameter_list(signature),
        }),
        ArgKey::Name(name) => signature
            .param(name)
            .map(|(index, _)| index)
            .ok_or_else(|| {
                let names = signature.params.iter().map(|p| p.name.as_str());
                LaunchError::UnknownArgument {
                    place: place(),
                    kernel,
                    name: name.clone(),
                    suggestion: nearest(name, names).map(str::to_owned),
                    parameters: parameter_list(signature),
                }
            }),
    }
}

/// The parameters with index and type, for messages.
pub(crate) fn parameter_list(signature: &Signature) -> String {
    if signature.params.is_empty() {
        return "none".to_owned();
    }
    let params: Vec<String> = signature
        .params
        .iter()
        .enumerate()
        .map(|(index, p)| format!("{index} {} ({})", p.name, p.spelling))
        .collect();
    params.join(", ")
}

/// Scalars, images and local memory have no default, nor has the global size.
fn report_missing(
    spec: &LaunchSpec,
    signature: &Signature,
    given: &[Option<Given<'_>>],
) -> Result<(), LaunchError> {
    let guess = Guess::new(signature);
    let mut missing = Vec::new();
    for (param, given) in signature.params.iter().zip(given) {
        let needed = matches!(
            param.kind,
            ParamKind::Value(_) | ParamKind::Local { .. } | ParamKind::Image { .. }
        );
        if given.is_none() && needed {
            let suggestion = guess.argument(&param.name).map_or_else(
                || match &param.kind {
                    ParamKind::Value(ty) => value_example(ty),
                    ParamKind::Image { ty, .. } => image::example(ty.dims).to_owned(),
                    _ => "local:[256]".to_owned(),
                },
                str::to_owned,
            );
            missing.push(Missing {
                what: format!("{} ({})", param.name, param.spelling),
                flag: arg_flag(&param.name, &suggestion),
            });
        }
    }
    if spec.global.is_none() {
        let suggestion = guess.spec().global.as_ref().map_or("1024", |t| &t.text);
        missing.push(Missing {
            what: "the global size".to_owned(),
            flag: format!("--global {}", shell_quote(suggestion)),
        });
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(LaunchError::Missing {
        kernel: signature.kernel.clone(),
        missing,
    })
}

/// `--arg NAME=VALUE`, quoted.
pub(super) fn arg_flag(name: &str, value: &str) -> String {
    format!("--arg {}", shell_quote(&format!("{name}={value}")))
}
