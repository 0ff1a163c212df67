//! What staging gives.

use crate::refusal::Refusal;

/// A tile of a staged kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// The buffer whose elements it holds.
    pub buffer: String,
    /// Its parameter, or its array in the kernel.
    pub name: String,
    /// It is an array in the kernel, so that no argument has to be set.
    pub in_kernel: bool,
    /// Type of an element as the source spells it.
    pub element: String,
    /// Elements by coordinate, fastest first, in the launch's terms:
    /// `local_size(0)+2*R`.
    pub extents: Vec<String>,
    /// Bytes of a group's tile at the launch, where they are known.
    pub bytes: Option<u64>,
}

impl Tile {
    /// Elements in the launch's terms: `(local_size(0)+2)*local_size(1)`.
    pub fn length(&self) -> String {
        match &self.extents[..] {
            [one] => one.clone(),
            several => several
                .iter()
                .map(|e| {
                    if e.contains(['+', '-']) {
                        format!("({e})")
                    } else {
                        e.clone()
                    }
                })
                .collect::<Vec<_>>()
                .join("*"),
        }
    }
}

impl Staged {
    /// Whether the kernel takes more arguments than before.
    pub fn adds_parameters(&self) -> bool {
        self.tiles.iter().any(|t| !t.in_kernel) || !self.lengths.is_empty()
    }
}

/// A staged kernel.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The whole text.
    pub text: String,
    /// Its tiles, in the order of the new parameters.
    pub tiles: Vec<Tile>,
    /// Parameters behind those of the tiles: name, and the buffer whose number of
    /// elements they hold.
    pub lengths: Vec<(String, String)>,
    /// Buffers that are read whole.
    pub whole: Vec<String>,
    /// The only size of a group that it takes, where there is one.
    pub group: Option<[u64; 3]>,
    /// Buffers that are not staged, with the reason.
    pub refusals: Vec<Refusal>,
}
