//! States of work-groups that are done, used again for groups that follow.

use std::sync::{Mutex, PoisonError};

/// Those of one analysis: groups begin on many threads and end on one.
#[derive(Debug)]
pub(crate) struct Idle<S>(Mutex<Vec<S>>);

impl<S> Default for Idle<S> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<S> Idle<S> {
    /// A state that is done, if there is one.
    pub fn take(&self) -> Option<S> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop()
    }

    /// Keeps a state that is done.
    pub fn put(&mut self, state: S) {
        let idle = self.0.get_mut();
        idle.unwrap_or_else(PoisonError::into_inner).push(state);
    }
}
