//! Which scalars of private variables may be read before anything sets them.
//!
//! Definite assignment, a forward data-flow problem over sets of scalars: set at
//! the start of a block is what every predecessor leaves set. Solved for 64
//! scalars at a time, so that one machine word per block is all it takes.

use tilewise_ir::cfg::Cfg;
use tilewise_ir::{BlockId, Kernel};

/// A scalar of a variable.
type Slot = u32;

/// Scalars of one round.
const ROUND: u32 = 64;

/// What a block does to one scalar.
#[derive(Clone, Copy, Debug)]
struct Effect {
    slot: Slot,
    /// It is read before the block sets it.
    read_first: bool,
    /// Whether it is set when the block ends; `None` as when it began.
    after: Option<bool>,
}

/// What the blocks of a kernel do to scalars.
pub struct Assignments {
    /// By block.
    effects: Vec<Vec<Effect>>,
    /// Scalars that are read after their variable became new and before it is
    /// set, within one block.
    unset: Vec<Slot>,
}

impl Assignments {
    /// Nothing is known yet.
    pub fn new(kernel: &Kernel) -> Self {
        Self {
            effects: vec![Vec::new(); kernel.blocks.len()],
            unset: Vec::new(),
        }
    }

    fn effect(&mut self, block: BlockId, slot: Slot) -> &mut Effect {
        let effects = &mut self.effects[block.index()];
        let at = effects.iter().rposition(|e| e.slot == slot);
        let at = at.unwrap_or_else(|| {
            effects.push(Effect {
                slot,
                read_first: false,
                after: None,
            });
            effects.len() - 1
        });
        &mut effects[at]
    }

    /// The next thing that a block does is to read a scalar.
    pub fn reads(&mut self, block: BlockId, slot: Slot) {
        let effect = self.effect(block, slot);
        match effect.after {
            None => effect.read_first = true,
            Some(true) => {}
            Some(false) => self.unset.push(slot),
        }
    }

    /// The next thing that a block does is to set a scalar, or to make its
    /// variable new.
    pub fn leaves(&mut self, block: BlockId, slot: Slot, set: bool) {
        self.effect(block, slot).after = Some(set);
    }

    /// The scalars that may be read unset on some path, of `slots` in all.
    pub fn read_unset(mut self, cfg: &Cfg, slots: u32) -> Vec<Slot> {
        for effects in &mut self.effects {
            effects.sort_by_key(|e| e.slot);
        }
        let mut all = std::mem::take(&mut self.unset);
        let mut first = 0;
        while first < slots {
            let unset = self.round(cfg, first);
            all.extend(
                (0..ROUND)
                    .filter(|b| unset >> b & 1 != 0)
                    .map(|b| first + b),
            );
            first += ROUND;
        }
        all
    }

    /// The scalars of one round that may be read unset, a bit each.
    fn round(&self, cfg: &Cfg, first: Slot) -> u64 {
        let blocks = self.effects.len();
        let (mut read, mut known, mut set) =
            (vec![0u64; blocks], vec![0u64; blocks], vec![0u64; blocks]);
        for (b, effects) in self.effects.iter().enumerate() {
            let start = effects.partition_point(|e| e.slot < first);
            let here = effects[start..]
                .iter()
                .take_while(|e| e.slot < first + ROUND);
            for effect in here {
                let bit = 1u64 << (effect.slot - first);
                if effect.read_first {
                    read[b] |= bit;
                }
                if let Some(after) = effect.after {
                    known[b] |= bit;
                    set[b] |= if after { bit } else { 0 };
                }
            }
        }
        let mut out = vec![!0u64; blocks];
        let mut at_start = vec![!0u64; blocks];
        loop {
            let mut changed = false;
            for &block in cfg.reverse_post_order() {
                let b = block.index();
                let before = cfg.predecessors(block).iter();
                let start = match block {
                    Kernel::ENTRY => 0,
                    _ => before.fold(!0, |all, p| all & out[p.index()]),
                };
                let end = (start & !known[b]) | set[b];
                at_start[b] = start;
                changed |= std::mem::replace(&mut out[b], end) != end;
            }
            if !changed {
                break;
            }
        }
        (0..blocks).fold(0, |unset, b| unset | (read[b] & !at_start[b]))
    }
}
