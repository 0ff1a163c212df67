//! What polynomials are made of.

use std::collections::HashMap;

use tilewise_frontend::source::{DeclId, Expr};

use super::{LoopId, Poly};

/// Number of an atom in its [`Atoms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(pub u32);

/// A value that is not taken apart.
#[derive(Clone, Debug)]
pub enum Atom {
    /// `get_local_id`.
    LocalId(u8),
    /// `get_global_id - get_local_id`: the id of the group's first work-item.
    GroupStart(u8),
    /// `get_group_id`.
    GroupId(u8),
    /// `get_local_size`.
    LocalSize(u8),
    /// `get_global_size`.
    GlobalSize(u8),
    /// `get_num_groups`.
    NumGroups(u8),
    /// `get_global_offset`.
    GlobalOffset(u8),
    /// `get_image_width` and its like, of an image parameter.
    ImageSize {
        /// The function.
        function: String,
        /// The image.
        image: String,
    },
    /// A scalar parameter that the kernel does not change.
    Param {
        /// Which.
        id: DeclId,
        /// Its name.
        name: String,
        /// Its type is unsigned.
        unsigned: bool,
    },
    /// The variable of a counting loop.
    Loop {
        /// Which loop.
        id: LoopId,
        /// Name of the variable.
        name: String,
        /// It is never below 0.
        natural: bool,
    },
    /// A sum of uniform values that is multiplied with something that varies:
    /// kept whole, so that it can be recognised as a pitch.
    Sum(Poly),
    /// A function of other polynomials.
    Function(Function),
    /// A macro without arguments that stands for a number: kept by its name, since
    /// another build may give it another one.
    Macro {
        /// Its name.
        name: String,
        /// Its value in this build.
        value: i128,
    },
    /// The argument of a function whose form is compared with another's.
    Hole,
    /// A coordinate of a tile, by its number from 0, fastest first.
    Coordinate(u8),
    /// `get_global_id` whole, as texts name it.
    GlobalId(u8),
    /// A variable of the new text.
    Named(String),
    /// Anything else.
    Unknown {
        /// The expression.
        expr: Expr,
        /// The variable that has no value, and why, for a message.
        why: Option<String>,
    },
}

/// A pure function of integers, such as `clamp(x + dx, 0, W - 1)`.
#[derive(Clone, Debug)]
pub struct Function {
    /// The operator or callee with holes for the arguments.
    pub head: String,
    /// Its arguments.
    pub args: Vec<Poly>,
    /// The expression that computes it.
    pub expr: Expr,
    /// All its arguments are the same in every work-item of a group.
    pub uniform: bool,
}

/// All atoms of a kernel, each once.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    list: Vec<Atom>,
    known: HashMap<String, AtomId>,
    windows: HashMap<AtomId, Poly>,
    sizes: Option<GroupSizes>,
}

/// The sizes of the groups as macros of the new text, by dimension: name and value.
pub type GroupSizes = [(String, i128); 3];

impl Atoms {
    /// An atom.
    pub fn get(&self, id: AtomId) -> &Atom {
        &self.list[id.0 as usize]
    }

    /// Atoms of a kernel whose groups always have these sizes.
    pub fn with_group_sizes(sizes: Option<GroupSizes>) -> Self {
        Self {
            sizes,
            ..Self::default()
        }
    }

    /// The sizes of the groups, where they are fixed.
    pub fn group_sizes(&self) -> Option<&GroupSizes> {
        self.sizes.as_ref()
    }

    /// The number of an atom; the same atom has the same number.
    pub fn intern(&mut self, atom: Atom) -> AtomId {
        let atom = match (&atom, &self.sizes) {
            (Atom::LocalSize(d), Some(sizes)) => {
                let (name, value) = sizes[usize::from(*d)].clone();
                Atom::Macro { name, value }
            }
            _ => atom,
        };
        let key = match &atom {
            Atom::Param { id, .. } => format!("param {}", id.0),
            Atom::Loop { id, .. } => format!("loop {}", id.0),
            Atom::Sum(poly) => format!("sum {}", key(poly)),
            Atom::Function(f) => {
                let args: Vec<String> = f.args.iter().map(key).collect();
                format!("function {} of {}", f.head, args.join(" and "))
            }
            Atom::Unknown { .. } => format!("unknown {}", self.list.len()),
            // What a macro's text names in turn has the same place, and another value.
            Atom::Macro { name, value } => format!("macro {name} {value}"),
            Atom::Hole => "hole".to_owned(),
            Atom::Coordinate(k) => format!("coordinate {k}"),
            Atom::GlobalId(d) => format!("global id {d}"),
            Atom::Named(name) => format!("named {name}"),
            Atom::LocalId(d) => format!("local id {d}"),
            Atom::GroupStart(d) => format!("start {d}"),
            Atom::GroupId(d) => format!("group {d}"),
            Atom::LocalSize(d) => format!("local size {d}"),
            Atom::GlobalSize(d) => format!("global size {d}"),
            Atom::NumGroups(d) => format!("groups {d}"),
            Atom::GlobalOffset(d) => format!("offset {d}"),
            Atom::ImageSize { function, image } => format!("{function} of {image}"),
        };
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = AtomId(self.list.len() as u32);
        self.list.push(atom);
        self.known.insert(key, id);
        id
    }

    /// Says what the source's variable of a loop is more than its atom.
    pub fn set_window(&mut self, atom: AtomId, window: Poly) {
        self.windows.insert(atom, window);
    }

    /// What the source's variable of a loop is more than its atom, if it is more.
    pub fn window(&self, atom: AtomId) -> Option<&Poly> {
        self.windows.get(&atom)
    }

    /// Whether an atom has one value in a group, for all time.
    pub fn is_uniform(&self, id: AtomId) -> bool {
        match self.get(id) {
            Atom::LocalId(_)
            | Atom::GlobalId(_)
            | Atom::Loop { .. }
            | Atom::Hole
            | Atom::Coordinate(_)
            | Atom::Unknown { .. } => false,
            Atom::Function(f) => f.uniform,
            _ => true,
        }
    }

    /// Whether a polynomial has one value in a group, for all time.
    pub fn all_uniform(&self, poly: &Poly) -> bool {
        poly.atoms().all(|a| self.is_uniform(a))
    }

    /// Whether an atom tells where in the index space a work-item is: ids and
    /// loop variables, and what is computed from them.
    pub fn is_positional(&self, id: AtomId) -> bool {
        matches!(self.get(id), Atom::GroupStart(_)) || !self.is_uniform(id)
    }

    /// Whether an atom is never negative.
    pub fn is_natural(&self, id: AtomId) -> bool {
        match self.get(id) {
            Atom::LocalId(_)
            | Atom::GlobalId(_)
            | Atom::GroupStart(_)
            | Atom::GroupId(_)
            | Atom::LocalSize(_)
            | Atom::GlobalSize(_)
            | Atom::NumGroups(_)
            | Atom::GlobalOffset(_)
            | Atom::ImageSize { .. } => true,
            Atom::Param { unsigned, .. } => *unsigned,
            Atom::Macro { value, .. } => *value >= 0,
            Atom::Loop { natural, .. } => *natural,
            Atom::Sum(_)
            | Atom::Function(_)
            | Atom::Hole
            | Atom::Coordinate(_)
            | Atom::Named(_)
            | Atom::Unknown { .. } => false,
        }
    }

    /// Whether a polynomial shows no way to be negative.
    pub fn natural(&self, poly: &Poly) -> bool {
        poly.terms()
            .all(|(m, c)| c > 0 && m.iter().all(|a| self.is_natural(*a)))
    }

    /// A polynomial with macros replaced by their values in this build.
    pub fn with_values(&self, poly: &Poly) -> Poly {
        let mut result = Poly::default();
        for (monomial, coefficient) in poly.terms() {
            let mut term = coefficient;
            let mut rest = Vec::new();
            for &atom in monomial {
                match self.get(atom) {
                    Atom::Macro { value, .. } => term = term.saturating_mul(*value),
                    _ => rest.push(atom),
                }
            }
            result.add_term(term, rest);
        }
        result
    }

    /// `get_global_id`.
    pub fn global_id(&mut self, dim: u8) -> Poly {
        let start = self.intern(Atom::GroupStart(dim));
        let local = self.intern(Atom::LocalId(dim));
        Poly::atom(start).add(&Poly::atom(local))
    }

    /// A polynomial with its [`Atom::Sum`]s multiplied out.
    pub fn expanded(&self, poly: &Poly) -> Option<Poly> {
        let mut result = poly.clone();
        for _ in 0..8 {
            let sum = result.atoms().find_map(|a| match self.get(a) {
                Atom::Sum(p) => Some((a, p.clone())),
                _ => None,
            });
            match sum {
                Some((atom, by)) => result = result.substitute(atom, &by)?,
                None => return Some(result),
            }
        }
        None
    }
}

/// A text that two polynomials share exactly if they are equal.
pub fn key(poly: &Poly) -> String {
    poly.terms()
        .map(|(m, c)| {
            let atoms: Vec<String> = m.iter().map(|a| a.0.to_string()).collect();
            format!("{c}*{}", atoms.join("."))
        })
        .collect::<Vec<_>>()
        .join("+")
}
