//! The geometric functions of OpenCL C (section 6.15.5 of the specification).

use tilewise_ir::{BinaryOp, MathFn, Ty, Value};

use super::emitter::{Components, Emitter};
use crate::error::FrontendError;

impl Emitter<'_, '_> {
    /// The dot product.
    pub fn dot(&mut self, ty: Ty, a: &[Value], b: &[Value]) -> Result<Value, FrontendError> {
        self.over_vectors(MathFn::Dot, ty, a, b)
    }

    /// `dot` and `distance`: all components of both vectors, one vector after
    /// the other.
    pub fn over_vectors(
        &mut self,
        fun: MathFn,
        ty: Ty,
        a: &[Value],
        b: &[Value],
    ) -> Result<Value, FrontendError> {
        if a.len() != b.len() {
            return Err(FrontendError::malformed(
                "a geometric function mixes vectors of different lengths",
            ));
        }
        for &v in a.iter().chain(b) {
            self.float_type(v)?;
        }
        let all: Components = a.iter().chain(b).copied().collect();
        self.math(fun, ty, &all)
    }

    /// The cross product of two vectors of three, or of four with the last
    /// component 0.
    pub fn cross(&mut self, a: &[Value], b: &[Value]) -> Result<Components, FrontendError> {
        let (3 | 4, true) = (a.len(), a.len() == b.len()) else {
            return Err(FrontendError::malformed(
                "a cross product of vectors of another length than 3 or 4",
            ));
        };
        let mut values = Components::new();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let left = self.binary(BinaryOp::FMul, a[j], b[k])?;
            let right = self.binary(BinaryOp::FMul, a[k], b[j])?;
            values.push(self.binary(BinaryOp::FSub, left, right)?);
        }
        if a.len() == 4 {
            let ty = self.float_type(a[3])?;
            values.push(self.float(ty, 0.0));
        }
        Ok(values)
    }

    /// A vector over its length; a vector of length 0 stays as it is. Each
    /// component is one operation: a length of its own could overflow where
    /// the quotient does not.
    pub fn normalize(&mut self, a: &[Value]) -> Result<Components, FrontendError> {
        for &v in a {
            self.float_type(v)?;
        }
        self.each(a, |e, component| {
            let ty = e.float_type(component)?;
            let args: Components = [component].iter().chain(a).copied().collect();
            e.math(MathFn::Normalize, ty, &args)
        })
    }
}
