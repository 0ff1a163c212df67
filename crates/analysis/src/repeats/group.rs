//! One work-group that is compared with others, or watched.

use std::sync::Arc;

use tilewise_ir::{BlockId, InstId};
use tilewise_sim::{AccessEvent, BarrierEvent, GroupInfo, Observer};

use super::ShiftInvariant;
use super::known::Known;
use super::trace::{Access, Event, Places, Trace, What};

/// Watches one work-group for [`Repeats`](super::Repeats).
pub struct GroupRepeats<A: ShiftInvariant> {
    watcher: Box<A::Group>,
    group: GroupInfo,
    known: Option<Arc<Known<A::Figures>>>,
    state: State<A::Figures>,
    places: Places,
    /// Barriers so far.
    barriers: u32,
}

/// How a group is watched.
pub(super) enum State<F> {
    /// So far it has done what another group did.
    Follows {
        trace: usize,
        told: Arc<(Trace, F)>,
        /// The next event.
        at: usize,
    },
    /// It is watched, and what it does is kept.
    Records(Trace),
    /// It is watched.
    Watched,
}

impl<A: ShiftInvariant> GroupRepeats<A> {
    pub(super) fn new(
        mut watcher: Box<A::Group>,
        group: &GroupInfo,
        known: Option<Arc<Known<A::Figures>>>,
        line: u64,
    ) -> Self {
        let state = match &known {
            None => State::Watched,
            Some(known) => match known.first(group.size) {
                Some(trace) => State::Follows {
                    trace,
                    told: known.told(trace),
                    at: 0,
                },
                None => State::Records(Trace {
                    size: group.size,
                    ..Trace::default()
                }),
            },
        };
        if !matches!(state, State::Follows { .. }) {
            A::start(&mut watcher, group);
        }
        Self {
            watcher,
            group: *group,
            known,
            state,
            places: Places::new(line),
            barriers: 0,
        }
    }

    /// The group is done.
    #[expect(clippy::type_complexity, reason = "the parts of the group")]
    pub(super) fn end(
        mut self,
    ) -> (
        Box<A::Group>,
        State<A::Figures>,
        Option<Arc<Known<A::Figures>>>,
    ) {
        if let State::Follows { told, at, .. } = &self.state
            && *at < told.0.events.len()
        {
            // Others may have ended here, too.
            let at = *at;
            self.leave(|trace, _| trace.events.len() == at);
        }
        (self.watcher, self.state, self.known)
    }

    /// Follows another trace from an event on at which the one followed has another;
    /// where none is known, the group is watched from now on. `fits` says whether a
    /// trace goes on as the group does. Returns whether one does.
    #[cold]
    fn leave(&mut self, mut fits: impl FnMut(&Trace, &mut Places) -> bool) -> bool {
        let State::Follows { trace, told, at } = &self.state else {
            return false;
        };
        let (number, at) = (*trace, *at);
        if let Some(known) = &self.known {
            let places = &mut self.places;
            let next = known
                .parting(number, at)
                .find(|&n| fits(known.trace(n), places));
            if let Some(next) = next {
                self.state = State::Follows {
                    trace: next,
                    told: known.told(next),
                    at,
                };
                return true;
            }
        }
        let start = told.0.start_of(at);
        A::start(&mut self.watcher, &self.group);
        start.tell(&self.places, &mut *self.watcher);
        self.state = State::Records(start);
        false
    }

    /// Compares an event that is no access; returns whether it was another's, too.
    #[inline(always)]
    fn follows(&mut self, event: Event) -> bool {
        let State::Follows { told, at, .. } = &mut self.state else {
            return false;
        };
        if told.0.events.get(*at) == Some(&event) {
            *at += 1;
            return true;
        }
        let at = *at;
        self.turn(|trace, _| trace.events.get(at) == Some(&event))
    }

    /// As [`Self::leave`], past the event.
    #[cold]
    fn turn(&mut self, fits: impl FnMut(&Trace, &mut Places) -> bool) -> bool {
        let found = self.leave(fits);
        if found && let State::Follows { at, .. } = &mut self.state {
            *at += 1;
        }
        found
    }

    /// As [`Self::follows`], for an access.
    #[inline(always)]
    fn follows_access(&mut self, event: &AccessEvent<'_>) -> bool {
        let State::Follows { told, at, .. } = &mut self.state else {
            return false;
        };
        if is_access(&told.0, *at, event, &mut self.places) {
            *at += 1;
            return true;
        }
        let at = *at;
        self.turn(|trace, places| is_access(trace, at, event, places))
    }

    /// Keeps an event where the group's are kept.
    #[inline(always)]
    fn record(&mut self, sub_group: u32, mask: u64, what: impl FnOnce(&mut Trace) -> What) {
        if let State::Records(trace) = &mut self.state {
            if trace.is_full() {
                self.state = State::Watched;
                return;
            }
            let what = what(trace);
            trace.events.push(Event {
                what,
                sub_group,
                mask,
            });
        }
    }
}

/// Whether a group's access is the event of a trace.
#[inline(always)]
fn is_access(trace: &Trace, at: usize, event: &AccessEvent<'_>, places: &mut Places) -> bool {
    let Some(known) = trace.events.get(at) else {
        return false;
    };
    let What::Access { number } = known.what else {
        return false;
    };
    known.sub_group == event.sub_group
        && known.mask == event.mask
        && trace.accesses[number as usize].is(event, places)
}

impl<A: ShiftInvariant> Observer for GroupRepeats<A> {
    const INSTRUCTIONS: bool = A::Group::INSTRUCTIONS;
    const ACCESSES: bool = A::Group::ACCESSES;

    #[inline]
    fn instruction(&mut self, sub_group: u32, inst: InstId, mask: u64) {
        self.instructions(sub_group, inst, 1, mask);
    }

    #[inline]
    fn instructions(&mut self, sub_group: u32, first: InstId, count: u32, mask: u64) {
        let what = What::Instructions {
            first: first.index() as u32,
            count,
        };
        let event = Event {
            what,
            sub_group,
            mask,
        };
        if !self.follows(event) {
            self.record(sub_group, mask, |_| what);
            self.watcher.instructions(sub_group, first, count, mask);
        }
    }

    #[inline]
    fn edge(&mut self, sub_group: u32, from: BlockId, to: BlockId, mask: u64) {
        let what = What::Edge {
            from: from.index() as u32,
            to: to.index() as u32,
        };
        let event = Event {
            what,
            sub_group,
            mask,
        };
        if !self.follows(event) {
            self.record(sub_group, mask, |_| what);
            self.watcher.edge(sub_group, from, to, mask);
        }
    }

    #[inline]
    fn access(&mut self, event: &AccessEvent<'_>) {
        if self.follows_access(event) {
            return;
        }
        if matches!(self.state, State::Records(_)) {
            match Access::new(event, &mut self.places) {
                Some(access) => self.record(event.sub_group, event.mask, |trace| {
                    trace.accesses.push(access);
                    What::Access {
                        number: trace.accesses.len() as u32 - 1,
                    }
                }),
                None => self.state = State::Watched,
            }
        }
        self.watcher.access(event);
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        let inst = event.inst.index() as u32;
        let number = self.barriers;
        self.barriers += 1;
        let what = What::Barrier { inst, number };
        let of_group = Event {
            what,
            sub_group: 0,
            mask: 0,
        };
        if !self.follows(of_group) {
            self.record(0, 0, |trace| {
                trace.barriers.push((event.site, event.fence));
                what
            });
            self.watcher.barrier(event);
        }
    }

    fn sub_group_barrier(&mut self, sub_group: u32, event: &BarrierEvent) {
        let inst = event.inst.index() as u32;
        let number = self.barriers;
        self.barriers += 1;
        let what = What::SubGroupBarrier { inst, number };
        let of_sub_group = Event {
            what,
            sub_group,
            mask: 0,
        };
        if !self.follows(of_sub_group) {
            self.record(sub_group, 0, |trace| {
                trace.barriers.push((event.site, event.fence));
                what
            });
            self.watcher.sub_group_barrier(sub_group, event);
        }
    }
}
