//! Images and samplers.
//!
//! An image is a pointer to its first texel, a sampler the bits of OpenCL C's
//! initialiser ([`tilewise_launch::Sampler::bits`]); what an image's type and
//! format are is known at the launch. `read_imagei` and `read_imageui` are one
//! instruction in SPIR-V: the format says which it was.
//!
//! Refused: mipmapped and multi-sampled images.

use rspirv::dr::Operand;
use rspirv::spirv::{ImageOperands, Op as S};
use tilewise_ir::{Conversion, ImageQuery, Op, Ty, Value};

use super::emitter::{Components, Emitter};
use crate::error::FrontendError;
use crate::spirv::{Inst, TypeKind};

impl Emitter<'_, '_> {
    /// Emits one image instruction.
    pub fn image(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        match inst.op() {
            S::SampledImage => {
                let image = self.image_value(inst, 0)?;
                let sampler = self.sampler_value(inst, 1)?;
                let values = Components::from_slice(&[image, sampler]);
                self.define(inst.result()?, inst.result_type()?, values)
            }
            S::Image => {
                let values = self.values(inst.id(0)?)?;
                let values = values.get(..1).ok_or_else(|| inst.bad("takes no image"))?;
                self.define(inst.result()?, inst.result_type()?, values)
            }
            S::ImageSampleExplicitLod => self.sample(inst),
            S::ImageRead => {
                self.check_operands(inst, 2)?;
                let image = self.image_value(inst, 0)?;
                let coords = self.coordinates(inst, 1)?;
                self.read_image(inst, image, None, coords)
            }
            S::ImageWrite => {
                self.check_operands(inst, 3)?;
                self.write_image(inst)
            }
            S::ImageQuerySizeLod => {
                let lod = self.value(inst.id(1)?)?;
                if self.kernel.constant(lod) != Some(0) {
                    return Err(self.mipmaps());
                }
                self.image_size(inst)
            }
            S::ImageQuerySize => self.image_size(inst),
            S::ImageQueryFormat => self.image_query(inst, ImageQuery::ChannelType),
            S::ImageQueryOrder => self.image_query(inst, ImageQuery::ChannelOrder),
            S::ImageQueryLevels => Err(self.mipmaps()),
            S::ImageQuerySamples => Err(self.multi_sampled()),
            _ => Err(self.refuse(
                format!("an image function ({})", inst.name()),
                "OpenCL C has none that becomes it",
            )),
        }
    }

    /// A read through a sampler; its level of detail must be 0.
    fn sample(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        self.check_operands(inst, 2)?;
        let [image, sampler] = self.values(inst.id(0)?)?[..] else {
            return Err(inst.bad("takes no image with a sampler"));
        };
        let coords = self.coordinates(inst, 1)?;
        self.read_image(inst, image, Some(sampler), coords)
    }

    fn read_image(
        &mut self,
        inst: &Inst,
        image: Value,
        sampler: Option<Value>,
        coords: Components,
    ) -> Result<(), FrontendError> {
        let ty = inst.result_type()?;
        let scalar = self.scalar_of(ty)?;
        self.check_texel(inst, scalar)?;
        let dst: Components = (0..4).map(|_| self.result(scalar)).collect();
        self.push(Op::ImageRead {
            dst: dst.clone(),
            image,
            sampler,
            coords,
        })?;
        // A depth image has one component.
        let wanted = self.module.ty(ty)?.leaves as usize;
        let values = dst
            .get(..wanted)
            .ok_or_else(|| inst.bad("has too many components"))?;
        self.define(inst.result()?, ty, values)
    }

    fn write_image(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let image = self.image_value(inst, 0)?;
        let coords = self.coordinates(inst, 1)?;
        let mut src = self.values(inst.id(2)?)?;
        let first = *src.first().ok_or_else(|| inst.bad("writes nothing"))?;
        self.check_texel(inst, self.kernel.ty(first))?;
        // A depth image has one component.
        while src.len() < 4 {
            src.push(first);
        }
        if src.len() != 4 || coords.iter().any(|&c| self.kernel.ty(c) != Ty::I32) {
            return Err(inst.bad("has operands of other types than OpenCL C's writes"));
        }
        self.push(Op::ImageWrite { image, coords, src })
    }

    /// `OpImageQuerySize`: one number per dimension, then the layers.
    fn image_size(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let image = self.image_value(inst, 0)?;
        let ty = inst.result_type()?;
        let scalar = self.scalar_of(ty)?;
        let mut values = Components::new();
        for d in 0..self.module.ty(ty)?.leaves.min(4) as u8 {
            values.push(self.query(image, ImageQuery::Size(d), scalar)?);
        }
        self.define(inst.result()?, ty, values)
    }

    fn image_query(&mut self, inst: &Inst, query: ImageQuery) -> Result<(), FrontendError> {
        let image = self.image_value(inst, 0)?;
        let ty = inst.result_type()?;
        let scalar = self.scalar_of(ty)?;
        let value = self.query(image, query, scalar)?;
        self.define(inst.result()?, ty, Components::from_slice(&[value]))
    }

    fn query(&mut self, image: Value, query: ImageQuery, ty: Ty) -> Result<Value, FrontendError> {
        let dst = self.result(Ty::I32);
        self.push(Op::ImageQuery { dst, image, query })?;
        self.convert(Conversion::Zext, dst, ty)
    }

    fn image_value(&mut self, inst: &Inst, operand: usize) -> Result<Value, FrontendError> {
        let id = inst.id(operand)?;
        match self.module.ty(self.type_of(id)?)?.kind {
            TypeKind::Image { .. } => self.value(id),
            // Reported by its name.
            TypeKind::Opaque(_) => self.leaves(self.type_of(id)?).and(self.value(id)),
            _ => Err(inst.bad("takes something that is no image")),
        }
    }

    fn sampler_value(&mut self, inst: &Inst, operand: usize) -> Result<Value, FrontendError> {
        let id = inst.id(operand)?;
        match self.module.ty(self.type_of(id)?)?.kind {
            TypeKind::Sampler => self.value(id),
            _ => Err(inst.bad("takes something that is no sampler")),
        }
    }

    fn coordinates(&mut self, inst: &Inst, operand: usize) -> Result<Components, FrontendError> {
        let coords = self.values(inst.id(operand)?)?;
        let first = coords.first().map(|&c| self.kernel.ty(c));
        let alike = coords.iter().all(|&c| Some(self.kernel.ty(c)) == first);
        if alike && coords.len() <= 4 && matches!(first, Some(Ty::I32 | Ty::F32)) {
            Ok(coords)
        } else {
            Err(inst.bad("has coordinates of another type than OpenCL C's"))
        }
    }

    fn check_texel(&self, inst: &Inst, ty: Ty) -> Result<(), FrontendError> {
        if matches!(ty, Ty::F32 | Ty::F16 | Ty::I32) {
            Ok(())
        } else {
            Err(inst.bad("has components of another type than OpenCL C's"))
        }
    }

    /// Refuses what the operands from `at` on ask for beyond level 0.
    fn check_operands(&mut self, inst: &Inst, at: usize) -> Result<(), FrontendError> {
        let Some(Operand::ImageOperands(flags)) = inst.operands().get(at) else {
            return Ok(());
        };
        if flags.contains(ImageOperands::SAMPLE) {
            return Err(self.multi_sampled());
        }
        let harmless = ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND;
        let flags = flags.difference(harmless);
        if flags.is_empty() {
            return Ok(());
        }
        if flags != ImageOperands::LOD {
            return Err(self.mipmaps());
        }
        let lod = self.value(inst.id(at + 1)?)?;
        match self.kernel.constant(lod) {
            Some(0) => Ok(()),
            _ => Err(self.mipmaps()),
        }
    }

    fn mipmaps(&self) -> FrontendError {
        self.refuse(
            "a function of mipmapped images",
            "images have one level here",
        )
    }

    fn multi_sampled(&self) -> FrontendError {
        self.refuse(
            "a function of multi-sampled images",
            "images have one sample per texel here",
        )
    }
}
