//! Images: where the texels of a read are, and what they hold.
//!
//! After section 8 of the OpenCL 1.2 specification: addressing and filters
//! ([`sample`]), conversion between stored components and those that a kernel
//! sees ([`texel`]). Coordinates and weights are computed in single precision,
//! as the specification writes them; devices use fewer bits for the weights of
//! a linear filter. What the specification leaves undefined gets a definite
//! meaning here: see [`sample::taps`].

pub(crate) mod sample;
pub(crate) mod texel;

use tilewise_ir::{MemAccess, Space, Ty};
use tilewise_launch::image::{ImageDims, ImageFormat};
use tilewise_launch::{Image, Scalar};

/// Size and format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageLayout {
    /// What kind of image.
    pub dims: ImageDims,
    /// Width, height and depth in texels.
    pub size: [u64; 3],
    /// Number of layers; 1 for what is no array.
    pub layers: u64,
    /// Format of a texel.
    pub format: ImageFormat,
}

impl ImageLayout {
    /// That of an image.
    pub fn new(image: &Image) -> Self {
        Self {
            dims: image.dims,
            size: image.size,
            layers: image.layers,
            format: image.format,
        }
    }

    /// Its size as kernels ask about it: one number per dimension, then the
    /// layers of an array.
    pub fn extent(&self) -> Vec<u64> {
        let mut extent = self.size[..usize::from(self.dims.dimensions())].to_vec();
        if self.dims.is_array() {
            extent.push(self.layers);
        }
        extent
    }

    /// Number of the texel at these coordinates, the layer behind those of the
    /// dimensions; `None` outside of the image.
    pub(crate) fn texel(&self, coords: &[i64; 4]) -> Option<u64> {
        let dims = usize::from(self.dims.dimensions());
        let mut at = [0; 3];
        for d in 0..dims {
            at[d] = u64::try_from(coords[d])
                .ok()
                .filter(|c| *c < self.size[d])?;
        }
        let layer = if self.dims.is_array() {
            u64::try_from(coords[dims])
                .ok()
                .filter(|c| *c < self.layers)?
        } else {
            0
        };
        let [x, y, z] = at;
        Some(((layer * self.size[2] + z) * self.size[1] + y) * self.size[0] + x)
    }

    /// Bytes of a texel.
    pub(crate) fn texel_bytes(&self) -> u32 {
        self.format.texel().size() as u32
    }

    /// The access that reads or writes one texel.
    pub(crate) fn access(&self) -> MemAccess {
        let elem = match self.format.channel.scalar() {
            Scalar::F16 => Ty::F16,
            Scalar::F32 => Ty::F32,
            scalar => Ty::int(8 * scalar.size() as u32).unwrap_or(Ty::I32),
        };
        let bytes = self.texel_bytes();
        MemAccess {
            space: Space::Global,
            elem,
            count: self.format.order.channels(),
            bytes,
            align: bytes,
            volatile: false,
            elements: 1,
        }
    }
}
