//! Scalar, vector and structure arguments, each computed after those that its
//! expressions use.

use std::collections::{BTreeMap, BTreeSet};

use super::Setup;
use super::assign::{Given, arg_flag};
use crate::encode::{EncodeError, encode, value_example};
use crate::error::LaunchError;
use crate::expr::{Env, Expr, Num};
use crate::parse::{ArgText, ValueText};
use crate::resolved::NdRange;
use crate::signature::{Param, ParamKind, Signature, StructType, ValueType};
use crate::spec::LaunchSpec;
use crate::text::TextError;

/// The arguments by value, as far as they are known.
pub(super) struct Scalars<'a> {
    setup: &'a Setup<'a>,
    given: &'a [Option<Given<'a>>],
    /// Values of names: scalar arguments, integer members of structures
    /// (`p.nx`), and macros whose value is a number.
    pub(super) names: BTreeMap<String, Num>,
    /// Bytes by parameter index; `None` for the others.
    pub(super) bytes: Vec<Option<Vec<u8>>>,
    /// Parameters that ask for the NDRange and so wait for it.
    waiting: Vec<usize>,
}

impl<'a> Scalars<'a> {
    /// Computes all that does not depend on the NDRange.
    pub(super) fn new(
        setup: &'a Setup<'a>,
        given: &'a [Option<Given<'a>>],
    ) -> Result<Self, LaunchError> {
        let signature = setup.signature;
        let mut scalars = Self {
            setup,
            given,
            names: macros(setup.spec),
            bytes: vec![None; signature.params.len()],
            waiting: Vec::new(),
        };
        let order = order(signature, given)?;
        let mut late = BTreeSet::new();
        let mut errors = Vec::new();
        for index in order {
            let (geometry, uses) = needs(given[index].as_ref().map(|g| &g.text));
            let param = &signature.params[index];
            if geometry || uses.iter().any(|name| late.contains(root(name))) {
                late.insert(param.name.as_str());
                scalars.waiting.push(index);
            } else if let Err(error) = scalars.compute(index, None) {
                errors.push(error);
            }
        }
        LaunchError::all(errors)?;
        Ok(scalars)
    }

    /// Computes what waited for the NDRange.
    pub(super) fn after_range(&mut self, range: &NdRange) -> Result<(), LaunchError> {
        let mut errors = Vec::new();
        for index in std::mem::take(&mut self.waiting) {
            if let Err(error) = self.compute(index, Some(range)) {
                errors.push(error);
            }
        }
        LaunchError::all(errors)
    }

    /// Fails if one of `exprs` uses a value that waits for the NDRange, which
    /// `what` is a part of.
    pub(super) fn check_known<'e>(
        &self,
        what: &str,
        exprs: impl IntoIterator<Item = &'e Expr>,
    ) -> Result<(), LaunchError> {
        for expr in exprs {
            for name in expr.names() {
                let waits = |i: &usize| self.setup.signature.params[*i].name == root(name);
                if self.waiting.iter().any(waits) {
                    let chain = vec![
                        what.to_owned(),
                        root(name).to_owned(),
                        "the NDRange".to_owned(),
                    ];
                    return Err(LaunchError::Cycle { chain });
                }
            }
        }
        Ok(())
    }

    /// What expressions see, with the NDRange where it is known.
    pub(super) fn env<'r>(&self, range: Option<&'r NdRange>) -> Env<'r> {
        Env {
            names: self.names.clone(),
            local: None,
            range,
        }
    }

    fn compute(&mut self, index: usize, range: Option<&NdRange>) -> Result<(), LaunchError> {
        let param = &self.setup.signature.params[index];
        let (ParamKind::Value(ty), Some(given)) = (&param.kind, &self.given[index]) else {
            return Ok(());
        };
        let changed = self
            .setup
            .change
            .as_ref()
            .and_then(|c| c.sizes.get(&param.name));
        let number;
        let value = match (changed, &given.text) {
            (Some(size), _) => {
                number = ArgText::Value(ValueText::Scalar(
                    Expr::parse(&size.to_string()).map_err(|e| text_error(given.place(), e))?,
                ));
                &number
            }
            (None, text) => text,
        };
        let bytes = match value {
            ArgText::Value(value) => {
                encode(ty, value, &self.env(range)).map_err(|error| match error {
                    EncodeError::Text(error) => text_error(given.place(), error),
                    EncodeError::Shape(problem) => LaunchError::Value {
                        place: given.place(),
                        name: param.name.clone(),
                        spelling: param.spelling.clone(),
                        problem,
                    },
                })?
            }
            ArgText::File(path) => super::contents::value(given, path, ty)?,
            other => return Err(wrong_kind(param, ty, given, other)),
        };
        self.learn(&param.name, ty, &bytes);
        self.bytes[index] = Some(bytes);
        Ok(())
    }

    /// Makes a value, or the members of a structure, known by name. The value
    /// is the one that the kernel gets, after conversion to its type.
    fn learn(&mut self, name: &str, ty: &ValueType, bytes: &[u8]) {
        match ty {
            ValueType::Elem(elem) if elem.lanes == 1 => {
                self.names.insert(
                    name.to_owned(),
                    crate::encode::decode_scalar(elem.scalar, bytes),
                );
            }
            ValueType::Struct(StructType { fields, .. }) => {
                for field in fields.iter().filter(|f| f.array.is_none()) {
                    let member = format!("{name}.{}", field.name);
                    self.learn(&member, &field.ty, &bytes[field.offset as usize..]);
                }
            }
            ValueType::Elem(_) | ValueType::Opaque { .. } => {}
        }
    }
}

/// The error with its place.
pub(super) fn text_error(place: String, error: TextError) -> LaunchError {
    LaunchError::Text { place, error }
}

/// The argument of a name such as `p.nx`.
pub(super) fn root(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn wrong_kind(param: &Param, ty: &ValueType, given: &Given<'_>, text: &ArgText) -> LaunchError {
    let problem = match text {
        ArgText::Buffer { .. } => "a value and no buffer",
        ArgText::Null => "a value, and only buffers can be null",
        ArgText::Same(_) => "a value, and only buffers can be the same",
        ArgText::Local { .. } => "a value and no local memory",
        ArgText::Image { .. } => "a value and no image",
        ArgText::Words(_) => "a value and no sampler",
        ArgText::Value(_) | ArgText::File(_) => "a value of another kind",
    };
    LaunchError::WrongKind {
        place: given.place(),
        name: param.name.clone(),
        spelling: param.spelling.clone(),
        problem: problem.to_owned(),
        suggestion: arg_flag(&param.name, &value_example(ty)),
    }
}

/// Macros with a number as value. Others (types, names of functions) are no
/// values, so they are passed over here.
fn macros(spec: &LaunchSpec) -> BTreeMap<String, Num> {
    spec.macro_values()
        .filter_map(|(name, value)| {
            let value = Expr::parse(value).ok()?.eval(&Env::default()).ok()?;
            Some((name.to_owned(), value))
        })
        .collect()
}

/// Whether the text asks for the NDRange, and the names that it uses.
fn needs(text: Option<&ArgText>) -> (bool, BTreeSet<String>) {
    fn walk(value: &ValueText, see: &mut impl FnMut(&Expr)) {
        match value {
            ValueText::Scalar(expr) => see(expr),
            ValueText::Vector(exprs) => exprs.iter().for_each(see),
            ValueText::Array(values) => values.iter().for_each(|v| walk(v, see)),
            ValueText::Struct(members) => members.iter().for_each(|(_, v)| walk(v, see)),
        }
    }
    let mut geometry = false;
    let mut names = BTreeSet::new();
    if let Some(ArgText::Value(value)) = text {
        walk(value, &mut |expr| {
            geometry |= expr.uses_geometry();
            names.extend(expr.names().into_iter().map(str::to_owned));
        });
    }
    (geometry, names)
}

/// Names that the argument's value depends on, itself not among them.
pub(super) fn dependencies(text: &ArgText) -> BTreeSet<String> {
    needs(Some(text)).1
}

/// Parameters by value, each after those that its text uses.
fn order(signature: &Signature, given: &[Option<Given<'_>>]) -> Result<Vec<usize>, LaunchError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    struct Walk<'w> {
        signature: &'w Signature,
        given: &'w [Option<Given<'w>>],
        state: Vec<State>,
        path: Vec<usize>,
        order: Vec<usize>,
    }
    impl Walk<'_> {
        fn visit(&mut self, index: usize) -> Result<(), LaunchError> {
            match self.state[index] {
                State::Done => return Ok(()),
                State::Open => {
                    let start = self.path.iter().position(|i| *i == index).unwrap_or(0);
                    let name = |i: &usize| self.signature.params[*i].name.clone();
                    let mut chain: Vec<String> = self.path[start..].iter().map(name).collect();
                    chain.push(name(&index));
                    return Err(LaunchError::Cycle { chain });
                }
                State::New => {}
            }
            self.state[index] = State::Open;
            self.path.push(index);
            let (_, uses) = needs(self.given[index].as_ref().map(|g| &g.text));
            for name in &uses {
                if let Some((other, param)) = self.signature.param(root(name))
                    && matches!(param.kind, ParamKind::Value(_))
                {
                    self.visit(other)?;
                }
            }
            self.path.pop();
            self.state[index] = State::Done;
            self.order.push(index);
            Ok(())
        }
    }
    let count = signature.params.len();
    let mut walk = Walk {
        signature,
        given,
        state: vec![State::New; count],
        path: Vec::new(),
        order: Vec::new(),
    };
    for index in 0..count {
        if matches!(signature.params[index].kind, ParamKind::Value(_)) {
            walk.visit(index)?;
        }
    }
    Ok(walk.order)
}
