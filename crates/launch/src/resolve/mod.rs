//! From a description and a signature to a launch.
//!
//! The order: names are matched to parameters (`assign`); scalars are
//! computed, each after those that its expression uses (`scalars`); the
//! NDRange follows (`range`), then the scalars that ask for it; then buffers,
//! images and local memory (`memory`). All mistakes of one step are reported
//! together.

mod assign;
mod contents;
mod image;
mod limits;
mod memory;
mod pointer;
mod range;
mod scalars;
mod sizes;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub(crate) use assign::parameter_list;
pub use limits::Limits;
pub use sizes::{FreeSize, Tie, name_and_step};

use crate::encode::decode_scalar;
use crate::error::LaunchError;
use crate::resolved::{Arg, ArgValue, Launch};
use crate::signature::{Param, ParamKind, Signature, ValueType};
use crate::spec::LaunchSpec;

/// The seed of the random fills where none is given.
pub const DEFAULT_SEED: u64 = 1;

/// A launch, and how it came about.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The launch.
    pub launch: Launch,
    /// The defaults that were taken.
    pub notes: Vec<Note>,
    /// The arguments whose value may be changed, with what follows them.
    pub free_sizes: Vec<FreeSize>,
    /// The launch as given, from which other sizes are computed.
    base: Arc<Base>,
    /// Sizes that differ from the launch as given.
    changed: BTreeMap<String, u64>,
}

/// A default that was taken, with the flag that sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What was taken.
    pub text: String,
    /// The flag that sets it, quoted for a shell.
    pub flag: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (set it with {})", self.text, self.flag)
    }
}

/// What a launch was resolved from.
#[derive(Debug)]
struct Base {
    spec: LaunchSpec,
    signature: Signature,
    limits: Limits,
    launch: Launch,
    free: Vec<FreeSize>,
}

/// Resolves `spec` for the kernel of `signature` within `limits`.
pub fn resolve(
    spec: &LaunchSpec,
    signature: &Signature,
    limits: &Limits,
) -> Result<Resolved, LaunchError> {
    let (launch, notes, free) = build(&Setup {
        spec,
        signature,
        limits,
        change: None,
    })?;
    let base = Base {
        spec: spec.clone(),
        signature: signature.clone(),
        limits: limits.clone(),
        launch: launch.clone(),
        free: free.clone(),
    };
    Ok(Resolved {
        launch,
        notes,
        free_sizes: free,
        base: base.into(),
        changed: BTreeMap::new(),
    })
}

/// What a launch is built from.
struct Setup<'a> {
    spec: &'a LaunchSpec,
    signature: &'a Signature,
    limits: &'a Limits,
    /// Sizes other than those of the description.
    change: Option<Change<'a>>,
}

struct Change<'a> {
    base: &'a Base,
    sizes: &'a BTreeMap<String, u64>,
}

fn build(setup: &Setup<'_>) -> Result<(Launch, Vec<Note>, Vec<FreeSize>), LaunchError> {
    let mut notes = Vec::new();
    let given = assign::assign(setup)?;
    let mut scalars = scalars::Scalars::new(setup, &given)?;
    let range = range::resolve(setup, &scalars, &mut notes)?;
    scalars.after_range(&range)?;
    let args = memory::arguments(setup, &given, &scalars, &range, &mut notes)?;
    let kernel = setup.signature.kernel.clone();
    let launch = Launch {
        kernel,
        range,
        args,
        seed: setup.seed(),
    };
    let free = match &setup.change {
        Some(change) => sizes::with_values(&change.base.free, &scalars),
        None => sizes::detect(setup, &given, &scalars, &launch.range)?,
    };
    Ok((launch, notes, free))
}

impl Setup<'_> {
    fn seed(&self) -> u64 {
        self.spec.seed.unwrap_or(DEFAULT_SEED)
    }
}

impl Resolved {
    /// The same launch with the free size `name` set to `value`: the NDRange
    /// and the lengths tied to it follow, literal lengths become unknown (as
    /// long as the highest element touched). Sizes changed before stay so.
    pub fn with_size(&self, name: &str, value: u64) -> Result<Resolved, LaunchError> {
        self.with_sizes(&[(name, value)])
    }

    /// [`Self::with_size`] for several sizes at once.
    pub fn with_sizes(&self, sizes: &[(&str, u64)]) -> Result<Resolved, LaunchError> {
        let mut changed = self.changed.clone();
        for (name, value) in sizes {
            if self.free_sizes.iter().all(|free| free.name != *name) {
                return Err(sizes::not_free(
                    name,
                    &self.base.signature,
                    &self.free_sizes,
                ));
            }
            changed.insert((*name).to_owned(), *value);
        }
        let base = &*self.base;
        let (launch, notes, free_sizes) = build(&Setup {
            spec: &base.spec,
            signature: &base.signature,
            limits: &base.limits,
            change: Some(Change {
                base,
                sizes: &changed,
            }),
        })?;
        Ok(Resolved {
            launch,
            notes,
            free_sizes,
            base: self.base.clone(),
            changed,
        })
    }

    /// What follows which size, one line each; where nothing is free, how to
    /// make something so.
    pub fn describe_sizes(&self) -> Vec<String> {
        if self.free_sizes.is_empty() {
            return vec![
                "no size is free, so only this launch is run (--size NAME frees an integer \
                 argument)"
                    .to_owned(),
            ];
        }
        self.free_sizes.iter().map(FreeSize::describe).collect()
    }

    /// Names and values of the integer arguments, in the kernel's order.
    pub fn integers(&self) -> Vec<(&str, i128)> {
        let params = self.base.signature.params.iter();
        let value = |(arg, param): (&Arg, &'_ Param)| match (&arg.value, &param.kind) {
            (ArgValue::Bytes(bytes), ParamKind::Value(ValueType::Elem(elem)))
                if elem.lanes == 1 && !elem.scalar.is_float() =>
            {
                decode_scalar(elem.scalar, bytes).as_int()
            }
            _ => None,
        };
        self.launch
            .args
            .iter()
            .zip(params)
            .filter_map(|(arg, param)| Some((param.name.as_str(), value((arg, param))?)))
            .collect()
    }

    /// The description that this launch came from.
    pub fn spec(&self) -> &LaunchSpec {
        &self.base.spec
    }

    /// The kernel's signature.
    pub fn signature(&self) -> &Signature {
        &self.base.signature
    }
}
