//! One pointer argument: a buffer, an alias or local memory, from its text.

use super::assign::{Given, arg_flag, index_of};
use super::contents;
use super::scalars::text_error;
use crate::error::LaunchError;
use crate::expr::{Env, Expr, Num};
use crate::parse::{ArgText, FillText, TypeName};
use crate::resolved::{ArgValue, Buffer, Fill};
use crate::signature::{Param, ParamKind, Signature, ValueType};
use crate::spec::ArgKey;

/// One pointer argument as given.
pub(super) struct Pointer<'a> {
    pub(super) signature: &'a Signature,
    pub(super) index: usize,
    pub(super) param: &'a Param,
    pub(super) elem: &'a ValueType,
    pub(super) given: &'a Given<'a>,
}

impl Pointer<'_> {
    /// The buffer. `kept` is its value in the launch as given, where sizes
    /// were changed since: files are not read again, literal lengths go.
    pub(super) fn buffer(
        &self,
        env: &Env<'_>,
        kept: Option<&ArgValue>,
    ) -> Result<ArgValue, LaunchError> {
        let (elem, len, fill) = match &self.given.text {
            ArgText::Null => return Ok(ArgValue::Null),
            ArgText::Same(name) => return self.same(name),
            ArgText::File(path) => {
                let fill = self.file(path, self.elem, kept)?;
                return self.filled(self.elem.clone(), None, fill);
            }
            ArgText::Buffer { elem, len, fill } => (elem.as_ref(), len.as_ref(), fill.as_ref()),
            ArgText::Value(_) => {
                return Err(self.wrong_kind(
                    "a buffer: it needs a length in brackets, contents after a colon, or a file",
                ));
            }
            ArgText::Local { .. } => return Err(self.wrong_kind("no local memory")),
            ArgText::Image { .. } => return Err(self.wrong_kind("no image")),
            ArgText::Words(_) => return Err(self.wrong_kind("no sampler")),
        };
        let element = self.element(elem)?;
        let literal_len = kept.is_some() && len.is_some_and(Expr::is_constant);
        let len = match len {
            Some(_) if literal_len && !matches!(fill, Some(FillText::File(_))) => None,
            Some(expr) => Some(self.length(expr, elem, &element, env)?),
            None => None,
        };
        let fill = self.contents(fill, &element, env, kept)?;
        self.filled(element, len, fill)
    }

    /// What the buffer holds at the start.
    pub(super) fn contents(
        &self,
        fill: Option<&FillText>,
        element: &ValueType,
        env: &Env<'_>,
        kept: Option<&ArgValue>,
    ) -> Result<Fill, LaunchError> {
        let fill = match fill {
            None => Fill::Random { range: None },
            Some(FillText::Random(None)) => Fill::Random { range: None },
            Some(FillText::Random(Some((low, high)))) => Fill::Random {
                range: Some((
                    self.number(low, env)?.as_f64(),
                    self.number(high, env)?.as_f64(),
                )),
            },
            Some(FillText::Zero) => Fill::Zero,
            Some(FillText::Iota) => Fill::Iota,
            Some(FillText::Constant(expr)) => Fill::Constant(self.constant(expr, env)?),
            Some(FillText::File(path)) => self.file(path, element, kept)?,
        };
        fill.check(element)
            .map_err(|problem| self.value_error(problem))?;
        Ok(fill)
    }

    fn filled(
        &self,
        elem: ValueType,
        len: Option<u64>,
        fill: Fill,
    ) -> Result<ArgValue, LaunchError> {
        let mut len = len;
        if let Fill::File { path, data } = &fill {
            let held = data.len() as u64 / elem.size().max(1);
            if let Some(len) = len
                && len != held
            {
                return Err(LaunchError::Contents {
                    place: self.given.place(),
                    path: path.clone(),
                    problem: format!(
                        "it holds {held} elements, the length given is {len}; leave the length \
                         out to take the file's"
                    ),
                });
            }
            len = Some(held);
        }
        let generated = matches!(fill, Fill::Random { .. });
        Ok(ArgValue::Buffer(Buffer {
            elem,
            len,
            fill,
            generated,
        }))
    }

    fn file(
        &self,
        path: &str,
        elem: &ValueType,
        kept: Option<&ArgValue>,
    ) -> Result<Fill, LaunchError> {
        if let Some(Buffer {
            fill: fill @ Fill::File { .. },
            ..
        }) = kept.and_then(ArgValue::memory)
        {
            return Ok(fill.clone());
        }
        let (path, data) = contents::elements(self.given, path, elem)?;
        Ok(Fill::File {
            path,
            data: data.into(),
        })
    }

    /// The element type: the kernel's, with which a given one must agree. A
    /// `void *` takes the given one.
    fn element(&self, given: Option<&TypeName>) -> Result<ValueType, LaunchError> {
        let agrees = match (given, self.elem) {
            (None | Some(TypeName::Bytes), _) => true,
            (Some(TypeName::Elem(given)), ValueType::Opaque { .. }) => {
                return Ok(ValueType::Elem(*given));
            }
            (Some(TypeName::Elem(given)), ValueType::Elem(kernel)) => given == kernel,
            (Some(TypeName::Named(name)), ValueType::Struct(layout)) => *name == layout.name,
            (Some(TypeName::Elem(_) | TypeName::Named(_)), _) => false,
        };
        if agrees {
            return Ok(self.elem.clone());
        }
        Err(LaunchError::TypeMismatch {
            place: self.given.place(),
            name: self.param.name.clone(),
            given: given.map(TypeName::to_string).unwrap_or_default(),
            kernel_type: type_name(self.elem),
            spelling: self.param.spelling.clone(),
        })
    }

    /// Number of elements, at least 1.
    fn length(
        &self,
        expr: &Expr,
        unit: Option<&TypeName>,
        elem: &ValueType,
        env: &Env<'_>,
    ) -> Result<u64, LaunchError> {
        let place = || self.given.place();
        let len = expr
            .eval_size(env)
            .map_err(|error| text_error(place(), error))?;
        let size = elem.size().max(1);
        if len == 0 {
            let what = format!("the length of {} (`{expr}`)", self.param.name);
            return Err(LaunchError::ZeroSize {
                place: place(),
                what,
            });
        }
        if unit == Some(&TypeName::Bytes) {
            if !len.is_multiple_of(size) {
                return Err(self.value_error(format!(
                    "{len} bytes are no whole number of elements of {size} bytes"
                )));
            }
            return Ok(len / size);
        }
        match len.checked_mul(size) {
            Some(bytes) if bytes <= i64::MAX as u64 => Ok(len),
            _ => Err(LaunchError::TooLarge {
                place: place(),
                what: format!("the size of {} in bytes", self.param.name),
            }),
        }
    }

    /// The size of local memory.
    pub(super) fn local(&self, env: &Env<'_>) -> Result<ArgValue, LaunchError> {
        let (unit, len) = match &self.given.text {
            ArgText::Local { elem, len } => (elem.as_ref(), len),
            // The kernel says that it is local: `tile=[258]` will do.
            ArgText::Buffer {
                elem,
                len: Some(len),
                fill: None,
            } => (elem.as_ref(), len),
            ArgText::Buffer { fill: Some(_), .. } | ArgText::File(_) => {
                return Err(self.wrong_kind("local memory, which holds nothing at the start"));
            }
            ArgText::Null => return Err(self.wrong_kind("local memory, which is never null")),
            ArgText::Same(_) => return Err(self.wrong_kind("local memory, which is never shared")),
            ArgText::Value(_)
            | ArgText::Buffer { .. }
            | ArgText::Image { .. }
            | ArgText::Words(_) => {
                return Err(self.wrong_kind("local memory: it needs a length in brackets"));
            }
        };
        let elem = self.element(unit)?;
        let len = self.length(len, unit, &elem, env)?;
        Ok(ArgValue::Local {
            bytes: len.saturating_mul(elem.size().max(1)),
        })
    }

    pub(super) fn same(&self, name: &str) -> Result<ArgValue, LaunchError> {
        let of = index_of(&ArgKey::new(name), self.signature, || self.given.place())?;
        let other = &self.signature.params[of];
        let fits = match (&self.param.kind, &other.kind) {
            (ParamKind::Image { ty, .. }, ParamKind::Image { ty: of, .. }) => ty == of,
            (ParamKind::Image { .. }, _) => false,
            (_, ParamKind::Global { .. } | ParamKind::Constant { .. }) => true,
            _ => false,
        };
        let problem = if of == self.index {
            format!("{} can't be the same as itself", self.param.name)
        } else if !fits {
            let what = match self.param.kind {
                ParamKind::Image { .. } => "images of one type",
                _ => "buffers",
            };
            format!(
                "{} is `{}`, and only {what} can be the same",
                other.name, other.spelling
            )
        } else {
            return Ok(ArgValue::Alias { of });
        };
        Err(LaunchError::Alias {
            place: self.given.place(),
            problem,
        })
    }

    fn number(&self, expr: &Expr, env: &Env<'_>) -> Result<Num, LaunchError> {
        expr.eval(env)
            .map_err(|error| text_error(self.given.place(), error))
    }

    fn constant(&self, expr: &Expr, env: &Env<'_>) -> Result<f64, LaunchError> {
        if expr.eval(env).is_err() && expr.names() == [expr.to_string()] {
            return Err(self.value_error(format!(
                "`{expr}` is no contents: there are random, random(lo,hi), zero, iota, a number, \
                 or a file as @file.npy or @file.bin"
            )));
        }
        let value = self.number(expr, env)?;
        let float = value.as_f64();
        if let Num::Int(int) = value
            && float as i128 != int
        {
            return Err(self.value_error(format!("{int} is too large: constants go up to 2^53")));
        }
        Ok(float)
    }

    pub(super) fn value_error(&self, problem: String) -> LaunchError {
        LaunchError::Value {
            place: self.given.place(),
            name: self.param.name.clone(),
            spelling: self.param.spelling.clone(),
            problem,
        }
    }

    pub(super) fn wrong_kind(&self, problem: &str) -> LaunchError {
        let example = match self.param.kind {
            ParamKind::Local { .. } => "local:[256]",
            ParamKind::Image { ty, .. } => super::image::example(ty.dims),
            _ => "[1024]:random",
        };
        LaunchError::WrongKind {
            place: self.given.place(),
            name: self.param.name.clone(),
            spelling: self.param.spelling.clone(),
            problem: problem.to_owned(),
            suggestion: arg_flag(&self.param.name, example),
        }
    }
}

/// The kernel's element type as a message calls it.
fn type_name(ty: &ValueType) -> String {
    match ty {
        ValueType::Elem(elem) => elem.to_string(),
        ValueType::Struct(layout) => format!("struct {}", layout.name),
        ValueType::Opaque { size, .. } => format!("a type of {size} bytes"),
    }
}
