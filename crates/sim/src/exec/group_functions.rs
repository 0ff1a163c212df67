//! Work-group and sub-group functions: reads the arguments of all lanes that
//! take part, then writes the results of all.
//!
//! What OpenCL leaves undefined is poison here: the value of a lane that does
//! not take part, or of none.

use tilewise_ir::{BarrierScope, GroupOp, Participants, Ty};

use super::control::Context;
use super::sub_group::SubGroup;
use crate::decode::{GroupStep, Register};
use crate::fault::FaultKind;
use crate::lanes::each_lane;
use crate::memory::POISON;
use crate::semantics::convert::truncate;
use crate::semantics::group::{combine, identity};

/// A work-item that takes part: index of its sub-group in the list, and lane.
type Member = (usize, usize);

/// Runs a sub-group function for the lanes of `mask`.
pub(super) fn of_sub_group<const W: usize, O>(
    context: &mut Context<'_, O>,
    sub_group: &mut SubGroup<W>,
    step: &GroupStep,
    mask: u64,
) {
    if step.participants == Participants::All && mask != sub_group.initial {
        let kind = FaultKind::SubGroupDivergence {
            active: mask.count_ones(),
            of: sub_group.initial.count_ones(),
        };
        context.fault(kind, step.at, sub_group.index, mask);
    }
    let members: Vec<Member> = each_lane(mask).map(|lane| (0, lane)).collect();
    exchange(context, std::slice::from_mut(sub_group), step, &members);
}

/// Runs a work-group function for all work-items that have not returned.
pub(super) fn of_work_group<const W: usize, O>(
    context: &mut Context<'_, O>,
    sub_groups: &mut [SubGroup<W>],
    step: &GroupStep,
) {
    let members: Vec<Member> = sub_groups
        .iter()
        .enumerate()
        .flat_map(|(i, s)| each_lane(s.live).map(move |lane| (i, lane)))
        .collect();
    exchange(context, sub_groups, step, &members);
}

/// Computes the results of all members, which are in the order of their ids.
fn exchange<const W: usize, O>(
    context: &mut Context<'_, O>,
    sub_groups: &mut [SubGroup<W>],
    step: &GroupStep,
    members: &[Member],
) {
    let read = |&(s, lane): &Member, register: &Register| {
        sub_groups[s].vectors.get(register.ty, register.slot, lane)
    };
    let arguments = |n: usize| -> Vec<u64> {
        step.args.get(n).map_or_else(Vec::new, |register| {
            members.iter().map(|m| read(m, register)).collect()
        })
    };
    let values = arguments(0);
    let ty = step.args.first().map_or(Ty::Bool, |r| r.ty);
    let results = match step.op {
        GroupOp::Broadcast if step.scope == BarrierScope::WorkGroup => {
            let ids: Vec<Vec<u64>> = (1..step.args.len()).map(arguments).collect();
            let (result, agree) = broadcast(context, members, &values, &ids, ty);
            if !agree && let Some(&(s, lane)) = members.first() {
                let (index, mask) = (sub_groups[s].index, 1 << lane);
                context.fault(FaultKind::BroadcastDivergence, step.at, index, mask);
            }
            Results::Same(result)
        }
        op => of_lanes(op, ty, members, &values, &arguments(1)),
    };
    for (n, &(s, lane)) in members.iter().enumerate() {
        for (part, register) in step.dst.iter().enumerate() {
            let bits = match &results {
                Results::Same(bits) => *bits,
                Results::Each(all) => all.get(n).copied().unwrap_or(0),
                Results::Ballot(lanes) => {
                    // Lanes beyond the 64 of the widest sub-group have no bit.
                    lanes.checked_shr(32 * part as u32).unwrap_or(0) & 0xFFFF_FFFF
                }
            };
            let vectors = &mut sub_groups[s].vectors;
            vectors.set(register.ty, register.slot, lane, bits);
        }
    }
}

enum Results {
    /// One for all.
    Same(u64),
    /// One per member.
    Each(Vec<u64>),
    /// A bit per lane.
    Ballot(u64),
}

/// `work_group_broadcast`: the value of the work-item with these local ids,
/// and whether all members name the same one.
fn broadcast<O>(
    context: &Context<'_, O>,
    members: &[Member],
    values: &[u64],
    ids: &[Vec<u64>],
    ty: Ty,
) -> (u64, bool) {
    let group = context.group;
    let agree = ids.iter().all(|id| id.windows(2).all(|w| w[0] == w[1]));
    let id = |d: usize| ids.get(d).and_then(|id| id.first().copied()).unwrap_or(0);
    let size = group.size.map(u64::from);
    let inside = (0..3).all(|d| id(d) < size[d]);
    let linear = inside.then(|| (id(2) * size[1] + id(1)) * size[0] + id(0));
    let width = u64::from(group.width);
    let source = linear.and_then(|at| {
        let is_source = |m: &Member| m.0 as u64 * width + m.1 as u64 == at;
        values.get(members.iter().position(is_source)?).copied()
    });
    (source.unwrap_or_else(|| poison(ty)), agree)
}

fn of_lanes(op: GroupOp, ty: Ty, members: &[Member], values: &[u64], second: &[u64]) -> Results {
    let holds = || values.iter().filter(|&&v| v != 0).count();
    // The value of the lane that `source` gives for each member's own lane.
    let from = |source: &dyn Fn(u64, u64) -> Option<u64>| {
        let value_of = |lane: u64| {
            let at = members.iter().position(|m| m.1 as u64 == lane)?;
            values.get(at).copied()
        };
        let each = members.iter().zip(second).map(|(m, &arg)| {
            let lane = source(m.1 as u64, arg);
            lane.and_then(value_of).unwrap_or_else(|| poison(ty))
        });
        Results::Each(each.collect())
    };
    match op {
        GroupOp::All => Results::Same(u64::from(holds() == values.len())),
        GroupOp::Any => Results::Same(u64::from(holds() > 0)),
        GroupOp::AllEqual => {
            Results::Same(u64::from(values.windows(2).all(|w| equal(ty, w[0], w[1]))))
        }
        GroupOp::Elect => Results::Each((0..members.len()).map(|n| u64::from(n == 0)).collect()),
        GroupOp::BroadcastFirst => Results::Same(values.first().copied().unwrap_or(0)),
        GroupOp::Broadcast | GroupOp::Shuffle => from(&|_, lane| Some(lane)),
        GroupOp::ShuffleXor => from(&|own, mask| Some(own ^ mask)),
        GroupOp::ShuffleUp => from(&|own, delta| own.checked_sub(delta)),
        GroupOp::ShuffleDown => from(&|own, delta| own.checked_add(delta)),
        GroupOp::Ballot => Results::Ballot(
            members
                .iter()
                .zip(values)
                .filter(|(_, v)| **v != 0)
                .fold(0, |lanes, (m, _)| lanes | 1 << m.1),
        ),
        GroupOp::Reduce(how) => {
            let all = values.iter().copied().reduce(|a, b| combine(how, ty, a, b));
            Results::Same(all.unwrap_or_else(|| identity(how, ty)))
        }
        GroupOp::InclusiveScan(how) => {
            let mut sum: Option<u64> = None;
            let each = values.iter().map(|&v| {
                let next = sum.map_or(v, |s| combine(how, ty, s, v));
                sum = Some(next);
                next
            });
            Results::Each(each.collect())
        }
        GroupOp::ExclusiveScan(how) => {
            let mut sum: Option<u64> = None;
            let each = values.iter().map(|&v| {
                let before = sum.unwrap_or_else(|| identity(how, ty));
                sum = Some(sum.map_or(v, |s| combine(how, ty, s, v)));
                before
            });
            Results::Each(each.collect())
        }
        GroupOp::ClusteredReduce(how) => {
            let size = second.first().copied().unwrap_or(1).max(1);
            let cluster = |m: &Member| m.1 as u64 / size;
            let each = members.iter().map(|own| {
                members
                    .iter()
                    .zip(values)
                    .filter(|(m, _)| cluster(m) == cluster(own))
                    .map(|(_, &v)| v)
                    .reduce(|a, b| combine(how, ty, a, b))
                    .unwrap_or_else(|| identity(how, ty))
            });
            Results::Each(each.collect())
        }
    }
}

/// Whether two values compare equal: floating-point zeros do, NaNs don't.
fn equal(ty: Ty, a: u64, b: u64) -> bool {
    if ty.is_float() {
        use crate::semantics::convert::to_double;
        to_double(a, ty) == to_double(b, ty)
    } else {
        a == b
    }
}

fn poison(ty: Ty) -> u64 {
    let bits = u64::from(POISON);
    match ty {
        Ty::Bool => 0,
        _ => truncate(bits << 32 | bits, ty),
    }
}
