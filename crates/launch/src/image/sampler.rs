//! Samplers, and the bits that stand for them.
//!
//! The bits are those with which OpenCL C initialises a `sampler_t`
//! (`CLK_NORMALIZED_COORDS_TRUE` and so on, with the values that clang's
//! headers give them), so that a sampler in a kernel's source, in SPIR-V and
//! on the command line is one number.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::suggest::nearest;

/// What happens to coordinates outside of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Addressing {
    /// The kernel promises that there are none.
    None,
    /// The nearest texel of the edge.
    ClampToEdge,
    /// The border colour.
    Clamp,
    /// The image repeats.
    Repeat,
    /// The image repeats, every other time mirrored.
    MirroredRepeat,
}

impl Addressing {
    const ALL: [Addressing; 5] = [
        Addressing::None,
        Addressing::ClampToEdge,
        Addressing::Clamp,
        Addressing::Repeat,
        Addressing::MirroredRepeat,
    ];

    const fn name(self) -> &'static str {
        match self {
            Addressing::None => "none",
            Addressing::ClampToEdge => "clamp_to_edge",
            Addressing::Clamp => "clamp",
            Addressing::Repeat => "repeat",
            Addressing::MirroredRepeat => "mirrored_repeat",
        }
    }

    /// Defined for normalised coordinates only.
    const fn needs_normalized(self) -> bool {
        matches!(self, Addressing::Repeat | Addressing::MirroredRepeat)
    }
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sampler {
    /// Coordinates outside of the image.
    pub addressing: Addressing,
    /// The mean of the neighbouring texels, not the nearest one.
    pub linear: bool,
    /// Coordinates go from 0 to 1 over the image.
    pub normalized: bool,
}

const NORMALIZED: u64 = 1;
const ADDRESSING: u64 = 0xE;
const NEAREST: u64 = 0x10;
const LINEAR: u64 = 0x20;

/// A text or number that is no sampler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SamplerError {
    problem: String,
}

fn fail<T>(problem: String) -> Result<T, SamplerError> {
    Err(SamplerError { problem })
}

impl Sampler {
    /// `clamp_to_edge,nearest`: what a sampler that is not given is taken for.
    pub const DEFAULT: Sampler = Sampler {
        addressing: Addressing::ClampToEdge,
        linear: false,
        normalized: false,
    };

    /// The bits of OpenCL C's initialiser.
    pub const fn bits(self) -> u64 {
        let addressing = match self.addressing {
            Addressing::None => 0,
            Addressing::ClampToEdge => 2,
            Addressing::Clamp => 4,
            Addressing::Repeat => 6,
            Addressing::MirroredRepeat => 8,
        };
        addressing | self.normalized as u64 | if self.linear { LINEAR } else { NEAREST }
    }

    /// The sampler of these bits.
    ///
    /// # Errors
    /// Where no sampler has them.
    pub fn from_bits(bits: u64) -> Result<Self, SamplerError> {
        let found = Addressing::ALL.into_iter().find_map(|addressing| {
            let sampler = Sampler {
                addressing,
                linear: bits & LINEAR != 0,
                normalized: bits & NORMALIZED != 0,
            };
            // A filter of 0 is nearest, too: some sources leave it out.
            (sampler.bits() | NEAREST == bits | NEAREST
                && (bits & (NEAREST | LINEAR) != NEAREST | LINEAR)
                && sampler.bits() & ADDRESSING == bits & ADDRESSING)
                .then_some(sampler)
        });
        match found {
            Some(sampler) => Ok(sampler),
            None => fail(format!(
                "{bits:#x} is no sampler; the number is the sum of OpenCL C's CLK_ constants, such \
                 as 0x12 for clamp_to_edge,nearest"
            )),
        }
    }

    /// Reads words such as `clamp_to_edge`, `linear`, `normalized`, in any
    /// order. Addressing is `clamp_to_edge` and the filter `nearest` where
    /// nothing is said; coordinates are normalised where that is said or where
    /// the addressing needs it.
    ///
    /// # Errors
    /// An unknown word, two words for one property, `repeat` with coordinates
    /// that are not normalised.
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, SamplerError> {
        let (mut addressing, mut linear, mut normalized) = (None, None, None);
        for word in words {
            let doubled =
                if let Some(found) = Addressing::ALL.into_iter().find(|a| a.name() == word) {
                    addressing.replace(found).is_some()
                } else {
                    match word {
                        "nearest" => linear.replace(false).is_some(),
                        "linear" => linear.replace(true).is_some(),
                        "normalized" | "normalised" => normalized.replace(true).is_some(),
                        "unnormalized" | "unnormalised" => normalized.replace(false).is_some(),
                        _ => return fail(unknown_word(word)),
                    }
                };
            if doubled {
                return fail(format!("`{word}` says something that was said before"));
            }
        }
        let addressing = addressing.unwrap_or(Sampler::DEFAULT.addressing);
        if addressing.needs_normalized() && normalized == Some(false) {
            return fail(format!(
                "{0} is defined for normalised coordinates only; write {0},normalized",
                addressing.name()
            ));
        }
        Ok(Sampler {
            addressing,
            linear: linear.unwrap_or(false),
            normalized: normalized.unwrap_or(addressing.needs_normalized()),
        })
    }
}

fn unknown_word(word: &str) -> String {
    let words = Addressing::ALL.iter().map(|a| a.name()).chain([
        "nearest",
        "linear",
        "normalized",
        "unnormalized",
    ]);
    let words: Vec<&str> = words.collect();
    let help = match nearest(word, words.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", words.join(", ")),
    };
    format!("`{word}` says nothing of a sampler: {help}")
}

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filter = if self.linear { "linear" } else { "nearest" };
        write!(f, "{},{filter}", self.addressing.name())?;
        if self.normalized {
            f.write_str(",normalized")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bits_say_the_same() {
        for addressing in Addressing::ALL {
            for (linear, normalized) in [(false, false), (true, false), (false, true), (true, true)]
            {
                let sampler = Sampler {
                    addressing,
                    linear,
                    normalized,
                };
                assert_eq!(Sampler::from_bits(sampler.bits()), Ok(sampler));
                let text = sampler.to_string();
                let read = Sampler::from_words(text.split(','));
                if normalized || !addressing.needs_normalized() {
                    assert_eq!(read, Ok(sampler));
                }
            }
        }
        // CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST, and the filter left out.
        assert_eq!(Sampler::from_bits(0x12), Ok(Sampler::DEFAULT));
        assert_eq!(Sampler::from_bits(0x02), Ok(Sampler::DEFAULT));
        for wrong in [0x32, 0x0A, 0x52, u64::MAX] {
            assert!(Sampler::from_bits(wrong).is_err(), "{wrong:#x}");
        }
    }

    #[test]
    fn mistakes_say_what_to_write() {
        let message = |text: &str| {
            Sampler::from_words(text.split(','))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message("clamp_to_edg,nearest"),
            "`clamp_to_edg` says nothing of a sampler: did you mean `clamp_to_edge`?"
        );
        assert!(message("repeat,unnormalized").contains("repeat,normalized"));
        assert!(message("linear,nearest").contains("said before"));
        let repeat = Sampler::from_words(["repeat"]).unwrap();
        assert!(repeat.normalized);
    }
}
