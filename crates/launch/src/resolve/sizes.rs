//! Free sizes: integer arguments that may be changed, with what follows them.
//!
//! An integer scalar is free if the global size or a length is computed from
//! it, or if it lies within one work-group below a literal global dimension
//! (`n = 1000`, `--global 1024`, groups of 256). The tie of a literal is a
//! guess; [`FreeSize::describe`] shows it.

use std::collections::{BTreeMap, BTreeSet};

use super::Setup;
use super::assign::{Given, arg_flag, index_of};
use super::range::dims_of;
use super::scalars::{Scalars, dependencies, root};
use crate::error::LaunchError;
use crate::expr::Expr;
use crate::parse::{ArgText, ValueText};
use crate::resolved::NdRange;
use crate::signature::{ParamKind, Signature, ValueType};
use crate::spec::{ArgKey, LaunchSpec};
use crate::suggest::nearest;

/// An argument whose value may be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeSize {
    /// Name of the argument.
    pub name: String,
    /// Its value in this launch.
    pub value: u64,
    /// It is always a multiple of this, as `--size NAME%STEP` says; 1 if nothing does.
    pub step: u64,
    /// What follows it.
    pub ties: Vec<Tie>,
}

/// Something that follows a free size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tie {
    /// A global dimension computed from it.
    Global {
        /// The dimension, from 0.
        dim: usize,
    },
    /// A literal global dimension that it lies within one work-group below.
    GlobalLiteral {
        /// The dimension, from 0.
        dim: usize,
    },
    /// The length of a buffer or the size of an image.
    Length {
        /// Name of the argument.
        arg: String,
    },
    /// The length of a local argument.
    LocalLength {
        /// Name of the argument.
        arg: String,
    },
    /// Another argument by value.
    Value {
        /// Name of the argument.
        arg: String,
    },
}

impl FreeSize {
    /// What follows the size, in one line.
    pub fn describe(&self) -> String {
        let ties: Vec<String> = self
            .ties
            .iter()
            .map(|tie| match tie {
                Tie::Global { dim } => format!("global size in dimension {dim}"),
                Tie::GlobalLiteral { dim } => {
                    format!(
                        "global size in dimension {dim} (a literal, taken as {} rounded up to the group)",
                        self.name
                    )
                }
                Tie::Length { arg } => format!("length of {arg}"),
                Tie::LocalLength { arg } => format!("local length of {arg}"),
                Tie::Value { arg } => format!("value of {arg}"),
            })
            .collect();
        let ties = if ties.is_empty() {
            "nothing else".to_owned()
        } else {
            ties.join(", ")
        };
        let step = match self.step {
            1 => String::new(),
            step => format!(" (a multiple of {step})"),
        };
        format!(
            "{} = {}{step}: with it changes {ties}",
            self.name, self.value
        )
    }

    /// The least value that it may have from a number on.
    pub fn from(&self, least: u64) -> u64 {
        least.checked_next_multiple_of(self.step).unwrap_or(least)
    }

    /// Whether anything but other values follows, so that it is a size.
    fn is_size(&self) -> bool {
        let sizes = |tie: &Tie| !matches!(tie, Tie::Value { .. } | Tie::LocalLength { .. });
        self.ties.iter().any(sizes)
    }
}

/// The free sizes of a launch as given, in the order of the parameters.
pub(super) fn detect(
    setup: &Setup<'_>,
    given: &[Option<Given<'_>>],
    scalars: &Scalars<'_>,
    range: &NdRange,
) -> Result<Vec<FreeSize>, LaunchError> {
    let Setup {
        spec, signature, ..
    } = *setup;
    let mut sizes = candidates(signature, given, scalars);
    let uses = Uses { signature, given };
    let globals = match &spec.global {
        Some(text) => dims_of("global", text)?,
        None => Vec::new(),
    };
    for (dim, expr) in globals.iter().enumerate() {
        let roots = uses.roots(expr);
        for size in sizes.iter_mut().filter(|s| roots.contains(&s.name)) {
            size.ties.push(Tie::Global { dim });
        }
    }
    tie_literals(&mut sizes, &globals, range);
    for (param, given) in signature.params.iter().zip(given) {
        let Some(given) = given else { continue };
        let arg = param.name.clone();
        let (exprs, tie): (Vec<&Expr>, Tie) = match (&given.text, &param.kind) {
            (ArgText::Local { len, .. }, _) => (vec![len], Tie::LocalLength { arg }),
            (ArgText::Buffer { len: Some(len), .. }, ParamKind::Local { .. }) => {
                (vec![len], Tie::LocalLength { arg })
            }
            (ArgText::Buffer { len: Some(len), .. }, _) => (vec![len], Tie::Length { arg }),
            (ArgText::Image { sizes, .. }, _) => (sizes.iter().collect(), Tie::Length { arg }),
            _ => (Vec::new(), Tie::Value { arg }),
        };
        let mut roots: BTreeSet<String> = exprs.iter().flat_map(|e| uses.roots(e)).collect();
        if let Tie::Value { .. } = tie {
            roots = dependencies(&given.text)
                .iter()
                .flat_map(|n| uses.of_name(n))
                .collect();
        }
        for size in sizes
            .iter_mut()
            .filter(|s| roots.contains(&s.name) && s.name != param.name)
        {
            size.ties.push(tie.clone());
        }
    }
    let wanted = wanted(spec, signature, &sizes)?;
    for size in &mut sizes {
        size.step = wanted.get(&size.name).copied().unwrap_or(1);
    }
    sizes.retain(|size| size.is_size() || wanted.contains_key(&size.name));
    Ok(sizes)
}

/// Integer scalars that are given as numbers and not negative.
fn candidates(
    signature: &Signature,
    given: &[Option<Given<'_>>],
    scalars: &Scalars<'_>,
) -> Vec<FreeSize> {
    signature
        .params
        .iter()
        .zip(given)
        .filter_map(|(param, given)| {
            let ParamKind::Value(ValueType::Elem(elem)) = &param.kind else {
                return None;
            };
            let ArgText::Value(ValueText::Scalar(expr)) = &given.as_ref()?.text else {
                return None;
            };
            if elem.lanes != 1 || elem.scalar.is_float() || !expr.is_constant() {
                return None;
            }
            let value = u64::try_from(scalars.names.get(&param.name)?.as_int()?).ok()?;
            Some(FreeSize {
                name: param.name.clone(),
                value,
                step: 1,
                ties: Vec::new(),
            })
        })
        .collect()
}

/// The arguments that an expression depends on in the end.
struct Uses<'a> {
    signature: &'a Signature,
    given: &'a [Option<Given<'a>>],
}

impl Uses<'_> {
    fn roots(&self, expr: &Expr) -> BTreeSet<String> {
        expr.names()
            .into_iter()
            .flat_map(|name| self.of_name(name))
            .collect()
    }

    /// The name itself, and what its value depends on. Circles were refused
    /// before.
    fn of_name(&self, name: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::from([root(name).to_owned()]);
        if let Some((index, _)) = self.signature.param(root(name))
            && let Some(given) = &self.given[index]
        {
            for other in dependencies(&given.text) {
                all.extend(self.of_name(&other));
            }
        }
        all
    }
}

/// Ties each literal dimension to the one scalar that it was rounded up from,
/// as far as can be told. Of several that could be, one with the dimension's
/// usual name is taken, else the first that has no tie yet.
fn tie_literals(sizes: &mut [FreeSize], globals: &[Expr], range: &NdRange) {
    for (dim, _) in globals.iter().enumerate().filter(|(_, e)| e.is_constant()) {
        let (global, local) = (range.global[dim], range.local[dim]);
        let fits = |s: &FreeSize| s.value > 0 && s.value <= global && global - s.value < local;
        let fitting: Vec<usize> = (0..sizes.len()).filter(|i| fits(&sizes[*i])).collect();
        let named = |i: &&usize| crate::guess::dimension_of(&sizes[**i].name) == Some(dim);
        let untied = |i: &&usize| sizes[**i].ties.is_empty();
        let chosen = fitting
            .iter()
            .find(named)
            .or_else(|| fitting.iter().find(untied))
            .or_else(|| fitting.first());
        if let Some(index) = chosen {
            sizes[*index].ties.push(Tie::GlobalLiteral { dim });
        }
    }
}

/// A text after `--size`: a name, and what it is always a multiple of.
pub fn name_and_step(text: &str) -> (&str, Option<&str>) {
    match text.split_once('%') {
        Some((name, step)) => (name.trim(), Some(step.trim())),
        None => (text, None),
    }
}

/// The names after `--size`, each of which must be a candidate, and their steps.
fn wanted(
    spec: &LaunchSpec,
    signature: &Signature,
    candidates: &[FreeSize],
) -> Result<BTreeMap<String, u64>, LaunchError> {
    let mut names = BTreeMap::new();
    let mut errors = Vec::new();
    for text in &spec.sizes {
        let (key, step) = name_and_step(text);
        let refused = |problem: String| LaunchError::Size {
            place: format!("--size {text}"),
            problem,
        };
        let index = match index_of(&ArgKey::new(key), signature, || format!("--size {text}")) {
            Ok(index) => index,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        let name = &signature.params[index].name;
        let Some(size) = candidates.iter().find(|size| size.name == *name) else {
            errors.push(refused(format!(
                "{name} is `{}`; a size is an integer argument that is given as a number, such \
                 as {}",
                signature.params[index].spelling,
                arg_flag(name, "1024")
            )));
            continue;
        };
        match step.map(str::parse::<u64>) {
            None => drop(names.insert(name.clone(), 1)),
            Some(Ok(step @ 1..)) if size.value % step == 0 => {
                names.insert(name.clone(), step);
            }
            Some(Ok(step @ 1..)) => errors.push(refused(format!(
                "{name} is {}, which is no multiple of {step}",
                size.value
            ))),
            Some(_) => errors.push(refused(format!(
                "what {name} is a multiple of is a number from 1, as in --size {name}%16"
            ))),
        }
    }
    LaunchError::all(errors)?;
    Ok(names)
}

/// The same sizes with their values in a changed launch.
pub(super) fn with_values(free: &[FreeSize], scalars: &Scalars<'_>) -> Vec<FreeSize> {
    let value = |size: &FreeSize| {
        let value = scalars.names.get(&size.name).and_then(|v| v.as_int());
        value
            .and_then(|v| u64::try_from(v).ok())
            .unwrap_or(size.value)
    };
    free.iter()
        .map(|size| FreeSize {
            value: value(size),
            ..size.clone()
        })
        .collect()
}

/// The error for a name that is no free size.
pub(super) fn not_free(name: &str, signature: &Signature, free: &[FreeSize]) -> LaunchError {
    let names: Vec<&str> = free.iter().map(|f| f.name.as_str()).collect();
    let problem = match (nearest(name, names.iter().copied()), signature.param(name)) {
        (_, Some(_)) => format!(
            "nothing shows that {name} is a size; --size {name} makes it one, or use it in \
             --global or in a length"
        ),
        (Some(near), None) => format!(
            "kernel {} has no argument {name}; did you mean {near}?",
            signature.kernel
        ),
        (None, None) if names.is_empty() => format!("kernel {} has no free size", signature.kernel),
        (None, None) => format!("there is no size {name}; there are {}", names.join(", ")),
    };
    LaunchError::Size {
        place: format!("size {name}"),
        problem,
    }
}
