//! Draws a program from a seed.
//!
//! Programs are defined by construction: indices are masked or taken modulo
//! the length, divisors are never 0, a work-item writes only its own elements,
//! and a tile that work-items share is written and read in turns with a
//! barrier between. Whether all work-items of a group are at a statement
//! together is known throughout ([`Flow::uniform`]), and barriers stand only
//! there. The interpreter checks all of it.

mod builtin;
mod expression;
mod function;
mod memory;
mod statement;
mod vector;

use tilewise_launch::{ElemType, Scalar};

use crate::random::Random;
use crate::tree::{
    BinaryOp, Contents, Expr, Field, Init, Object, Param, ParamKind, Place, Program, Query, Range,
    Space, Stmt, Struct, Table, Tile, Type, VarType,
};
use crate::types::{INTEGERS, SCALARS, UINT};
use function::Wanted;
use memory::{Memory, Rule};

/// Draws the program of a seed.
pub fn draw(name: &str, seed: u64) -> Program {
    let mut draw = Draw::new(name, seed);
    draw.memory_of_kernel();
    draw.functions();
    draw.kernel();
    draw.program
}

/// A variable in scope.
#[derive(Clone, Copy)]
struct Known {
    var: usize,
    ty: VarType,
    /// All work-items of a group see the same value.
    uniform: bool,
    writable: bool,
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Flow {
    /// All work-items of a group are here together.
    uniform: bool,
    /// `break` has something to leave.
    breaks: bool,
    /// `continue` has a loop.
    continues: bool,
    /// Loops around.
    loops: usize,
    /// Blocks around.
    depth: usize,
}

struct Draw {
    random: Random,
    program: Program,
    /// Variables of the function that is being drawn.
    vars: Vec<VarType>,
    scope: Vec<Known>,
    memory: Vec<Memory>,
    /// For each tile, whether anyone may read it (and no one write it) at the
    /// moment; else each work-item has its own elements.
    shared: Vec<bool>,
    /// The same at the start of each uniform loop around.
    loop_states: Vec<Vec<bool>>,
    /// What the function returns; `None` in the kernel.
    result: Option<ElemType>,
    /// What each helper function wants of its pointers; `None` stands for a
    /// parameter by value.
    pointers: Vec<Vec<Option<Wanted>>>,
    /// Statements left.
    budget: usize,
    /// Linear numbers of the work-item, within its group, and of the group.
    item: usize,
    lane: usize,
    group: usize,
}

impl Draw {
    fn new(name: &str, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let range = range(&mut random);
        let budget = random.between(5, 26);
        Self {
            random,
            program: Program {
                name: name.to_owned(),
                structs: Vec::new(),
                tables: Vec::new(),
                functions: Vec::new(),
                params: Vec::new(),
                tiles: Vec::new(),
                vars: Vec::new(),
                body: Vec::new(),
                range,
            },
            vars: Vec::new(),
            scope: Vec::new(),
            memory: Vec::new(),
            shared: Vec::new(),
            loop_states: Vec::new(),
            result: None,
            pointers: Vec::new(),
            budget,
            item: 0,
            lane: 0,
            group: 0,
        }
    }

    fn new_var(&mut self, ty: VarType) -> usize {
        self.vars.push(ty);
        self.vars.len() - 1
    }

    fn scalar_type(&mut self) -> Scalar {
        // `int`, `uint` and `float` are what kernels are made of.
        match self.random.below(10) {
            0..2 => Scalar::I32,
            2 => Scalar::U32,
            3 => Scalar::F32,
            _ => self.random.pick(SCALARS),
        }
    }

    fn integer_type(&mut self) -> Scalar {
        if self.random.chance(40) {
            self.random.pick([Scalar::I32, Scalar::U32])
        } else {
            self.random.pick(INTEGERS)
        }
    }

    fn elem_type(&mut self) -> ElemType {
        let scalar = self.scalar_type();
        let lanes = match self.random.below(20) {
            0..13 => 1,
            13..15 => 2,
            15 => 3,
            16..18 => 4,
            18 => 8,
            _ => 16,
        };
        ElemType { scalar, lanes }
    }

    fn small_elem_type(&mut self) -> ElemType {
        let ty = self.elem_type();
        if ty.lanes > 4 {
            ElemType { lanes: 4, ..ty }
        } else {
            ty
        }
    }

    /// Parameters, tables and tiles.
    fn memory_of_kernel(&mut self) {
        let items = self.program.range.global.iter().product::<u64>() as usize;
        let group = self.program.range.local.iter().product::<u64>() as usize;
        self.item = self.new_var(VarType::Value(UINT));
        self.lane = self.new_var(VarType::Value(UINT));
        self.group = self.new_var(VarType::Value(UINT));
        if self.random.chance(40) {
            self.structure();
        }
        for _ in 0..self.random.between(1, 2) {
            let elem = match self.random.below(4) {
                0 if !self.program.structs.is_empty() => Type::Struct(0),
                _ => Type::Elem(self.elem_type()),
            };
            self.input(elem);
        }
        let per = self.random.pick([1, 1, 2, 4]);
        let elem = Type::Elem(self.elem_type());
        self.own_buffer(elem, items, per);
        if self.random.chance(30) && !self.program.structs.is_empty() {
            self.own_buffer(Type::Struct(0), items, 1);
        }
        for _ in 0..self.random.below(3) {
            let ty = match self.random.below(4) {
                0 if !self.program.structs.is_empty() => VarType::Struct(0),
                _ => VarType::Value(self.elem_type()),
            };
            let var = self.new_var(ty);
            let seed = self.random.bits();
            self.param(var, ParamKind::Value { seed });
            self.scope.push(Known {
                var,
                ty,
                uniform: true,
                writable: false,
            });
        }
        if self.random.chance(25) {
            let elem = self.small_elem_type();
            let len = self.random.pick([8, 16]);
            let seed = self.random.bits();
            self.program.tables.push(Table { elem, len, seed });
            self.memory.push(Memory {
                object: Object::Table(self.program.tables.len() - 1),
                elem: Type::Elem(elem),
                space: Space::Constant,
                rule: Rule::Any { len },
            });
        }
        if self.random.chance(45) {
            for _ in 0..self.random.between(1, 2) {
                self.tile(group);
            }
        }
        if self.random.chance(25) {
            self.atomic_buffer();
        }
    }

    fn structure(&mut self) {
        let fields = (0..self.random.between(2, 4))
            .map(|_| Field {
                ty: self.small_elem_type(),
                array: self.random.chance(30).then_some(2),
            })
            .collect();
        self.program.structs.push(Struct { fields });
    }

    fn param(&mut self, var: usize, kind: ParamKind) {
        self.program.params.push(Param { var, kind });
    }

    /// A buffer that everyone reads.
    fn input(&mut self, elem: Type) {
        let space = if self.random.chance(25) {
            Space::Constant
        } else {
            Space::Global
        };
        let var = self.new_var(VarType::Pointer {
            space,
            elem,
            read_only: true,
        });
        let len = self.random.pick([16, 32, 64]);
        let contents = Contents::Seed(self.random.bits());
        self.param(
            var,
            ParamKind::Buffer {
                elem,
                len,
                contents,
            },
        );
        self.memory.push(Memory {
            object: Object::Var(var),
            elem,
            space,
            rule: Rule::Any { len },
        });
    }

    /// A buffer of which every work-item has some elements.
    fn own_buffer(&mut self, elem: Type, items: usize, per: usize) -> usize {
        let var = self.new_var(VarType::Pointer {
            space: Space::Global,
            elem,
            read_only: false,
        });
        let contents = Contents::Seed(self.random.bits());
        self.param(
            var,
            ParamKind::Buffer {
                elem,
                len: items * per,
                contents,
            },
        );
        self.memory.push(Memory {
            object: Object::Var(var),
            elem,
            space: Space::Global,
            rule: Rule::Own {
                base: self.item,
                per,
            },
        });
        var
    }

    /// A tile: a local array, a local parameter, or a group's part of a buffer.
    fn tile(&mut self, group: usize) {
        let elem = self.small_elem_type();
        let per = self.random.pick([1, 1, 2, 4]);
        let len = group * per;
        let number = self.shared.len();
        self.shared.push(false);
        let ty = |space| VarType::Pointer {
            space,
            elem: Type::Elem(elem),
            read_only: false,
        };
        let (object, space) = match self.random.below(4) {
            0 => {
                let var = self.new_var(ty(Space::Local));
                self.param(var, ParamKind::Local { len });
                (Object::Var(var), Space::Local)
            }
            1 => {
                let range = &self.program.range;
                let items = range.global.iter().product::<u64>() as usize;
                let var = self.new_var(ty(Space::Global));
                let kind = ParamKind::Buffer {
                    elem: Type::Elem(elem),
                    len: items * per,
                    contents: Contents::Zero,
                };
                self.param(var, kind);
                (Object::Var(var), Space::Global)
            }
            _ => {
                self.program.tiles.push(Tile { elem, len });
                (Object::Tile(self.program.tiles.len() - 1), Space::Local)
            }
        };
        self.memory.push(Memory {
            object,
            elem: Type::Elem(elem),
            space,
            rule: Rule::Tile { number, per, len },
        });
    }

    /// A buffer that everyone changes by one kind of atomic operation.
    fn atomic_buffer(&mut self) {
        let elem = ElemType::scalar(self.random.pick([Scalar::I32, Scalar::U32]));
        let var = self.new_var(VarType::Pointer {
            space: Space::Global,
            elem: Type::Elem(elem),
            read_only: false,
        });
        let len = self.random.pick([1, 4, 8]);
        let contents = Contents::Seed(self.random.bits());
        let kind = ParamKind::Buffer {
            elem: Type::Elem(elem),
            len,
            contents,
        };
        self.param(var, kind);
        let class = self.random.below(6);
        self.memory.push(Memory {
            object: Object::Var(var),
            elem: Type::Elem(elem),
            space: Space::Global,
            rule: Rule::Atomic { len, class },
        });
    }

    fn kernel(&mut self) {
        let mut body = vec![
            Stmt::Declare(self.item, Init::Expr(self.linear(Query::GlobalId))),
            Stmt::Declare(self.lane, Init::Expr(self.linear(Query::LocalId))),
            Stmt::Declare(self.group, Init::Expr(self.linear(Query::GroupId))),
        ];
        for (var, uniform) in [(self.item, false), (self.lane, false), (self.group, true)] {
            self.scope.push(Known {
                var,
                ty: VarType::Value(UINT),
                uniform,
                writable: false,
            });
        }
        self.fill_tiles(&mut body);
        let flow = Flow {
            uniform: true,
            breaks: false,
            continues: false,
            loops: 0,
            depth: 0,
        };
        while self.budget > 0 {
            self.statement(&mut body, flow);
        }
        self.results(&mut body);
        self.program.body = body;
        self.program.vars = std::mem::take(&mut self.vars);
    }

    /// The linear number of a work-item, in its group, or of its group.
    fn linear(&mut self, query: Query) -> Expr {
        let size = match query {
            Query::GlobalId => Query::GlobalSize,
            Query::LocalId => Query::LocalSize,
            _ => Query::NumGroups,
        };
        let id = |d| {
            let id = Expr::query(query, d);
            if query == Query::GlobalId {
                Expr::binary(BinaryOp::Sub, id, Expr::query(Query::GlobalOffset, d))
            } else {
                id
            }
        };
        let dims = self.program.range.dims;
        let mut sum = id(dims - 1);
        for d in (0..dims - 1).rev() {
            sum = sum.times(Expr::query(size, d)).plus(id(d));
        }
        sum.cast(UINT)
    }

    /// Gives every element of every tile a value.
    fn fill_tiles(&mut self, body: &mut Vec<Stmt>) {
        let all = self.memory.clone();
        // None of them can be read before all are filled.
        self.memory.retain(|m| !matches!(m.rule, Rule::Tile { .. }));
        for &memory in &all {
            let (Rule::Tile { per, .. }, Type::Elem(elem)) = (memory.rule, memory.elem) else {
                continue;
            };
            for k in 0..per {
                let index = self.own_index(&memory, Expr::uint(k));
                let value = self.value(elem, 1, false);
                let place = Place::element(memory.object, index, elem);
                body.push(Stmt::Assign(place, None, value));
            }
        }
        self.memory = all;
    }

    /// Stores the variables in scope, by type, each work-item to elements of
    /// its own.
    fn results(&mut self, body: &mut Vec<Stmt>) {
        let items = self.program.range.global.iter().product::<u64>() as usize;
        let prologue = [self.item, self.lane, self.group];
        let mut known: Vec<Known> = self.scope.iter().copied().rev().collect();
        known.retain(|k| k.writable && !prologue.contains(&k.var));
        let mut buffers: Vec<(ElemType, Vec<usize>)> = Vec::new();
        for k in known.iter().take(8) {
            if let VarType::Value(ty) = k.ty {
                match buffers.iter_mut().find(|(t, _)| *t == ty) {
                    Some((_, vars)) => vars.push(k.var),
                    None => buffers.push((ty, vec![k.var])),
                }
            }
        }
        for (ty, vars) in buffers {
            let buffer = self.own_buffer(Type::Elem(ty), items, vars.len());
            for (k, &var) in vars.iter().enumerate() {
                let base = Expr::var(self.item, UINT).times(Expr::uint(vars.len()));
                let place = Place::element(Object::Var(buffer), base.plus(Expr::uint(k)), ty);
                body.push(Stmt::Assign(place, None, Expr::var(var, ty)));
            }
        }
    }
}

/// A small NDRange, also with odd groups and ones wider than a sub-group.
fn range(random: &mut Random) -> Range {
    let dims = random.pick([1, 1, 1, 2, 2, 3]);
    let mut range = Range {
        dims,
        global: [1; 3],
        offset: [0; 3],
        local: [1; 3],
    };
    for d in 0..usize::from(dims) {
        range.local[d] = match dims {
            1 => random.pick([1, 2, 3, 5, 8, 13, 16, 24, 32, 33, 40]),
            2 => random.pick([1, 2, 3, 4, 5, 8]),
            _ => random.pick([1, 2, 3, 4]),
        };
        let groups = random.pick([1, 1, 2, 3]);
        let so_far: u64 = range.global.iter().product();
        let groups = if so_far * range.local[d] * groups > 96 {
            1
        } else {
            groups
        };
        range.global[d] = range.local[d] * groups;
        if random.chance(20) {
            range.offset[d] = random.between(1, 9) as u64;
        }
    }
    range
}
