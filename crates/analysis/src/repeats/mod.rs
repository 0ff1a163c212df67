//! Work-groups that do what another has done, elsewhere.
//!
//! Most groups of a launch run the same instructions at other addresses. What
//! counting analyses say of a group follows from the instructions that its
//! sub-groups run, with which lanes, and from where its accesses lie relative to
//! one another and to the sectors and lines of memory, but not from where in a
//! buffer that is ([`ShiftInvariant`]). So a group is not watched by them at first
//! but compared, event by event, with one that ran before (memoisation, Michie,
//! "Memo functions and machine learning", 1968): an access must be the same up to
//! a shift of its region by whole lines. A group whose events are the same to the
//! end has the same figures. At the first event that no earlier group has had at
//! that place, the events up to there are told to the analyses after all, and what
//! the group does is kept for those that follow.
//!
//! Nothing is concluded from a likeness that was not checked: what comes out is
//! what watching each group would give.
//!
//! Misses: groups whose addresses depend on data mostly have nothing in common, and
//! after some of those no more are compared; so are groups with an access that
//! spans regions.

mod group;
mod known;
mod trace;

use std::sync::Arc;

use tilewise_sim::{Analysis, GroupInfo};

pub use group::GroupRepeats;
use group::State;
use known::Known;

use crate::idle::Idle;
use crate::shape::MemoryShape;

/// An analysis whose figures of a work-group stay the same where all accesses to a
/// region of global or constant memory are shifted by whole lines.
pub trait ShiftInvariant: Analysis {
    /// What a group comes to.
    type Figures: Clone + Send + Sync + 'static;

    /// The state of a group that may never be told anything.
    fn idle(&self, group: &GroupInfo) -> Self::Group;

    /// Makes a state ready for a group.
    fn start(state: &mut Self::Group, group: &GroupInfo);

    /// The figures of a group that was watched.
    fn close(&self, state: &mut Self::Group) -> Self::Figures;

    /// Enters the figures of a group.
    fn enter(&mut self, group: &GroupInfo, figures: &Self::Figures);
}

/// Runs analyses on groups that differ, and on one of those that don't.
pub struct Repeats<A: ShiftInvariant> {
    analysis: A,
    /// `None` where nothing is compared.
    known: Option<Arc<Known<A::Figures>>>,
    /// Bytes of the largest block of memory whose bounds count.
    line: u64,
    /// States of the analyses that are done and can be used again. A group is moved
    /// about, what watches it is not.
    idle: Idle<Box<A::Group>>,
    again: u64,
    anew: u64,
    /// Groups that were watched beside others of their kind, on another thread.
    beside: u64,
}

impl<A: ShiftInvariant> Repeats<A> {
    /// For analyses of memory of this shape. Every group is watched unless
    /// `compares`.
    pub fn new(analysis: A, shape: &MemoryShape, compares: bool) -> Self {
        let line = shape.line_bytes.max(shape.sector_bytes).max(8);
        Self {
            analysis,
            known: compares.then(Arc::default),
            line: u64::from(line).next_power_of_two(),
            idle: Idle::default(),
            again: 0,
            anew: 0,
            beside: 0,
        }
    }

    /// Groups whose figures were those of an earlier group, and groups that were
    /// watched.
    pub fn counts(&self) -> (u64, u64) {
        (self.again, self.anew)
    }

    /// Whether comparing is not worth it: hardly any group is like another.
    fn is_futile(&self) -> bool {
        const TRIES: u64 = 24;
        let (anew, again) = (self.anew - self.beside, self.again + self.beside);
        anew > TRIES && anew > again / 2
    }
}

impl<A: ShiftInvariant> Analysis for Repeats<A> {
    type Group = GroupRepeats<A>;

    fn begin(&self, group: &GroupInfo) -> GroupRepeats<A> {
        let watcher = self.idle.take();
        let watcher = watcher.unwrap_or_else(|| Box::new(self.analysis.idle(group)));
        GroupRepeats::new(watcher, group, self.known.clone(), self.line)
    }

    fn finish(&mut self, group: &GroupInfo, state: GroupRepeats<A>) {
        let (mut watcher, state, known) = state.end();
        match (state, &known) {
            (State::Follows { trace, .. }, Some(known)) => {
                self.again += 1;
                self.analysis.enter(group, known.figures(trace));
            }
            (state, _) => {
                self.anew += 1;
                let figures = self.analysis.close(&mut watcher);
                self.analysis.enter(group, &figures);
                // This group's own share of them would keep the list from growing
                // in place.
                drop(known);
                if let (State::Records(trace), Some(known)) = (state, &mut self.known) {
                    let is_new = Arc::make_mut(known).insert(trace, figures);
                    self.beside += u64::from(!is_new);
                }
            }
        }
        self.idle.put(watcher);
        if self.is_futile() {
            self.known = None;
        }
    }
}

impl<A: ShiftInvariant> ShiftInvariant for &mut A {
    type Figures = A::Figures;

    fn idle(&self, group: &GroupInfo) -> Self::Group {
        A::idle(self, group)
    }

    fn start(state: &mut Self::Group, group: &GroupInfo) {
        A::start(state, group);
    }

    fn close(&self, state: &mut Self::Group) -> Self::Figures {
        A::close(self, state)
    }

    fn enter(&mut self, group: &GroupInfo, figures: &Self::Figures) {
        A::enter(self, group, figures);
    }
}

impl<A: ShiftInvariant, B: ShiftInvariant> ShiftInvariant for (A, B) {
    type Figures = (A::Figures, B::Figures);

    fn idle(&self, group: &GroupInfo) -> Self::Group {
        (self.0.idle(group), self.1.idle(group))
    }

    fn start((a, b): &mut Self::Group, group: &GroupInfo) {
        A::start(a, group);
        B::start(b, group);
    }

    fn close(&self, (a, b): &mut Self::Group) -> Self::Figures {
        (self.0.close(a), self.1.close(b))
    }

    fn enter(&mut self, group: &GroupInfo, (a, b): &Self::Figures) {
        self.0.enter(group, a);
        self.1.enter(group, b);
    }
}

impl<A: ShiftInvariant> ShiftInvariant for Option<A> {
    type Figures = Option<A::Figures>;

    fn idle(&self, group: &GroupInfo) -> Self::Group {
        self.as_ref().map(|a| a.idle(group))
    }

    fn start(state: &mut Self::Group, group: &GroupInfo) {
        if let Some(state) = state {
            A::start(state, group);
        }
    }

    fn close(&self, state: &mut Self::Group) -> Self::Figures {
        self.as_ref()
            .zip(state.as_mut())
            .map(|(a, state)| a.close(state))
    }

    fn enter(&mut self, group: &GroupInfo, figures: &Self::Figures) {
        if let (Some(a), Some(figures)) = (self, figures) {
            a.enter(group, figures);
        }
    }
}

#[cfg(test)]
mod tests;
