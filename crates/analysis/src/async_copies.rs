//! Asynchronous copies by the work-group: what touches their memory while they
//! may be under way, and whether all work-items make them alike.
//!
//! From `async_work_group_copy` to the `wait_group_events` that follows, nobody
//! may read or write the target, nor write the source, and the kernel must not
//! end (OpenCL C 3.0, section 6.15.11). That holds for other copies as well: nothing
//! orders two that are under way. A barrier does not wait for a copy. All
//! work-items of the group must make the call, with the same arguments; those
//! of one sub-group are compared by the machine, sub-groups here.
//!
//! What it misses: a wait for one of several events counts as one for all; copies
//! that meet where thousands are under way.

use std::sync::Arc;

use tilewise_ir::pointer::{self, Region};
use tilewise_ir::{InstId, Kernel, Op, Space};
use tilewise_sim::{AccessEvent, AccessKind, Analysis, BarrierEvent, GroupInfo, Observer};

/// Findings that are kept.
const MOST: usize = 64;
/// Sides of copies under way that are compared with each other: a bound on time.
const MOST_CALLS: usize = 1 << 12;

/// What is wrong with a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyMistake {
    /// A work-item touches its memory before the copy is waited for.
    Touched {
        /// The access.
        by: InstId,
        /// What it does.
        kind: AccessKind,
        /// The memory.
        region: Region,
        /// Byte offset of the first byte that both touch.
        offset: u64,
        /// The copy writes this memory; else it reads it.
        is_target: bool,
        /// The work-item has not come to the copy itself: others are ahead of it.
        is_before: bool,
        /// `get_global_id` of the first work-item.
        global_id: [u64; 3],
    },
    /// A later copy touches its memory before it is waited for.
    Meets {
        /// The later copy, which may be the same instruction.
        by: InstId,
        /// The memory.
        region: Region,
        /// Byte offset of the first byte that both touch.
        offset: u64,
        /// The copy writes this memory; else it reads it.
        is_target: bool,
        /// The later copy does.
        by_is_target: bool,
    },
    /// The kernel ends before the copy is waited for.
    NotWaitedFor,
    /// Some sub-groups make the call more often than others.
    NotByAll,
    /// Sub-groups make the call with different addresses.
    ArgumentsDiffer,
}

/// A mistake about a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyFinding {
    /// The copy.
    pub copy: InstId,
    /// What is wrong with it.
    pub mistake: CopyMistake,
    /// Linear number of the first group.
    pub group: u64,
    /// How often.
    pub count: u64,
}

/// What instructions are to the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Other,
    Copy { elem_bytes: u32 },
    Wait,
}

/// The check of one run.
#[derive(Debug)]
pub struct AsyncCopyAnalysis {
    roles: Arc<[Role]>,
    any: bool,
    found: Vec<CopyFinding>,
}

impl AsyncCopyAnalysis {
    /// A check of a kernel.
    pub fn new(kernel: &Kernel) -> Self {
        let numbering = kernel.numbering();
        let mut roles = vec![Role::Other; numbering.len()];
        for block in kernel.block_ids() {
            for (i, inst) in kernel.block(block).insts.iter().enumerate() {
                roles[numbering.id(block, i).index()] = match inst.op {
                    Op::AsyncCopy { elem_bytes, .. } => Role::Copy { elem_bytes },
                    Op::WaitEvents => Role::Wait,
                    _ => Role::Other,
                };
            }
        }
        Self {
            any: roles.iter().any(|r| matches!(r, Role::Copy { .. })),
            roles: roles.into(),
            found: Vec::new(),
        }
    }

    /// What was found, in the order of the groups.
    pub fn result(self) -> Vec<CopyFinding> {
        self.found
    }
}

impl Analysis for AsyncCopyAnalysis {
    type Group = AsyncCopyGroup;

    fn begin(&self, group: &GroupInfo) -> AsyncCopyGroup {
        AsyncCopyGroup {
            roles: self.roles.clone(),
            any: self.any,
            info: *group,
            pending: Vec::new(),
            calls: Vec::new(),
            phase: 0,
            made: Vec::new(),
            found: Vec::new(),
        }
    }

    fn finish(&mut self, _: &GroupInfo, mut group: AsyncCopyGroup) {
        group.end_phase();
        let mut left: Vec<InstId> = group.pending.iter().map(|p| p.copy).collect();
        left.sort_unstable();
        left.dedup();
        for copy in left {
            group.add(copy, CopyMistake::NotWaitedFor);
        }
        for finding in group.found {
            add(&mut self.found, finding);
        }
    }
}

/// Memory that a copy may be reading or writing.
#[derive(Clone, Copy, Debug)]
struct Pending {
    copy: InstId,
    /// Number of the call among those under way.
    call: u32,
    region: Region,
    first: u64,
    end: u64,
    is_target: bool,
}

/// A copy under way, with the memory that it touches on one side: the smallest range
/// that holds what sub-groups have done of it so far.
#[derive(Clone, Copy, Debug)]
struct Call {
    copy: InstId,
    /// Barriers before it, and how often its instruction ran since.
    made: (u32, u32),
    region: Region,
    first: u64,
    end: u64,
    is_target: bool,
}

/// The calls that a sub-group has made of one copy since the last barrier.
#[derive(Clone, Debug)]
struct Made {
    copy: InstId,
    sub_group: u32,
    calls: u32,
    /// Address of the first element in local memory, by call.
    starts: Vec<Option<u64>>,
}

/// The observer of one work-group.
#[derive(Debug)]
pub struct AsyncCopyGroup {
    roles: Arc<[Role]>,
    any: bool,
    info: GroupInfo,
    pending: Vec<Pending>,
    /// The sides of copies under way, in the order in which they began.
    calls: Vec<Call>,
    /// Barriers so far.
    phase: u32,
    made: Vec<Made>,
    found: Vec<CopyFinding>,
}

impl AsyncCopyGroup {
    fn add(&mut self, copy: InstId, mistake: CopyMistake) {
        let finding = CopyFinding {
            copy,
            mistake,
            group: self.info.linear,
            count: 1,
        };
        add(&mut self.found, finding);
    }

    fn made(&mut self, copy: InstId, sub_group: u32) -> &mut Made {
        let known = |m: &Made| m.copy == copy && m.sub_group == sub_group;
        let at = self.made.iter().position(known).unwrap_or_else(|| {
            self.made.push(Made {
                copy,
                sub_group,
                calls: 0,
                starts: Vec::new(),
            });
            self.made.len() - 1
        });
        &mut self.made[at]
    }

    /// Enters one strip of a copy.
    fn copies(&mut self, event: &AccessEvent<'_>, region: Region, elem_bytes: u32) {
        let elem = u64::from(elem_bytes);
        let mask = event.mask & event.in_bounds;
        let is_target = event.kind == AccessKind::Store;
        let lanes = || (0..64).filter(|l| mask >> l & 1 != 0);
        let starts = lanes().map(|lane| pointer::offset(event.addresses[lane]) as u64);
        let ends = starts.clone().map(|first| first + elem);
        let (Some(first), Some(end)) = (starts.min(), ends.max()) else {
            return;
        };
        let made = (self.phase, self.made(event.inst, event.sub_group).calls);
        let call = self.enter(Call {
            copy: event.inst,
            made,
            region,
            first,
            end,
            is_target,
        });
        self.meets(event, region, call, elem);
        for lane in lanes() {
            let first = pointer::offset(event.addresses[lane]) as u64;
            let end = first + elem;
            // Reading and writing strips come in turn.
            let before = self.pending.iter_mut().rev().take(2).find(|p| {
                (p.call, p.region, p.is_target, p.end) == (call, region, is_target, first)
            });
            match before {
                Some(before) => before.end = end,
                None => self.pending.push(Pending {
                    copy: event.inst,
                    call,
                    region,
                    first,
                    end,
                    is_target,
                }),
            }
        }
        if event.access.space == Space::Local {
            // Local memory is the contiguous side: where the copy starts there
            // follows from any element.
            let lane = event.mask.trailing_zeros();
            let element = u64::from(event.sub_group * self.info.width + lane);
            let start = event.addresses[lane as usize].wrapping_sub(element * elem);
            let made = self.made(event.inst, event.sub_group);
            // Further strips of one call start further on.
            if let Some(last) = made.starts.last_mut() {
                last.get_or_insert(start);
            }
        }
    }

    /// Number of the call that a strip belongs to, which it widens.
    fn enter(&mut self, strip: Call) -> u32 {
        let side = |c: &Call| (c.copy, c.made, c.region, c.is_target);
        let known = self.calls.iter().position(|c| side(c) == side(&strip));
        let at = known.unwrap_or(self.calls.len());
        match self.calls.get_mut(at) {
            Some(call) => {
                call.first = call.first.min(strip.first);
                call.end = call.end.max(strip.end);
            }
            None if at < MOST_CALLS => self.calls.push(strip),
            None => {}
        }
        at as u32
    }

    /// Looks whether a strip of a copy touches the memory of another one under way.
    fn meets(&mut self, event: &AccessEvent<'_>, region: Region, call: u32, elem: u64) {
        let Some(&own) = self.calls.get(call as usize) else {
            return;
        };
        for other in 0..self.calls.len() {
            let that = self.calls[other];
            let overlaps = that.first < own.end && own.first < that.end;
            let same_call = (that.copy, that.made) == (own.copy, own.made);
            let writes = that.is_target || own.is_target;
            if same_call || !writes || that.region != region || !overlaps {
                continue;
            }
            // Copies side by side may lie within each other's range.
            let mask = event.mask & event.in_bounds;
            let strips = self.pending.iter().filter(|p| p.call == other as u32);
            let hit = strips.into_iter().find_map(|p| {
                let lanes = (0..64).filter(|l| mask >> l & 1 != 0);
                let starts = lanes.map(|lane| pointer::offset(event.addresses[lane]) as u64);
                let mut touched = starts.filter(|&s| s < p.end && p.first < s + elem);
                touched.next().map(|first| first.max(p.first))
            });
            let Some(offset) = hit else { continue };
            // Sub-groups come by both in turn, so that the later one may be known.
            let [earlier, later] = if other < call as usize {
                [that, own]
            } else {
                [own, that]
            };
            let mistake = CopyMistake::Meets {
                by: later.copy,
                region,
                offset,
                is_target: earlier.is_target,
                by_is_target: later.is_target,
            };
            self.add(earlier.copy, mistake);
            return;
        }
    }

    /// All work-items are at a barrier, or done: they must have made the same
    /// calls.
    fn end_phase(&mut self) {
        self.phase += 1;
        let made = std::mem::take(&mut self.made);
        for first in &made {
            let others = || made.iter().filter(|m| m.copy == first.copy);
            let is_first = others().all(|m| m.sub_group >= first.sub_group);
            if !is_first {
                continue;
            }
            let all = others().count() == self.info.sub_groups as usize;
            if !all || others().any(|m| m.calls != first.calls) {
                self.add(first.copy, CopyMistake::NotByAll);
                continue;
            }
            let differ = others().any(|m| {
                let pairs = m.starts.iter().zip(&first.starts);
                pairs
                    .into_iter()
                    .any(|(a, b)| matches!((a, b), (Some(a), Some(b)) if a != b))
            });
            if differ {
                self.add(first.copy, CopyMistake::ArgumentsDiffer);
            }
        }
    }

    /// Looks whether an access touches the memory of a copy under way.
    fn touches(&mut self, event: &AccessEvent<'_>, region: Region) {
        let mask = event.mask & event.in_bounds;
        let bytes = u64::from(event.access.bytes);
        for i in 0..self.pending.len() {
            let copy = self.pending[i];
            if copy.region != region || (!copy.is_target && event.kind == AccessKind::Load) {
                continue;
            }
            let hit = (0..64).filter(|l| mask >> l & 1 != 0).find_map(|lane| {
                let first = pointer::offset(event.addresses[lane]) as u64;
                let overlaps = first < copy.end && copy.first < first + bytes;
                overlaps.then_some((lane as u32, first.max(copy.first)))
            });
            let Some((lane, offset)) = hit else { continue };
            let calls = |m: &&Made| m.copy == copy.copy;
            let own = self.made.iter().filter(calls);
            let own = own.filter(|m| m.sub_group == event.sub_group);
            let own = own.map(|m| m.calls).max().unwrap_or(0);
            let most = self.made.iter().filter(calls).map(|m| m.calls).max();
            let local = self.info.local_id(event.sub_group, lane);
            let first = self.info.first_global_id;
            let mistake = CopyMistake::Touched {
                by: event.inst,
                kind: event.kind,
                region,
                offset,
                is_target: copy.is_target,
                is_before: most.is_some_and(|most| own < most),
                global_id: std::array::from_fn(|d| first[d] + u64::from(local[d])),
            };
            self.add(copy.copy, mistake);
            return;
        }
    }
}

impl Observer for AsyncCopyGroup {
    const INSTRUCTIONS: bool = true;
    const ACCESSES: bool = true;

    fn instruction(&mut self, sub_group: u32, inst: InstId, _: u64) {
        if self.any && matches!(self.roles[inst.index()], Role::Copy { .. }) {
            let made = self.made(inst, sub_group);
            made.calls += 1;
            made.starts.push(None);
        }
    }

    fn instructions(&mut self, _: u32, _: InstId, _: u32, _: u64) {}

    fn access(&mut self, event: &AccessEvent<'_>) {
        let Some(region) = event.region.filter(|_| self.any) else {
            return;
        };
        match self.roles[event.inst.index()] {
            Role::Copy { elem_bytes } => self.copies(event, region, elem_bytes),
            _ if !self.pending.is_empty() => self.touches(event, region),
            _ => {}
        }
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        if !self.any {
            return;
        }
        self.end_phase();
        if self.roles[event.inst.index()] == Role::Wait {
            self.pending.clear();
            self.calls.clear();
        }
    }
}

fn add(found: &mut Vec<CopyFinding>, finding: CopyFinding) {
    let place = |f: &CopyFinding| match f.mistake {
        CopyMistake::Touched { by, region, .. } => (f.copy, 0, Some((by, region))),
        CopyMistake::Meets { by, region, .. } => (f.copy, 1, Some((by, region))),
        CopyMistake::NotWaitedFor => (f.copy, 2, None),
        CopyMistake::NotByAll => (f.copy, 3, None),
        CopyMistake::ArgumentsDiffer => (f.copy, 4, None),
    };
    let full = found.len() >= MOST;
    match found.iter_mut().find(|f| place(f) == place(&finding)) {
        Some(known) => known.count += finding.count,
        None if full => {}
        None => found.push(finding),
    }
}
