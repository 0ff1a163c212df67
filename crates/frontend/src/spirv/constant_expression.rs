//! Constants that are computed (`OpSpecConstantOp`), which hold the addresses
//! in initialisers.
//!
//! The parser knows the operands of some of their operations only, and gives
//! up on the others. They are taken out of the module before it is parsed: an
//! `OpUndef` with the same result stands in for each, and the reader looks the
//! operation up by that result.

use std::borrow::Cow;
use std::collections::HashMap;

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Op;

use super::{Id, Inst};
use crate::error::{FrontendError, Refusal};

/// Number of words before the first instruction.
pub const HEADER_WORDS: usize = 5;

/// Computed constants by their results.
pub type Computed = HashMap<Id, Inst>;

/// The module without computed constants, and these. The instructions must
/// fill the module exactly.
pub fn take_out(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, Computed), FrontendError> {
    let mut out = Cow::Borrowed(bytes);
    let mut taken = Computed::new();
    let (words, _) = bytes.as_chunks::<4>();
    let word = |at: usize| words.get(at).map_or(0, |w| u32::from_le_bytes(*w));
    let mut at = HEADER_WORDS;
    while at < words.len() {
        let count = (word(at) >> 16).max(1) as usize;
        if word(at) & 0xffff == Op::SpecConstantOp as u32 {
            if count < 4 {
                return Err(FrontendError::malformed(
                    "a computed constant has no operation",
                ));
            }
            let Some(op) = Op::from_u32(word(at + 3)) else {
                return Err(Refusal::new(
                    format!(
                        "a constant computed by the instruction number {}",
                        word(at + 3)
                    ),
                    "it is unknown here",
                )
                .into());
            };
            let operands = std::iter::once(Operand::LiteralSpecConstantOpInteger(op))
                .chain((at + 4..at + count).map(|i| Operand::IdRef(word(i))))
                .collect();
            let (ty, result) = (word(at + 1), word(at + 2));
            let inst = Instruction::new(Op::SpecConstantOp, Some(ty), Some(result), operands);
            taken.insert(result, Inst(inst));
            let place = out.to_mut();
            let mut set = |i: usize, value: u32| {
                place[4 * i..4 * i + 4].copy_from_slice(&value.to_le_bytes());
            };
            set(at, 3 << 16 | Op::Undef as u32);
            for rest in at + 3..at + count {
                set(rest, 1 << 16 | Op::Nop as u32);
            }
        }
        at += count;
    }
    Ok((out, taken))
}
