//! Promotes private variables to values.
//!
//! A variable is promoted where each use of its address is a load or store at
//! an offset known here, and every byte is always accessed as the same type.
//! Each scalar of it then is a value of its own: vectors and small structures
//! go the same way as scalars.
//!
//! Method: M. Braun et al., "Simple and Efficient Construction of Static Single
//! Assignment Form" (CC 2013), with the whole graph known from the start and a
//! work list in place of recursion. Block parameters that turn out to be copies
//! are removed by [`super::clean::drop_copies`].
//!
//! What stays in memory: arrays with an index known only at run time, volatile
//! variables, bytes seen as different types, structures copied as a whole, and
//! anything accessed out of its bounds, so that the access can be reported. In
//! the form as written also what may be read before it is set
//! ([`super::assigned`]), for the same reason.

use std::collections::{BTreeMap, HashMap, HashSet};

use tilewise_ir::cfg::Cfg;
use tilewise_ir::{
    BlockId, Form, Inst, Kernel, MemAccess, Op, ParamBinding, SiteId, Space, Ty, Value, ValueDef,
    VarId,
};

use super::assigned::Assignments;
use super::clean;

/// A scalar of a promoted variable.
type Slot = u32;

/// Promotes what can be promoted.
pub fn promote(kernel: &mut Kernel, form: Form) {
    let cfg = Cfg::new(kernel);
    let mut plan = Plan::new(kernel, &cfg);
    if form == Form::AsWritten {
        plan.keep_what_may_be_unset(kernel, &cfg);
    }
    if !plan.slots.is_empty() {
        Renamer::new(kernel, &cfg, &plan).run();
    }
    clean::drop_copies(kernel);
}

/// Which variables are promoted, and the scalars they consist of.
struct Plan {
    /// Variable and byte offset behind each address.
    addresses: HashMap<Value, (VarId, i64)>,
    /// Scalars of promoted variables by offset.
    slots: HashMap<VarId, BTreeMap<u64, Slot>>,
    types: Vec<Ty>,
}

#[derive(Default)]
struct Candidate {
    scalars: BTreeMap<u64, Ty>,
    refused: bool,
}

impl Plan {
    fn new(kernel: &Kernel, cfg: &Cfg) -> Self {
        let mut candidates: HashMap<VarId, Candidate> = HashMap::new();
        for (i, var) in kernel.vars.iter().enumerate() {
            if var.space == Space::Private && var.init.is_none() {
                candidates.insert(VarId::new(i), Candidate::default());
            }
        }
        for param in &kernel.params {
            if let ParamBinding::ByValue(var) = param.binding {
                candidates.remove(&var);
            }
        }
        let mut plan = Self {
            addresses: HashMap::new(),
            slots: HashMap::new(),
            types: Vec::new(),
        };
        for &id in cfg.reverse_post_order() {
            let block = kernel.block(id);
            for inst in &block.insts {
                plan.visit(&inst.op, &mut candidates);
            }
            for edge in block.term.edges() {
                for arg in &edge.args {
                    plan.escape(*arg, &mut candidates);
                }
            }
        }
        for (var, candidate) in candidates {
            let size = kernel.vars[var.index()].size;
            if candidate.refused || !fits(&candidate.scalars, size) {
                continue;
            }
            let mut slots = BTreeMap::new();
            for (offset, ty) in candidate.scalars {
                slots.insert(offset, plan.types.len() as Slot);
                plan.types.push(ty);
            }
            plan.slots.insert(var, slots);
        }
        plan
    }

    /// Leaves variables in memory that may be read before they are set.
    fn keep_what_may_be_unset(&mut self, kernel: &Kernel, cfg: &Cfg) {
        // The fourth component of a `float3` is loaded with the others, and
        // nobody sets it, nor uses what was read.
        let live = clean::live_values(kernel);
        let mut assignments = Assignments::new(kernel);
        for &block in cfg.reverse_post_order() {
            for inst in &kernel.block(block).insts {
                match &inst.op {
                    Op::Load { dst, ptr, access } => {
                        let slots = self.slots_of(*ptr, access).into_iter().flatten();
                        for (slot, _) in slots.zip(dst).filter(|(_, d)| live[d.index()]) {
                            assignments.reads(block, slot);
                        }
                    }
                    Op::Store { src, ptr, access } => {
                        let slots = self.slots_of(*ptr, access).into_iter().flatten();
                        for (slot, _) in slots.zip(src).filter(|(_, s)| s.is_some()) {
                            assignments.leaves(block, slot, true);
                        }
                    }
                    Op::LifetimeStart { var } => {
                        for &slot in self.slots.get(var).into_iter().flat_map(BTreeMap::values) {
                            assignments.leaves(block, slot, false);
                        }
                    }
                    _ => {}
                }
            }
        }
        let unset = assignments.read_unset(cfg, self.types.len() as u32);
        let unset: HashSet<Slot> = unset.into_iter().collect();
        self.slots
            .retain(|_, slots| !slots.values().any(|s| unset.contains(s)));
    }

    fn visit(&mut self, op: &Op, candidates: &mut HashMap<VarId, Candidate>) {
        match op {
            Op::VarAddr { dst, var } => {
                if candidates.contains_key(var) {
                    self.addresses.insert(*dst, (*var, 0));
                }
            }
            Op::PtrAdd {
                dst,
                base,
                index: None,
                offset,
                ..
            } => {
                if let Some(&(var, at)) = self.addresses.get(base) {
                    self.addresses.insert(*dst, (var, at.wrapping_add(*offset)));
                }
            }
            Op::Load { ptr, access, .. } => self.access(*ptr, access, candidates),
            Op::Store { src, ptr, access } => {
                for value in src.iter().flatten() {
                    self.escape(*value, candidates);
                }
                self.access(*ptr, access, candidates);
            }
            Op::LifetimeStart { .. } => {}
            _ => op.for_each_use(|v| self.escape(v, candidates)),
        }
    }

    fn access(&self, ptr: Value, access: &MemAccess, candidates: &mut HashMap<VarId, Candidate>) {
        let Some((var, offset)) = self.addresses.get(&ptr) else {
            return;
        };
        let Some(candidate) = candidates.get_mut(var) else {
            return;
        };
        let Ok(offset) = u64::try_from(*offset) else {
            candidate.refused = true;
            return;
        };
        candidate.refused |= access.volatile;
        for i in 0..u64::from(access.count) {
            let at = offset.saturating_add(i * u64::from(access.elem.size()));
            let known = *candidate.scalars.entry(at).or_insert(access.elem);
            candidate.refused |= known != access.elem;
        }
    }

    fn escape(&self, value: Value, candidates: &mut HashMap<VarId, Candidate>) {
        if let Some((var, _)) = self.addresses.get(&value)
            && let Some(candidate) = candidates.get_mut(var)
        {
            candidate.refused = true;
        }
    }

    /// The slots that an access reads or writes, if its variable is promoted.
    fn slots_of(&self, ptr: Value, access: &MemAccess) -> Option<Vec<Slot>> {
        let &(var, offset) = self.addresses.get(&ptr)?;
        let slots = self.slots.get(&var)?;
        let offset = u64::try_from(offset).ok()?;
        (0..u64::from(access.count))
            .map(|i| {
                slots
                    .get(&(offset + i * u64::from(access.elem.size())))
                    .copied()
            })
            .collect()
    }
}

/// Whether the scalars lie within the variable and apart from each other.
fn fits(scalars: &BTreeMap<u64, Ty>, size: u64) -> bool {
    let mut free_from = 0;
    for (&offset, ty) in scalars {
        if offset < free_from {
            return false;
        }
        free_from = offset.saturating_add(u64::from(ty.size()));
    }
    free_from <= size
}

struct Renamer<'a> {
    kernel: &'a mut Kernel,
    cfg: &'a Cfg,
    plan: &'a Plan,
    /// Value of each slot at the end of each block that sets it.
    at_end: HashMap<(BlockId, Slot), Value>,
    /// Value of each slot at the start of each block that is asked for it.
    at_start: HashMap<(BlockId, Slot), Value>,
    pending: Vec<(BlockId, Slot, Value)>,
    copies: HashMap<Value, Value>,
    undefined: HashMap<Ty, Value>,
}

impl<'a> Renamer<'a> {
    fn new(kernel: &'a mut Kernel, cfg: &'a Cfg, plan: &'a Plan) -> Self {
        let mut undefined = HashMap::new();
        for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
            if let Op::Undef { dst } = inst.op {
                undefined.entry(kernel.ty(dst)).or_insert(dst);
            }
        }
        Self {
            kernel,
            cfg,
            plan,
            at_end: HashMap::new(),
            at_start: HashMap::new(),
            pending: Vec::new(),
            copies: HashMap::new(),
            undefined,
        }
    }

    fn run(mut self) {
        for &block in self.cfg.reverse_post_order() {
            self.rename_block(block);
        }
        while let Some((block, slot, value)) = self.pending.pop() {
            self.resolve_start(block, slot, value);
        }
        clean::replace_values(self.kernel, &self.copies);
    }

    /// Takes the accesses to promoted variables out of a block.
    fn rename_block(&mut self, block: BlockId) {
        let insts = std::mem::take(&mut self.kernel.blocks[block.index()].insts);
        let mut current: HashMap<Slot, Value> = HashMap::new();
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            match &inst.op {
                Op::Load { dst, ptr, access } => {
                    if let Some(slots) = self.plan.slots_of(*ptr, access) {
                        for (&dst, slot) in dst.iter().zip(slots) {
                            let value = match current.get(&slot) {
                                Some(&value) => value,
                                None => {
                                    let value = self.start_value(block, slot);
                                    current.insert(slot, value);
                                    value
                                }
                            };
                            self.copies.insert(dst, value);
                        }
                        continue;
                    }
                }
                Op::Store { src, ptr, access } => {
                    if let Some(slots) = self.plan.slots_of(*ptr, access) {
                        for (src, slot) in src.iter().zip(slots) {
                            if let Some(value) = src {
                                current.insert(slot, *value);
                            }
                        }
                        continue;
                    }
                }
                Op::LifetimeStart { var } => {
                    if let Some(slots) = self.plan.slots.get(var) {
                        for &slot in slots.values() {
                            let undefined = self.undefined(self.plan.types[slot as usize]);
                            current.insert(slot, undefined);
                        }
                        continue;
                    }
                }
                _ => {}
            }
            kept.push(inst);
        }
        // The entry may have got an undefined value in the meantime.
        let insts = &mut self.kernel.blocks[block.index()].insts;
        insts.append(&mut kept);
        for (slot, value) in current {
            self.at_end.insert((block, slot), value);
        }
    }

    /// The value of a slot at the start of a block: one to be settled later.
    fn start_value(&mut self, block: BlockId, slot: Slot) -> Value {
        if let Some(&value) = self.at_start.get(&(block, slot)) {
            return value;
        }
        let ty = self.plan.types[slot as usize];
        let value = self.kernel.new_value(ty, ValueDef::BlockParam(block));
        self.at_start.insert((block, slot), value);
        self.pending.push((block, slot, value));
        value
    }

    fn end_value(&mut self, block: BlockId, slot: Slot) -> Value {
        match self.at_end.get(&(block, slot)) {
            Some(&value) => value,
            None => self.start_value(block, slot),
        }
    }

    /// Settles where a value at the start of a block comes from.
    fn resolve_start(&mut self, block: BlockId, slot: Slot, value: Value) {
        let cfg = self.cfg;
        let predecessors: Vec<BlockId> = cfg
            .predecessors(block)
            .iter()
            .copied()
            .collect::<HashSet<_>>()
            .into_iter()
            .collect();
        match predecessors.as_slice() {
            [] => {
                let undefined = self.undefined(self.plan.types[slot as usize]);
                self.copies.insert(value, undefined);
            }
            [only] => {
                let before = self.end_value(*only, slot);
                self.copies.insert(value, before);
            }
            several => {
                self.kernel.blocks[block.index()].params.push(value);
                for &pred in several {
                    let arg = self.end_value(pred, slot);
                    let term = &mut self.kernel.blocks[pred.index()].term;
                    for edge in term.edges_mut() {
                        if edge.block == block {
                            edge.args.push(arg);
                        }
                    }
                }
            }
        }
    }

    fn undefined(&mut self, ty: Ty) -> Value {
        if let Some(&value) = self.undefined.get(&ty) {
            return value;
        }
        let dst = self.kernel.new_value(ty, ValueDef::Inst(Kernel::ENTRY));
        let entry = &mut self.kernel.blocks[Kernel::ENTRY.index()];
        let site: SiteId = entry.term_site;
        entry.insts.insert(
            0,
            Inst {
                op: Op::Undef { dst },
                site,
            },
        );
        self.undefined.insert(ty, dst);
        dst
    }
}
