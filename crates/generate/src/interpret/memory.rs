//! Memory that work-items share, with who touched what since when.

use super::Undefined;
use crate::tree::{Layout, Program, Type, Value};

/// Elements of a buffer, a tile or a table.
pub struct Cells {
    /// Name in the program's text, for messages.
    pub name: String,
    /// Number of the structure that the elements are, if they are.
    pub structure: Option<usize>,
    /// Leaves of an element.
    pub leaves: usize,
    cells: Vec<Cell>,
    read_only: bool,
    local: bool,
}

#[derive(Clone, Default)]
struct Cell {
    value: Option<Value>,
    read: Option<Stamp>,
    write: Option<Stamp>,
    atomic: Option<Stamp>,
}

/// Who accessed a cell last.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    /// `None` for several work-items.
    item: Option<usize>,
    /// `None` for several groups.
    group: Option<usize>,
    epoch: usize,
}

/// Who accesses memory, and between which barriers.
#[derive(Clone, Copy)]
pub struct Who {
    /// Linear number of the work-item in its group; that of the group's size
    /// for the group as a whole.
    pub item: usize,
    /// Linear number of the group.
    pub group: usize,
    /// Barriers with a local fence so far.
    pub local_epoch: usize,
    /// Barriers with a global fence so far.
    pub global_epoch: usize,
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    Atomic,
}

impl Stamp {
    /// Whether nothing orders this access before another one.
    fn conflicts(stamp: Option<Stamp>, who: &Stamp) -> bool {
        stamp.is_some_and(|s| s.group != who.group || (s.epoch == who.epoch && s.item != who.item))
    }

    fn join(stamp: &mut Option<Stamp>, who: Stamp) {
        *stamp = Some(match *stamp {
            Some(old) if old.group != who.group => Stamp { group: None, ..who },
            Some(old) if old.epoch == who.epoch && old.item != who.item => {
                Stamp { item: None, ..who }
            }
            _ => who,
        });
    }
}

impl Cells {
    /// Memory of some elements that holds values, or nothing yet.
    pub fn new(
        program: &Program,
        name: String,
        elem: Type,
        len: usize,
        values: Option<Vec<Value>>,
    ) -> Self {
        let Layout { leaves, .. } = program.layout(elem);
        let mut cells = vec![Cell::default(); len * leaves.len()];
        for (cell, value) in cells.iter_mut().zip(values.unwrap_or_default()) {
            cell.value = Some(value);
        }
        Self {
            name,
            structure: match elem {
                Type::Struct(number) => Some(number),
                Type::Elem(_) => None,
            },
            leaves: leaves.len(),
            cells,
            read_only: false,
            local: false,
        }
    }

    /// The same, never written.
    pub fn read_only(self) -> Self {
        Self {
            read_only: true,
            ..self
        }
    }

    /// The same, ordered by barriers with a local fence.
    pub fn local(self) -> Self {
        Self {
            local: true,
            ..self
        }
    }

    /// The leaves at the end.
    pub fn into_values(self) -> Vec<Option<Value>> {
        self.cells.into_iter().map(|c| c.value).collect()
    }

    /// Notes an access and hands out the value to read or change.
    ///
    /// # Errors
    /// An element that is not there, a race, a write to constant memory.
    pub fn access(
        &mut self,
        element: i64,
        leaf: usize,
        access: Access,
        who: &Who,
    ) -> Result<&mut Option<Value>, Undefined> {
        let at = usize::try_from(element)
            .ok()
            .filter(|_| leaf < self.leaves)
            .and_then(|e| e.checked_mul(self.leaves)?.checked_add(leaf))
            .filter(|&at| at < self.cells.len());
        let Some(at) = at else {
            return Err(Undefined::OutOfBounds {
                what: self.name.clone(),
                element,
            });
        };
        let cell = &mut self.cells[at];
        if self.read_only {
            if access != Access::Read {
                return Err(Undefined::Malformed("a write to constant memory"));
            }
            return Ok(&mut cell.value);
        }
        let stamp = Stamp {
            item: Some(who.item),
            group: Some(who.group),
            epoch: if self.local {
                who.local_epoch
            } else {
                who.global_epoch
            },
        };
        let races = (access != Access::Read && Stamp::conflicts(cell.read, &stamp))
            || Stamp::conflicts(cell.write, &stamp)
            || (access != Access::Atomic && Stamp::conflicts(cell.atomic, &stamp));
        if races {
            return Err(Undefined::Race {
                what: self.name.clone(),
                element,
            });
        }
        let last = match access {
            Access::Read => &mut cell.read,
            Access::Write => &mut cell.write,
            Access::Atomic => &mut cell.atomic,
        };
        Stamp::join(last, stamp);
        Ok(&mut cell.value)
    }
}
