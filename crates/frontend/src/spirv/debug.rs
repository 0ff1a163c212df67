//! The part of the `OpenCL.DebugInfo.100` set that says where code comes from.
//!
//! Read tolerantly: the translator writes entries that the set's own
//! specification rejects, so whatever does not fit is left out, never an error.

use std::collections::HashMap;

use super::Id;
use super::inst::Inst;

/// A debug entry that scopes lead to.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    /// `DebugSource`: the string that holds the file's name.
    Source {
        /// An `OpString`.
        file: Id,
    },
    /// `DebugCompilationUnit`, `DebugFunction` or `DebugLexicalBlock…`.
    Scope {
        /// Its `DebugSource`.
        source: Id,
    },
    /// `DebugInlinedAt`: the call that code was inlined at.
    InlinedAt {
        /// Line of the call.
        line: u32,
        /// Scope of the call.
        scope: Id,
        /// The call that this call was inlined at.
        inlined: Option<Id>,
    },
}

/// All entries by id.
pub type Entries = HashMap<Id, Entry>;

/// Instruction numbers of the set.
pub mod number {
    #![allow(missing_docs)]
    pub const COMPILATION_UNIT: u32 = 1;
    pub const FUNCTION: u32 = 20;
    pub const LEXICAL_BLOCK: u32 = 21;
    pub const LEXICAL_BLOCK_DISCRIMINATOR: u32 = 22;
    pub const SCOPE: u32 = 23;
    pub const NO_SCOPE: u32 = 24;
    pub const INLINED_AT: u32 = 25;
    pub const SOURCE: u32 = 35;
}

/// The scope of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// Function or block.
    pub scope: Id,
    /// The call it was inlined at.
    pub inlined: Option<Id>,
}

/// Reads one debug instruction (operands: set, number, then its own).
pub fn entry(inst: &Inst) -> Option<Entry> {
    let number = inst.literal(1).ok()?;
    let operand = |i: usize| inst.id(i + 2).ok();
    match number {
        number::SOURCE => Some(Entry::Source { file: operand(0)? }),
        number::COMPILATION_UNIT => Some(Entry::Scope {
            source: operand(2)?,
        }),
        number::FUNCTION => Some(Entry::Scope {
            source: operand(2)?,
        }),
        number::LEXICAL_BLOCK | number::LEXICAL_BLOCK_DISCRIMINATOR => Some(Entry::Scope {
            source: operand(0)?,
        }),
        number::INLINED_AT => Some(Entry::InlinedAt {
            line: operand(0)?,
            scope: operand(1)?,
            inlined: operand(2),
        }),
        _ => None,
    }
}

/// Reads `DebugScope`; `None` for `DebugNoScope` and everything else.
pub fn scope(inst: &Inst) -> Option<Scope> {
    Some(Scope {
        scope: inst.id(2).ok()?,
        inlined: inst.id(3).ok(),
    })
}
