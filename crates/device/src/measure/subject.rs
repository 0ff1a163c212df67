//! One kernel under measurement.

use std::hash::{DefaultHasher, Hasher};

use super::{Samples, WorkingSet};
use crate::bound::BoundLaunch;
use crate::error::DeviceError;
use crate::event::Event;

/// A launch with its samples so far.
pub(super) struct Subject<'a> {
    launch: &'a BoundLaunch,
    last_cache: u64,
    /// The set that the next launch works on.
    next_set: usize,
    first_output: u64,
    ns: Vec<u64>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(launch: &'a BoundLaunch, last_cache: u64) -> Subject<'a> {
        Subject {
            launch,
            last_cache,
            next_set: 0,
            first_output: 0,
            ns: Vec::new(),
        }
    }

    /// Runs once on poisoned outputs and hands them out.
    pub(super) fn first_run(&mut self, take: impl FnMut(usize, &[u8])) -> Result<(), DeviceError> {
        self.first_output = self.run_and_hash(take)?;
        self.set_back(0, 1)
    }

    /// Takes one sample of so many launches.
    pub(super) fn sample(&mut self, launches: u32) -> Result<(), DeviceError> {
        let ns = self.time(launches)?;
        self.ns.push(ns);
        Ok(())
    }

    /// Time in ns from the start of the first to the end of the last of so many
    /// launches.
    pub(super) fn time(&mut self, launches: u32) -> Result<u64, DeviceError> {
        let sets = self.launch.sets();
        let first_set = self.next_set;
        self.launch.queue().finish()?;
        let mut events: Vec<Event> = Vec::with_capacity(launches as usize);
        for _ in 0..launches {
            if sets > 1 {
                self.launch.select_set(self.next_set)?;
                self.next_set = (self.next_set + 1) % sets;
            }
            events.push(self.launch.enqueue()?);
        }
        self.launch.queue().flush()?;
        let ns = match &events[..] {
            [] => return Err(DeviceError::NothingToMeasure),
            [one] => one.times()?.duration_ns(),
            [first, .., last] => {
                let end = last.times()?.end;
                end.saturating_sub(first.times()?.start)
            }
        };
        self.set_back(first_set, sets.min(launches as usize))?;
        Ok(ns)
    }

    /// Sets the in-out buffers of `count` sets from `first` on back, after
    /// their use and not before the next: the copy would bring them into the
    /// cache. Left alone, an in-place kernel would run on ever other data, with
    /// ever other branches and, at last, infinities.
    fn set_back(&self, first: usize, count: usize) -> Result<(), DeviceError> {
        if self.launch.has_in_out() {
            let sets = self.launch.sets();
            for turn in 0..count {
                self.launch.restore((first + turn) % sets)?;
            }
        }
        Ok(())
    }

    /// Runs once more on poisoned outputs and compares with the first run.
    pub(super) fn finish(self, launches: u32) -> Result<Samples, DeviceError> {
        let last_output = self.run_and_hash(|_, _| {})?;
        Ok(Samples {
            kernel: self.launch.kernel().name().to_owned(),
            launches,
            working_set: WorkingSet {
                bytes: self.launch.working_set(),
                last_cache: self.last_cache,
                sets: self.launch.sets(),
            },
            repeatable: last_output == self.first_output,
            ns: self.ns,
        })
    }

    fn run_and_hash(&self, mut take: impl FnMut(usize, &[u8])) -> Result<u64, DeviceError> {
        self.launch.run()?;
        let mut hash = DefaultHasher::new();
        self.launch.read_outputs(|arg, bytes| {
            hash.write_usize(arg);
            hash.write(bytes);
            take(arg, bytes);
        })?;
        Ok(hash.finish())
    }
}
