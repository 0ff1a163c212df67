//! The state of a launch: memory, work-items and their variables.

use super::memory::{Cells, Who};
use super::{Outcome, STEP_LIMIT, Undefined};
use crate::random::Random;
use crate::tree::{Contents, Object, ParamKind, Program, Query, Type, Value, VarType};

/// A variable of a work-item.
#[derive(Clone)]
pub enum Slot {
    /// Not declared.
    Empty,
    /// A scalar or vector.
    Value(Value),
    /// The leaves of a structure, or the elements of an array.
    Many(Vec<Value>),
    /// A pointer.
    Pointer(Pointer),
}

/// Where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    pub target: Target,
    /// In elements.
    pub offset: i64,
}

/// What a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Memory that work-items share, by number.
    Shared(usize),
    /// A private array: the depth of its frame and its variable.
    Private(usize, usize),
}

/// Whether a work-item goes on with the next statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Running,
    Break,
    Continue,
    Return,
}

/// A work-item.
pub struct Item {
    pub global: [u64; 3],
    pub local: [u64; 3],
    pub frames: Vec<Vec<Slot>>,
    pub flow: Flow,
    pub result: Option<Value>,
}

/// A launch while it runs.
pub struct Machine<'p> {
    pub program: &'p Program,
    pub shared: Vec<Cells>,
    pub items: Vec<Item>,
    pub group: [u64; 3],
    pub group_number: usize,
    pub local_epoch: usize,
    pub global_epoch: usize,
    /// The functions that run, innermost last; empty in the kernel itself.
    pub calls: Vec<usize>,
    pub steps: u64,
}

/// Runs every group of a launch, one after the other.
pub fn run(program: &Program) -> Result<Outcome, Undefined> {
    let mut machine = Machine::new(program);
    let range = program.range;
    let groups: [u64; 3] = std::array::from_fn(|d| range.global[d] / range.local[d]);
    let lasting = machine.shared.len();
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                machine.shared.truncate(lasting);
                machine.start_group([x, y, z]);
                let all: Vec<usize> = (0..machine.items.len()).collect();
                machine.block(&program.body, &all)?;
                machine.group_number += 1;
            }
        }
    }
    let mut shared = machine.shared.into_iter();
    let mut buffers = Vec::new();
    for (i, param) in program.params.iter().enumerate() {
        if matches!(param.kind, ParamKind::Buffer { .. })
            && let Some(cells) = shared.next()
        {
            buffers.push((i, cells.into_values()));
        }
    }
    Ok(Outcome {
        buffers,
        steps: machine.steps,
    })
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program) -> Self {
        let mut shared = Vec::new();
        for param in &program.params {
            if let ParamKind::Buffer {
                elem,
                len,
                contents,
            } = param.kind
            {
                let values = program.contents(elem, len, contents);
                let name = format!("v{}", param.var);
                let cells = Cells::new(program, name, elem, len, Some(values));
                let read_only = matches!(
                    program.vars.get(param.var),
                    Some(VarType::Pointer {
                        read_only: true,
                        ..
                    })
                );
                shared.push(if read_only { cells.read_only() } else { cells });
            }
        }
        for (i, table) in program.tables.iter().enumerate() {
            let (elem, name) = (Type::Elem(table.elem), format!("t{i}"));
            let cells = Cells::new(program, name, elem, table.len, Some(table.values()));
            shared.push(cells.read_only());
        }
        Self {
            program,
            shared,
            items: Vec::new(),
            group: [0; 3],
            group_number: 0,
            local_epoch: 0,
            global_epoch: 0,
            calls: Vec::new(),
            steps: 0,
        }
    }

    fn start_group(&mut self, group: [u64; 3]) {
        let program = self.program;
        self.group = group;
        for (i, tile) in program.tiles.iter().enumerate() {
            let (elem, name) = (Type::Elem(tile.elem), format!("tile{i}"));
            let cells = Cells::new(program, name, elem, tile.len, None);
            self.shared.push(cells.local());
        }
        let mut variables = vec![Slot::Empty; program.vars.len()];
        let mut buffers = 0;
        for param in &program.params {
            let ty = program.vars.get(param.var).copied();
            let slot = match (&param.kind, ty) {
                (ParamKind::Value { seed }, Some(VarType::Value(ty))) => {
                    Slot::Value(Value::random(ty, &mut Random::new(*seed)))
                }
                (ParamKind::Value { seed }, Some(VarType::Struct(number))) => {
                    Slot::Many(program.contents(Type::Struct(number), 1, Contents::Seed(*seed)))
                }
                (ParamKind::Buffer { .. }, _) => {
                    buffers += 1;
                    Slot::Pointer(Pointer {
                        target: Target::Shared(buffers - 1),
                        offset: 0,
                    })
                }
                (ParamKind::Local { len }, Some(VarType::Pointer { elem, .. })) => {
                    let name = format!("v{}", param.var);
                    let cells = Cells::new(program, name, elem, *len, None);
                    self.shared.push(cells.local());
                    Slot::Pointer(Pointer {
                        target: Target::Shared(self.shared.len() - 1),
                        offset: 0,
                    })
                }
                _ => Slot::Empty,
            };
            if let Some(variable) = variables.get_mut(param.var) {
                *variable = slot;
            }
        }
        let local_size = program.range.local;
        self.items.clear();
        for z in 0..local_size[2] {
            for y in 0..local_size[1] {
                for x in 0..local_size[0] {
                    let local = [x, y, z];
                    self.items.push(Item {
                        global: std::array::from_fn(|d| {
                            program.range.offset[d] + group[d] * local_size[d] + local[d]
                        }),
                        local,
                        frames: vec![variables.clone()],
                        flow: Flow::Running,
                        result: None,
                    });
                }
            }
        }
    }

    /// Counts statements.
    pub fn count(&mut self, items: usize) -> Result<(), Undefined> {
        self.steps += items as u64;
        if self.steps > STEP_LIMIT {
            return Err(Undefined::TooLong(STEP_LIMIT));
        }
        Ok(())
    }

    /// Who a work-item is at this moment.
    pub fn who(&self, item: usize) -> Who {
        Who {
            item,
            group: self.group_number,
            local_epoch: self.local_epoch,
            global_epoch: self.global_epoch,
        }
    }

    /// A work-item function.
    pub fn query(&self, item: usize, query: Query, dim: u8) -> u64 {
        let range = &self.program.range;
        let d = usize::from(dim);
        let of = |sizes: &[u64; 3], beyond| sizes.get(d).copied().unwrap_or(beyond);
        let item = &self.items[item];
        match query {
            Query::GlobalId => of(&item.global, 0),
            Query::LocalId => of(&item.local, 0),
            Query::GroupId => of(&self.group, 0),
            Query::GlobalSize => of(&range.global, 1),
            Query::LocalSize => of(&range.local, 1),
            Query::NumGroups => {
                let groups = std::array::from_fn(|d| range.global[d] / range.local[d]);
                of(&groups, 1)
            }
            Query::GlobalOffset => of(&range.offset, 0),
            Query::WorkDim => u64::from(range.dims),
        }
    }

    /// The types of the variables of the function that runs.
    pub fn var_types(&self) -> &'p [VarType] {
        match self
            .calls
            .last()
            .and_then(|&f| self.program.functions.get(f))
        {
            Some(function) => &function.vars,
            None => &self.program.vars,
        }
    }

    /// A variable of the function that runs.
    pub fn slot(&mut self, item: usize, var: usize) -> Result<&mut Slot, Undefined> {
        let frame = self.items[item].frames.last_mut();
        frame
            .and_then(|f| f.get_mut(var))
            .ok_or(Undefined::Malformed("a variable that is not there"))
    }

    /// Where an object starts.
    pub fn object(&mut self, item: usize, object: Object) -> Result<Pointer, Undefined> {
        let buffers = self.program.params.iter();
        let buffers = buffers
            .filter(|p| matches!(p.kind, ParamKind::Buffer { .. }))
            .count();
        let tables = self.program.tables.len();
        let shared = |n| {
            Ok(Pointer {
                target: Target::Shared(n),
                offset: 0,
            })
        };
        match object {
            Object::Table(i) => shared(buffers + i),
            Object::Tile(i) => shared(buffers + tables + i),
            Object::Var(var) => {
                let depth = self.items[item].frames.len() - 1;
                match self.slot(item, var)? {
                    Slot::Pointer(pointer) => Ok(*pointer),
                    Slot::Many(_) => Ok(Pointer {
                        target: Target::Private(depth, var),
                        offset: 0,
                    }),
                    Slot::Empty => Err(Undefined::Uninitialised {
                        what: format!("v{var}"),
                    }),
                    Slot::Value(_) => Err(Undefined::Malformed("an index of a scalar")),
                }
            }
        }
    }
}
