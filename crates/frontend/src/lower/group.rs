//! Work-group and sub-group functions: SPIR-V's `OpGroup…` instructions, which
//! all work-items of the scope must reach, and `OpGroupNonUniform…`, which
//! those that are active run.
//!
//! What needs a lane's own mask only (`sub_group_ballot_bit_count` and its
//! like, the masks `get_sub_group_…_mask`) is spelled out as arithmetic.

use rspirv::dr::Operand;
use rspirv::spirv::{GroupOperation, Op as S};
use tilewise_ir::{
    BarrierScope, BinaryOp, CompareOp, Conversion, GroupArithmetic, GroupOp, MathFn, Op,
    Participants, Ty, Value, WorkItemQuery,
};

use super::emitter::{Components, Emitter};
use crate::error::FrontendError;
use crate::spirv::{Id, Inst};

/// A mask relative to a lane, as `get_sub_group_…_mask` gives it.
#[derive(Clone, Copy)]
pub enum LaneMask {
    Equal,
    GreaterOrEqual,
    Greater,
    LessOrEqual,
    Less,
}

impl Emitter<'_, '_> {
    /// Emits a work-group or sub-group function; false where the instruction
    /// is none.
    pub fn group_function(&mut self, inst: &Inst) -> Result<bool, FrontendError> {
        use GroupArithmetic as A;
        use GroupOp as G;
        use Participants::{Active, All};
        match inst.op() {
            S::GroupAll => self.exchange(inst, G::All, All, 1)?,
            S::GroupAny => self.exchange(inst, G::Any, All, 1)?,
            S::GroupBroadcast => self.broadcast(inst)?,
            S::GroupIAdd | S::GroupFAdd => self.arithmetic_group(inst, A::Add, All)?,
            S::GroupSMin | S::GroupFMin => self.arithmetic_group(inst, A::SMin, All)?,
            S::GroupSMax | S::GroupFMax => self.arithmetic_group(inst, A::SMax, All)?,
            S::GroupUMin => self.arithmetic_group(inst, A::UMin, All)?,
            S::GroupUMax => self.arithmetic_group(inst, A::UMax, All)?,
            S::GroupNonUniformElect => self.exchange(inst, G::Elect, Active, 1)?,
            S::GroupNonUniformAll => self.exchange(inst, G::All, Active, 1)?,
            S::GroupNonUniformAny => self.exchange(inst, G::Any, Active, 1)?,
            S::GroupNonUniformAllEqual => self.all_equal(inst)?,
            S::GroupNonUniformBroadcast => self.exchange(inst, G::Broadcast, Active, 2)?,
            S::GroupNonUniformBroadcastFirst => {
                self.exchange(inst, G::BroadcastFirst, Active, 1)?
            }
            S::GroupNonUniformShuffle => self.exchange(inst, G::Shuffle, Active, 2)?,
            S::GroupNonUniformShuffleXor => self.exchange(inst, G::ShuffleXor, Active, 2)?,
            S::GroupNonUniformShuffleUp => self.exchange(inst, G::ShuffleUp, Active, 2)?,
            S::GroupNonUniformShuffleDown => self.exchange(inst, G::ShuffleDown, Active, 2)?,
            S::GroupNonUniformBallot => self.ballot(inst)?,
            S::GroupNonUniformInverseBallot => self.inverse_ballot(inst)?,
            S::GroupNonUniformBallotBitExtract => self.ballot_bit_extract(inst)?,
            S::GroupNonUniformBallotBitCount => self.ballot_bit_count(inst)?,
            S::GroupNonUniformBallotFindLSB => self.ballot_find(inst, MathFn::Ctz)?,
            S::GroupNonUniformBallotFindMSB => self.ballot_find(inst, MathFn::Clz)?,
            S::GroupNonUniformIAdd | S::GroupNonUniformFAdd => {
                self.arithmetic_group(inst, A::Add, Active)?;
            }
            S::GroupNonUniformIMul | S::GroupNonUniformFMul => {
                self.arithmetic_group(inst, A::Mul, Active)?;
            }
            S::GroupNonUniformSMin | S::GroupNonUniformFMin => {
                self.arithmetic_group(inst, A::SMin, Active)?;
            }
            S::GroupNonUniformSMax | S::GroupNonUniformFMax => {
                self.arithmetic_group(inst, A::SMax, Active)?;
            }
            S::GroupNonUniformUMin => self.arithmetic_group(inst, A::UMin, Active)?,
            S::GroupNonUniformUMax => self.arithmetic_group(inst, A::UMax, Active)?,
            S::GroupNonUniformBitwiseAnd | S::GroupNonUniformLogicalAnd => {
                self.arithmetic_group(inst, A::And, Active)?;
            }
            S::GroupNonUniformBitwiseOr | S::GroupNonUniformLogicalOr => {
                self.arithmetic_group(inst, A::Or, Active)?;
            }
            S::GroupNonUniformBitwiseXor | S::GroupNonUniformLogicalXor => {
                self.arithmetic_group(inst, A::Xor, Active)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The execution scope of a function, its first operand.
    fn group_scope(&mut self, inst: &Inst) -> Result<BarrierScope, FrontendError> {
        self.execution_scope(inst, 0, "a function")
    }

    /// Pushes one function over one scalar.
    fn push_group(
        &mut self,
        inst: &Inst,
        op: GroupOp,
        scope: BarrierScope,
        participants: Participants,
        args: &[Value],
        result: Ty,
    ) -> Result<Value, FrontendError> {
        let types: Vec<Ty> = args.iter().map(|&a| self.kernel.ty(a)).collect();
        if !op.takes(&types, &[result]) {
            return Err(inst.bad("has arguments of types that it does not take"));
        }
        let dst = self.result(result);
        self.push(Op::Group {
            op,
            scope,
            participants,
            dst: Components::from_slice(&[dst]),
            args: Components::from_slice(args),
        })?;
        Ok(dst)
    }

    /// A function of a value and up to one index: component by component.
    fn exchange(
        &mut self,
        inst: &Inst,
        op: GroupOp,
        participants: Participants,
        args: usize,
    ) -> Result<(), FrontendError> {
        let scope = self.group_scope(inst)?;
        let ty = inst.result_type()?;
        let result = self.scalar_of(ty)?;
        if op == GroupOp::Elect {
            let value = self.push_group(inst, op, scope, participants, &[], result)?;
            return self.define(inst.result()?, ty, Components::from_slice(&[value]));
        }
        let values = self.values(inst.id(1)?)?;
        let index = match args {
            2 => {
                let index = self.value(inst.id(2)?)?;
                Some(self.convert(Conversion::Zext, index, Ty::I32)?)
            }
            _ => None,
        };
        let results = self.each(&values, |e, value| {
            let args: Components = [value].into_iter().chain(index).collect();
            e.push_group(inst, op, scope, participants, &args, result)
        })?;
        self.define(inst.result()?, ty, results)
    }

    /// `OpGroupBroadcast`: scope, value, local id of one or more dimensions.
    fn broadcast(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let scope = self.group_scope(inst)?;
        let ty = inst.result_type()?;
        let result = self.scalar_of(ty)?;
        let values = self.values(inst.id(1)?)?;
        let ids = self.values(inst.id(2)?)?;
        let results = self.each(&values, |e, value| {
            let args: Components = [value].into_iter().chain(ids.iter().copied()).collect();
            e.push_group(
                inst,
                GroupOp::Broadcast,
                scope,
                Participants::All,
                &args,
                result,
            )
        })?;
        self.define(inst.result()?, ty, results)
    }

    /// Scope, group operation, value, and the size of a cluster where the
    /// operation takes one.
    fn arithmetic_group(
        &mut self,
        inst: &Inst,
        how: GroupArithmetic,
        participants: Participants,
    ) -> Result<(), FrontendError> {
        let scope = self.group_scope(inst)?;
        let (op, clustered) = match group_operation(inst)? {
            GroupOperation::Reduce => (GroupOp::Reduce(how), false),
            GroupOperation::InclusiveScan => (GroupOp::InclusiveScan(how), false),
            GroupOperation::ExclusiveScan => (GroupOp::ExclusiveScan(how), false),
            GroupOperation::ClusteredReduce => (GroupOp::ClusteredReduce(how), true),
            other => {
                return Err(self.refuse(
                    format!("the group operation {other:?}"),
                    "OpenCL has reductions, scans and clustered reductions",
                ));
            }
        };
        let ty = inst.result_type()?;
        let result = self.scalar_of(ty)?;
        let values = self.values(inst.id(2)?)?;
        let size = if clustered {
            Some(self.value(inst.id(3)?)?)
        } else {
            None
        };
        let results = self.each(&values, |e, value| {
            let args: Components = [value].into_iter().chain(size).collect();
            e.push_group(inst, op, scope, participants, &args, result)
        })?;
        self.define(inst.result()?, ty, results)
    }

    /// Whether all components are the same for all lanes.
    fn all_equal(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let scope = self.group_scope(inst)?;
        let values = self.values(inst.id(1)?)?;
        let mut all = self.constant(Ty::Bool, 1);
        for value in values {
            let op = GroupOp::AllEqual;
            let one = self.push_group(inst, op, scope, Participants::Active, &[value], Ty::Bool)?;
            all = self.binary(BinaryOp::And, all, one)?;
        }
        let values = Components::from_slice(&[all]);
        self.define(inst.result()?, inst.result_type()?, values)
    }

    fn ballot(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let scope = self.group_scope(inst)?;
        let value = self.value(inst.id(1)?)?;
        if self.kernel.ty(value) != Ty::Bool {
            return Err(inst.bad("votes on something that is no truth value"));
        }
        let dst: Components = (0..4).map(|_| self.result(Ty::I32)).collect();
        self.push(Op::Group {
            op: GroupOp::Ballot,
            scope,
            participants: Participants::Active,
            dst: dst.clone(),
            args: Components::from_slice(&[value]),
        })?;
        self.define(inst.result()?, inst.result_type()?, dst)
    }

    /// The first 64 bits of a ballot: sub-groups have no more lanes.
    fn ballot_bits(&mut self, inst: &Inst, id: Id) -> Result<Value, FrontendError> {
        let words = self.values(id)?;
        let [low, high, ..] = words.as_slice() else {
            return Err(inst.bad("takes a ballot, which has four components"));
        };
        let (low, high) = (*low, *high);
        if self.kernel.ty(low) != Ty::I32 {
            return Err(inst.bad("takes a ballot of 32-bit integers"));
        }
        let low = self.convert(Conversion::Zext, low, Ty::I64)?;
        let high = self.convert(Conversion::Zext, high, Ty::I64)?;
        let by = self.constant(Ty::I64, 32);
        let high = self.binary(BinaryOp::Shl, high, by)?;
        self.binary(BinaryOp::Or, high, low)
    }

    fn lane_query(&mut self, query: WorkItemQuery) -> Result<Value, FrontendError> {
        let dst = self.result(Ty::I64);
        self.push(Op::WorkItem { dst, query, dim: 0 })?;
        Ok(dst)
    }

    /// Bit `index` of a ballot, as a truth value.
    fn bit(&mut self, bits: Value, index: Value) -> Result<Value, FrontendError> {
        let shifted = self.binary(BinaryOp::LShr, bits, index)?;
        let one = self.constant(Ty::I64, 1);
        let bit = self.binary(BinaryOp::And, shifted, one)?;
        self.compare(CompareOp::Eq, bit, one)
    }

    fn inverse_ballot(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let bits = self.ballot_bits(inst, inst.id(1)?)?;
        let lane = self.lane_query(WorkItemQuery::SubGroupLocalId)?;
        let value = self.bit(bits, lane)?;
        let values = Components::from_slice(&[value]);
        self.define(inst.result()?, inst.result_type()?, values)
    }

    fn ballot_bit_extract(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let bits = self.ballot_bits(inst, inst.id(1)?)?;
        let index = self.value(inst.id(2)?)?;
        let index = self.convert(Conversion::Zext, index, Ty::I64)?;
        let value = self.bit(bits, index)?;
        let values = Components::from_slice(&[value]);
        self.define(inst.result()?, inst.result_type()?, values)
    }

    fn ballot_bit_count(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let bits = self.ballot_bits(inst, inst.id(2)?)?;
        let mask = match group_operation(inst)? {
            GroupOperation::InclusiveScan => self.lane_mask(LaneMask::LessOrEqual)?,
            GroupOperation::ExclusiveScan => self.lane_mask(LaneMask::Less)?,
            _ => self.all_lanes()?,
        };
        let counted = self.binary(BinaryOp::And, bits, mask)?;
        let count = self.math(MathFn::Popcount, Ty::I64, &[counted])?;
        self.define_i32(inst, count)
    }

    /// The lowest (`Ctz`) or highest (`Clz`) bit that is set.
    fn ballot_find(&mut self, inst: &Inst, zeros: MathFn) -> Result<(), FrontendError> {
        let bits = self.ballot_bits(inst, inst.id(1)?)?;
        let lanes = self.all_lanes()?;
        let bits = self.binary(BinaryOp::And, bits, lanes)?;
        let mut count = self.math(zeros, Ty::I64, &[bits])?;
        if zeros == MathFn::Clz {
            let last = self.constant(Ty::I64, 63);
            count = self.binary(BinaryOp::Sub, last, count)?;
        }
        self.define_i32(inst, count)
    }

    fn define_i32(&mut self, inst: &Inst, wide: Value) -> Result<(), FrontendError> {
        let ty = inst.result_type()?;
        let to = self.scalar_of(ty)?;
        let value = self.convert(Conversion::Zext, wide, to)?;
        self.define(inst.result()?, ty, Components::from_slice(&[value]))
    }

    /// A bit for each lane of the sub-group.
    fn all_lanes(&mut self) -> Result<Value, FrontendError> {
        let size = self.lane_query(WorkItemQuery::SubGroupSize)?;
        let most = self.constant(Ty::I64, 64);
        let unused = self.binary(BinaryOp::Sub, most, size)?;
        let ones = self.constant(Ty::I64, u64::MAX);
        self.binary(BinaryOp::LShr, ones, unused)
    }

    fn lane_mask(&mut self, which: LaneMask) -> Result<Value, FrontendError> {
        let lane = self.lane_query(WorkItemQuery::SubGroupLocalId)?;
        let one = self.constant(Ty::I64, 1);
        let equal = self.binary(BinaryOp::Shl, one, lane)?;
        let less = self.binary(BinaryOp::Sub, equal, one)?;
        Ok(match which {
            LaneMask::Equal => equal,
            LaneMask::Less => less,
            LaneMask::LessOrEqual => self.binary(BinaryOp::Or, less, equal)?,
            LaneMask::GreaterOrEqual | LaneMask::Greater => {
                let below = match which {
                    LaneMask::Greater => self.binary(BinaryOp::Or, less, equal)?,
                    _ => less,
                };
                let above = self.unary(tilewise_ir::UnaryOp::Not, below)?;
                let lanes = self.all_lanes()?;
                self.binary(BinaryOp::And, above, lanes)?
            }
        })
    }

    /// `get_sub_group_…_mask`: four words.
    pub fn lane_mask_words(&mut self, which: LaneMask) -> Result<Components, FrontendError> {
        let mask = self.lane_mask(which)?;
        let low = self.convert(Conversion::Zext, mask, Ty::I32)?;
        let by = self.constant(Ty::I64, 32);
        let high = self.binary(BinaryOp::LShr, mask, by)?;
        let high = self.convert(Conversion::Zext, high, Ty::I32)?;
        let zero = self.constant(Ty::I32, 0);
        Ok(Components::from_slice(&[low, high, zero, zero]))
    }
}

fn group_operation(inst: &Inst) -> Result<GroupOperation, FrontendError> {
    match inst.operands().get(1) {
        Some(Operand::GroupOperation(operation)) => Ok(*operation),
        _ => Err(inst.bad("names no group operation")),
    }
}
