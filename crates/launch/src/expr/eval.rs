//! Evaluation: exact integers, and floating point where it takes part.

use std::collections::BTreeMap;
use std::fmt;

use super::{Expr, Func, Node, NodeKind, Op};
use crate::resolved::NdRange;
use crate::suggest::nearest;
use crate::text::TextError;

/// A value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Num {
    /// An exact integer.
    Int(i128),
    /// A floating-point number.
    Float(f64),
}

impl Num {
    /// The value as a floating-point number, rounded to the nearest.
    pub fn as_f64(self) -> f64 {
        match self {
            Num::Int(v) => v as f64,
            Num::Float(v) => v,
        }
    }

    /// The value as an integer: a floating-point number only where it is whole
    /// and so small that every integer beside it has one of its own.
    pub fn as_int(self) -> Option<i128> {
        match self {
            Num::Int(v) => Some(v),
            Num::Float(v) if v.fract() == 0.0 && v.abs() <= 9_007_199_254_740_992.0 => {
                Some(v as i128)
            }
            Num::Float(_) => None,
        }
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Num::Int(v) => write!(f, "{v}"),
            Num::Float(v) => write!(f, "{v:?}"),
        }
    }
}

/// What can be asked about the NDRange, per dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Geometry {
    /// `local_size(d)`, in work-items.
    LocalSize,
    /// `global_size(d)`, in work-items.
    GlobalSize,
    /// `num_groups(d)`, in work-groups.
    NumGroups,
    /// `global_offset(d)`, in work-items.
    GlobalOffset,
}

impl Geometry {
    pub(crate) const ALL: [(&'static str, Geometry); 4] = [
        ("local_size", Geometry::LocalSize),
        ("global_size", Geometry::GlobalSize),
        ("num_groups", Geometry::NumGroups),
        ("global_offset", Geometry::GlobalOffset),
    ];
}

/// What an expression may refer to.
#[derive(Clone, Debug, Default)]
pub struct Env<'a> {
    /// Values of the names.
    pub names: BTreeMap<String, Num>,
    /// The work-group size, where it is known already.
    pub local: Option<[u64; 3]>,
    /// The whole NDRange, where it is known already.
    pub range: Option<&'a NdRange>,
}

impl Env<'_> {
    fn geometry(&self, what: Geometry, dim: usize) -> Option<u64> {
        match (what, self.range, self.local) {
            (Geometry::LocalSize, Some(range), _) => Some(range.local[dim]),
            (Geometry::LocalSize, None, Some(local)) => Some(local[dim]),
            (Geometry::GlobalSize, Some(range), _) => Some(range.global[dim]),
            (Geometry::NumGroups, Some(range), _) => Some(range.groups()[dim]),
            (Geometry::GlobalOffset, Some(range), _) => Some(range.offset[dim]),
            (_, None, _) => None,
        }
    }
}

impl Expr {
    /// The value in `env`. Errors: an unknown name, a division by zero, a
    /// number beyond 128 bits, a function whose figure is not known yet.
    pub fn eval(&self, env: &Env<'_>) -> Result<Num, TextError> {
        Evaluator {
            text: &self.text,
            env,
        }
        .node(&self.root)
    }

    /// The value in `env` as a size: an integer from 0 to 2^63 - 1.
    pub fn eval_size(&self, env: &Env<'_>) -> Result<u64, TextError> {
        let value = self.eval(env)?;
        let Some(int) = value.as_int() else {
            return Err(self.error(format!("a size is a whole number, this is {value}")));
        };
        if int < 0 {
            return Err(self.error(format!("a size can't be negative, this is {int}")));
        }
        match u64::try_from(int) {
            Ok(size) if size <= i64::MAX as u64 => Ok(size),
            _ => Err(self.error(format!("{int} is too large for a size (2^63 - 1 at most)"))),
        }
    }
}

struct Evaluator<'a> {
    text: &'a str,
    env: &'a Env<'a>,
}

impl Evaluator<'_> {
    fn error(&self, node: &Node, message: impl Into<String>) -> TextError {
        TextError::new(self.text, node.span.clone(), message)
    }

    fn node(&self, node: &Node) -> Result<Num, TextError> {
        match &node.kind {
            NodeKind::Int(v) => Ok(Num::Int(*v)),
            NodeKind::Float(v) => Ok(Num::Float(*v)),
            NodeKind::Name(name) => self.name(node, name),
            NodeKind::Neg(inner) => match self.node(inner)? {
                Num::Int(v) => self.fits(node, v.checked_neg()),
                Num::Float(v) => Ok(Num::Float(-v)),
            },
            NodeKind::Binary(op, left, right) => {
                let (a, b) = (self.node(left)?, self.node(right)?);
                self.binary(node, *op, a, b, right)
            }
            NodeKind::Call(func, args) => self.call(node, *func, args),
            NodeKind::Geometry(what, dim) => self.geometry(node, *what, dim),
        }
    }

    fn name(&self, node: &Node, name: &str) -> Result<Num, TextError> {
        if let Some(value) = self.env.names.get(name) {
            return Ok(*value);
        }
        match name {
            "inf" | "INFINITY" => return Ok(Num::Float(f64::INFINITY)),
            "nan" | "NAN" => return Ok(Num::Float(f64::NAN)),
            "true" => return Ok(Num::Int(1)),
            "false" => return Ok(Num::Int(0)),
            _ => {}
        }
        let known: Vec<&str> = self.env.names.keys().map(String::as_str).collect();
        let help = if is_product_of(name, &known) {
            format!(
                "dimensions that are names are separated by a comma: {}",
                name.replace('x', ",")
            )
        } else if let Some(near) = nearest(name, known.iter().copied()) {
            format!("did you mean `{near}`?")
        } else if known.is_empty() {
            "no scalar argument has a value here".to_owned()
        } else {
            format!("names with a value here: {}", known.join(", "))
        };
        Err(self.error(node, format!("unknown name `{name}`: {help}")))
    }

    fn fits(&self, node: &Node, value: Option<i128>) -> Result<Num, TextError> {
        value
            .map(Num::Int)
            .ok_or_else(|| self.error(node, "the value leaves the range of 128-bit integers"))
    }

    fn binary(&self, node: &Node, op: Op, a: Num, b: Num, right: &Node) -> Result<Num, TextError> {
        if let (Num::Int(a), Num::Int(b)) = (a, b) {
            if b == 0 && matches!(op, Op::Div | Op::Rem) {
                return Err(self.error(right, "division by zero"));
            }
            let small = u32::try_from(b).ok();
            return match op {
                Op::Add => self.fits(node, a.checked_add(b)),
                Op::Sub => self.fits(node, a.checked_sub(b)),
                Op::Mul => self.fits(node, a.checked_mul(b)),
                Op::Div => self.fits(node, a.checked_div(b)),
                Op::Rem => self.fits(node, a.checked_rem(b)),
                Op::Pow if b < 0 => Ok(Num::Float((a as f64).powf(b as f64))),
                Op::Pow => self.fits(node, small.and_then(|b| a.checked_pow(b))),
                Op::Shl | Op::Shr if !(0..=126).contains(&b) => {
                    Err(self.error(right, format!("can't shift by {b}")))
                }
                Op::Shl => self.fits(node, a.checked_mul(1_i128 << b)),
                Op::Shr => Ok(Num::Int(a >> b)),
            };
        }
        let (a, b) = (a.as_f64(), b.as_f64());
        match op {
            Op::Add => Ok(Num::Float(a + b)),
            Op::Sub => Ok(Num::Float(a - b)),
            Op::Mul => Ok(Num::Float(a * b)),
            Op::Div => Ok(Num::Float(a / b)),
            Op::Rem => Ok(Num::Float(a % b)),
            Op::Pow => Ok(Num::Float(a.powf(b))),
            Op::Shl | Op::Shr => Err(self.error(node, "only whole numbers can be shifted")),
        }
    }

    fn call(&self, node: &Node, func: Func, args: &[Node]) -> Result<Num, TextError> {
        let values = args
            .iter()
            .map(|a| self.node(a))
            .collect::<Result<Vec<_>, _>>()?;
        if matches!(func, Func::Min | Func::Max) {
            let better = |a: Num, b: Num| {
                let less = match (a, b) {
                    (Num::Int(a), Num::Int(b)) => a < b,
                    _ => a.as_f64() < b.as_f64(),
                };
                if less == (func == Func::Min) { a } else { b }
            };
            return values
                .into_iter()
                .reduce(better)
                .ok_or_else(|| self.error(node, "min and max need a value"));
        }
        let (Some(value), Some(step)) = (
            values.first().and_then(|v| v.as_int()),
            values.get(1).and_then(|v| v.as_int()),
        ) else {
            return Err(self.error(node, "this function takes two whole numbers"));
        };
        if step <= 0 {
            return Err(self.error(
                node,
                format!("the second value must be above 0, it is {step}"),
            ));
        }
        let below = value.div_euclid(step);
        let above = below + i128::from(value.rem_euclid(step) != 0);
        match func {
            Func::CeilDiv => Ok(Num::Int(above)),
            Func::RoundUp => self.fits(node, above.checked_mul(step)),
            Func::RoundDown | Func::Min | Func::Max => self.fits(node, below.checked_mul(step)),
        }
    }

    fn geometry(&self, node: &Node, what: Geometry, dim: &Node) -> Result<Num, TextError> {
        let index = self
            .node(dim)?
            .as_int()
            .and_then(|d| usize::try_from(d).ok());
        let Some(index) = index.filter(|d| *d < 3) else {
            return Err(self.error(dim, "a dimension is 0, 1 or 2"));
        };
        match self.env.geometry(what, index) {
            Some(value) => Ok(Num::Int(i128::from(value))),
            None => Err(self.error(node, "the NDRange is not known yet where this is needed")),
        }
    }
}

/// Whether `WxH` was written for `W,H`.
fn is_product_of(name: &str, known: &[&str]) -> bool {
    let parts: Vec<&str> = name.split('x').collect();
    (2..=3).contains(&parts.len())
        && parts
            .iter()
            .all(|p| known.contains(p) || p.bytes().all(|b| b.is_ascii_digit()))
        && parts.iter().all(|p| !p.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn env() -> Env<'static> {
        let mut env = Env {
            local: Some([16, 8, 1]),
            ..Env::default()
        };
        env.names.insert("W".into(), Num::Int(1000));
        env.names.insert("H".into(), Num::Int(30));
        env.names.insert("p.nx".into(), Num::Int(7));
        env
    }

    fn value(text: &str) -> Num {
        Expr::parse(text)
            .and_then(|e| e.eval(&env()))
            .unwrap_or_else(|e| panic!("{e}"))
    }

    fn message(text: &str) -> String {
        Expr::parse(text)
            .and_then(|e| e.eval(&env()))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn values() {
        for (text, expected) in [
            ("W*H", 30000),
            ("roundup(W, 16)", 1008),
            ("rounddown(W,16)", 992),
            ("ceil_div(W,256)", 4),
            ("local_size(0)+2", 18),
            ("get_local_size(1)", 8),
            ("2^26", 1 << 26),
            ("1<<20", 1 << 20),
            ("-2^2", -4),
            ("2^3^2", 512),
            ("-7/2", -3),
            ("-7%2", -1),
            ("min(W,H,3)", 3),
            ("max(W,H)", 1000),
            ("(W+1)*2", 2002),
            ("0x10 + 64K", 16 + 65536),
            ("p.nx*2", 14),
            ("1 << 2 + 1", 8),
            ("roundup(-3,4)", 0),
        ] {
            assert_eq!(value(text), Num::Int(expected), "{text}");
        }
        assert_eq!(value("1.0/8"), Num::Float(0.125));
        assert_eq!(value("-1.5e3"), Num::Float(-1500.0));
        assert_eq!(value("2^-1"), Num::Float(0.5));
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for (text, expected) in [
            (
                "W*+",
                "expected a number, a name or `(`, found the end\n    W*+\n       ^",
            ),
            (
                "W*h",
                "unknown name `h`: did you mean `H`?\n    W*h\n      ^",
            ),
            ("W/(H-30)", "division by zero\n    W/(H-30)\n      ^^^^^^"),
            (
                "roundupp(W,2)",
                "unknown function `roundupp`: did you mean `roundup`?\n    roundupp(W,2)\n    ^^^^^^^^",
            ),
            (
                "WxH",
                "unknown name `WxH`: dimensions that are names are separated by a comma: W,H\n    WxH\n    ^^^",
            ),
            (
                "local_size(3)",
                "a dimension is 0, 1 or 2\n    local_size(3)\n               ^",
            ),
            (
                "2^200",
                "the value leaves the range of 128-bit integers\n    2^200\n    ^^^^^",
            ),
            (
                "global_size(0)",
                "the NDRange is not known yet where this is needed\n    global_size(0)\n    ^^^^^^^^^^^^^^",
            ),
        ] {
            assert_eq!(message(text), expected, "{text}");
        }
    }

    #[test]
    fn sizes_are_whole_and_not_negative() {
        let size = |text: &str| Expr::parse(text).and_then(|e| e.eval_size(&env()));
        assert_eq!(size("1e3"), Ok(1000));
        for text in ["0.5", "-1", "2^63"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    /// An expression text and its value, made together.
    fn tree() -> impl Strategy<Value = (String, Option<i128>)> {
        let leaf = (0_i128..1000).prop_map(|v| (v.to_string(), Some(v)));
        leaf.prop_recursive(6, 40, 2, |inner| {
            (inner.clone(), inner, 0..5).prop_map(|((ta, a), (tb, b), op)| {
                let both = a.zip(b);
                match op {
                    0 => (
                        format!("({ta} + {tb})"),
                        both.and_then(|(a, b)| a.checked_add(b)),
                    ),
                    1 => (
                        format!("({ta} - {tb})"),
                        both.and_then(|(a, b)| a.checked_sub(b)),
                    ),
                    2 => (
                        format!("({ta})*({tb})"),
                        both.and_then(|(a, b)| a.checked_mul(b)),
                    ),
                    3 => (format!("max({ta},{tb})"), both.map(|(a, b)| a.max(b))),
                    _ => (format!("-({ta})"), a.and_then(i128::checked_neg)),
                }
            })
        })
    }

    proptest! {
        #[test]
        fn evaluates_what_was_printed((text, expected) in tree()) {
            let expr = Expr::parse(&text)?;
            prop_assert_eq!(expr.eval(&Env::default()).ok(), expected.map(Num::Int));
            prop_assert_eq!(Expr::parse(&expr.to_string())?, expr);
        }

        #[test]
        fn any_text_gives_a_value_or_an_error(text in "[-+*/%^()<>,0-9a-zA-Z_. ]{0,60}|\\PC{0,40}") {
            if let Ok(expr) = Expr::parse(&text) {
                let _outcome = expr.eval(&env());
            }
        }
    }
}
