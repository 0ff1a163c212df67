//! One instruction of a function body, with checked access to its operands.

use rspirv::dr::Operand;
use rspirv::spirv::Op;

use super::Id;
use crate::error::FrontendError;

/// An instruction as the parser gives it.
#[derive(Clone, Debug)]
pub struct Inst(pub rspirv::dr::Instruction);

impl Inst {
    /// The opcode.
    pub fn op(&self) -> Op {
        self.0.class.opcode
    }

    /// The name of the opcode with its prefix, such as `OpLoad`.
    pub fn name(&self) -> String {
        format!("Op{}", self.0.class.opname)
    }

    /// The operands without result type and result id.
    pub fn operands(&self) -> &[Operand] {
        &self.0.operands
    }

    /// The result id.
    pub fn result(&self) -> Result<Id, FrontendError> {
        self.0.result_id.ok_or_else(|| self.bad("has no result"))
    }

    /// The result type.
    pub fn result_type(&self) -> Result<Id, FrontendError> {
        self.0
            .result_type
            .ok_or_else(|| self.bad("has no result type"))
    }

    /// Operand `index` as an id.
    pub fn id(&self, index: usize) -> Result<Id, FrontendError> {
        match self.0.operands.get(index) {
            Some(Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id)) => {
                Ok(*id)
            }
            _ => Err(self.bad(&format!("operand {index} is not an id"))),
        }
    }

    /// All operands from `index` on, as ids.
    pub fn ids_from(&self, index: usize) -> Result<Vec<Id>, FrontendError> {
        (index..self.0.operands.len()).map(|i| self.id(i)).collect()
    }

    /// Operand `index` as a literal of 32 bits.
    pub fn literal(&self, index: usize) -> Result<u32, FrontendError> {
        match self.0.operands.get(index) {
            Some(Operand::LiteralBit32(v) | Operand::LiteralExtInstInteger(v)) => Ok(*v),
            _ => Err(self.bad(&format!("operand {index} is not a literal number"))),
        }
    }

    /// Operand `index` as a literal of up to 64 bits.
    pub fn wide_literal(&self, index: usize) -> Result<u64, FrontendError> {
        match self.0.operands.get(index) {
            Some(Operand::LiteralBit32(v)) => Ok(u64::from(*v)),
            Some(Operand::LiteralBit64(v)) => Ok(*v),
            _ => Err(self.bad(&format!("operand {index} is not a literal number"))),
        }
    }

    /// Operand `index` as a string.
    pub fn string(&self, index: usize) -> Result<&str, FrontendError> {
        match self.0.operands.get(index) {
            Some(Operand::LiteralString(s)) => Ok(s),
            _ => Err(self.bad(&format!("operand {index} is not a string"))),
        }
    }

    /// An error about this instruction.
    pub fn bad(&self, what: &str) -> FrontendError {
        let id = self
            .0
            .result_id
            .map_or(String::new(), |id| format!(" (%{id})"));
        FrontendError::malformed(format!("{}{id} {what}", self.name()))
    }
}
