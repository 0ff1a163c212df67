//! Expressions over the scalar arguments of a launch, such as `W*H`,
//! `roundup(W,16)` or `local_size(0)+2`.
//!
//! Integers are computed exactly in 128 bits, and leave them only where a
//! floating-point number takes part; `/` and `%` of two integers truncate as
//! in C. From loosest to tightest: `<< >>`, `+ -`, `* / %`, the sign, `^`.
//! `^` is the power (sizes are written `2^26`), not C's exclusive or.

mod eval;
mod parse;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use eval::{Env, Geometry, Num};
pub(crate) use parse::Parser;

use crate::text::TextError;

/// A parsed expression. It keeps the text it came from: that is how it prints,
/// and what its errors point into.
#[derive(Clone, Debug)]
pub struct Expr {
    text: Arc<str>,
    root: Node,
}

impl Expr {
    /// Reads an expression that takes up the whole text.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let mut parser = Parser::new(text, 0..text.len())?;
        let expr = parser.expr()?;
        parser.end()?;
        Ok(expr)
    }

    /// The names that the expression uses, each once, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        self.root.visit(&mut |node| {
            if let NodeKind::Name(name) = &node.kind
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        });
        names
    }

    /// Whether the expression asks for `local_size`, `global_size`,
    /// `num_groups` or `global_offset`.
    pub fn uses_geometry(&self) -> bool {
        let mut found = false;
        self.root
            .visit(&mut |node| found |= matches!(node.kind, NodeKind::Geometry(..)));
        found
    }

    /// Whether the value is the same in every launch: no names, no geometry.
    pub fn is_constant(&self) -> bool {
        self.names().is_empty() && !self.uses_geometry()
    }

    /// An error that points at the whole expression.
    pub fn error(&self, message: impl Into<String>) -> TextError {
        TextError::new(&self.text, self.root.span.clone(), message)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text[self.root.span.clone()])
    }
}

/// Two expressions are equal if they compute the same in the same way, wherever
/// they stand.
impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

#[derive(Clone, Debug)]
struct Node {
    kind: NodeKind,
    span: Range<usize>,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

#[derive(Clone, Debug, PartialEq)]
enum NodeKind {
    Int(i128),
    Float(f64),
    Name(String),
    Neg(Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Call(Func, Vec<Node>),
    Geometry(Geometry, Box<Node>),
}

impl Node {
    fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Node)) {
        see(self);
        match &self.kind {
            NodeKind::Int(_) | NodeKind::Float(_) | NodeKind::Name(_) => {}
            NodeKind::Neg(a) | NodeKind::Geometry(_, a) => a.visit(see),
            NodeKind::Binary(_, a, b) => {
                a.visit(see);
                b.visit(see);
            }
            NodeKind::Call(_, args) => args.iter().for_each(|a| a.visit(see)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Shl,
    Shr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Func {
    RoundUp,
    RoundDown,
    CeilDiv,
    Min,
    Max,
}

impl Func {
    const ALL: [(&'static str, Func); 5] = [
        ("roundup", Func::RoundUp),
        ("rounddown", Func::RoundDown),
        ("ceil_div", Func::CeilDiv),
        ("min", Func::Min),
        ("max", Func::Max),
    ];
}
