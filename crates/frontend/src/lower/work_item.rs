//! Work-item functions: loads from SPIR-V's builtin variables.

use rspirv::spirv::BuiltIn;
use tilewise_ir::{Conversion, Op, Ty, Value, WorkItemQuery};

use super::emitter::{Components, Emitter};
use super::group::LaneMask;
use crate::error::FrontendError;
use crate::spirv::{Id, Inst};

impl Emitter<'_, '_> {
    /// A pointer into a builtin variable: to one of its three components.
    pub fn builtin_chain(
        &mut self,
        inst: &Inst,
        builtin: (BuiltIn, Option<u32>),
        element: bool,
    ) -> Result<(), FrontendError> {
        let mut component = builtin.1;
        for (i, index) in inst.ids_from(1)?.into_iter().enumerate() {
            let index = self.value(index)?;
            match self.kernel.constant(index) {
                Some(0) if element && i == 0 => {}
                Some(at) if at < 3 && component.is_none() => component = Some(at as u32),
                _ => {
                    return Err(self.refuse(
                        "an address into a builtin variable that is known only at run time",
                        "load the whole variable and take its component",
                    ));
                }
            }
        }
        let id = inst.result()?;
        self.frame.builtins.insert(id, (builtin.0, component));
        self.frame.types.insert(id, inst.result_type()?);
        Ok(())
    }

    /// The values of a builtin variable, or of one of its components.
    pub fn work_item_query(
        &mut self,
        builtin: BuiltIn,
        component: Option<u32>,
        ty: Id,
    ) -> Result<Components, FrontendError> {
        if let Some(mask) = lane_mask_of(builtin) {
            let words = self.lane_mask_words(mask)?;
            let first = component.unwrap_or(0) as usize;
            let count = self.leaves(ty)?.len();
            let words = words.get(first..first + count);
            return words.map(Components::from_slice).ok_or_else(|| {
                FrontendError::malformed(format!(
                    "the builtin variable {builtin:?} has another type"
                ))
            });
        }
        let Some(query) = query_of(builtin) else {
            return Err(self.refuse(
                format!("the builtin variable {builtin:?}"),
                "it is unknown here",
            ));
        };
        let leaves = self.leaves(ty)?;
        let first = component.unwrap_or(0);
        let mut values = Components::new();
        for (i, &to) in leaves.iter().enumerate() {
            let dim = first + i as u32;
            if dim > 2 || !to.is_int() {
                return Err(FrontendError::malformed(format!(
                    "the builtin variable {builtin:?} has another type"
                )));
            }
            let dst = self.result(Ty::I64);
            self.push(Op::WorkItem {
                dst,
                query,
                dim: dim as u8,
            })?;
            values.push(self.convert(Conversion::Zext, dst, to)?);
        }
        Ok(values)
    }

    /// Remembers that a work-item function was asked about a dimension known
    /// only at run time.
    pub fn note_dynamic_dimension(&mut self, vector: &[Value], index: Value) {
        if self.kernel.constant(index).is_some() {
            return;
        }
        if vector
            .first()
            .is_some_and(|&v| self.query_behind(v).is_some())
        {
            self.dynamic_dimension = true;
        }
    }
}

impl Emitter<'_, '_> {
    /// The work-item function that a value of this block comes from.
    fn query_behind(&self, value: Value) -> Option<WorkItemQuery> {
        let tilewise_ir::ValueDef::Inst(block) = self.kernel.values[value.index()].def else {
            return None;
        };
        // The query stands close to the end of the block: it was just made.
        let last = self.kernel.block(block).insts.iter().rev().take(64);
        last.into_iter().find_map(|inst| match inst.op {
            Op::WorkItem { dst, query, .. } if dst == value => Some(query),
            _ => None,
        })
    }

    /// What a work-item function gives for a dimension that there is not: 1
    /// for sizes, else 0 (OpenCL C 3.0, section 6.15.1).
    pub fn outside_of_query(&mut self, vector: &[Value]) -> Result<Option<Value>, FrontendError> {
        use WorkItemQuery as Q;
        let Some(&first) = vector.first() else {
            return Ok(None);
        };
        let value = match self.query_behind(first) {
            Some(Q::GlobalSize | Q::LocalSize | Q::EnqueuedLocalSize | Q::NumGroups) => 1,
            Some(_) => 0,
            None => return Ok(None),
        };
        let ty = self.kernel.ty(first);
        Ok(Some(self.constant(ty, value)))
    }
}

fn lane_mask_of(builtin: BuiltIn) -> Option<LaneMask> {
    Some(match builtin {
        BuiltIn::SubgroupEqMask => LaneMask::Equal,
        BuiltIn::SubgroupGeMask => LaneMask::GreaterOrEqual,
        BuiltIn::SubgroupGtMask => LaneMask::Greater,
        BuiltIn::SubgroupLeMask => LaneMask::LessOrEqual,
        BuiltIn::SubgroupLtMask => LaneMask::Less,
        _ => return None,
    })
}

fn query_of(builtin: BuiltIn) -> Option<WorkItemQuery> {
    use WorkItemQuery as Q;
    Some(match builtin {
        BuiltIn::GlobalInvocationId => Q::GlobalId,
        BuiltIn::LocalInvocationId => Q::LocalId,
        BuiltIn::WorkgroupId => Q::GroupId,
        BuiltIn::GlobalSize => Q::GlobalSize,
        BuiltIn::WorkgroupSize => Q::LocalSize,
        BuiltIn::EnqueuedWorkgroupSize => Q::EnqueuedLocalSize,
        BuiltIn::NumWorkgroups => Q::NumGroups,
        BuiltIn::GlobalOffset => Q::GlobalOffset,
        BuiltIn::WorkDim => Q::WorkDim,
        BuiltIn::GlobalLinearId => Q::GlobalLinearId,
        BuiltIn::LocalInvocationIndex => Q::LocalLinearId,
        BuiltIn::SubgroupSize => Q::SubGroupSize,
        BuiltIn::SubgroupMaxSize => Q::MaxSubGroupSize,
        BuiltIn::NumSubgroups | BuiltIn::NumEnqueuedSubgroups => Q::NumSubGroups,
        BuiltIn::SubgroupId => Q::SubGroupId,
        BuiltIn::SubgroupLocalInvocationId => Q::SubGroupLocalId,
        _ => return None,
    })
}
