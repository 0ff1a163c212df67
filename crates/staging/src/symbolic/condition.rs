//! Conditions as alternatives of inequalities.

use tilewise_frontend::source::{BinaryOp, Expr, ExprKind, UnaryOp};

use super::Poly;
use super::eval::{Bindings, is_integer, is_unsigned};

/// Alternatives beyond this count as not understood.
const MOST: usize = 8;

/// What holds together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conjunction {
    /// Each is at least 0.
    pub constraints: Vec<Poly>,
    /// Something else has to hold, too, that is no inequality of polynomials.
    pub opaque: bool,
}

impl Conjunction {
    /// Whether two of its inequalities leave nothing: `x < n` beside `x > n - 1`.
    fn is_impossible(&self) -> bool {
        let below = |p: &Poly| p.as_constant().is_some_and(|c| c < 0);
        self.constraints
            .iter()
            .enumerate()
            .any(|(i, a)| below(a) || self.constraints[..i].iter().any(|b| below(&a.add(b))))
    }
}

/// One of these holds. Without any, nothing does; an empty one always does.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard(pub Vec<Conjunction>);

impl Guard {
    /// What always holds.
    pub fn always() -> Self {
        Self(vec![Conjunction::default()])
    }

    /// What is not understood.
    pub fn opaque() -> Self {
        Self(vec![Conjunction {
            constraints: Vec::new(),
            opaque: true,
        }])
    }

    /// All of these are at least 0.
    pub fn of(constraints: Vec<Poly>) -> Self {
        Self(vec![Conjunction {
            constraints,
            opaque: false,
        }])
    }

    /// Both hold.
    pub fn and(&self, other: &Guard) -> Guard {
        let mut all = Vec::new();
        for a in &self.0 {
            for b in &other.0 {
                let mut both = a.clone();
                both.opaque |= b.opaque;
                for c in &b.constraints {
                    if !both.constraints.contains(c) {
                        both.constraints.push(c.clone());
                    }
                }
                if !both.is_impossible() {
                    all.push(both);
                }
            }
        }
        Guard(all).bounded()
    }

    /// One of both holds.
    fn or(&self, other: &Guard) -> Guard {
        let mut all = self.0.clone();
        all.extend(other.0.iter().cloned());
        Guard(all).bounded()
    }

    /// Too many alternatives become one: what all have in common.
    fn bounded(self) -> Guard {
        if self.0.len() <= MOST {
            return self;
        }
        let mut rest = self.0.into_iter();
        let mut common = rest.next().unwrap_or_default();
        for other in rest {
            common.constraints.retain(|c| other.constraints.contains(c));
        }
        common.opaque = true;
        Guard(vec![common])
    }
}

impl<'t> Bindings<'t> {
    /// The guard that a condition is, or its opposite.
    pub fn condition(&mut self, expr: &'t Expr, holds: bool) -> Guard {
        match &expr.kind {
            ExprKind::Paren(inner) => self.condition(inner, holds),
            ExprKind::Cast { operand, .. } => self.condition(operand, holds),
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.condition(operand, !holds),
            ExprKind::Binary { op, left, right } => self.relation(*op, left, right, holds),
            ExprKind::Variable { id, .. } => match self.values.get(id).copied() {
                Some(value) if is_condition(value) => self.condition(value, holds),
                _ => self.not_zero(expr, holds),
            },
            _ => self.not_zero(expr, holds),
        }
    }

    fn not_zero(&mut self, expr: &'t Expr, holds: bool) -> Guard {
        if !is_integer(&expr.ty) {
            return Guard::opaque();
        }
        let value = self.eval(expr);
        match value.as_constant() {
            Some(c) if (c != 0) == holds => Guard::always(),
            Some(_) => Guard(Vec::new()),
            None => self.compare(BinaryOp::NotEqual, value, Poly::default(), false, holds),
        }
    }

    fn relation(&mut self, op: BinaryOp, left: &'t Expr, right: &'t Expr, holds: bool) -> Guard {
        let both = matches!(op, BinaryOp::LogicalAnd | BinaryOp::And);
        let either = matches!(op, BinaryOp::LogicalOr | BinaryOp::Or);
        let logical = matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr)
            || is_condition(left) && is_condition(right);
        if logical && (both || either) {
            let (a, b) = (self.condition(left, holds), self.condition(right, holds));
            return if both == holds { a.and(&b) } else { a.or(&b) };
        }
        let comparison = matches!(
            op,
            BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual
        );
        if !comparison || !is_integer(&left.ty) || !is_integer(&right.ty) {
            return Guard::opaque();
        }
        let (a, b) = (self.eval(left), self.eval(right));
        self.compare(op, a, b, is_unsigned(&left.ty), holds)
    }

    fn compare(&mut self, op: BinaryOp, a: Poly, b: Poly, unsigned: bool, holds: bool) -> Guard {
        let op = if holds { op } else { opposite(op) };
        let one = Poly::constant(1);
        match op {
            BinaryOp::Less => self.ordered(a, b, &one, unsigned),
            BinaryOp::LessEqual => self.ordered(a, b, &Poly::default(), unsigned),
            BinaryOp::Greater => self.ordered(b, a, &one, unsigned),
            BinaryOp::GreaterEqual => self.ordered(b, a, &Poly::default(), unsigned),
            BinaryOp::Equal => Guard::of(vec![a.sub(&b), b.sub(&a)]),
            BinaryOp::NotEqual => {
                let (up, down) = (a.sub(&b), b.sub(&a));
                let above = Guard::of(vec![up.sub(&one)]);
                let below = Guard::of(vec![down.sub(&one)]);
                if self.atoms.natural(&up) {
                    above
                } else if self.atoms.natural(&down) {
                    below
                } else {
                    above.or(&below)
                }
            }
            _ => Guard::opaque(),
        }
    }

    /// `low + gap <= high`. Compared without sign, a negative number is a large
    /// one: as `low` it fails the test, as `high` it passes, which is no
    /// inequality of the numbers.
    fn ordered(&self, low: Poly, high: Poly, gap: &Poly, unsigned: bool) -> Guard {
        let mut constraints = vec![high.sub(&low).sub(gap)];
        if unsigned {
            let may_wrap =
                |p: &Poly| !self.atoms.natural(p) && p.atoms().any(|a| self.atoms.is_positional(a));
            if may_wrap(&high) {
                return Guard::opaque();
            }
            if may_wrap(&low) {
                constraints.push(low);
            }
        }
        Guard::of(constraints)
    }
}

fn opposite(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        other => other,
    }
}

/// Whether an expression is a truth value.
fn is_condition(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner) => is_condition(inner),
        ExprKind::Cast { operand, .. } => is_condition(operand),
        ExprKind::Unary {
            op: UnaryOp::Not, ..
        } => true,
        ExprKind::Binary { op, left, right } => match op {
            BinaryOp::LogicalAnd
            | BinaryOp::LogicalOr
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual => true,
            BinaryOp::And | BinaryOp::Or => is_condition(left) && is_condition(right),
            _ => false,
        },
        _ => expr.ty.scalar_name() == Some("bool"),
    }
}
