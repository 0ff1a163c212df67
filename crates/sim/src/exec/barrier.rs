//! Barriers: what becomes of a work-group when none of its lanes can run.

use tilewise_ir::{Fence, InstId, SiteId};

use super::sub_group::{Fragment, Frame, State, SubGroup};
use crate::decode::{BarrierStep, Prepared, Step};
use crate::fault::{FaultKind, Waiting};
use crate::lanes::each_lane;

/// Lanes that reached a barrier while others of their fragment have not: the
/// others go on by themselves. Each group of lanes takes a copy of what is
/// uniform, since uniform no longer means the same for all of them.
pub(super) fn split(fragment: &mut Fragment, step: u32, live: u64) -> Vec<Fragment> {
    let Some(running) = fragment.stack.pop() else {
        return Vec::new();
    };
    let mut seen = running.mask;
    let mut others = Vec::new();
    // Frames further down hold the lanes of those above as well.
    while let Some(frame) = fragment.stack.pop() {
        let mask = frame.mask & live & !seen;
        seen |= frame.mask;
        if mask != 0 {
            others.push(Fragment {
                scalars: fragment.scalars.clone(),
                stack: vec![Frame {
                    pc: frame.pc,
                    until: None,
                    mask,
                }],
                state: State::Ready,
            });
        }
    }
    fragment.stack.push(Frame {
        pc: step,
        until: None,
        mask: running.mask,
    });
    fragment.state = State::Parked { step };
    others
}

/// Where a work-group stands when none of its lanes can run.
pub(super) enum Standing {
    /// All have returned.
    Done,
    /// All wait at one barrier.
    Together {
        inst: InstId,
        site: SiteId,
        fence: Fence,
    },
    /// They can't go on together.
    Apart {
        kind: FaultKind,
        inst: InstId,
        site: SiteId,
    },
}

/// Looks where the work-items of a group stand.
pub(super) fn standing<const W: usize>(
    prepared: &Prepared,
    sub_groups: &[SubGroup<W>],
) -> Standing {
    let mut waiting: Vec<Waiting> = Vec::new();
    let mut returned = 0;
    let mut iterations: Option<Vec<u32>> = None;
    let mut iterations_differ = false;
    let mut barrier: Option<&BarrierStep> = None;
    for sub_group in sub_groups {
        returned += (sub_group.initial & !sub_group.live).count_ones();
        for fragment in &sub_group.fragments {
            let State::Parked { step } = fragment.state else {
                continue;
            };
            let Step::Barrier(here) = &prepared.steps[step as usize] else {
                continue;
            };
            let lanes = fragment.lanes() & sub_group.live;
            let at = here.at;
            match waiting.iter_mut().find(|w| w.inst == at.inst) {
                Some(known) => known.work_items += lanes.count_ones(),
                None => waiting.push(Waiting {
                    inst: at.inst,
                    site: at.site,
                    work_items: lanes.count_ones(),
                }),
            }
            barrier.get_or_insert(here);
            for lane in each_lane(lanes) {
                let of = |&c: &u32| sub_group.iterations[c as usize][lane];
                let same = match &iterations {
                    None => {
                        iterations = Some(here.loops.iter().map(of).collect());
                        true
                    }
                    Some(known) => here.loops.iter().map(of).eq(known.iter().copied()),
                };
                iterations_differ |= !same;
            }
        }
    }
    let Some(barrier) = barrier else {
        return Standing::Done;
    };
    let one_barrier = waiting.len() == 1;
    if one_barrier && returned == 0 && !iterations_differ {
        return Standing::Together {
            inst: barrier.at.inst,
            site: barrier.at.site,
            fence: barrier.fence,
        };
    }
    Standing::Apart {
        inst: barrier.at.inst,
        site: barrier.at.site,
        kind: FaultKind::BarrierDivergence {
            iterations_differ: one_barrier && iterations_differ,
            waiting,
            returned,
        },
    }
}

/// Lets all lanes of a sub-group go on behind the barrier, together again.
pub(super) fn release<const W: usize>(sub_group: &mut SubGroup<W>) {
    let mut resume = None;
    for fragment in &mut sub_group.fragments {
        if let State::Parked { step } = fragment.state {
            resume = Some(step + 1);
        }
    }
    let Some(pc) = resume else {
        return;
    };
    // A fragment that has returned holds no lanes; one that waits is kept for
    // its copy of the uniform values.
    if let Some(first) = sub_group
        .fragments
        .iter()
        .position(|f| matches!(f.state, State::Parked { .. }))
    {
        sub_group.fragments.swap(0, first);
    }
    sub_group.fragments.truncate(1);
    let fragment = &mut sub_group.fragments[0];
    // All lanes that have not returned are here: no one else to meet.
    fragment.stack.clear();
    fragment.stack.push(Frame {
        pc,
        until: None,
        mask: sub_group.live,
    });
    fragment.state = State::Ready;
}
