//! From expressions of the source to polynomials.

use std::collections::HashMap;

use tilewise_frontend::source::{
    AddressSpace, BinaryOp, DeclId, Expr, ExprKind, Origin, SourceTree, Stmt, Type, UnaryOp,
};

use super::{Atom, Function, Poly};

/// Number of a loop, in the order of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

/// A counting loop: its variable takes `lower`, `lower + step`, … up to at most
/// `upper`.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its variable.
    pub variable: DeclId,
    /// The variable's name.
    pub name: String,
    /// Its type, as clang names it.
    pub ty: String,
    /// First value.
    pub lower: Poly,
    /// Last value, if the step is 1; else a bound.
    pub upper: Poly,
    /// Added after each iteration, or taken away, at least 1.
    pub step: i128,
    /// It counts down: its first value is the upper bound.
    pub down: bool,
    /// No other variable steps along.
    pub alone: bool,
    /// Of ids, added to the values above: those that the source's variable has.
    pub window: Poly,
    /// It may end before its condition says so.
    pub cut: bool,
    /// First byte and one behind the last of the statement.
    pub extent: (usize, usize),
}

/// Builtin functions of integers whose result depends on their arguments only.
const PURE: [&str; 9] = [
    "min", "max", "clamp", "abs", "abs_diff", "rotate", "select", "mul_hi", "hadd",
];

/// What the names of a kernel stand for, as far as the walk has come.
pub struct Bindings<'t> {
    /// The tree.
    pub tree: &'t SourceTree,
    /// All atoms.
    pub atoms: super::Atoms,
    /// Loops, in the order of the source.
    pub loops: Vec<Loop>,
    /// Variables of the loops around the current place.
    pub active: HashMap<DeclId, LoopId>,
    /// Scalar parameters that never change.
    pub params: HashMap<DeclId, (String, Type)>,
    /// Values of variables that are assigned once.
    pub values: HashMap<DeclId, &'t Expr>,
    /// Polynomials of those that are integers.
    pub integers: HashMap<DeclId, Poly>,
    /// Why variables have no value here, for a message: `which …`.
    pub unclear: HashMap<DeclId, &'static str>,
}

impl<'t> Bindings<'t> {
    /// The polynomial of an integer expression; an unknown atom where it is none.
    pub fn eval(&mut self, expr: &'t Expr) -> Poly {
        let value = self.known(expr).unwrap_or_else(|| self.unknown(expr));
        match self.macro_name(expr) {
            Some(name) => match self.atoms.with_values(&value).as_constant() {
                Some(value) => Poly::atom(self.atoms.intern(Atom::Macro { name, value })),
                None => value,
            },
            None => value,
        }
    }

    /// The name of the macro that an expression is the whole text of: one
    /// without arguments whose text is one word or in parentheses.
    fn macro_name(&self, expr: &Expr) -> Option<String> {
        if expr.span.origin != Origin::Macro {
            return None;
        }
        let name = self.tree.text.get(expr.span.begin..expr.span.end)?;
        let is_word =
            |t: &str| !t.is_empty() && t.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_word(name) {
            return None;
        }
        let mut bodies = self.tree.text.lines().filter_map(|line| {
            let rest = line.trim_start().strip_prefix('#')?.trim_start();
            let rest = rest
                .strip_prefix("define")?
                .trim_start()
                .strip_prefix(name)?;
            let body = rest.strip_prefix([' ', '\t'])?;
            Some(body.split("//").next()?.split("/*").next()?.trim())
        });
        // Within parentheses, only the whole is the macro; a number is all of it.
        let literal = matches!(expr.kind, ExprKind::Integer(_));
        let whole = |body: &str| {
            if body.starts_with('(') && body.ends_with(')') {
                matches!(expr.kind, ExprKind::Paren(_))
            } else {
                literal && is_word(body)
            }
        };
        let fits = match bodies.next() {
            Some(first) => whole(first) && bodies.all(whole),
            // Given to the compiler: a number is all that is seen of it.
            None => literal,
        };
        fits.then(|| name.to_owned())
    }

    fn unknown(&mut self, expr: &Expr) -> Poly {
        let why = self.why_unknown(expr);
        let atom = Atom::Unknown {
            expr: expr.clone(),
            why,
        };
        Poly::atom(self.atoms.intern(atom))
    }

    /// What is said of the first variable of an expression that has no value.
    fn why_unknown(&self, expr: &Expr) -> Option<String> {
        if let ExprKind::Variable { id, name } = &expr.kind {
            return self.unclear.get(id).map(|why| format!("{name}, {why}"));
        }
        expr.children()
            .into_iter()
            .find_map(|e| self.why_unknown(e))
    }

    fn known(&mut self, expr: &'t Expr) -> Option<Poly> {
        if !is_integer(&expr.ty) {
            return None;
        }
        match &expr.kind {
            ExprKind::Integer(value) => Some(Poly::constant(*value)),
            ExprKind::Paren(inner) => Some(self.eval(inner)),
            ExprKind::Variable { id, name } => self.variable(*id, name),
            ExprKind::Cast { operand, .. } => {
                if !is_integer(&operand.ty) {
                    return None;
                }
                let value = self.eval(operand);
                if keeps_value(&operand.ty, &expr.ty) || value.as_constant().is_some() {
                    return Some(value);
                }
                let ty = expr.ty.scalar_name().unwrap_or_default();
                Some(self.function(format!("({ty})"), vec![value], expr))
            }
            ExprKind::Unary { op, operand } => {
                let value = self.eval(operand);
                match op {
                    UnaryOp::Plus => Some(value),
                    UnaryOp::Minus => Some(value.negated()),
                    UnaryOp::Not => Some(self.function("!".to_owned(), vec![value], expr)),
                    UnaryOp::BitNot => Some(self.function("~".to_owned(), vec![value], expr)),
                    _ => None,
                }
            }
            ExprKind::Binary { op, left, right } => {
                if !is_integer(&left.ty) || !is_integer(&right.ty) {
                    return None;
                }
                let (a, b) = (self.eval(left), self.eval(right));
                self.binary(*op, a, b, expr, left)
            }
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (self.eval(then), self.eval(otherwise));
                Some(self.choice(condition, then, otherwise, expr))
            }
            ExprKind::Call { callee, args } => self.call(callee, args, expr),
            _ => None,
        }
    }

    fn variable(&mut self, id: DeclId, name: &str) -> Option<Poly> {
        if let Some(&id) = self.active.get(&id) {
            let natural = self
                .loops
                .get(id.0 as usize)
                .is_some_and(|l| self.atoms.natural(&l.lower) || l.lower.is_zero());
            let name = name.to_owned();
            let atom = self.atoms.intern(Atom::Loop { id, name, natural });
            let value = Poly::atom(atom);
            return Some(match self.atoms.window(atom) {
                Some(window) => value.add(window),
                None => value,
            });
        }
        if let Some((name, ty)) = self.params.get(&id) {
            let atom = Atom::Param {
                id,
                name: name.clone(),
                unsigned: is_unsigned(ty),
            };
            return Some(Poly::atom(self.atoms.intern(atom)));
        }
        if let Some(known) = self.integers.get(&id) {
            return Some(known.clone());
        }
        self.constant(id, name)
    }

    /// A constant at file scope, by its name as a macro is.
    fn constant(&mut self, id: DeclId, name: &str) -> Option<Poly> {
        let tree: &'t SourceTree = self.tree;
        let found = tree.constants.iter().find(|v| v.id == id)?;
        let spelled = found.ty.spelled.as_ref()?;
        let fixed = spelled.base_qualifiers.space == Some(AddressSpace::Constant)
            || spelled.base_qualifiers.is_const;
        let init = found
            .init
            .as_ref()
            .filter(|_| fixed && is_integer(&found.ty))?;
        let value = self.eval(init);
        let value = self.atoms.with_values(&value).as_constant()?;
        let name = name.to_owned();
        Some(Poly::atom(self.atoms.intern(Atom::Macro { name, value })))
    }

    /// An operator of two values; `left` has the type in which it computes.
    pub fn binary(
        &mut self,
        op: BinaryOp,
        a: Poly,
        b: Poly,
        expr: &'t Expr,
        left: &Expr,
    ) -> Option<Poly> {
        match (op, a.as_constant(), b.as_constant()) {
            (BinaryOp::Add, ..) => return Some(a.add(&b)),
            (BinaryOp::Sub, ..) => return Some(a.sub(&b)),
            (BinaryOp::Mul, ..) => {
                let (a, b) = (self.factor(&a, &b), self.factor(&b, &a));
                return a.mul(&b);
            }
            (BinaryOp::Shl, _, Some(by)) if (0..31).contains(&by) => {
                return Some(a.scaled(1 << by));
            }
            (BinaryOp::Div, Some(x), Some(y)) if y != 0 => return Some(Poly::constant(x / y)),
            (BinaryOp::Rem, Some(x), Some(y)) if y != 0 => return Some(Poly::constant(x % y)),
            (BinaryOp::Comma, ..) => return None,
            _ => {}
        }
        let ty = left.ty.scalar_name().unwrap_or_default();
        Some(self.function(format!("{}:{ty}", op.text()), vec![a, b], expr))
    }

    /// `condition ? then : otherwise`; where that is a `max` or a `min`, as such.
    pub fn choice(
        &mut self,
        condition: &'t Expr,
        then: Poly,
        otherwise: Poly,
        expr: &Expr,
    ) -> Poly {
        let condition = condition.plain();
        if let Some(found) = self.bound(condition, &then, &otherwise, expr) {
            return found;
        }
        let condition = self.eval(condition);
        self.function("?:".to_owned(), vec![condition, then, otherwise], expr)
    }

    /// `x < 0 ? 0 : x` and its like: one side where the condition keeps it within a bound,
    /// else that bound.
    fn bound(
        &mut self,
        condition: &'t Expr,
        then: &Poly,
        otherwise: &Poly,
        expr: &Expr,
    ) -> Option<Poly> {
        let ExprKind::Binary { op, left, right } = &condition.kind else {
            return None;
        };
        let is_int = |e: &Expr| e.ty.scalar_name() == Some("int");
        if !is_int(left) || !is_int(right) || !is_int(expr) {
            return None;
        }
        let (left, right) = (self.eval(left), self.eval(right));
        // The condition as `apart >= 0`.
        let one = Poly::constant(1);
        let apart = match op {
            BinaryOp::Less => right.sub(&left).sub(&one),
            BinaryOp::LessEqual => right.sub(&left),
            BinaryOp::Greater => left.sub(&right).sub(&one),
            BinaryOp::GreaterEqual => left.sub(&right),
            _ => return None,
        };
        let fails = apart.negated().sub(&one);
        for (kept, bound, within) in [(then, otherwise, &apart), (otherwise, then, &fails)] {
            let uniform = |p: &Poly| self.atoms.all_uniform(p);
            if uniform(kept) || !uniform(bound) {
                continue;
            }
            let head = if kept.sub(bound) == *within {
                "max"
            } else if bound.sub(kept) == *within {
                "min"
            } else {
                continue;
            };
            let args = vec![kept.clone(), bound.clone()];
            return Some(self.function(head.to_owned(), args, expr));
        }
        None
    }

    /// A factor of a product: a uniform sum beside something that varies stays
    /// whole.
    fn factor(&mut self, factor: &Poly, other: &Poly) -> Poly {
        let varies = other.atoms().any(|a| self.atoms.is_positional(a));
        if factor.term_count() < 2 || !varies || !self.atoms.all_uniform(factor) {
            return factor.clone();
        }
        // An id of the group's start is uniform, too, but a position.
        if factor.atoms().any(|a| self.atoms.is_positional(a)) {
            return factor.clone();
        }
        Poly::atom(self.atoms.intern(Atom::Sum(factor.clone())))
    }

    fn function(&mut self, head: String, args: Vec<Poly>, expr: &Expr) -> Poly {
        let uniform = args.iter().all(|a| self.atoms.all_uniform(a));
        Poly::atom(self.atoms.intern(Atom::Function(Function {
            head,
            args,
            expr: expr.clone(),
            uniform,
        })))
    }

    fn call(&mut self, callee: &str, args: &'t [Expr], expr: &'t Expr) -> Option<Poly> {
        let dim = || match args {
            [one] => match one.plain().kind {
                ExprKind::Integer(d @ 0..=2) => Some(d as u8),
                _ => None,
            },
            _ => None,
        };
        let atom = match callee {
            "get_global_id" => return Some(self.atoms.global_id(dim()?)),
            "get_local_id" => Atom::LocalId(dim()?),
            "get_group_id" => Atom::GroupId(dim()?),
            "get_local_size" => Atom::LocalSize(dim()?),
            "get_global_size" => Atom::GlobalSize(dim()?),
            "get_num_groups" => Atom::NumGroups(dim()?),
            "get_global_offset" => Atom::GlobalOffset(dim()?),
            "get_image_width" | "get_image_height" | "get_image_depth" => Atom::ImageSize {
                function: callee.to_owned(),
                image: image_name(args)?,
            },
            "mul24" | "mad24" => {
                let values: Vec<Poly> = args.iter().map(|a| self.eval(a)).collect();
                return match &values[..] {
                    [a, b] => a.mul(b),
                    [a, b, c] => Some(a.mul(b)?.add(c)),
                    _ => None,
                };
            }
            _ => {
                let integers = args.iter().all(|a| is_integer(&a.ty));
                if !integers || !(PURE.contains(&callee) || self.is_pure(callee, 0)) {
                    return None;
                }
                let values: Vec<Poly> = args.iter().map(|a| self.eval(a)).collect();
                return Some(self.function(callee.to_owned(), values, expr));
            }
        };
        Some(Poly::atom(self.atoms.intern(atom)))
    }

    /// Whether a function of the source has scalars for parameters and computes
    /// with nothing else.
    fn is_pure(&self, callee: &str, depth: u32) -> bool {
        let Some(function) = self.tree.function(callee) else {
            return false;
        };
        depth < 8
            && function.params.iter().all(|p| is_integer(&p.ty))
            && statement_is_pure(self, &function.body, depth)
    }
}

/// The image that a function is asked about: a parameter, since OpenCL C has no other
/// variables of these types.
fn image_name(args: &[Expr]) -> Option<String> {
    match args {
        [one] => match &one.plain().kind {
            ExprKind::Variable { name, .. } => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn statement_is_pure(bindings: &Bindings<'_>, stmt: &Stmt, depth: u32) -> bool {
    stmt.expressions()
        .iter()
        .all(|e| expression_is_pure(bindings, e, depth))
        && stmt
            .children()
            .iter()
            .all(|s| statement_is_pure(bindings, s, depth))
}

fn expression_is_pure(bindings: &Bindings<'_>, expr: &Expr, depth: u32) -> bool {
    let this = match &expr.kind {
        ExprKind::Call { callee, .. } => {
            PURE.contains(&callee.as_str()) || bindings.is_pure(callee, depth + 1)
        }
        ExprKind::Index { .. } | ExprKind::Member { .. } | ExprKind::Other { .. } => false,
        _ => true,
    };
    this && expr
        .children()
        .iter()
        .all(|e| expression_is_pure(bindings, e, depth))
}

/// Bits of an integer type, and whether it has no sign; `None` for other types.
pub fn integer_type(ty: &Type) -> Option<(u32, bool)> {
    Some(match ty.scalar_name()? {
        "bool" | "_Bool" => (1, true),
        "char" | "signed char" => (8, false),
        "unsigned char" | "uchar" => (8, true),
        "short" => (16, false),
        "unsigned short" | "ushort" => (16, true),
        "int" => (32, false),
        "unsigned int" | "uint" | "unsigned" => (32, true),
        "long" | "long long" | "ptrdiff_t" => (64, false),
        "unsigned long" | "ulong" | "size_t" | "unsigned long long" => (64, true),
        _ => return None,
    })
}

/// Whether a type is an integer.
pub fn is_integer(ty: &Type) -> bool {
    integer_type(ty).is_some()
}

/// Whether an integer type has no sign.
pub fn is_unsigned(ty: &Type) -> bool {
    integer_type(ty).is_some_and(|(_, unsigned)| unsigned)
}

/// Whether a conversion keeps the values that an index has.
fn keeps_value(from: &Type, to: &Type) -> bool {
    match (integer_type(from), integer_type(to)) {
        (Some((from, _)), Some((to, _))) => to >= 32 || to >= from && to > 1,
        _ => false,
    }
}
