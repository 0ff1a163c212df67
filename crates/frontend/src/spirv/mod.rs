//! A SPIR-V module as tables: types, constants, program-scope variables,
//! functions, names, debug scopes.
//!
//! Method: rspirv's parser hands over one instruction at a time
//! ([`reader`]); declarations become table entries at once, function bodies
//! are kept as instructions. rspirv's own data representation is not used: it
//! rejects modules with debug information sets between functions.
//!
//! Nothing here trusts the module: an id that is not there, a type that is too
//! large or an operand of the wrong kind is an error that says so.

pub mod constant;
mod constant_expression;
pub mod debug;
pub mod inst;
pub mod module;
pub mod reader;
pub mod types;

pub use constant::Constant;
pub use inst::Inst;
pub use module::{EntryPoint, Function, Module};
pub use types::TypeKind;

/// An id of a SPIR-V module.
pub type Id = u32;
