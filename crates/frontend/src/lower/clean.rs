//! Takes out what lowering leaves behind: unreachable blocks, block parameters
//! that only copy, values that nothing uses, blocks that only follow another.
//!
//! Loads and stores are never dropped, used or not: one access in the source
//! is one access in the IR.

use std::collections::{HashMap, HashSet};

use tilewise_ir::cfg::Cfg;
use tilewise_ir::{Block, BlockId, Kernel, Op, ParamBinding, Terminator, Value, ValueDef, VarId};

/// Drops blocks that control can't come to.
pub fn drop_unreachable_blocks(kernel: &mut Kernel) {
    let cfg = Cfg::new(kernel);
    let reached: HashSet<BlockId> = cfg.reverse_post_order().iter().copied().collect();
    if reached.len() < kernel.blocks.len() {
        let order: Vec<BlockId> = kernel.block_ids().filter(|b| reached.contains(b)).collect();
        reorder(kernel, &order);
    }
}

/// Keeps these blocks, in this order.
fn reorder(kernel: &mut Kernel, order: &[BlockId]) {
    let mut new_id = HashMap::new();
    for (i, &old) in order.iter().enumerate() {
        new_id.insert(old, BlockId::new(i));
    }
    let mut old: Vec<Option<Block>> = std::mem::take(&mut kernel.blocks)
        .into_iter()
        .map(Some)
        .collect();
    kernel.blocks = order
        .iter()
        .filter_map(|b| old.get_mut(b.index()).and_then(Option::take))
        .collect();
    for block in &mut kernel.blocks {
        for edge in block.term.edges_mut() {
            if let Some(&id) = new_id.get(&edge.block) {
                edge.block = id;
            }
        }
    }
    for value in &mut kernel.values {
        match &mut value.def {
            ValueDef::BlockParam(block) | ValueDef::Inst(block) => {
                if let Some(&id) = new_id.get(block) {
                    *block = id;
                }
            }
            ValueDef::Const(_) | ValueDef::Param => {}
        }
    }
}

/// Follows copies to the value they copy. Chains never turn back: a copy is
/// made of a value that is defined above it.
fn original(copies: &HashMap<Value, Value>, value: Value) -> Value {
    let mut value = value;
    while let Some(&next) = copies.get(&value) {
        value = next;
    }
    value
}

/// Puts each value's original in its place, everywhere.
pub fn replace_values(kernel: &mut Kernel, copies: &HashMap<Value, Value>) {
    if copies.is_empty() {
        return;
    }
    let replace = |v: &mut Value| *v = original(copies, *v);
    for block in &mut kernel.blocks {
        for inst in &mut block.insts {
            inst.op.for_each_use_mut(replace);
        }
        block.term.for_each_use_mut(replace);
    }
}

/// Removes block parameters that get the same value on every edge.
pub fn drop_copies(kernel: &mut Kernel) {
    loop {
        let mut incoming: Vec<Vec<Option<Value>>> = kernel
            .blocks
            .iter()
            .map(|b| vec![None; b.params.len()])
            .collect();
        let mut several: Vec<Vec<bool>> = kernel
            .blocks
            .iter()
            .map(|b| vec![false; b.params.len()])
            .collect();
        for block in &kernel.blocks {
            for edge in block.term.edges() {
                let target = edge.block.index();
                let params = &kernel.blocks[target].params;
                for (i, (&arg, &param)) in edge.args.iter().zip(params).enumerate() {
                    if arg == param {
                        continue;
                    }
                    match incoming[target][i] {
                        None => incoming[target][i] = Some(arg),
                        Some(known) if known == arg => {}
                        Some(_) => several[target][i] = true,
                    }
                }
            }
        }
        let mut copies = HashMap::new();
        let mut keep: Vec<Vec<bool>> = Vec::with_capacity(kernel.blocks.len());
        for (index, block) in kernel.blocks.iter().enumerate() {
            let mut flags = Vec::with_capacity(block.params.len());
            for (i, &param) in block.params.iter().enumerate() {
                let only = incoming[index][i].filter(|_| !several[index][i]);
                // Two parameters may be copies of each other in an unreachable
                // loop; following the chain keeps one of them.
                let source = only.filter(|&v| original(&copies, v) != param);
                if let Some(value) = source {
                    copies.insert(param, value);
                }
                flags.push(source.is_none());
            }
            keep.push(flags);
        }
        if copies.is_empty() {
            return;
        }
        drop_params(kernel, &keep);
        replace_values(kernel, &copies);
    }
}

/// Keeps the block parameters whose flag is set, and their arguments.
fn drop_params(kernel: &mut Kernel, keep: &[Vec<bool>]) {
    for block in &mut kernel.blocks {
        for edge in block.term.edges_mut() {
            let mut flags = keep[edge.block.index()].iter();
            edge.args.retain(|_| flags.next().copied().unwrap_or(true));
        }
    }
    for (block, flags) in kernel.blocks.iter_mut().zip(keep) {
        let mut flags = flags.iter();
        block
            .params
            .retain(|_| flags.next().copied().unwrap_or(true));
    }
}

/// Drops computations and block parameters that nothing uses, and the results
/// of atomics that nothing reads.
pub fn drop_unused(kernel: &mut Kernel) {
    let live = live_values(kernel);
    let is_live = |v: &Value| live[v.index()];
    let keep: Vec<Vec<bool>> = kernel
        .blocks
        .iter()
        .map(|b| b.params.iter().map(is_live).collect())
        .collect();
    drop_params(kernel, &keep);
    for block in &mut kernel.blocks {
        block.insts.retain_mut(|inst| {
            if let Op::Atomic { dst, .. } | Op::Printf { dst, .. } = &mut inst.op {
                *dst = dst.filter(|d| live[d.index()]);
            }
            if !inst.op.is_pure() {
                return true;
            }
            let mut used = false;
            inst.op.for_each_def(|v| used |= live[v.index()]);
            used
        });
    }
}

/// Which values reach something that is not only a computation, by value.
pub fn live_values(kernel: &Kernel) -> Vec<bool> {
    // What each value is computed from: the operands of its instruction, or
    // the arguments of the edges into its block.
    let mut sources: Vec<Vec<Value>> = vec![Vec::new(); kernel.values.len()];
    let mut live = vec![false; kernel.values.len()];
    let mut work = Vec::new();
    for block in &kernel.blocks {
        for inst in &block.insts {
            if inst.op.is_pure() {
                inst.op.for_each_def(|def| {
                    inst.op.for_each_use(|used| sources[def.index()].push(used));
                });
            } else {
                inst.op.for_each_use(|used| work.push(used));
            }
        }
        work.extend(block.term.condition());
        for edge in block.term.edges() {
            let params = &kernel.block(edge.block).params;
            for (&arg, &param) in edge.args.iter().zip(params) {
                sources[param.index()].push(arg);
            }
        }
    }
    while let Some(value) = work.pop() {
        if !std::mem::replace(&mut live[value.index()], true) {
            work.append(&mut sources[value.index()]);
        }
    }
    live
}

/// Leads edges past a switch where they bring the constant it decides by.
///
/// clang leaves a scope with variables through a block of its own, which then
/// switches over where control came from: a `return` or `continue` of the
/// source is a plain jump again after this.
pub fn thread_switches(kernel: &mut Kernel) {
    let mut targets: HashMap<BlockId, Terminator> = HashMap::new();
    let uses = super::masked_store::count_uses(kernel);
    for id in kernel.block_ids() {
        let block = kernel.block(id);
        let Terminator::Switch { value, .. } = block.term else {
            continue;
        };
        // What the block computes or passes on would be lost on the way.
        let only_decides =
            block.insts.is_empty() && block.params[..] == [value] && uses.get(&value) == Some(&1);
        let passes_nothing = block.term.edges().iter().all(|e| e.args.is_empty());
        if only_decides && passes_nothing {
            targets.insert(id, block.term.clone());
        }
    }
    let constants: Vec<Option<u64>> = (0..kernel.values.len())
        .map(|i| kernel.constant(Value::new(i)))
        .collect();
    for block in &mut kernel.blocks {
        for edge in block.term.edges_mut() {
            let Some(Terminator::Switch { cases, default, .. }) = targets.get(&edge.block) else {
                continue;
            };
            let constant = edge.args.first().and_then(|v| constants[v.index()]);
            if let Some(bits) = constant {
                let case = cases.iter().find(|(v, _)| *v == bits);
                *edge = case.map_or(default, |(_, e)| e).clone();
            }
        }
    }
    drop_unreachable_blocks(kernel);
}

/// Merges a block into its only predecessor where that leads nowhere else.
pub fn merge_chains(kernel: &mut Kernel) {
    let cfg = Cfg::new(kernel);
    let mut merged_into: HashMap<BlockId, BlockId> = HashMap::new();
    let mut copies = HashMap::new();
    let mut gone = HashSet::new();
    for &id in cfg.reverse_post_order() {
        let into = merged_into.get(&id).copied().unwrap_or(id);
        // A merged block's terminator may be mergeable again.
        while let Terminator::Jump(edge) = &kernel.block(into).term {
            let next = edge.block;
            let args = edge.args.clone();
            if next == into || next == Kernel::ENTRY || cfg.predecessors(next).len() != 1 {
                break;
            }
            let term_site = kernel.block(into).term_site;
            let taken = std::mem::replace(
                &mut kernel.blocks[next.index()],
                Block {
                    params: Default::default(),
                    insts: Vec::new(),
                    term: Terminator::Unreachable,
                    term_site,
                },
            );
            copies.extend(taken.params.iter().copied().zip(args));
            for inst in &taken.insts {
                let values = &mut kernel.values;
                inst.op
                    .for_each_def(|v| values[v.index()].def = ValueDef::Inst(into));
            }
            let block = &mut kernel.blocks[into.index()];
            block.insts.extend(taken.insts);
            block.term = taken.term;
            block.term_site = taken.term_site;
            merged_into.insert(next, into);
            gone.insert(next);
        }
    }
    replace_values(kernel, &copies);
    let order: Vec<BlockId> = cfg
        .reverse_post_order()
        .iter()
        .copied()
        .filter(|b| !gone.contains(b))
        .collect();
    reorder(kernel, &order);
}

/// Drops variables whose address nothing takes.
pub fn drop_unused_variables(kernel: &mut Kernel) {
    let mut used = vec![false; kernel.vars.len()];
    for param in &kernel.params {
        if let ParamBinding::ByValue(var) = param.binding {
            used[var.index()] = true;
        }
    }
    for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
        if let Op::VarAddr { var, .. } = inst.op {
            used[var.index()] = true;
        }
    }
    // What a variable that is used holds the address of is used.
    let mut work: Vec<usize> = (0..used.len()).filter(|&i| used[i]).collect();
    while let Some(index) = work.pop() {
        for address in &kernel.vars[index].addresses {
            let target = address.var.index();
            if !std::mem::replace(&mut used[target], true) {
                work.push(target);
            }
        }
    }
    let mut new_ids = Vec::with_capacity(used.len());
    let mut next = 0;
    for &is_used in &used {
        new_ids.push(VarId::new(next));
        next += usize::from(is_used);
    }
    for param in &mut kernel.params {
        if let ParamBinding::ByValue(var) = &mut param.binding {
            *var = new_ids[var.index()];
        }
    }
    for block in &mut kernel.blocks {
        block.insts.retain_mut(|inst| match &mut inst.op {
            Op::VarAddr { var, .. } | Op::LifetimeStart { var } => {
                let keep = used[var.index()];
                *var = new_ids[var.index()];
                keep
            }
            _ => true,
        });
    }
    let mut flags = used.into_iter();
    kernel.vars.retain(|_| flags.next().unwrap_or(true));
    for variable in &mut kernel.vars {
        for address in &mut variable.addresses {
            address.var = new_ids[address.var.index()];
        }
    }
}

/// Numbers the values that are left: parameters and constants first, then
/// block by block in the order in which they are defined.
pub fn renumber(kernel: &mut Kernel) {
    let mut order: Vec<Value> = Vec::new();
    let mut numbers: HashMap<Value, Value> = HashMap::new();
    let mut take = |value: Value| {
        numbers.entry(value).or_insert_with(|| {
            order.push(value);
            Value::new(order.len() - 1)
        });
    };
    for param in &kernel.params {
        match &param.binding {
            ParamBinding::Values(components) => components.iter().copied().for_each(&mut take),
            ParamBinding::Pointer { value, .. } | ParamBinding::Image { value } => take(*value),
            ParamBinding::ByValue(_) => {}
        }
    }
    let is_constant = |v: &Value| matches!(kernel.values[v.index()].def, ValueDef::Const(_));
    for block in &kernel.blocks {
        for inst in &block.insts {
            inst.op.for_each_use(|v| {
                if is_constant(&v) {
                    take(v);
                }
            });
        }
        block.term.for_each_use(|v| {
            if is_constant(&v) {
                take(v);
            }
        });
    }
    for block in &kernel.blocks {
        block.params.iter().copied().for_each(&mut take);
        for inst in &block.insts {
            inst.op.for_each_def(&mut take);
        }
    }
    // A broken module may use a value that nothing defines; the verifier says so.
    for block in &kernel.blocks {
        for inst in &block.insts {
            inst.op.for_each_use(&mut take);
        }
        block.term.for_each_use(&mut take);
    }
    kernel.values = order.iter().map(|v| kernel.values[v.index()]).collect();
    let number = |v: &mut Value| {
        if let Some(&new) = numbers.get(v) {
            *v = new;
        }
    };
    for param in &mut kernel.params {
        match &mut param.binding {
            ParamBinding::Values(components) => components.iter_mut().for_each(number),
            ParamBinding::Pointer { value, .. } | ParamBinding::Image { value } => number(value),
            ParamBinding::ByValue(_) => {}
        }
    }
    for block in &mut kernel.blocks {
        block.params.iter_mut().for_each(number);
        for inst in &mut block.insts {
            inst.op.for_each_use_mut(number);
            inst.op.for_each_def_mut(number);
        }
        block.term.for_each_use_mut(number);
    }
}
