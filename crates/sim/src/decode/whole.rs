//! What decoding knows of a kernel as a whole: which loops are counted, whether
//! its groups must run in order, where loops stand, how private memory starts.

use tilewise_ir::loops::{Loop, Loops};
use tilewise_ir::{AtomicOp, BlockId, Kernel, Numbering, Op, ParamBinding, Participants, Space};
use tilewise_launch::{ArgValue, Launch};

use super::facts::Facts;
use super::step::At;
use crate::memory::Regions;

/// A counter for each loop in which work-items wait for each other.
pub(super) fn loop_counters(kernel: &Kernel, facts: &Facts) -> Vec<Option<u32>> {
    let mut counters = vec![None; facts.loops.all().len()];
    let mut next = 0;
    for id in kernel.block_ids() {
        let waits = kernel
            .block(id)
            .insts
            .iter()
            .any(|i| waits_for_others(&i.op));
        if !waits {
            continue;
        }
        for index in facts.loops.around(id) {
            counters[index].get_or_insert_with(|| {
                next += 1;
                next - 1
            });
        }
    }
    counters
}

/// The place of each loop in the source. Compilers put the statement's own place at
/// the jump back to its head: that of `for` or `while`, for a `do` that of its
/// condition. Where `continue` jumps back, too, a block may gather these jumps; then it
/// is the one of them that stands where the loop is entered.
pub(super) fn loop_sites(kernel: &Kernel, loops: &Loops, numbering: &Numbering) -> Vec<At> {
    let jumps_to = |to: BlockId| {
        let jumps = move |b: &BlockId| {
            let edges = kernel.block(*b).term.edges();
            edges.iter().any(|e| e.block == to)
        };
        kernel.block_ids().filter(jumps)
    };
    let at = |block: BlockId| At {
        inst: numbering.id(block, kernel.block(block).insts.len()),
        site: kernel.block(block).term_site,
    };
    let site = |l: &Loop| {
        let latches = || jumps_to(l.header).filter(|&b| l.contains(b));
        let gathered = latches()
            .filter(|&b| kernel.block(b).insts.is_empty())
            .flat_map(jumps_to)
            .filter(|&b| l.contains(b));
        let entries: Vec<_> = jumps_to(l.header)
            .filter(|&b| !l.contains(b))
            .map(|b| at(b).site)
            .collect();
        let mut back = latches().chain(gathered);
        let statement = back.find(|&b| entries.contains(&at(b).site));
        at(statement
            .or_else(|| latches().next_back())
            .unwrap_or(l.header))
    };
    loops.all().iter().map(site).collect()
}

fn waits_for_others(op: &Op) -> bool {
    match op {
        Op::Barrier { .. } | Op::WaitEvents => true,
        Op::Group { participants, .. } => *participants == Participants::All,
        _ => false,
    }
}

/// Whether what a kernel computes depends on the order of its groups, races
/// apart: the results of atomics on global memory, those that don't commute,
/// and those that take two words.
pub(super) fn is_serial(kernel: &Kernel) -> bool {
    let used = kernel.used_values();
    let insts = kernel.blocks.iter().flat_map(|b| &b.insts);
    insts.into_iter().any(|inst| match &inst.op {
        Op::Atomic {
            op, dst, access, ..
        } => {
            !matches!(access.space, Space::Local | Space::Private)
                && (dst.is_some_and(|d| used[d.index()])
                    || matches!(op, AtomicOp::Exchange | AtomicOp::CompareExchange)
                    || access.elem.size() == 8
                    || access.elem.is_float())
        }
        _ => false,
    })
}

/// Initial words of private variables: structures by value and initialisers.
pub(super) fn private_init(
    kernel: &Kernel,
    launch: &Launch,
    regions: &Regions,
) -> Vec<(usize, Vec<u32>)> {
    let words = |bytes: &[u8]| {
        bytes
            .chunks(4)
            .map(|c| {
                let mut word = [0; 4];
                word[..c.len()].copy_from_slice(c);
                u32::from_le_bytes(word)
            })
            .collect::<Vec<u32>>()
    };
    let mut init = Vec::new();
    for (i, var) in kernel.vars.iter().enumerate() {
        if var.space == Space::Private && var.init.is_some() {
            let region = regions.of_var(tilewise_ir::VarId::new(i));
            let bytes = regions.initial_bytes(var);
            init.push((regions.get(region).first_word, words(&bytes)));
        }
    }
    for (param, arg) in kernel.params.iter().zip(&launch.args) {
        if let (ParamBinding::ByValue(var), ArgValue::Bytes(bytes)) = (&param.binding, &arg.value) {
            let first = regions.get(regions.of_var(*var)).first_word;
            init.push((first, words(bytes)));
        }
    }
    init
}
