//! Polynomials and inequalities as C.

use std::collections::{BTreeSet, HashMap};

use tilewise_frontend::source::{Expr, ExprKind};

use crate::loads::Declared;
use crate::symbolic::{Atom, AtomId, Atoms, Function, Monomial, Poly};

/// Prints polynomials at one place of the source.
pub struct Printer<'a> {
    /// All atoms.
    pub atoms: &'a mut Atoms,
    /// Variables of the source.
    pub variables: &'a [Declared],
    /// Where the text will stand: variables known there are used.
    pub place: usize,
    /// Names of new variables by what they hold.
    pub introduced: &'a HashMap<AtomId, String>,
    /// Names of the source that were used.
    pub used: BTreeSet<String>,
}

impl Printer<'_> {
    /// A polynomial.
    pub fn poly(&mut self, poly: &Poly) -> String {
        let terms = self.terms(poly);
        if terms.is_empty() {
            return "0".to_owned();
        }
        let mut text = String::new();
        for (i, (coefficient, factors)) in terms.iter().enumerate() {
            let negative = *coefficient < 0;
            match (i, negative) {
                (0, true) => text.push('-'),
                (0, false) => {}
                (_, true) => text.push_str(" - "),
                (_, false) => text.push_str(" + "),
            }
            let size = coefficient.unsigned_abs();
            if factors.is_empty() {
                text.push_str(&size.to_string());
            } else {
                if size != 1 {
                    text.push_str(&format!("{size} * "));
                }
                text.push_str(&factors.join(" * "));
            }
        }
        text
    }

    /// A polynomial as a factor: in parentheses where it needs them.
    pub fn factor(&mut self, poly: &Poly) -> String {
        let text = self.poly(poly);
        if is_one_word(&text) {
            text
        } else {
            format!("({text})")
        }
    }

    /// A polynomial as a factor behind `*`: a product needs no parentheses there.
    pub fn multiplier(&mut self, poly: &Poly) -> String {
        match poly.term_count() {
            0 | 1 => self.poly(poly),
            _ => self.factor(poly),
        }
    }

    /// The name of a local id.
    pub fn local_id(&mut self, dim: u8) -> String {
        let atom = self.atoms.intern(Atom::LocalId(dim));
        self.atom(atom)
    }

    /// The name of a local size.
    pub fn local_size(&mut self, dim: u8) -> String {
        let atom = self.atoms.intern(Atom::LocalSize(dim));
        self.atom(atom)
    }

    /// `poly >= 0`, with the positive terms on one side.
    pub fn relation(&mut self, poly: &Poly, unsigned: bool) -> String {
        let poly = self.whole_ids(poly);
        // Whatever type the index has, one operand without a sign takes it from all.
        let unsigned = unsigned || has_unsigned(self.atoms, &poly);
        let constant = poly.constant_part();
        let positive = poly.filtered(|m| !m.is_empty() && poly.coefficient(m) > 0);
        let negative = poly
            .filtered(|m| !m.is_empty() && poly.coefficient(m) < 0)
            .negated();
        if negative.is_zero() {
            let left = self.poly(&positive);
            return match constant {
                -1 => format!("{left} > 0"),
                c => format!("{left} >= {}", -c),
            };
        }
        // The side with the position comes first.
        let positional = |s: &Self, p: &Poly| p.atoms().any(|a| s.rank(a) < 4);
        let position_is_low = positional(self, &negative);
        if position_is_low {
            // negative < positive + constant + 1; a group's start stays together.
            let locals = positive.filtered(
                |m| matches!(m[..], [a] if matches!(self.atoms.get(a), Atom::LocalId(_))),
            );
            let (negative, positive) = (negative.sub(&locals), positive.sub(&locals));
            let gap = constant + 1;
            let (low, high) = if unsigned && gap < 0 {
                (negative.add(&Poly::constant(-gap)), positive)
            } else {
                (negative, positive.add(&Poly::constant(gap)))
            };
            let (low, high) = (self.poly(&low), self.poly(&high));
            return format!("{low} < {high}");
        }
        let (mut left, mut right) = (positive, negative.sub(&Poly::constant(constant)));
        // Without a sign nothing is taken away.
        if unsigned && right.constant_part() < 0 {
            let by = Poly::constant(-right.constant_part());
            (left, right) = (left.add(&by), right.add(&by));
        }
        let sign = if right.constant_part() == 1 {
            right = right.sub(&Poly::constant(1));
            ">"
        } else {
            ">="
        };
        let (left, right) = (self.poly(&left), self.poly(&right));
        format!("{left} {sign} {right}")
    }

    /// With `get_global_id` whole, where its two parts stand together.
    fn whole_ids(&mut self, poly: &Poly) -> Poly {
        let mut result = self.whole_windows(poly);
        for d in 0..3 {
            let start = self.atoms.intern(Atom::GroupStart(d));
            let local = self.atoms.intern(Atom::LocalId(d));
            let global = self.atoms.intern(Atom::GlobalId(d));
            let by = Poly::atom(global).sub(&Poly::atom(local));
            if let Some(replaced) = result.substitute(start, &by) {
                result = replaced;
            }
            let named = match result.atoms().any(|a| a == global) {
                true => self.by_variable(d),
                false => None,
            };
            if let Some(replaced) = named.and_then(|by| result.substitute(global, &by)) {
                result = replaced;
            }
        }
        result
    }

    /// `get_global_id` by a variable that is a number more, where none is the id itself.
    fn by_variable(&mut self, dim: u8) -> Option<Poly> {
        let id = self.atoms.global_id(dim);
        if self.visible(&id).is_some() {
            return None;
        }
        let place = self.place;
        let (name, more) = self
            .variables
            .iter()
            .filter(|v| v.from <= place && place < v.until)
            .find_map(|v| {
                let more = v.value.as_ref()?.sub(&id).as_constant()?;
                Some((v.name.clone(), more))
            })?;
        self.used.insert(name.clone());
        let variable = Poly::atom(self.atoms.intern(Atom::Named(name)));
        Some(variable.sub(&Poly::constant(more)))
    }

    /// With the source's variables for those of loops over windows.
    fn whole_windows(&mut self, poly: &Poly) -> Poly {
        let mut result = poly.clone();
        let atoms: Vec<AtomId> = poly.atoms().collect();
        for atom in atoms {
            let Some(window) = self.atoms.window(atom).cloned() else {
                continue;
            };
            let Atom::Loop { name, .. } = self.atoms.get(atom).clone() else {
                continue;
            };
            self.used.insert(name.clone());
            let variable = Poly::atom(self.atoms.intern(Atom::Named(name)));
            if let Some(replaced) = result.substitute(atom, &variable.sub(&window)) {
                result = replaced;
            }
        }
        result
    }

    /// Terms in the order in which they are written: ids first, numbers last, a
    /// positive one in front.
    fn terms(&mut self, poly: &Poly) -> Vec<(i128, Vec<String>)> {
        let poly = self.whole_ids(poly);
        let mut terms: Vec<(Monomial, i128)> = poly.terms().map(|(m, c)| (m.clone(), c)).collect();
        terms.sort_by_key(|(m, c)| {
            let rank = m.iter().map(|a| self.rank(*a)).min().unwrap_or(99);
            (rank, std::cmp::Reverse(m.len()), *c < 0)
        });
        if let Some(first) = terms.iter().position(|(_, c)| *c > 0) {
            let term = terms.remove(first);
            terms.insert(0, term);
        }
        terms
            .into_iter()
            .map(|(mut m, c)| {
                m.sort_by_key(|a| self.rank(*a));
                (c, m.into_iter().map(|a| self.atom(a)).collect())
            })
            .collect()
    }

    fn rank(&self, atom: AtomId) -> u32 {
        match self.atoms.get(atom) {
            Atom::GlobalId(_) => 0,
            Atom::Named(_) | Atom::Coordinate(_) => 1,
            Atom::LocalId(_) => 2,
            Atom::Loop { .. } | Atom::Function(_) => 3,
            Atom::GroupStart(_) | Atom::GroupId(_) => 4,
            Atom::LocalSize(_) => 5,
            _ => 6,
        }
    }

    fn visible(&mut self, value: &Poly) -> Option<String> {
        let place = self.place;
        let found = self
            .variables
            .iter()
            .filter(|v| v.from <= place && place < v.until)
            .find(|v| v.value.as_ref() == Some(value))?;
        self.used.insert(found.name.clone());
        Some(found.name.clone())
    }

    fn atom(&mut self, atom: AtomId) -> String {
        if let Some(name) = self.introduced.get(&atom) {
            return name.clone();
        }
        let what = self.atoms.get(atom).clone();
        let whole = match &what {
            Atom::GlobalId(d) => self.atoms.global_id(*d),
            _ => Poly::atom(atom),
        };
        if !matches!(what, Atom::Param { .. } | Atom::Loop { .. } | Atom::Sum(_))
            && let Some(name) = self.visible(&whole)
        {
            return name;
        }
        match what {
            Atom::Param { name, .. } | Atom::Loop { name, .. } => {
                self.used.insert(name.clone());
                name
            }
            Atom::Named(name) | Atom::Macro { name, .. } => name,
            Atom::GlobalId(d) => format!("(int)get_global_id({d})"),
            Atom::LocalId(d) => format!("(int)get_local_id({d})"),
            Atom::GroupId(d) => format!("(int)get_group_id({d})"),
            Atom::LocalSize(d) => format!("(int)get_local_size({d})"),
            Atom::GlobalSize(d) => format!("(int)get_global_size({d})"),
            Atom::NumGroups(d) => format!("(int)get_num_groups({d})"),
            Atom::GlobalOffset(d) => format!("(int)get_global_offset({d})"),
            Atom::ImageSize { function, image } => format!("{function}({image})"),
            Atom::Sum(poly) => match self.visible(&poly) {
                Some(name) => name,
                None => self.factor(&poly),
            },
            Atom::Function(function) => self.function(&function),
            // These are replaced before anything is printed.
            Atom::GroupStart(d) => format!("(int)(get_global_id({d}) - get_local_id({d}))"),
            Atom::Hole | Atom::Coordinate(_) | Atom::Unknown { .. } => "?".to_owned(),
        }
    }

    /// An argument of a call that takes an `int`, where the text names something else: the
    /// source has a conversion there, which sums leave out.
    fn as_int(&self, call: &Expr, text: String) -> String {
        let takes_int = match &call.kind {
            ExprKind::Call { callee, .. } => {
                matches!(callee.as_str(), "min" | "max" | "clamp")
                    && call.ty.scalar_name() == Some("int")
            }
            _ => false,
        };
        let place = self.place;
        let is_other = |word: &str| {
            let mut seen = self.variables.iter();
            seen.any(|v| v.name == word && !v.is_int && v.from <= place && place < v.until)
        };
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        match takes_int && words.any(is_other) {
            true => format!("(int)({text})"),
            false => text,
        }
    }

    fn function(&mut self, function: &Function) -> String {
        let (head, args) = (function.head.as_str(), &function.args[..]);
        let operator = head.split(':').next().unwrap_or(head);
        match args {
            [condition, then, otherwise] if head == "?:" => {
                let (c, t, o) = (self.poly(condition), self.poly(then), self.poly(otherwise));
                format!("({} ? {t} : {o})", unwrapped(&c))
            }
            [one] if !is_word(head) => format!("{head}{}", self.factor(one)),
            // Sums bind closer than comparisons.
            [a, b] if matches!(operator, "<" | "<=" | ">" | ">=" | "==" | "!=") => {
                // `abs` has no sign, and the source compares it as an `int`.
                let [a, b] = [a, b].map(|side| {
                    let text = self.poly(side);
                    match text.starts_with("abs(") {
                        true => format!("(int){text}"),
                        false => text,
                    }
                });
                format!("({a} {operator} {b})")
            }
            [a, b] if !is_word(operator) => {
                let (a, b) = (self.factor(a), self.factor(b));
                format!("({a} {operator} {b})")
            }
            args => {
                let args: Vec<String> = args
                    .iter()
                    .enumerate()
                    .map(|(i, arg)| {
                        let text = self.poly(arg);
                        let text = self.as_int(&function.expr, text);
                        of_the_same_type(&function.expr, i, arg.as_constant(), text)
                    })
                    .collect();
                format!("{head}({})", args.join(", "))
            }
        }
    }
}

/// Whether a parameter without a sign is in a polynomial.
fn has_unsigned(atoms: &Atoms, poly: &Poly) -> bool {
    poly.atoms().any(|atom| match atoms.get(atom) {
        Atom::Param { unsigned, .. } => *unsigned,
        Atom::Sum(inner) => has_unsigned(atoms, inner),
        Atom::Function(function) => function.args.iter().any(|a| has_unsigned(atoms, a)),
        _ => false,
    })
}

/// An argument as the type of the source's: OpenCL C's `min`, `max` and `clamp` are
/// overloaded and take no `long` beside an `int`.
fn of_the_same_type(call: &Expr, index: usize, constant: Option<i128>, text: String) -> String {
    let ExprKind::Call { args, .. } = &call.kind else {
        return text;
    };
    let (name, suffix) = match call.ty.scalar_name() {
        Some("long") => ("long", "L"),
        Some("unsigned long") => ("ulong", "UL"),
        Some("unsigned int") => ("uint", "U"),
        _ => return text,
    };
    let Some(arg) = args.get(index).filter(|_| args.len() > 1) else {
        return text;
    };
    match constant {
        Some(0..) => format!("{text}{suffix}"),
        Some(_) => format!("({name}){text}"),
        None => {
            // One operand of that type makes all of a sum have it.
            let known = names_of(arg.plain(), call.ty.scalar_name());
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let mut words = words.filter(|w| !w.is_empty());
            match words.any(|w| known.contains(&w)) {
                true => text,
                false => format!("({name})({text})"),
            }
        }
    }
}

/// The variables of a type in an expression.
fn names_of<'e>(expr: &'e Expr, ty: Option<&str>) -> Vec<&'e str> {
    let mut found = Vec::new();
    if let ExprKind::Variable { name, .. } = &expr.kind
        && expr.ty.scalar_name() == ty
    {
        found.push(name.as_str());
    }
    for child in expr.children() {
        found.extend(names_of(child, ty));
    }
    found
}

/// A text without parentheses around all of it.
pub fn unwrapped(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    inner.filter(|_| is_one_word(text)).unwrap_or(text)
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a text needs no parentheses as a factor.
pub fn is_one_word(text: &str) -> bool {
    if is_word(text) {
        return true;
    }
    // One pair of parentheses around all of it, perhaps behind a name.
    let Some(open) = text.find('(') else {
        return false;
    };
    if !is_word(&text[..open]) || !text.ends_with(')') {
        return false;
    }
    let mut depth = 0i32;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 && i > open && i + 1 < text.len() {
            return false;
        }
    }
    true
}
