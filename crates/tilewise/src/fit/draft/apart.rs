//! A draft whose sizes differ from each other, and the lengths that runs of it show.

use std::collections::BTreeMap;

use tilewise_launch::ParamKind;
use tilewise_launch::guess::{Bound, Guess};

use super::{Draft, Length, split};

impl Draft<'_> {
    /// Gives each size that was guessed a value of its own: further from the others than
    /// an expression may be from what it stands for, and the other way round in the
    /// second way.
    pub(super) fn set_apart(&self, guess: &mut Guess, way: u64) {
        let value = |guess: &Guess, name: &str| guess.argument(name)?.parse::<u64>().ok();
        let sizes: Vec<(&str, u64)> = self
            .signature
            .params
            .iter()
            .filter(|p| matches!(p.kind, ParamKind::Value(_)))
            // 1 and 2 are mostly no sizes.
            .filter_map(|p| Some((p.name.as_str(), value(guess, &p.name).filter(|n| *n > 2)?)))
            .collect();
        for (index, (name, n)) in sizes.iter().enumerate() {
            let rank = if way == 0 {
                index
            } else {
                sizes.len() - 1 - index
            } as u64;
            let other = match n {
                // A small window stays one.
                0..16 => n + rank % 4,
                _ => n + n * rank / 8 + 3 + way,
            };
            guess.correct(name, other.to_string(), "a size of its own");
        }
    }

    /// Buffers whose lengths are left to the guess, with the guessed ones.
    pub(in crate::fit) fn guessed_lengths(&self) -> BTreeMap<usize, String> {
        let guess = self.guess();
        let params = self.signature.params.iter().enumerate();
        params
            .filter(|(arg, p)| {
                matches!(
                    p.kind,
                    ParamKind::Global { .. } | ParamKind::Constant { .. }
                ) && self.is_guessed(*arg)
            })
            .filter_map(|(arg, p)| {
                let length = split(guess.argument(&p.name)?).0?;
                Some((arg, length.to_owned()))
            })
            .collect()
    }

    /// The draft with these lengths open and with sizes that differ from each other.
    pub(in crate::fit) fn apart(&self, args: impl Iterator<Item = usize>, way: u64) -> Self {
        let mut apart = self.clone();
        apart.lengths.extend(args.map(|arg| (arg, Length::Open)));
        apart.apart = Some(way);
        apart
    }

    /// The expressions of the kernel's bounds on its ids.
    pub(in crate::fit) fn bounds(&self) -> impl Iterator<Item = String> {
        self.seen.bounds.iter().flatten().map(Bound::factor)
    }

    /// Sets the length of a buffer to what runs showed.
    pub(in crate::fit) fn set_length(&mut self, arg: usize, text: String) {
        self.lengths.insert(arg, Length::Seen { text });
    }
}
