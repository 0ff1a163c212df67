//! Barriers and other steps at which lanes wait for each other: what becomes of
//! a sub-group and of a work-group when none of its lanes can run.

use smallvec::SmallVec;
use tilewise_ir::{BarrierScope, Fence, InstId, SiteId};

use super::control::Context;
use super::group_functions;
use super::sub_group::{Fragment, Frame, State, SubGroup};
use crate::decode::{Meeting, Prepared, Step};
use crate::fault::{FaultKind, Waiting};
use crate::observer::Observer;

/// Lanes that stopped at `pc` while others of their fragment have not: the
/// others go on by themselves. Each group of lanes takes a copy of what is
/// uniform, since uniform no longer means the same for all of them.
pub(super) fn split(fragment: &mut Fragment, state: State, live: u64) -> Vec<Fragment> {
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
        until: None,
        ..running
    });
    fragment.state = state;
    others
}

/// Where a work-group stands when none of its lanes can run.
pub(super) enum Standing {
    /// All have returned.
    Done,
    /// All wait at one step.
    Together {
        step: u32,
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
    let mut iterations: Option<SmallVec<[u32; 4]>> = None;
    let mut iterations_differ = false;
    let mut first: Option<(u32, Meeting<'_>)> = None;
    for sub_group in sub_groups {
        returned += (sub_group.initial & !sub_group.live).count_ones();
        for fragment in &sub_group.fragments {
            let State::Parked { step } = fragment.state else {
                continue;
            };
            let Some(here) = prepared.steps[step as usize].meeting() else {
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
            first.get_or_insert((step, here));
            if lanes == 0 {
                continue;
            }
            let counts = |&c: &u32| &sub_group.iterations[c as usize];
            let first = lanes.trailing_zeros() as usize;
            let known = iterations
                .get_or_insert_with(|| here.loops.iter().map(|c| counts(c)[first]).collect());
            iterations_differ |= known.len() != here.loops.len();
            for (counts, &known) in here.loops.iter().map(counts).zip(known.iter()) {
                // Lanes that don't wait here count for nothing.
                let wrong = counts.iter().enumerate().fold(0, |wrong, (l, &n)| {
                    wrong | ((n ^ known) & all_ones(lanes, l))
                });
                iterations_differ |= wrong != 0;
            }
        }
    }
    let Some((step, barrier)) = first else {
        return Standing::Done;
    };
    let one_barrier = waiting.len() == 1;
    if one_barrier && returned == 0 && !iterations_differ {
        return Standing::Together {
            step,
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

/// All ones for a lane of `mask`, else 0.
#[inline(always)]
fn all_ones(mask: u64, lane: usize) -> u32 {
    0u32.wrapping_sub((mask >> lane) as u32 & 1)
}

/// Lets all lanes of a sub-group go on behind the step where they wait,
/// together again.
pub(super) fn release<const W: usize>(sub_group: &mut SubGroup<W>) {
    let parked = |f: &Fragment| matches!(f.state, State::Parked { .. });
    let Some(first) = sub_group.fragments.iter().position(parked) else {
        return;
    };
    // A fragment that has returned holds no lanes; one that waits is kept for
    // its copy of the uniform values.
    let fragment = sub_group.fragments.swap_remove(first);
    sub_group.fragments.clear();
    // All lanes that have not returned are here: no one else to meet.
    let together = behind(fragment, sub_group.live);
    sub_group.fragments.push(together);
}

/// A fragment of these lanes behind the step where `waiting` waits.
fn behind(mut waiting: Fragment, mask: u64) -> Fragment {
    if let State::Parked { step } = waiting.state {
        waiting.stack.clear();
        waiting.stack.push(Frame {
            pc: step + 1,
            until: None,
            mask,
        });
        waiting.state = State::Ready;
    }
    waiting
}

/// Lets lanes of a sub-group go on that wait for others of the sub-group, now
/// that none of its lanes can run; false where none waits so. Those that wait
/// at one step, in the same iterations of the loops around it, go on together.
pub(super) fn meet_in_sub_group<const W: usize, O: Observer>(
    context: &mut Context<'_, O>,
    sub_group: &mut SubGroup<W>,
) -> bool {
    let prepared = context.prepared;
    let of_sub_group = |f: &Fragment| {
        let State::Parked { step } = f.state else {
            return None;
        };
        let meeting = prepared.steps[step as usize].meeting()?;
        (meeting.scope == BarrierScope::SubGroup).then_some((step, meeting))
    };
    let Some((step, meeting)) = sub_group.fragments.iter().find_map(of_sub_group) else {
        return false;
    };
    let iterations = |f: &Fragment| -> Vec<u32> {
        let lane = f.lanes().trailing_zeros() as usize;
        let counters = meeting.loops.iter();
        counters
            .map(|&c| {
                sub_group.iterations[c as usize]
                    .get(lane)
                    .copied()
                    .unwrap_or(0)
            })
            .collect()
    };
    let here = |f: &Fragment| of_sub_group(f).is_some_and(|(s, _)| s == step);
    let wanted = sub_group.fragments.iter().find(|f| here(f)).map(iterations);
    let meets: Vec<bool> = sub_group
        .fragments
        .iter()
        .map(|f| here(f) && Some(iterations(f)) == wanted)
        .collect();
    let mut meets = meets.into_iter();
    let (together, apart): (Vec<_>, Vec<_>) = std::mem::take(&mut sub_group.fragments)
        .into_iter()
        .partition(|_| meets.next().unwrap_or(false));
    sub_group.fragments = apart;
    let mask = together.iter().fold(0, |all, f| all | f.lanes()) & sub_group.live;
    match &prepared.steps[step as usize] {
        Step::Group(function) => {
            group_functions::of_sub_group(context, sub_group, function, mask);
        }
        _ if mask != sub_group.initial => {
            let kind = FaultKind::SubGroupDivergence {
                active: mask.count_ones(),
                of: sub_group.initial.count_ones(),
            };
            context.fault(kind, meeting.at, sub_group.index, mask);
        }
        Step::Barrier(barrier) => {
            let observer = &mut *context.observer;
            observer.sub_group_barrier(sub_group.index, &barrier.event());
        }
        _ => {}
    }
    if let Some(first) = together.into_iter().next() {
        sub_group.fragments.push(behind(first, mask));
    }
    true
}
