//! Data races as findings: TW101 in local memory, TW102 in global memory.

use std::collections::HashSet;

use tilewise_analysis::races::{Race, Races, Side};
use tilewise_ir::{BarrierScope, Fence, Form, InstId, Kernel, Op, Space};
use tilewise_report::{Diagnostic, Severity};
use tilewise_sim::{AccessKind, Regions};

use super::order::{Order, order};
use super::place::{at, element, label, site, widen_snippet, work_item};
use crate::error::Error;
use crate::load::Loaded;
use crate::session::Session;

/// The findings of a run's races. What races between groups is not told again
/// for work-items of one group: ordering these would not mend it. Nor is a race
/// with an asynchronous copy that is itself a finding.
pub(super) fn findings(
    session: &Session,
    loaded: &Loaded,
    regions: &Regions,
    races: &Races,
    wrong_copies: &HashSet<InstId>,
) -> Result<Vec<Diagnostic>, Error> {
    let kernel = loaded.kernel(Form::AsWritten)?;
    let copies = |r: &Race| {
        [r.first.inst, r.second.inst]
            .iter()
            .any(|i| wrong_copies.contains(i))
    };
    let told = |r: &&Race| {
        (session.strict || !r.same_value) && !copies(r) && !is_part_of_another(r, races)
    };
    let all = races.races.iter().filter(told);
    Ok(all
        .map(|race| Telling::new(loaded, kernel, race).finding(regions))
        .collect())
}

/// Whether the same two instructions race between groups, too, or race with
/// different values as well as with the same one.
fn is_part_of_another(race: &Race, races: &Races) -> bool {
    let pair = |r: &Race| {
        let mut pair = [r.first.inst, r.second.inst];
        pair.sort_unstable();
        (r.region, pair)
    };
    let across = |r: &Race| r.first.group != r.second.group;
    races.races.iter().any(|other| {
        pair(other) == pair(race)
            && (across(other) || !across(race))
            && (!other.same_value || race.same_value)
            && (across(other), other.same_value) != (across(race), race.same_value)
    })
}

/// A race with its sides in the order in which a reader comes by them.
struct Telling<'a> {
    loaded: &'a Loaded,
    kernel: &'a Kernel,
    race: &'a Race,
    /// (1) and (2).
    sides: [&'a Side; 2],
    order: Order,
}

impl<'a> Telling<'a> {
    fn new(loaded: &'a Loaded, kernel: &'a Kernel, race: &'a Race) -> Self {
        let (first, second) = (&race.first, &race.second);
        let order = order(kernel, first.inst, second.inst, |op| orders(op, race.space));
        let line = |side: &Side| at(loaded, site(kernel, side.inst)).line;
        let swap = match order {
            Order::AThenB => false,
            Order::BThenA => true,
            Order::Around | Order::Apart => line(first) > line(second),
        };
        let sides = if swap {
            [second, first]
        } else {
            [first, second]
        };
        Self {
            loaded,
            kernel,
            race,
            sides,
            order,
        }
    }

    fn finding(&self, regions: &Regions) -> Diagnostic {
        let Race {
            region,
            space,
            offset,
            count,
            ..
        } = *self.race;
        let [one, two] = self.sides;
        let local = space == Space::Local;
        let what = element(regions.get(region), offset);
        let mut finding = at(self.loaded, site(self.kernel, two.inst));
        finding.code = if local { "TW101" } else { "TW102" }.to_owned();
        finding.severity = Severity::Error;
        finding.count = count;
        let same_place = one.inst == two.inst && one.kind == two.kind;
        finding.message = if same_place {
            format!(
                "data race: {} and {} both {} {what}",
                self.item(one),
                self.item(two),
                infinitive(one.kind)
            )
        } else {
            format!(
                "data race: {} {} {what}, which {} {} (1)",
                self.item(two),
                verb(two.kind),
                self.item(one),
                verb(one.kind),
            )
        };
        if !same_place {
            finding.labels.push(label(
                self.loaded,
                site(self.kernel, one.inst),
                format!("(1) {} {} {what} here", self.item(one), verb(one.kind)),
            ));
        }
        self.explain(&mut finding);
        widen_snippet(self.loaded, &mut finding);
        finding
    }

    /// Says why nothing orders the two, and what would.
    fn explain(&self, finding: &mut Diagnostic) {
        let [one, two] = self.sides;
        let race = self.race;
        if race.same_value {
            finding.notes.push(
                "both write the same value: seldom harmful, but OpenCL calls it a race".to_owned(),
            );
        }
        if one.group != two.group {
            finding.notes.push(format!(
                "they belong to groups {} and {}, which nothing orders within a launch",
                one.group, two.group
            ));
            finding.help.push(self.mend_across());
            return;
        }
        if one.sub_group == two.sub_group {
            finding.notes.push(
                "both are in one sub-group: a device that runs it in lockstep may hide the race, but OpenCL promises no lockstep"
                    .to_owned(),
            );
        }
        if let Some(help) = self.mend_atomic() {
            finding.help.push(help);
            return;
        }
        let flag = flag(race.space);
        if let Some((barrier, fence)) = race.barrier_between {
            finding.labels.push(label(
                self.loaded,
                site(self.kernel, barrier),
                format!("this barrier orders {}", ordered_by(fence)),
            ));
            finding
                .help
                .push(format!("give the barrier between them the flag {flag}"));
            return;
        }
        let barrier = format!("barrier({flag})");
        finding.help.push(match self.order {
            Order::AThenB | Order::BThenA if self.overwrites_in_next_iteration() => format!(
                "a second {barrier} is missing: behind (1), before the next iteration overwrites what others still read"
            ),
            Order::AThenB | Order::BThenA => format!("put {barrier} between (1) and this line"),
            _ if one.inst == two.inst && self.order == Order::Apart => {
                "let one work-item do it, or give each an element of its own".to_owned()
            }
            Order::Around => format!(
                "put {barrier} between the two, and another one before the loop comes back to the first"
            ),
            Order::Apart => format!(
                "end the branch before the second access, and put {barrier} between them"
            ),
        });
    }

    /// (1) reads and (2) writes what stands further up: it comes round a loop.
    fn overwrites_in_next_iteration(&self) -> bool {
        let [one, two] = self.sides;
        let line = |side: &Side| {
            let place = at(self.loaded, site(self.kernel, side.inst));
            (place.line, place.column)
        };
        one.kind == AccessKind::Load
            && two.kind == AccessKind::Store
            && line(two) <= line(one)
            && order(self.kernel, one.inst, two.inst, |_| false) == Order::Around
    }

    fn mend_atomic(&self) -> Option<String> {
        let atomics = self.sides.iter().filter(|s| s.kind == AccessKind::Atomic);
        (atomics.count() == 1).then(|| {
            format!(
                "one of the two is atomic, the other is not: make both atomic, or put barrier({}) between them",
                flag(self.race.space)
            )
        })
    }

    fn mend_across(&self) -> String {
        let [one, two] = self.sides;
        let both_write = one.kind != AccessKind::Load && two.kind != AccessKind::Load;
        let atomic = [one, two].iter().any(|s| s.kind == AccessKind::Atomic);
        if both_write && atomic {
            "one of the two is atomic, the other is not: make both accesses atomic".to_owned()
        } else if atomic {
            "one of the two is atomic, the other is not: make both accesses atomic (read with atomic_load, or with atomic_add(p, 0))"
                .to_owned()
        } else if both_write {
            "let each group write elements of its own, or use atomics".to_owned()
        } else if counts_groups(self.kernel) {
            "where an atomic counter tells which group comes last, put mem_fence(CLK_GLOBAL_MEM_FENCE) between the write and the atomic, and between the atomic and the read"
                .to_owned()
        } else {
            "write to another buffer than is read, or make it two kernels: the end of a launch orders all groups"
                .to_owned()
        }
    }

    /// Who makes an access, as messages name it.
    fn item(&self, side: &Side) -> String {
        if is_async_copy(self.kernel, side.inst) {
            return "the asynchronous copy".to_owned();
        }
        format!("work-item {}", work_item(self.loaded, side.global_id))
    }
}

/// Whether a kernel uses the result of an atomic on global memory, as one that counts
/// the groups that are done.
fn counts_groups(kernel: &Kernel) -> bool {
    let used = kernel.used_values();
    let mut insts = kernel.blocks.iter().flat_map(|b| &b.insts);
    insts.any(|inst| {
        matches!(&inst.op, Op::Atomic { dst: Some(dst), access, .. }
            if access.space == Space::Global && used[dst.index()])
    })
}

/// Whether an instruction is a copy by the whole group.
fn is_async_copy(kernel: &Kernel, inst: InstId) -> bool {
    let (block, at) = kernel.numbering().position(inst);
    let inst = kernel.block(block).insts.get(at);
    inst.is_some_and(|i| matches!(i.op, Op::AsyncCopy { .. }))
}

/// Whether an operation orders an address space for a whole group.
fn orders(op: &Op, space: Space) -> bool {
    match op {
        Op::Barrier {
            scope: BarrierScope::WorkGroup,
            fence,
        } => match space {
            Space::Local => fence.local,
            _ => fence.global,
        },
        Op::WaitEvents => true,
        _ => false,
    }
}

fn flag(space: Space) -> &'static str {
    match space {
        Space::Local => "CLK_LOCAL_MEM_FENCE",
        _ => "CLK_GLOBAL_MEM_FENCE",
    }
}

fn ordered_by(fence: Fence) -> &'static str {
    match (fence.local, fence.global) {
        (true, true) => "local and global memory",
        (true, false) => "local memory only",
        (false, true) => "global memory only",
        (false, false) => "no memory",
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "reads",
        AccessKind::Store => "writes",
        AccessKind::Atomic => "updates atomically",
    }
}

fn infinitive(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "read",
        AccessKind::Store => "write",
        AccessKind::Atomic => "update",
    }
}
