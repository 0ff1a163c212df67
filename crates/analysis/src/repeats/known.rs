//! What groups have done, as a tree: two traces share what they begin with.

use std::sync::Arc;

use super::trace::Trace;

/// Traces with the figures they come to. Each but the first of its group size
/// parts from an earlier one at some event.
#[derive(Debug)]
pub(super) struct Known<F> {
    leaves: Vec<Leaf<F>>,
    events: usize,
}

#[derive(Debug)]
struct Leaf<F> {
    told: Arc<(Trace, F)>,
    /// Event at which another trace parts from this one, and which.
    parts: Vec<(usize, usize)>,
    /// It parts from none.
    first: bool,
}

impl<F> Clone for Leaf<F> {
    fn clone(&self) -> Self {
        Self {
            told: Arc::clone(&self.told),
            parts: self.parts.clone(),
            first: self.first,
        }
    }
}

impl<F> Clone for Known<F> {
    fn clone(&self) -> Self {
        Self {
            leaves: self.leaves.clone(),
            events: self.events,
        }
    }
}

impl<F> Default for Known<F> {
    fn default() -> Self {
        Self {
            leaves: Vec::new(),
            events: 0,
        }
    }
}

impl<F> Known<F> {
    /// Most events that are kept (some 24 bytes each, accesses some 100 more).
    const MOST_EVENTS: usize = 1 << 20;

    /// The first trace of groups of a size.
    pub fn first(&self, size: [u32; 3]) -> Option<usize> {
        let is_first = |leaf: &Leaf<F>| leaf.first && leaf.told.0.size == size;
        self.leaves.iter().position(is_first)
    }

    #[inline(always)]
    pub fn trace(&self, number: usize) -> &Trace {
        &self.leaves[number].told.0
    }

    /// A trace with its figures.
    pub fn told(&self, number: usize) -> Arc<(Trace, F)> {
        Arc::clone(&self.leaves[number].told)
    }

    pub fn figures(&self, number: usize) -> &F {
        &self.leaves[number].told.1
    }

    /// The traces that part from one at an event.
    pub fn parting(&self, trace: usize, event: usize) -> impl Iterator<Item = usize> + '_ {
        let parts = self.leaves[trace].parts.iter();
        parts.filter(move |p| p.0 == event).map(|p| p.1)
    }

    /// Keeps a trace, unless it is known or there is no more room; whether it was not
    /// known.
    pub fn insert(&mut self, trace: Trace, figures: F) -> bool {
        if self.events + trace.events.len() > Self::MOST_EVENTS {
            return true;
        }
        let number = self.leaves.len();
        let mut first = true;
        if let Some(mut near) = self.first(trace.size) {
            first = false;
            let mut event = 0;
            loop {
                event = self.trace(near).parts_from(&trace, event);
                if self.trace(near).agrees(&trace, event) {
                    // Both end here: it is the same.
                    return false;
                }
                let nearer = self
                    .parting(near, event)
                    .find(|&n| self.trace(n).agrees(&trace, event));
                match nearer {
                    Some(nearer) => near = nearer,
                    None => break,
                }
            }
            self.leaves[near].parts.push((event, number));
        }
        self.events += trace.events.len();
        self.leaves.push(Leaf {
            told: Arc::new((trace, figures)),
            parts: Vec::new(),
            first,
        });
        true
    }
}
