//! Images: their types, formats and samplers (OpenCL 1.2, sections 5.3 and
//! 8.2; OpenCL C 1.2, section 6.12.14).
//!
//! What is not here: multi-sampled and mipmapped images, packed formats (565,
//! 555, 101010), sRGB, and orders with a padding component (`CL_Rx`).

mod format;
mod sampler;
mod types;

pub use format::{ChannelOrder, ChannelType, Component, ImageFormat, UnknownFormat};
pub use sampler::{Addressing, Sampler, SamplerError};
pub use types::{ImageAccess, ImageDims, ImageType, TexelKind};

use crate::resolved::Buffer;

/// An image of a launch: its size, its format and what it holds at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// What kind of image.
    pub dims: ImageDims,
    /// Width, height and depth in texels; those that the kind does not have
    /// are 1.
    pub size: [u64; 3],
    /// Number of layers; 1 for what is no array.
    pub layers: u64,
    /// Format of a texel.
    pub format: ImageFormat,
    /// The texels, one behind the other: along x first, then y, then z or the
    /// layer, without padding. Its elements are texels as stored, its length
    /// is always known.
    pub texels: Buffer,
}

impl Image {
    /// The size as the kernel asks about it: one number per dimension, then
    /// the number of layers of an array.
    pub fn extent(&self) -> Vec<u64> {
        let dims = usize::from(self.dims.dimensions());
        let mut extent = self.size[..dims].to_vec();
        if self.dims.is_array() {
            extent.push(self.layers);
        }
        extent
    }

    /// The number of the texel at coordinates inside of the image.
    pub const fn texel(&self, [x, y, z]: [u64; 3], layer: u64) -> u64 {
        ((layer * self.size[2] + z) * self.size[1] + y) * self.size[0] + x
    }
}
