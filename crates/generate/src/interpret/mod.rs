//! Runs a program from its tree, and says where it is not defined.
//!
//! The statements of a group are run one after the other, each by all
//! work-items that take part before the next one starts. As no program races
//! (which is checked on the way), this is one of the orders that OpenCL allows,
//! and all of them have one result.

mod arithmetic;
mod builtins;
mod convert;
mod expression;
mod machine;
mod memory;
mod statement;

use crate::tree::{ParamKind, Program, Value};

/// What a program leaves in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// For each buffer in global memory: the parameter's position and the
    /// leaves, element by element. `None` was never written.
    pub buffers: Vec<(usize, Vec<Option<Value>>)>,
    /// Statements that work-items ran.
    pub steps: u64,
}

/// Why a program means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undefined {
    /// An access outside memory.
    #[error("element {element} of {what} is accessed, which is not there")]
    OutOfBounds {
        /// The memory.
        what: String,
        /// The element.
        element: i64,
    },
    /// A read of what was never written.
    #[error("{what} is read before it is written")]
    Uninitialised {
        /// The variable or memory.
        what: String,
    },
    /// Two work-items access an element, one writes it, and no barrier is
    /// between them.
    #[error("two work-items race for element {element} of {what}")]
    Race {
        /// The memory.
        what: String,
        /// The element.
        element: i64,
    },
    /// A barrier that only some work-items of a group reach.
    #[error("only {reached} of {group} work-items reach a barrier")]
    Divergence {
        /// Work-items that do.
        reached: usize,
        /// Work-items of the group.
        group: usize,
    },
    /// Integer division by zero.
    #[error("an integer is divided by zero")]
    DivisionByZero,
    /// The least integer divided by -1.
    #[error("the least integer is divided by -1")]
    DivisionOverflow,
    /// A conversion to an integer of what it can't hold.
    #[error("a floating-point number is converted to an integer that can't hold it")]
    Conversion,
    /// The program takes too long.
    #[error("the program runs more than {0} statements")]
    TooLong(u64),
    /// No program that could be written out.
    #[error("the tree is no program: {0}")]
    Malformed(&'static str),
}

/// Statements that all work-items together may run.
const STEP_LIMIT: u64 = 2_000_000;

/// Runs a program.
///
/// # Errors
/// See [`Undefined`].
pub fn interpret(program: &Program) -> Result<Outcome, Undefined> {
    machine::run(program)
}

impl Outcome {
    /// Compares what a machine left in a buffer with what should be there:
    /// the first difference in words, or `None`. Padding does not count.
    pub fn difference(&self, program: &Program, param: usize, bytes: &[u8]) -> Option<String> {
        let (_, expected) = self.buffers.iter().find(|(p, _)| *p == param)?;
        let ParamKind::Buffer { elem, .. } = program.params.get(param)?.kind else {
            return None;
        };
        let layout = program.layout(elem);
        for (i, expected) in expected.iter().enumerate() {
            let Some(expected) = expected else { continue };
            let (element, leaf) = (i / layout.leaves.len(), i % layout.leaves.len());
            let first = element * layout.size as usize + layout.leaves[leaf].offset as usize;
            let length = expected.lanes() * expected.ty.scalar.size() as usize;
            let Some(bytes) = bytes.get(first..first + length) else {
                return Some(format!("the buffer of parameter {param} is too short"));
            };
            let found = Value::from_bytes(expected.ty, bytes);
            if !expected.same(&found) {
                let member = if layout.leaves.len() > 1 {
                    format!(" leaf {leaf}")
                } else {
                    String::new()
                };
                return Some(format!(
                    "v{}[{element}]{member}: {} expected, {} found",
                    program.params[param].var,
                    show(expected),
                    show(&found)
                ));
            }
        }
        None
    }
}

/// A value's components as hexadecimal bits with the number they mean.
fn show(value: &Value) -> String {
    let one = |&bits: &u64| match value.ty.scalar {
        tilewise_launch::Scalar::F32 => {
            format!("{:e} ({bits:#x})", f32::from_bits(bits as u32))
        }
        tilewise_launch::Scalar::F64 => format!("{:e} ({bits:#x})", f64::from_bits(bits)),
        scalar => convert::integer(scalar, bits).to_string(),
    };
    let all: Vec<String> = value.components().iter().map(one).collect();
    format!("{} ({})", value.ty, all.join(", "))
}
