//! Vectors and structures as values: pure bookkeeping of components, but for
//! an index that is known only at run time.

use rspirv::spirv::Op as S;
use tilewise_ir::{CompareOp, Value};

use super::emitter::{Components, Emitter};
use crate::error::FrontendError;
use crate::spirv::{Id, Inst, TypeKind};

impl Emitter<'_, '_> {
    /// Emits an instruction on components.
    pub fn composite(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let id = inst.result()?;
        let ty = inst.result_type()?;
        let values = match inst.op() {
            S::CompositeConstruct => {
                let mut all = Components::new();
                for part in inst.ids_from(0)? {
                    all.extend(self.values(part)?);
                }
                all
            }
            S::CompositeExtract => {
                let whole = inst.id(0)?;
                let values = self.values(whole)?;
                let (start, len) = self.member(inst, self.type_of(whole)?, 1)?;
                match values.get(start..start + len) {
                    Some(part) => Components::from_slice(part),
                    // `get_global_id(3)`: the translator takes the fourth
                    // component of three.
                    None => match self.outside_of_query(&values)? {
                        Some(value) => Components::from_slice(&[value]),
                        None => return Err(inst.bad("takes a member that is not there")),
                    },
                }
            }
            S::CompositeInsert => {
                let part = self.values(inst.id(0)?)?;
                let whole = inst.id(1)?;
                let mut values = self.values(whole)?;
                let (start, len) = self.member(inst, self.type_of(whole)?, 2)?;
                match values.get_mut(start..start + len) {
                    Some(place) if part.len() == len => place.copy_from_slice(&part),
                    _ => return Err(inst.bad("sets a member that is not there")),
                }
                values
            }
            S::VectorShuffle => self.vector_shuffle(inst)?,
            S::VectorExtractDynamic => {
                let mut vector = self.values(inst.id(0)?)?;
                let index = self.value(inst.id(1)?)?;
                self.note_dynamic_dimension(&vector, index);
                if self.kernel.constant(index).is_none() {
                    // What an index outside picks.
                    vector.extend(self.outside_of_query(&vector)?);
                }
                Components::from_slice(&[self.pick(&vector, index)?])
            }
            _ => {
                let vector = self.values(inst.id(0)?)?;
                let part = self.value(inst.id(1)?)?;
                let index = self.value(inst.id(2)?)?;
                self.replace(&vector, part, index)?
            }
        };
        self.define(id, ty, values)
    }

    /// First component and number of components of the member that literal
    /// indices from operand `first` on lead to.
    fn member(&self, inst: &Inst, ty: Id, first: usize) -> Result<(usize, usize), FrontendError> {
        let mut ty = ty;
        let mut start = 0u64;
        let mut scalar = false;
        for at in first..inst.operands().len() {
            let index = u64::from(inst.literal(at)?);
            if scalar {
                return Err(inst.bad("looks into a scalar"));
            }
            match &self.module.ty(ty)?.kind {
                TypeKind::Vector { .. } => {
                    start += index;
                    scalar = true;
                }
                TypeKind::Array { elem, .. } => {
                    ty = *elem;
                    start += index.saturating_mul(self.module.ty(ty)?.leaves);
                }
                TypeKind::Struct(members) => {
                    let index = index as usize;
                    if index >= members.len() {
                        return Err(inst.bad("takes a member that is not there"));
                    }
                    for (before, _) in &members[..index] {
                        start += self.module.ty(*before)?.leaves;
                    }
                    ty = members[index].0;
                }
                _ => return Err(inst.bad("looks into a scalar")),
            }
        }
        let len = if scalar {
            1
        } else {
            self.module.ty(ty)?.leaves
        };
        match (usize::try_from(start), usize::try_from(len)) {
            (Ok(start), Ok(len)) if start.checked_add(len).is_some() => Ok((start, len)),
            _ => Err(inst.bad("takes a member that is not there")),
        }
    }

    fn vector_shuffle(&mut self, inst: &Inst) -> Result<Components, FrontendError> {
        let (mut all, b) = self.two(inst)?;
        all.extend(b);
        (2..inst.operands().len())
            .map(|at| match inst.literal(at)? {
                // This index means: no component in particular.
                u32::MAX => {
                    let ty = all.first().map(|&v| self.kernel.ty(v));
                    let ty = ty.ok_or_else(|| inst.bad("shuffles nothing"))?;
                    Ok(self.undefined(ty))
                }
                index => all
                    .get(index as usize)
                    .copied()
                    .ok_or_else(|| inst.bad("takes a component that is not there")),
            })
            .collect()
    }

    /// The component at an index known at run time; the last one where the
    /// index is outside.
    pub fn pick(&mut self, vector: &[Value], index: Value) -> Result<Value, FrontendError> {
        let ty = self.kernel.ty(index);
        if !ty.is_int() {
            return Err(FrontendError::malformed("an index is no integer"));
        }
        let Some((&last, rest)) = vector.split_last() else {
            return Err(FrontendError::malformed("a vector without components"));
        };
        if let Some(constant) = self.kernel.constant(index) {
            return Ok(vector.get(constant as usize).copied().unwrap_or(last));
        }
        let mut picked = last;
        for (i, &component) in rest.iter().enumerate().rev() {
            let this = self.constant(ty, i as u64);
            let is_this = self.compare(CompareOp::Eq, index, this)?;
            picked = self.select(is_this, component, picked)?;
        }
        Ok(picked)
    }

    fn replace(
        &mut self,
        vector: &[Value],
        part: Value,
        index: Value,
    ) -> Result<Components, FrontendError> {
        let ty = self.kernel.ty(index);
        if !ty.is_int() {
            return Err(FrontendError::malformed("an index is no integer"));
        }
        let constant = self.kernel.constant(index);
        let mut values = Components::new();
        for (i, &component) in vector.iter().enumerate() {
            values.push(match constant {
                Some(at) if at == i as u64 => part,
                Some(_) => component,
                None => {
                    let this = self.constant(ty, i as u64);
                    let is_this = self.compare(CompareOp::Eq, index, this)?;
                    self.select(is_this, part, component)?
                }
            });
        }
        Ok(values)
    }
}
