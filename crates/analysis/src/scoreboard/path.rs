//! Times, and the chain of events that led to them.

/// Who answers a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What lies beyond the L1.
    Far,
    /// The L1 or the constant cache; private memory too.
    L1,
    /// Local memory.
    Local,
}

/// Memory round trips that followed one another, and the cycles they took, by
/// [`Level`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    pub trips: [u32; 3],
    pub cycles: [u64; 3],
    /// Cycles of barriers that everyone had reached.
    pub barrier_cycles: u64,
}

impl Path {
    /// The path with one more round trip.
    pub fn then(mut self, level: Level, cycles: u64) -> Self {
        self.trips[level as usize] += 1;
        self.cycles[level as usize] += cycles;
        self
    }
}

/// A path among the [`Paths`] of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathId(u32);

/// The paths of a group. Thousands of values have the same one, so that a time
/// goes with a number and not with the path itself.
#[derive(Debug)]
pub struct Paths {
    list: Vec<Path>,
}

impl Default for Paths {
    fn default() -> Self {
        // The path on which nothing happened is number 0.
        Self {
            list: vec![Path::default()],
        }
    }
}

impl Paths {
    /// Forgets all paths but that on which nothing happened.
    pub fn clear(&mut self) {
        self.list.truncate(1);
    }

    /// So many paths are worth looking for those that nothing refers to.
    const MANY: usize = 1 << 16;

    pub fn get(&self, id: PathId) -> &Path {
        &self.list[id.0 as usize]
    }

    pub fn add(&mut self, path: Path) -> PathId {
        let id = PathId(self.list.len() as u32);
        self.list.push(path);
        id
    }

    pub fn are_many(&self) -> bool {
        self.list.len() >= Self::MANY
    }

    /// Keeps the paths that are referred to, and renumbers the references.
    pub fn keep<'a>(&mut self, references: impl Iterator<Item = &'a mut PathId>) {
        const DROPPED: u32 = u32::MAX;
        let mut moved = vec![DROPPED; self.list.len()];
        moved[0] = 0;
        let mut kept = vec![Path::default()];
        for id in references {
            let to = &mut moved[id.0 as usize];
            if *to == DROPPED {
                *to = kept.len() as u32;
                kept.push(self.list[id.0 as usize]);
            }
            *id = PathId(*to);
        }
        self.list = kept;
    }
}

/// When a value can be read, and what led to that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ready {
    /// The cycle.
    pub time: u64,
    /// What led to it.
    pub path: PathId,
}

impl Ready {
    /// The later one.
    pub fn later(self, other: Self) -> Self {
        if other.time > self.time { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, Path, Paths, Ready};

    #[test]
    fn dropping_paths_keeps_those_in_use() {
        let mut paths = Paths::default();
        let far = Path::default().then(Level::Far, 600);
        let mut ready = Ready::default();
        for cycles in 0..10 {
            ready.path = paths.add(Path::default().then(Level::L1, cycles));
        }
        let mut used = [Ready::default(), ready, ready];
        used[0].path = paths.add(far);
        paths.keep(used.iter_mut().map(|r| &mut r.path));
        assert_eq!(*paths.get(used[0].path), far);
        assert_eq!(paths.get(used[1].path).cycles, [0, 9, 0]);
        assert_eq!(used[1].path, used[2].path);
        // Nothing, and the two in use.
        assert_eq!(paths.list.len(), 3);
    }
}
