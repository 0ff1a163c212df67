//! Image functions of a sub-group.

use tilewise_ir::pointer::{Region, pack};
use tilewise_ir::{ImageQuery, MemAccess, Ty};
use tilewise_launch::Sampler;

use super::control::Runner;
use super::memory_access::{Access, first_components, with_words};
use crate::decode::{At, Dest, ImageQueryStep, ImageReadStep, ImageWriteStep, Operand};
use crate::fault::FaultKind;
use crate::image::ImageLayout;
use crate::image::sample::{Coords, Taps, taps};
use crate::image::texel::{self, Texel};
use crate::lanes::each_lane;
use crate::memory::{LocalWords, Place, PrivateWords, known_region, read_bits, write_bits};
use crate::observer::{AccessKind, Observer};

/// What the events of an image function have in common.
#[derive(Clone, Copy)]
struct Function<'i> {
    at: At,
    kind: AccessKind,
    image: &'i ImageLayout,
    region: Region,
    /// The coordinates are computed from data that the kernel loaded.
    from_data: bool,
}

impl<'a, const W: usize, O: Observer> Runner<'_, 'a, W, O> {
    pub(super) fn image_read(&mut self, step: &ImageReadStep, mask: u64) {
        // Uniform operands have the same result for all lanes.
        let uniform = step.dst.iter().all(|d| d.scalar.is_some());
        self.each_image(step.image, mask, |runner, image, region, lanes| {
            let Some(image) = image else {
                runner.no_image(step.at, AccessKind::Load, region, lanes, step.from_data);
                return runner.set_texels(step, lanes, uniform, |_| Texel::Int([0; 4]));
            };
            let ty = step.dst.first().map_or(Ty::F32, |d| d.ty);
            let function = Function {
                at: step.at,
                kind: AccessKind::Load,
                image,
                region,
                from_data: step.from_data,
            };
            let all = runner.taps_of(step, image, ty, lanes, uniform);
            runner.outside_image(&function, lanes, |lane| all[lane].outside);
            let most = each_lane(lanes).map(|l| all[l].count).max().unwrap_or(0);
            let mut events = 0;
            for tap in 0..most {
                let texel = |lane: usize| all[lane].texels[tap].filter(|_| tap < all[lane].count);
                events += u8::from(runner.texel_event(&function, lanes, events, texel));
            }
            let values: Vec<Texel> = if uniform {
                let first = lanes.trailing_zeros() as usize;
                vec![runner.filtered(image, region, &all[first]); W]
            } else {
                (0..W)
                    .map(|lane| match lanes >> lane & 1 {
                        0 => Texel::Int([0; 4]),
                        _ => runner.filtered(image, region, &all[lane]),
                    })
                    .collect()
            };
            runner.set_texels(step, lanes, uniform, |lane| values[lane]);
        });
    }

    /// The texels that each lane's read touches.
    fn taps_of(
        &self,
        step: &ImageReadStep,
        image: &ImageLayout,
        ty: Ty,
        lanes: u64,
        uniform: bool,
    ) -> Vec<Taps> {
        let nothing = Taps::one(image, [0; 4], false);
        let of = |lane: usize| {
            let bits: [u32; 4] = std::array::from_fn(|c| {
                let coord = step.coords.get(c);
                coord.map_or(0, |&coord| {
                    self.operand_bits(step.coord_ty, coord, lane) as u32
                })
            });
            let coords = match step.coord_ty {
                Ty::F32 => Coords::Float(bits.map(f32::from_bits)),
                _ => Coords::Int(bits.map(|b| b as i32)),
            };
            match (step.sampler, coords) {
                (Some(sampler), _) => {
                    let bits = self.operand_bits(Ty::I64, sampler, lane);
                    let sampler = Sampler::from_bits(bits).unwrap_or(Sampler::DEFAULT);
                    taps(image, sampler, ty.is_float(), coords)
                }
                (None, Coords::Int(ints)) => Taps::one(image, ints.map(i64::from), true),
                (None, Coords::Float(floats)) => {
                    Taps::one(image, floats.map(|f| f.floor() as i64), true)
                }
            }
        };
        if uniform {
            return vec![of(lanes.trailing_zeros() as usize); W];
        }
        (0..W)
            .map(|lane| match lanes >> lane & 1 {
                0 => nothing,
                _ => of(lane),
            })
            .collect()
    }

    /// The texel, or the mean of the texels, of one lane.
    fn filtered(&mut self, image: &ImageLayout, region: Region, taps: &Taps) -> Texel {
        if taps.count == 1 {
            return self.stored(image, region, taps.texels[0]);
        }
        let mut sum = [0.0f32; 4];
        for tap in 0..taps.count {
            if let Texel::Float(floats) = self.stored(image, region, taps.texels[tap]) {
                for (sum, value) in sum.iter_mut().zip(floats) {
                    *sum += taps.weights[tap] * value;
                }
            }
        }
        Texel::Float(sum)
    }

    /// One texel of an image, or its border colour.
    fn stored(&mut self, image: &ImageLayout, region: Region, texel: Option<u64>) -> Texel {
        let Some(number) = texel else {
            return texel::border(image.format);
        };
        let size = image.format.channel.scalar().size() as u32;
        let first = number * u64::from(image.texel_bytes());
        let mut stored = [0; 4];
        let channels = usize::from(image.format.order.channels());
        with_words!(self, region, words, {
            for (n, value) in stored.iter_mut().take(channels).enumerate() {
                *value = read_bits(words, 0, first + n as u64 * u64::from(size), size);
            }
        });
        texel::read(image.format, &stored)
    }

    fn set_texels(
        &mut self,
        step: &ImageReadStep,
        lanes: u64,
        uniform: bool,
        texel: impl Fn(usize) -> Texel,
    ) {
        let first = lanes.trailing_zeros() as usize;
        for (n, dst) in step.dst.iter().enumerate() {
            if uniform {
                self.set_uniform(dst, texel(first).bits(n, dst.ty), lanes);
            } else if let Some(slot) = dst.vector {
                for lane in each_lane(lanes) {
                    let bits = texel(lane).bits(n, dst.ty);
                    self.sub_group.vectors.set(dst.ty, slot, lane, bits);
                }
            }
        }
    }

    fn set_uniform(&mut self, dst: &Dest, bits: u64, lanes: u64) {
        if let Some(slot) = dst.scalar {
            self.scalars.set(dst.ty, slot, 0, bits);
        }
        if let Some(slot) = dst.vector {
            let vectors = &mut self.sub_group.vectors;
            if lanes == self.sub_group.live {
                vectors.splat(dst.ty, slot, bits);
            } else {
                vectors.splat_masked(dst.ty, slot, bits, lanes);
            }
        }
    }

    pub(super) fn image_write(&mut self, step: &ImageWriteStep, mask: u64) {
        self.each_image(step.image, mask, |runner, image, region, lanes| {
            let Some(image) = image else {
                runner.no_image(step.at, AccessKind::Store, region, lanes, step.from_data);
                return;
            };
            let function = Function {
                at: step.at,
                kind: AccessKind::Store,
                image,
                region,
                from_data: step.from_data,
            };
            let mut texels = [None; W];
            let mut coords = [[0i64; 4]; W];
            for lane in each_lane(lanes) {
                coords[lane] = std::array::from_fn(|c| {
                    let coord = step.coords.get(c);
                    coord.map_or(0, |&coord| {
                        i64::from(runner.operand_bits(Ty::I32, coord, lane) as u32 as i32)
                    })
                });
                texels[lane] = image.texel(&coords[lane]);
            }
            runner.outside_image(&function, lanes, |lane| {
                texels[lane].is_none().then_some(coords[lane])
            });
            runner.texel_event(&function, lanes, 0, |lane| texels[lane]);
            let size = image.format.channel.scalar().size() as u32;
            for lane in each_lane(lanes) {
                let Some(number) = texels[lane] else { continue };
                let components: [u64; 4] = std::array::from_fn(|c| {
                    let source = step.src.get(c);
                    source.map_or(0, |&source| runner.operand_bits(step.ty, source, lane))
                });
                let stored = texel::write(image.format, &components, step.ty);
                let first = number * u64::from(image.texel_bytes());
                let channels = usize::from(image.format.order.channels());
                with_words!(runner, region, words, {
                    for (n, bits) in stored.into_iter().take(channels).enumerate() {
                        let byte = first + n as u64 * u64::from(size);
                        write_bits(words, lane, byte, size, bits);
                    }
                });
            }
        });
    }

    pub(super) fn image_query(&mut self, step: &ImageQueryStep, mask: u64) {
        let uniform = step.dst.scalar.is_some();
        self.each_image(step.image, mask, |runner, image, _, lanes| {
            let bits = image.map_or(0, |image| answer(image, step.query));
            if uniform {
                runner.set_uniform(&step.dst, bits, lanes);
            } else if let Some(slot) = step.dst.vector {
                let vectors = &mut runner.sub_group.vectors;
                vectors.splat_masked(step.dst.ty, slot, bits, lanes);
            }
        });
    }

    /// Calls `f` for each image that lanes of `mask` name, with those lanes.
    /// (A compiler may join two reads of different images into one.)
    fn each_image(
        &mut self,
        image: Operand,
        mask: u64,
        mut f: impl FnMut(&mut Self, Option<&'a ImageLayout>, Region, u64),
    ) {
        let prepared = self.context.prepared;
        let mut rest = mask;
        while rest != 0 {
            let pointer = self.operand_bits(Ty::Ptr, image, rest.trailing_zeros() as usize);
            let lanes = match image {
                Operand::Scalar(_) => rest,
                Operand::Vector(_) => each_lane(rest)
                    .filter(|&l| self.operand_bits(Ty::Ptr, image, l) == pointer)
                    .fold(0, |lanes, l| lanes | 1 << l),
            };
            let region = known_region(pointer, &prepared.lengths);
            let layout = prepared.regions.get(region).image.as_ref();
            f(self, layout, region, lanes);
            rest &= !lanes;
        }
    }

    fn operand_bits(&self, ty: Ty, operand: Operand, lane: usize) -> u64 {
        match operand {
            Operand::Scalar(slot) => self.scalars.get(ty, slot, 0),
            Operand::Vector(slot) => self.sub_group.vectors.get(ty, slot, lane),
        }
    }

    /// Tells the observer of the texels that lanes touch, one each; false
    /// where there are none.
    fn texel_event(
        &mut self,
        function: &Function<'_>,
        lanes: u64,
        number: u8,
        texel: impl Fn(usize) -> Option<u64>,
    ) -> bool {
        let access: MemAccess = function.image.access();
        let bytes = u64::from(access.bytes);
        let mut texels = [0; W];
        let mut touching = 0;
        for lane in each_lane(lanes) {
            if let Some(texel) = texel(lane) {
                texels[lane] = pack(function.region, (texel * bytes) as i64);
                touching |= 1 << lane;
            }
        }
        if touching == 0 {
            return false;
        }
        let mut addresses = [0; W];
        let plan = self.plan(&texels, &mut addresses, touching, access.bytes);
        let access = Access {
            at: function.at,
            kind: function.kind,
            access: &access,
            components: first_components(access.count),
            from_data: function.from_data,
            image: Some(number),
            stored: &[],
        };
        self.access(&access, touching, &addresses, &plan);
        true
    }

    /// Records the lanes whose coordinates lie outside of the image where they
    /// must not.
    fn outside_image(
        &mut self,
        function: &Function<'_>,
        lanes: u64,
        outside: impl Fn(usize) -> Option<[i64; 4]>,
    ) {
        let bad = each_lane(lanes)
            .filter(|&lane| outside(lane).is_some())
            .fold(0u64, |bad, lane| bad | 1 << lane);
        if bad == 0 {
            return;
        }
        let coords = outside(bad.trailing_zeros() as usize).unwrap_or_default();
        let kind = FaultKind::OutsideImage {
            region: function.region,
            coords,
            access: function.kind,
            address_from_data: function.from_data,
        };
        self.fault(kind, function.at.inst, function.at.site, bad);
    }

    /// Records an access through what is no image: a value that nothing set.
    #[cold]
    fn no_image(&mut self, at: At, access: AccessKind, region: Region, mask: u64, data: bool) {
        let kind = FaultKind::OutOfBounds {
            region,
            offset: 0,
            bytes: 0,
            access,
            address_from_data: data,
        };
        self.fault(kind, at.inst, at.site, mask);
    }
}

fn answer(image: &ImageLayout, query: ImageQuery) -> u64 {
    match query {
        ImageQuery::Size(d) => {
            let dims = image.dims.dimensions();
            match d {
                d if d < dims => image.size[usize::from(d)],
                d if d == dims && image.dims.is_array() => image.layers,
                _ => 0,
            }
        }
        // The kernel adds OpenCL's first number itself.
        ImageQuery::ChannelOrder => u64::from(image.format.order.opencl() - 0x10B0),
        ImageQuery::ChannelType => u64::from(image.format.channel.opencl() - 0x10D0),
    }
}
