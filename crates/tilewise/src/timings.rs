//! Where the time of a command goes, by phase (`--timings`).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tilewise_report::Timing;

/// Seconds by phase, in the order in which phases first ended. Clones share
/// one list, so that a session with other settings adds to the same.
#[derive(Clone, Debug, Default)]
pub struct Timings(Arc<Mutex<Vec<Timing>>>);

/// A phase that runs; it ends where this is dropped.
#[derive(Debug)]
#[must_use = "the phase ends where this is dropped"]
pub struct Phase<'t> {
    timings: &'t Timings,
    name: String,
    start: Instant,
}

impl Timings {
    /// Begins a phase, such as `simulate blur_naive`. Phases of one name add up.
    pub fn phase(&self, name: impl Into<String>) -> Phase<'_> {
        Phase {
            timings: self,
            name: name.into(),
            start: Instant::now(),
        }
    }

    /// The phases since they were last taken.
    pub fn take(&self) -> Vec<Timing> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, phase: String, seconds: f64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.iter_mut().find(|t| t.phase == phase) {
            Some(known) => known.seconds += seconds,
            None => all.push(Timing { phase, seconds }),
        }
    }
}

impl Drop for Phase<'_> {
    fn drop(&mut self) {
        let name = std::mem::take(&mut self.name);
        self.timings.add(name, self.start.elapsed().as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::Timings;

    #[test]
    fn phases_of_one_name_add_up() {
        let timings = Timings::default();
        let shared = timings.clone();
        drop(timings.phase("compile a.cl"));
        drop(shared.phase("simulate a"));
        drop(shared.phase("compile a.cl"));
        let taken = timings.take();
        let phases: Vec<&str> = taken.iter().map(|t| t.phase.as_str()).collect();
        assert_eq!(phases, ["compile a.cl", "simulate a"]);
        assert!(taken.iter().all(|t| t.seconds >= 0.0));
        assert!(shared.take().is_empty());
    }
}
