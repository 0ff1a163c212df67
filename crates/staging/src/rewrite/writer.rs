//! What all parts of one rewrite share: names, ids, where printing stands.

use std::collections::{BTreeSet, HashMap};

use tilewise_frontend::source::{Stmt, StmtKind};

use crate::loads::Accesses;
use crate::plan::Family;
use crate::symbolic::{Atom, AtomId, Poly};

use super::edit::TextEdit;
use super::names::Names;
use super::print::Printer;

/// A rewrite under way.
pub struct Writer<'w, 't> {
    /// The kernel.
    pub accesses: &'w mut Accesses<'t>,
    /// Names that are taken.
    pub names: Names,
    /// Dimensions whose ids the kernel uses.
    pub dims: Vec<u8>,
    /// Names of ids and sizes by their atoms.
    pub ids: HashMap<AtomId, String>,
    /// Arrays in local memory.
    pub arrays: Vec<String>,
    /// Declarations of those that the source does not have.
    pub declarations: Vec<String>,
    /// Variables of the new text that are known wherever a fill stands, by their
    /// values as printed.
    pub declared: HashMap<String, String>,
    /// Names of the source that the new text reads.
    pub used: BTreeSet<String>,
    /// One level of indentation.
    pub unit: String,
    /// The type of new variables: `uint` or `size_t` where the kernel computes its indices
    /// without sign, so that none is compared with one that has a sign.
    pub word: &'static str,
}

impl<'w, 't> Writer<'w, 't> {
    /// Starts a rewrite; `place` is where new declarations will stand, `word` the type of
    /// new variables.
    pub fn new(
        accesses: &'w mut Accesses<'t>,
        names: Names,
        place: usize,
        unit: &str,
        word: &'static str,
    ) -> Self {
        let mut writer = Self {
            dims: dims_used(accesses),
            accesses,
            names,
            ids: HashMap::new(),
            arrays: Vec::new(),
            declarations: Vec::new(),
            declared: HashMap::new(),
            used: BTreeSet::new(),
            unit: unit.to_owned(),
            word,
        };
        writer.name_ids(place);
        writer
    }

    /// Prints something that will stand at a place of the source.
    pub fn print<R>(&mut self, place: usize, with: impl FnOnce(&mut Printer<'_>) -> R) -> R {
        let mut printer = Printer {
            atoms: &mut self.accesses.bindings.atoms,
            variables: &self.accesses.variables,
            place,
            introduced: &self.ids,
            used: BTreeSet::new(),
        };
        let result = with(&mut printer);
        self.used.append(&mut printer.used);
        result
    }

    /// A uniform value of the build as a constant expression; `None` where the build
    /// does not know it.
    pub fn constant(&mut self, poly: &Poly) -> Option<String> {
        let constants = &self.accesses.bindings.tree.constants;
        let atoms = &mut self.accesses.bindings.atoms;
        atoms.with_values(poly).as_constant()?;
        // A variable is no constant expression, whatever its qualifiers.
        let is_variable = |a| match atoms.get(a) {
            Atom::Macro { name, .. } => constants.iter().any(|v| v.name == *name),
            _ => false,
        };
        if poly.atoms().any(is_variable) {
            return None;
        }
        let mut printer = Printer {
            atoms,
            variables: &[],
            place: 0,
            introduced: &HashMap::new(),
            used: BTreeSet::new(),
        };
        Some(printer.factor(poly))
    }

    /// The arrays and declarations so far, as they stand in front of a fill.
    pub fn take_declarations(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.arrays);
        lines.append(&mut self.declarations);
        lines
    }

    /// Declarations without those of names that no text says, and these names with what
    /// they would have been.
    pub fn needed<'a>(
        lines: Vec<String>,
        texts: impl Iterator<Item = &'a str>,
    ) -> (Vec<String>, Vec<(String, String)>) {
        let mut out = Vec::new();
        let text = texts.collect::<Vec<_>>().join("\n");
        let mut kept: Vec<String> = Vec::new();
        // A declaration names those above it.
        for line in lines.into_iter().rev() {
            let name = line
                .split(" = ")
                .next()
                .and_then(|l| l.rsplit([' ', '*']).next());
            let declares = line.contains(" = ").then_some(name).flatten();
            let is_said = |name: &str| {
                says(&text, name) || kept.iter().any(|l: &String| says(code_of(l), name))
            };
            match declares {
                Some(name) if !is_said(name) => {
                    let value = code_of(&line).split_once(" = ").map_or("", |(_, v)| v);
                    out.push((
                        name.to_owned(),
                        value.trim().trim_end_matches(';').to_owned(),
                    ));
                }
                _ => kept.push(line),
            }
        }
        kept.reverse();
        (kept, out)
    }

    /// The declarations that edits need; comments in these no longer say the names of the
    /// others.
    pub fn declared_for(lines: Vec<String>, edits: &mut [TextEdit]) -> Vec<String> {
        let texts = edits.iter().map(|e| e.text.as_str());
        let (declarations, out) = Self::needed(lines, texts);
        for edit in edits.iter_mut().filter(|_| !out.is_empty()) {
            let lines = edit.text.split_inclusive('\n');
            edit.text = lines.map(|l| Self::without_names(l, &out)).collect();
        }
        declarations
    }

    /// A line of a comment with what names stand for that are not declared.
    pub fn without_names(line: &str, names: &[(String, String)]) -> String {
        let mut line = line.to_owned();
        if !line.trim_start().starts_with("//") {
            return line;
        }
        for (name, value) in names {
            let words: Vec<&str> = line
                .split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .collect();
            line = words
                .into_iter()
                .map(|word| match word.strip_prefix(name.as_str()) {
                    Some(rest) if rest.chars().count() <= 1 && !rest.starts_with(is_part) => {
                        format!("{value}{rest}")
                    }
                    _ => word.to_owned(),
                })
                .collect();
        }
        line
    }

    /// Lines one level further in.
    pub fn indented(&self, lines: Vec<String>) -> Vec<String> {
        lines
            .into_iter()
            .map(|l| match l.is_empty() {
                true => l,
                false => format!("{}{l}", self.unit),
            })
            .collect()
    }

    /// Local ids and sizes: the source's variables, or new ones.
    fn name_ids(&mut self, place: usize) {
        let alone = self.dims == [0];
        let letter = |d: u8| ["x", "y", "z"][usize::from(d.min(2))];
        let dims = self.dims.clone();
        for (function, prefix, single) in [
            ("get_local_id", "l", "lid"),
            ("get_local_size", "ls", "lsz"),
        ] {
            for &d in &dims {
                let atom = self.accesses.bindings.atoms.intern(match function {
                    "get_local_id" => Atom::LocalId(d),
                    _ => Atom::LocalSize(d),
                });
                // A size that is fixed has its macro.
                if !matches!(
                    self.accesses.bindings.atoms.get(atom),
                    Atom::LocalId(_) | Atom::LocalSize(_)
                ) {
                    continue;
                }
                let value = Poly::atom(atom);
                let known = self
                    .accesses
                    .variables
                    .iter()
                    .filter(|v| v.from <= place && place < v.until)
                    .find(|v| v.value.as_ref() == Some(&value));
                let name = match known {
                    Some(known) => {
                        self.used.insert(known.name.clone());
                        known.name.clone()
                    }
                    None => {
                        let wanted = match alone {
                            true => single.to_owned(),
                            false => format!("{prefix}{}", letter(d)),
                        };
                        let name = self.names.fresh(&wanted);
                        self.declarations
                            .push(format!("{} {name} = {function}({d});", self.word));
                        name
                    }
                };
                self.ids.insert(atom, name);
            }
        }
    }

    /// The type in which a family's coordinates are computed, and whether it has
    /// no sign.
    pub fn coordinate_type(&self, family: &Family) -> (&'static str, bool) {
        coordinate_type(self.accesses, family)
    }

    /// Dimensions of ids that step through a coordinate of a tile of so many: one
    /// each, those that are left together in the last.
    pub fn dims_of(&self, coordinate: usize, of: usize) -> &[u8] {
        let dims = if coordinate + 1 == of {
            self.dims.get(coordinate..)
        } else {
            self.dims.get(coordinate..=coordinate)
        };
        dims.unwrap_or(&[])
    }
}

/// The type in which a family's coordinates are computed, and whether it has no sign.
fn coordinate_type(accesses: &Accesses<'_>, family: &Family) -> (&'static str, bool) {
    let types = family.loads.iter();
    let types = types.map(|l| rank_of(&accesses.loads[*l].index_type));
    types
        .max_by_key(|(rank, ..)| *rank)
        .map_or(("int", false), |(_, name, unsigned)| (name, unsigned))
}

/// A type of indices as OpenCL C names it, whether it has no sign, and its rank among
/// the others.
pub fn rank_of(index_type: &str) -> (u32, &'static str, bool) {
    match index_type {
        "unsigned int" | "uint" => (1, "uint", true),
        "long" => (2, "long", false),
        "unsigned long" | "size_t" | "ulong" => (3, "size_t", true),
        _ => (0, "int", false),
    }
}

/// The type of new variables for families of loads.
pub fn word_for<'f>(
    accesses: &Accesses<'_>,
    mut families: impl Iterator<Item = &'f Family>,
) -> &'static str {
    let first = families.next().map(|f| coordinate_type(accesses, f));
    match first {
        Some((ty, true)) if families.all(|f| coordinate_type(accesses, f).0 == ty) => ty,
        _ => "int",
    }
}

/// Whether the kernel's variables, parameters and macros that a text names are all of type
/// `int`.
pub fn names_ints(accesses: &Accesses<'_>, text: &str) -> bool {
    fn others<'t>(stmt: &'t Stmt, found: &mut Vec<&'t str>) {
        if let StmtKind::Declare(variables) = &stmt.kind {
            let other = variables
                .iter()
                .filter(|v| v.ty.scalar_name() != Some("int"));
            found.extend(other.map(|v| v.name.as_str()));
        }
        for child in stmt.children() {
            others(child, found);
        }
    }
    let params = accesses.function.params.iter();
    let others_of_params = params.filter(|p| p.ty.scalar_name() != Some("int"));
    let mut found: Vec<&str> = others_of_params.map(|p| p.name.as_str()).collect();
    others(&accesses.function.body, &mut found);
    found.extend(other_macros(&accesses.bindings.tree.text));
    let mut words = text.split(|c: char| !is_part(c));
    words.all(|word| !found.contains(&word))
}

/// Macros of a text that a suffix or a type makes something else than an `int`: `100u`,
/// `((size_t)8)`. Those of headers and of the build count as `int`.
fn other_macros(text: &str) -> Vec<&str> {
    let is_other = |word: &str| {
        let suffixed = word.starts_with(|c: char| c.is_ascii_digit())
            && !word.starts_with("0x")
            && word.ends_with(['u', 'U', 'l', 'L', 'f', 'F']);
        let hex = word.starts_with("0x") && word.ends_with(['u', 'U', 'l', 'L']);
        let types = [
            "uint", "ulong", "long", "unsigned", "size_t", "ushort", "uchar",
        ];
        suffixed || hex || types.contains(&word)
    };
    let macros = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("define")?.trim_start();
        let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        Some(rest.split_at(length))
    });
    macros
        .filter(|(_, body)| body.split(|c: char| !is_part(c)).any(is_other))
        .map(|(name, _)| name)
        .collect()
}

/// Whether a character may stand in a name.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A line without its comment.
fn code_of(line: &str) -> &str {
    line.split("//").next().unwrap_or(line)
}

/// Whether a text has a word outside of its comments.
fn says(text: &str, word: &str) -> bool {
    text.lines().any(|line| {
        code_of(line)
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .any(|w| w == word)
    })
}

/// Dimensions whose ids the kernel uses.
fn dims_used(accesses: &Accesses<'_>) -> Vec<u8> {
    let mut dims = BTreeSet::new();
    let mut note = |poly: &Poly| {
        for atom in poly.atoms() {
            if let Atom::LocalId(d) = accesses.bindings.atoms.get(atom) {
                dims.insert(*d);
            }
        }
    };
    for load in &accesses.loads {
        note(&load.index);
        for c in load.guard.0.iter().flat_map(|c| &c.constraints) {
            note(c);
        }
    }
    for variable in &accesses.variables {
        if let Some(value) = &variable.value {
            note(value);
        }
    }
    if dims.is_empty() {
        dims.insert(0);
    }
    dims.into_iter().collect()
}
