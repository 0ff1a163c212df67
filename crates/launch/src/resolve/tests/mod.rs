//! Tests of the whole way from texts to a launch, by topic.

mod any_text;
mod arguments;
mod images;
mod memory;
mod range;
mod sizes;

use super::{Limits, Resolved, resolve};
use crate::resolved::ArgValue;
use crate::signature::Signature;
use crate::spec::{ArgSetting, LaunchSpec, Text};

/// The limits of a usual device under OpenCL 1.2.
pub(super) fn limits() -> Limits {
    Limits {
        device: "a test device".into(),
        max_group_size: 1024,
        max_item_sizes: [1024, 1024, 64],
        max_local_bytes: Some(49152),
        non_uniform_groups: false,
    }
}

/// A description from flags: `global=…`, `local=…`, `offset=…` and arguments
/// as `--arg` takes them.
pub(super) fn spec(flags: &[&str]) -> LaunchSpec {
    let mut spec = LaunchSpec::default();
    for flag in flags {
        match flag.split_once(' ') {
            Some(("--global", text)) => spec.global = Some(Text::flag(text)),
            Some(("--local", text)) => spec.local = Some(Text::flag(text)),
            Some(("--offset", text)) => spec.offset = Some(Text::flag(text)),
            Some(("--size", text)) => spec.sizes.push(text.into()),
            Some(("-D", text)) => spec.defines.push(text.into()),
            _ => spec.args.push(ArgSetting::from_flag(flag).unwrap()),
        }
    }
    spec
}

pub(super) fn run(signature: &Signature, flags: &[&str]) -> Resolved {
    resolve(&spec(flags), signature, &limits()).unwrap_or_else(|e| panic!("{e}"))
}

/// The message of the error that must come.
pub(super) fn message(signature: &Signature, flags: &[&str]) -> String {
    match resolve(&spec(flags), signature, &limits()) {
        Ok(resolved) => panic!("{flags:?} gave {:?}", resolved.launch),
        Err(error) => error.to_string(),
    }
}

/// The bytes of an argument by value.
pub(super) fn bytes<'a>(resolved: &'a Resolved, name: &str) -> &'a [u8] {
    match value(resolved, name) {
        ArgValue::Bytes(bytes) => bytes,
        other => panic!("{name} is {other:?}"),
    }
}

pub(super) fn value<'a>(resolved: &'a Resolved, name: &str) -> &'a ArgValue {
    &resolved
        .launch
        .args
        .iter()
        .find(|a| a.name == name)
        .unwrap()
        .value
}

/// The number of elements of a buffer.
pub(super) fn len(resolved: &Resolved, name: &str) -> Option<u64> {
    match value(resolved, name) {
        ArgValue::Buffer(buffer) => buffer.len,
        other => panic!("{name} is {other:?}"),
    }
}
