//! The image types of OpenCL C.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The dimensions of an image type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImageDims {
    /// `image1d_t`.
    D1,
    /// `image1d_buffer_t`: texels in a buffer, read without a sampler.
    Buffer,
    /// `image1d_array_t`.
    D1Array,
    /// `image2d_t`.
    D2,
    /// `image2d_array_t`.
    D2Array,
    /// `image3d_t`.
    D3,
}

impl ImageDims {
    /// Number of dimensions, the layers of an array not among them: 1 to 3.
    pub const fn dimensions(self) -> u8 {
        match self {
            ImageDims::D1 | ImageDims::Buffer | ImageDims::D1Array => 1,
            ImageDims::D2 | ImageDims::D2Array => 2,
            ImageDims::D3 => 3,
        }
    }

    /// Whether it is an array of images.
    pub const fn is_array(self) -> bool {
        matches!(self, ImageDims::D1Array | ImageDims::D2Array)
    }

    /// Number of sizes in brackets, and of coordinates: the dimensions and the
    /// layer.
    pub const fn sizes(self) -> usize {
        self.dimensions() as usize + self.is_array() as usize
    }

    /// The sizes by name, as messages list them.
    pub const fn size_names(self) -> &'static str {
        match self {
            ImageDims::D1 | ImageDims::Buffer => "[width]",
            ImageDims::D1Array => "[width,layers]",
            ImageDims::D2 => "[width,height]",
            ImageDims::D2Array => "[width,height,layers]",
            ImageDims::D3 => "[width,height,depth]",
        }
    }
}

/// How a kernel may access an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImageAccess {
    /// `__read_only`, the default.
    Read,
    /// `__write_only`.
    Write,
    /// `__read_write` (OpenCL C 2.0).
    ReadWrite,
}

/// What the kernel's functions take a texel's components for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TexelKind {
    /// `float` or `half`: `read_imagef`, `write_imageh`.
    Float,
    /// Integers: `read_imagei` and `read_imageui`, which look alike once they
    /// are compiled.
    Integer,
}

/// An image type of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ImageType {
    /// Its dimensions.
    pub dims: ImageDims,
    /// `image2d_depth_t` or `image2d_array_depth_t`.
    pub depth: bool,
}

const NAMES: [(&str, ImageDims, bool); 8] = [
    ("image1d_t", ImageDims::D1, false),
    ("image1d_buffer_t", ImageDims::Buffer, false),
    ("image1d_array_t", ImageDims::D1Array, false),
    ("image2d_t", ImageDims::D2, false),
    ("image2d_array_t", ImageDims::D2Array, false),
    ("image3d_t", ImageDims::D3, false),
    ("image2d_depth_t", ImageDims::D2, true),
    ("image2d_array_depth_t", ImageDims::D2Array, true),
];

impl fmt::Display for ImageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES
            .iter()
            .find(|(_, dims, depth)| *dims == self.dims && *depth == self.depth);
        f.write_str(name.map_or("image", |(name, ..)| name))
    }
}

impl FromStr for ImageType {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let found = NAMES.iter().find(|(name, ..)| *name == text);
        found
            .map(|&(_, dims, depth)| ImageType { dims, depth })
            .ok_or(())
    }
}
