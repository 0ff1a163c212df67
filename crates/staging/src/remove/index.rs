//! The index of global memory at a read, as a colleague would write it.
//!
//! The fill's own index says how: it is written again with the place of the read where
//! the fill's id or loop variable stands. What does not depend on that stays as it is,
//! as long as the read sees the same variables; what a variable there holds is named by
//! it. Of what is said in two ways, the shorter is taken.

use std::collections::{BTreeSet, HashMap};

use tilewise_frontend::source::{BinaryOp, DeclId, Expr, ExprKind, UnaryOp};

use super::purity::has_no_effect;
use super::solve::{any_atom, replaced};
use crate::loads::Accesses;
use crate::plan::coordinates::split;
use crate::rewrite::print::Printer;
use crate::symbolic::{Atom, AtomId, LoopId, Poly};

/// Most variables that are looked through in one another.
const DEPTH: u32 = 16;

/// Words from which on a condition is long.
const LONG: usize = 5;

/// How tightly a text holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A word, a call, something in parentheses.
    Word,
    /// With an operator in front.
    Unary,
    /// A product.
    Product,
    /// A sum.
    Sum,
    /// Anything else.
    Other,
}

/// A text and how tightly it holds together.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Its level.
    pub level: Level,
}

impl Text {
    /// Of a level.
    pub fn new(text: impl Into<String>, level: Level) -> Self {
        Self {
            text: text.into(),
            level,
        }
    }

    /// In parentheses where it holds together less than that.
    pub fn within(&self, level: Level) -> String {
        if self.level <= level {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    /// How much there is to read.
    pub fn cost(&self) -> usize {
        let words = self
            .text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|w| !w.is_empty());
        words
            .map(|w| if w.starts_with("get_") { 4 } else { 1 })
            .sum()
    }
}

/// Writes indices at one read.
pub struct Indices<'a, 't> {
    /// The kernel.
    pub accesses: &'a mut Accesses<'t>,
    /// What the fill's ids and loop variables are at the read.
    pub by: HashMap<AtomId, Poly>,
    /// The same as the read writes it.
    pub texts: HashMap<AtomId, Text>,
    /// Where the text will stand.
    pub place: usize,
    /// Loops around the read.
    pub loops: Vec<LoopId>,
}

impl<'t> Indices<'_, 't> {
    /// The index: `target` as a polynomial, which may hold what is not known, and the
    /// fill's own as the source writes it.
    pub fn index(&mut self, written: Option<&'t Expr>, target: &Poly) -> Option<Text> {
        let mut found = Vec::new();
        found.extend(written.and_then(|e| self.again(e, 0)));
        if self.is_known(target) {
            found.extend(self.beside_variable(target));
            found.push(self.by_rows(target));
        }
        shortest(found)
    }

    /// Whether a polynomial can be written here.
    pub fn is_known(&self, poly: &Poly) -> bool {
        !any_atom(&self.accesses.bindings.atoms, poly, &|_, atom| match atom {
            Atom::Loop { id, .. } => !self.loops.contains(id),
            Atom::Unknown { .. } | Atom::Hole => true,
            // The pitch of an array that goes.
            Atom::Named(name) => is_pitch(name),
            _ => false,
        })
    }

    /// Prints something with what is visible at the read.
    pub fn printed<R>(&mut self, print: impl FnOnce(&mut Printer<'_>) -> R) -> R {
        let nothing = HashMap::new();
        let mut printer = Printer {
            atoms: &mut self.accesses.bindings.atoms,
            variables: &self.accesses.variables,
            place: self.place,
            introduced: &nothing,
            used: BTreeSet::new(),
        };
        print(&mut printer)
    }

    fn poly(&mut self, poly: &Poly) -> Text {
        let level = match poly.term_count() {
            0 => Level::Word,
            1 => match poly.terms().next() {
                Some((m, c)) if m.len() + usize::from(c != 1) <= 1 && c >= 0 => Level::Word,
                Some((_, c)) if c < 0 => Level::Unary,
                _ => Level::Product,
            },
            _ => Level::Sum,
        };
        let text = self.sum_of(poly);
        // What prints a cast or a function is no single word.
        let level = match level {
            Level::Word if text.starts_with('(') && !text.ends_with(')') => Level::Unary,
            level => level,
        };
        let level = match text.contains([' ']) {
            false if level == Level::Sum => Level::Word,
            _ => level,
        };
        Text::new(text, level)
    }

    /// A polynomial as a text, with what is taken away at its end: `g + 63 - 2 * l`.
    fn sum_of(&mut self, poly: &Poly) -> String {
        let atoms = &mut self.accesses.bindings.atoms;
        let mut whole = poly.clone();
        for d in 0..3 {
            let start = atoms.intern(Atom::GroupStart(d));
            let global = Poly::atom(atoms.intern(Atom::GlobalId(d)));
            let local = Poly::atom(atoms.intern(Atom::LocalId(d)));
            if let Some(replaced) = whole.substitute(start, &global.sub(&local)) {
                whole = replaced;
            }
        }
        let added = whole.filtered(|m| whole.coefficient(m) > 0);
        let taken = whole.sub(&added);
        if whole.constant_part() <= 0 || taken.is_zero() || added.term_count() < 2 {
            return self.printed(|p| p.poly(poly));
        }
        let mut text = self.printed(|p| p.poly(&added));
        for (monomial, coefficient) in taken.terms() {
            let term = Poly::term(-coefficient, monomial.clone());
            text.push_str(" - ");
            text.push_str(&self.printed(|p| p.poly(&term)));
        }
        text
    }

    /// `condition >= 0`, which may compare the index with something.
    pub fn relation(&mut self, condition: &Poly, index: &Poly) -> String {
        let plain = Text::new(self.printed(|p| p.relation(condition, false)), Level::Other);
        let rest = condition.add(index);
        let atoms = &self.accesses.bindings.atoms;
        if rest.atoms().any(|a| atoms.is_positional(a)) || plain.cost() < LONG {
            return plain.text;
        }
        let bound = self.poly(&rest.add(&Poly::constant(1)));
        let compared = Text::new(
            format!("{} < {}", self.sum_of(index), bound.text),
            Level::Other,
        );
        match compared.cost() <= plain.cost() {
            true => compared.text,
            false => plain.text,
        }
    }

    /// A variable that holds a polynomial.
    fn variable(&self, value: &Poly) -> Option<Text> {
        let mut seen = self.seen();
        let found = seen.find(|v| v.1 == value)?;
        Some(Text::new(found.0, Level::Word))
    }

    /// Variables of known value that the read sees.
    fn seen(&self) -> impl Iterator<Item = (&str, &Poly)> {
        let variables = &self.accesses.variables;
        variables
            .iter()
            .filter(|v| self.sees(v.id))
            .filter_map(|v| Some((v.name.as_str(), v.value.as_ref()?)))
            .filter(|(_, value)| self.is_known(value))
    }

    /// Whether the read sees a variable, and no other one by its name.
    fn sees(&self, id: DeclId) -> bool {
        let visible = |v: &&crate::loads::Declared| v.from <= self.place && self.place < v.until;
        let variables = &self.accesses.variables;
        let Some(own) = variables.iter().filter(visible).find(|v| v.id == id) else {
            return false;
        };
        let innermost = variables
            .iter()
            .filter(|v| v.name == own.name)
            .filter(visible)
            .max_by_key(|v| v.from);
        innermost.is_some_and(|v| v.id == id)
    }

    /// A variable, perhaps some times, and what is to be added to it: `i - 1`, `i + W`,
    /// `3 * base + l`.
    fn beside_variable(&mut self, target: &Poly) -> Vec<Text> {
        let seen: Vec<(String, Poly)> = self
            .seen()
            .filter(|(_, value)| {
                let atoms = &self.accesses.bindings.atoms;
                let place = |a| atoms.is_positional(a) || matches!(atoms.get(a), Atom::GroupId(_));
                value.atoms().any(place)
            })
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        let mut found = Vec::new();
        for (name, value) in seen {
            let leading = value.terms().find(|(m, _)| !m.is_empty());
            let Some((monomial, unit)) = leading else {
                continue;
            };
            let coefficient = target.coefficient(monomial);
            let times = coefficient / unit;
            let rest = target.plus(&value, -times);
            if times < 1 || coefficient % unit != 0 || rest.term_count() >= target.term_count() {
                continue;
            }
            let own = match times {
                1 => Text::new(name, Level::Word),
                _ => Text::new(format!("{times} * {name}"), Level::Product),
            };
            let rest = self.poly(&rest);
            found.push(sum(&own, &rest, false));
        }
        found
    }

    /// A coordinate, beside a variable where that is shorter: `j + 1`.
    fn coordinate(&mut self, value: &Poly) -> Text {
        let plain = self.poly(value);
        let beside = self.beside_variable(value);
        let shorter = beside.into_iter().filter(|t| t.cost() < plain.cost());
        shorter.min_by_key(Text::cost).unwrap_or(plain)
    }

    /// An index as `row * pitch + column`, where it is one.
    fn by_rows(&mut self, index: &Poly) -> Text {
        let split = match split(&mut self.accesses.bindings.atoms, index) {
            Ok(split) if split.base.is_zero() && !split.coordinates.is_empty() => split,
            _ => return self.poly(index),
        };
        let mut parts = Vec::new();
        for coordinate in split.coordinates.iter().rev() {
            let value = match coordinate.map {
                Some(map) => {
                    let atoms = &mut self.accesses.bindings.atoms;
                    let hole = atoms.intern(Atom::Hole);
                    let by = HashMap::from([(hole, coordinate.value.clone())]);
                    match replaced(atoms, &Poly::atom(map), &by) {
                        Some(value) => value,
                        None => return self.poly(index),
                    }
                }
                None => coordinate.value.clone(),
            };
            parts.push(match coordinate.stride.as_constant() {
                Some(1) => self.coordinate(&value).text,
                _ => {
                    let value = self.coordinate(&value).within(Level::Word);
                    let stride = self.printed(|p| p.multiplier(&coordinate.stride));
                    format!("{value} * {stride}")
                }
            });
        }
        Text::new(parts.join(" + ").replace(" + -", " - "), Level::Sum)
    }

    /// An expression of the fill, as it is at the read.
    pub fn again(&mut self, expr: &'t Expr, depth: u32) -> Option<Text> {
        if depth > DEPTH {
            return None;
        }
        let value = self.accesses.bindings.eval(expr);
        if let Some(atom) = value.as_atom()
            && let Some(text) = self.texts.get(&atom)
        {
            return Some(text.clone());
        }
        match &expr.kind {
            ExprKind::Paren(inner) => return self.again(inner, depth),
            ExprKind::Cast {
                operand,
                implicit: true,
                ..
            } => return self.again(operand, depth),
            _ => {}
        }
        if self.stays(expr, depth) {
            let text = self.accesses.bindings.tree.text_of(expr.span)?;
            return Some(Text::new(text, level(expr)));
        }
        let target = replaced(&mut self.accesses.bindings.atoms, &value, &self.by);
        let known = target.filter(|t| self.is_known(t));
        if let Some(target) = &known
            && let Some(name) = self.variable(target)
        {
            return Some(name);
        }
        let structure = self.parts(expr, depth);
        let printed = known.map(|t| self.poly(&t));
        // What is printed holds no variable that only the fill needs, but has its products
        // multiplied out.
        let product = structure.as_ref().is_some_and(|t| t.text.contains('*'));
        let both = match product {
            true => [structure, printed],
            false => [printed, structure],
        };
        shortest(both.into_iter().flatten().collect())
    }

    /// By its parts.
    fn parts(&mut self, expr: &'t Expr, depth: u32) -> Option<Text> {
        match &expr.kind {
            ExprKind::Variable { id, .. } => {
                let value = self.accesses.bindings.values.get(id).copied()?;
                self.again(value, depth + 1)
            }
            ExprKind::Cast { operand, .. } => {
                let inner = self.again(operand, depth)?;
                let ty = expr.ty.scalar_name()?;
                Some(Text::new(
                    format!("({ty}){}", inner.within(Level::Unary)),
                    Level::Unary,
                ))
            }
            ExprKind::Binary { op, left, right } => {
                let a = self.again(left, depth)?;
                let b = self.again(right, depth)?;
                match op {
                    BinaryOp::Add => Some(sum(&a, &b, false)),
                    BinaryOp::Sub => Some(sum(&a, &b, true)),
                    BinaryOp::Mul => Some(Text::new(
                        format!("{} * {}", a.within(Level::Product), b.within(Level::Unary)),
                        Level::Product,
                    )),
                    BinaryOp::Comma => None,
                    BinaryOp::Div | BinaryOp::Rem => Some(Text::new(
                        format!(
                            "{} {} {}",
                            a.within(Level::Product),
                            op.text(),
                            b.within(Level::Unary)
                        ),
                        Level::Product,
                    )),
                    _ => Some(Text::new(
                        format!(
                            "{} {} {}",
                            a.within(Level::Word),
                            op.text(),
                            b.within(Level::Word)
                        ),
                        Level::Other,
                    )),
                }
            }
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                let c = self.again(condition, depth)?;
                let (a, b) = (self.again(then, depth)?, self.again(otherwise, depth)?);
                let word = Level::Sum;
                Some(Text::new(
                    format!(
                        "{} ? {} : {}",
                        c.within(Level::Other),
                        a.within(word),
                        b.within(word)
                    ),
                    Level::Other,
                ))
                .map(|t| Text::new(format!("({})", t.text), Level::Word))
            }
            ExprKind::Call { callee, args }
                if !args.is_empty() && has_no_effect(self.accesses.bindings.tree, expr) =>
            {
                if callee.starts_with("get_") {
                    return None;
                }
                let args: Option<Vec<String>> = args
                    .iter()
                    .map(|a| self.again(a, depth).map(|t| t.text))
                    .collect();
                Some(Text::new(
                    format!("{callee}({})", args?.join(", ")),
                    Level::Word,
                ))
            }
            ExprKind::Unary {
                op: UnaryOp::Minus,
                operand,
            } => {
                let inner = self.again(operand, depth)?;
                Some(Text::new(
                    format!("-{}", inner.within(Level::Word)),
                    Level::Unary,
                ))
            }
            _ => None,
        }
    }

    /// Whether an expression means the same at the read, word for word.
    fn stays(&mut self, expr: &'t Expr, depth: u32) -> bool {
        if depth > DEPTH || !has_no_effect(self.accesses.bindings.tree, expr) {
            return false;
        }
        self.is_same(expr, true, depth)
    }

    /// Whether an expression has the same value at the read; `seen` where its variables
    /// have to be seen there, too.
    fn is_same(&mut self, expr: &'t Expr, seen: bool, depth: u32) -> bool {
        if depth > DEPTH {
            return false;
        }
        match &expr.kind {
            ExprKind::Variable { id, .. } => {
                if seen && !self.sees(*id) {
                    return false;
                }
                self.variable_is_same(*id, expr, depth)
            }
            ExprKind::Call { callee, .. } => {
                let value = self.accesses.bindings.eval(expr);
                let unknown = |a: AtomId, atom: &Atom| {
                    matches!(atom, Atom::Unknown { .. }) || self.by.contains_key(&a)
                };
                let atoms = &self.accesses.bindings.atoms;
                (!callee.starts_with("get_") || !any_atom(atoms, &value, &unknown))
                    && self.parts_are_same(expr, seen, depth)
            }
            _ => self.parts_are_same(expr, seen, depth),
        }
    }

    fn parts_are_same(&mut self, expr: &'t Expr, seen: bool, depth: u32) -> bool {
        expr.children()
            .into_iter()
            .all(|e| self.is_same(e, seen, depth))
    }

    fn variable_is_same(&mut self, id: DeclId, expr: &'t Expr, depth: u32) -> bool {
        let bindings = &self.accesses.bindings;
        if let Some(looped) = bindings.active.get(&id) {
            let looped = *looped;
            return self.loops.contains(&looped) && {
                let value = self.accesses.bindings.eval(expr);
                value.atoms().all(|a| !self.by.contains_key(&a))
            };
        }
        let function = self.accesses.function;
        if function.params.iter().any(|p| p.id == id) {
            let scalar = bindings.params.contains_key(&id);
            return scalar || !self.accesses.written.contains(&id);
        }
        match bindings.values.get(&id).copied() {
            Some(value) => self.is_same(value, false, depth + 1),
            None => false,
        }
    }
}

/// `a + b`, or `a - b`.
pub fn sum(a: &Text, b: &Text, minus: bool) -> Text {
    if b.text == "0" {
        return a.clone();
    }
    if a.text == "0" && !minus {
        return b.clone();
    }
    let left = a.within(Level::Sum);
    if minus {
        return Text::new(format!("{left} - {}", b.within(Level::Product)), Level::Sum);
    }
    match b.text.strip_prefix('-') {
        Some(size)
            if b.level == Level::Unary || b.level == Level::Word || b.level == Level::Product =>
        {
            Text::new(format!("{left} - {size}"), Level::Sum)
        }
        _ => Text::new(format!("{left} + {}", b.within(Level::Sum)), Level::Sum),
    }
}

/// Whether an atom of this name is the pitch of an array.
pub fn is_pitch(name: &str) -> bool {
    name.starts_with("array ") && name.contains(" rows ")
}

/// The first of those with the least to read.
fn shortest(texts: Vec<Text>) -> Option<Text> {
    texts.into_iter().min_by_key(Text::cost)
}

/// How tightly an expression of the source holds together.
pub fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Cast {
            implicit: true,
            operand,
            ..
        } => level(operand),
        ExprKind::Cast { .. } | ExprKind::Unary { .. } => Level::Unary,
        ExprKind::Binary { op, .. } if expr.span.editable().is_some() => match op {
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Level::Product,
            BinaryOp::Add | BinaryOp::Sub => Level::Sum,
            _ => Level::Other,
        },
        // A macro's text may be anything, but most are made to be used as words.
        ExprKind::Conditional { .. } | ExprKind::Assign { .. } => Level::Other,
        _ => Level::Word,
    }
}
