//! Image formats by the names that OpenGL and Vulkan made known: `rgba8` is
//! normalised 8-bit, `rgba8ui` unsigned integers, `r32f` floats.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::element::{ElemType, Scalar};
use crate::suggest::nearest;

use super::types::TexelKind;

/// Which components a texel stores, and in which order (`cl_channel_order`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ChannelOrder {
    R,
    A,
    Rg,
    Ra,
    Rgba,
    Bgra,
    Argb,
    Intensity,
    Luminance,
    Depth,
}

impl ChannelOrder {
    /// All orders, in the order in which help texts list them.
    pub const ALL: [ChannelOrder; 10] = [
        ChannelOrder::R,
        ChannelOrder::Rg,
        ChannelOrder::Rgba,
        ChannelOrder::Bgra,
        ChannelOrder::Argb,
        ChannelOrder::A,
        ChannelOrder::Ra,
        ChannelOrder::Intensity,
        ChannelOrder::Luminance,
        ChannelOrder::Depth,
    ];

    /// Components that a texel stores: 1, 2 or 4.
    pub const fn channels(self) -> u8 {
        match self {
            ChannelOrder::R
            | ChannelOrder::A
            | ChannelOrder::Intensity
            | ChannelOrder::Luminance
            | ChannelOrder::Depth => 1,
            ChannelOrder::Rg | ChannelOrder::Ra => 2,
            ChannelOrder::Rgba | ChannelOrder::Bgra | ChannelOrder::Argb => 4,
        }
    }

    /// The name in a format, such as `rgba`.
    pub const fn name(self) -> &'static str {
        match self {
            ChannelOrder::R => "r",
            ChannelOrder::A => "a",
            ChannelOrder::Rg => "rg",
            ChannelOrder::Ra => "ra",
            ChannelOrder::Rgba => "rgba",
            ChannelOrder::Bgra => "bgra",
            ChannelOrder::Argb => "argb",
            ChannelOrder::Intensity => "intensity",
            ChannelOrder::Luminance => "luminance",
            ChannelOrder::Depth => "depth",
        }
    }

    /// OpenCL's number, such as `CL_RGBA` (0x10B5).
    pub const fn opencl(self) -> u32 {
        match self {
            ChannelOrder::R => 0x10B0,
            ChannelOrder::A => 0x10B1,
            ChannelOrder::Rg => 0x10B2,
            ChannelOrder::Ra => 0x10B3,
            ChannelOrder::Rgba => 0x10B5,
            ChannelOrder::Bgra => 0x10B6,
            ChannelOrder::Argb => 0x10B7,
            ChannelOrder::Intensity => 0x10B8,
            ChannelOrder::Luminance => 0x10B9,
            ChannelOrder::Depth => 0x10BD,
        }
    }

    /// For each component that the kernel sees (red, green, blue, alpha), the
    /// stored one that it comes from: table 6.23 of OpenCL C 1.2.
    pub const fn read_from(self) -> [Component; 4] {
        use Component::{One, Stored as S, Zero};
        match self {
            ChannelOrder::R | ChannelOrder::Depth => [S(0), Zero, Zero, One],
            ChannelOrder::A => [Zero, Zero, Zero, S(0)],
            ChannelOrder::Rg => [S(0), S(1), Zero, One],
            ChannelOrder::Ra => [S(0), Zero, Zero, S(1)],
            ChannelOrder::Rgba => [S(0), S(1), S(2), S(3)],
            ChannelOrder::Bgra => [S(2), S(1), S(0), S(3)],
            ChannelOrder::Argb => [S(1), S(2), S(3), S(0)],
            ChannelOrder::Intensity => [S(0), S(0), S(0), S(0)],
            ChannelOrder::Luminance => [S(0), S(0), S(0), One],
        }
    }

    /// For each stored component, the one of red, green, blue and alpha (0 to
    /// 3) that a write puts there.
    pub const fn write_from(self) -> [usize; 4] {
        match self {
            ChannelOrder::R
            | ChannelOrder::Intensity
            | ChannelOrder::Luminance
            | ChannelOrder::Depth => [0, 0, 0, 0],
            ChannelOrder::A => [3, 0, 0, 0],
            ChannelOrder::Rg | ChannelOrder::Rgba => [0, 1, 2, 3],
            ChannelOrder::Ra => [0, 3, 0, 0],
            ChannelOrder::Bgra => [2, 1, 0, 3],
            ChannelOrder::Argb => [3, 0, 1, 2],
        }
    }

    /// Alpha of the border colour; its other components are 0 (OpenCL C 1.2,
    /// section 6.12.14.1.1).
    pub const fn border_alpha(self) -> u8 {
        match self {
            ChannelOrder::A
            | ChannelOrder::Intensity
            | ChannelOrder::Ra
            | ChannelOrder::Rgba
            | ChannelOrder::Bgra
            | ChannelOrder::Argb => 0,
            ChannelOrder::R | ChannelOrder::Rg | ChannelOrder::Luminance | ChannelOrder::Depth => 1,
        }
    }
}

/// Where a component that the kernel sees comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// From the stored component of this number.
    Stored(usize),
    /// It is always 0.
    Zero,
    /// It is always 1.
    One,
}

/// How a component is stored (`cl_channel_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ChannelType {
    Snorm8,
    Snorm16,
    Unorm8,
    Unorm16,
    Signed8,
    Signed16,
    Signed32,
    Unsigned8,
    Unsigned16,
    Unsigned32,
    Half,
    Float,
}

impl ChannelType {
    /// All types, in the order in which help texts list them.
    pub const ALL: [ChannelType; 12] = [
        ChannelType::Unorm8,
        ChannelType::Unorm16,
        ChannelType::Snorm8,
        ChannelType::Snorm16,
        ChannelType::Signed8,
        ChannelType::Signed16,
        ChannelType::Signed32,
        ChannelType::Unsigned8,
        ChannelType::Unsigned16,
        ChannelType::Unsigned32,
        ChannelType::Half,
        ChannelType::Float,
    ];

    /// The name in a format: bits, then the kind (none: unsigned normalised).
    pub const fn name(self) -> &'static str {
        match self {
            ChannelType::Snorm8 => "8snorm",
            ChannelType::Snorm16 => "16snorm",
            ChannelType::Unorm8 => "8",
            ChannelType::Unorm16 => "16",
            ChannelType::Signed8 => "8i",
            ChannelType::Signed16 => "16i",
            ChannelType::Signed32 => "32i",
            ChannelType::Unsigned8 => "8ui",
            ChannelType::Unsigned16 => "16ui",
            ChannelType::Unsigned32 => "32ui",
            ChannelType::Half => "16f",
            ChannelType::Float => "32f",
        }
    }

    /// OpenCL's number, such as `CL_UNORM_INT8` (0x10D2).
    pub const fn opencl(self) -> u32 {
        match self {
            ChannelType::Snorm8 => 0x10D0,
            ChannelType::Snorm16 => 0x10D1,
            ChannelType::Unorm8 => 0x10D2,
            ChannelType::Unorm16 => 0x10D3,
            ChannelType::Signed8 => 0x10D7,
            ChannelType::Signed16 => 0x10D8,
            ChannelType::Signed32 => 0x10D9,
            ChannelType::Unsigned8 => 0x10DA,
            ChannelType::Unsigned16 => 0x10DB,
            ChannelType::Unsigned32 => 0x10DC,
            ChannelType::Half => 0x10DD,
            ChannelType::Float => 0x10DE,
        }
    }

    /// The scalar that is stored.
    pub const fn scalar(self) -> Scalar {
        match self {
            ChannelType::Snorm8 | ChannelType::Signed8 => Scalar::I8,
            ChannelType::Snorm16 | ChannelType::Signed16 => Scalar::I16,
            ChannelType::Unorm8 | ChannelType::Unsigned8 => Scalar::U8,
            ChannelType::Unorm16 | ChannelType::Unsigned16 => Scalar::U16,
            ChannelType::Signed32 => Scalar::I32,
            ChannelType::Unsigned32 => Scalar::U32,
            ChannelType::Half => Scalar::F16,
            ChannelType::Float => Scalar::F32,
        }
    }

    /// What a kernel must take it for.
    pub const fn kind(self) -> TexelKind {
        match self {
            ChannelType::Signed8
            | ChannelType::Signed16
            | ChannelType::Signed32
            | ChannelType::Unsigned8
            | ChannelType::Unsigned16
            | ChannelType::Unsigned32 => TexelKind::Integer,
            _ => TexelKind::Float,
        }
    }
}

/// The format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ImageFormat {
    /// Which components.
    pub order: ChannelOrder,
    /// How each is stored.
    pub channel: ChannelType,
}

impl ImageFormat {
    /// Every format that OpenCL allows.
    pub fn all() -> impl Iterator<Item = ImageFormat> {
        ChannelOrder::ALL.into_iter().flat_map(|order| {
            ChannelType::ALL
                .into_iter()
                .map(move |channel| ImageFormat { order, channel })
                .filter(|format| format.exists())
        })
    }

    /// Whether OpenCL has the format (OpenCL 1.2, table 5.6).
    fn exists(self) -> bool {
        use ChannelType as T;
        match self.order {
            ChannelOrder::Bgra | ChannelOrder::Argb => self.channel.scalar().size() == 1,
            ChannelOrder::Intensity | ChannelOrder::Luminance => {
                self.channel.kind() == TexelKind::Float
            }
            ChannelOrder::Depth => matches!(self.channel, T::Unorm16 | T::Float),
            _ => true,
        }
    }

    /// A texel as it is stored: its components one behind the other.
    pub const fn texel(self) -> ElemType {
        ElemType::vector(self.channel.scalar(), self.order.channels())
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.order.name(), self.channel.name())
    }
}

/// The text names no image format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct UnknownFormat {
    problem: String,
}

impl FromStr for ImageFormat {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        if let Some(found) = Self::all().find(|format| format.to_string() == text) {
            return Ok(found);
        }
        let orders = ChannelOrder::ALL.map(ChannelOrder::name);
        let types = ChannelType::ALL.map(ChannelType::name);
        let digits = text
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(text.len());
        let (order, channel) = text.split_at(digits);
        let problem = if orders.contains(&order) && types.contains(&channel) {
            format!("OpenCL has no image format `{text}`: {order} comes with other channel types")
        } else {
            let names: Vec<String> = Self::all().map(|format| format.to_string()).collect();
            let help = match nearest(text, names.iter().map(String::as_str)) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => ".".to_owned(),
            };
            format!(
                "`{text}` is no image format{help} A format is an order ({}) and a channel type \
                 ({}), such as rgba8 or r32f",
                orders.join(" "),
                types.join(" ")
            )
        };
        Err(UnknownFormat { problem })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_as_printed() {
        let all: Vec<ImageFormat> = ImageFormat::all().collect();
        assert_eq!(all.len(), 5 * 12 + 2 * 4 + 2 * 6 + 2);
        for format in all {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let texel = |name: &str| name.parse::<ImageFormat>().unwrap().texel().to_string();
        assert_eq!(texel("rgba8"), "u8x4");
        assert_eq!(texel("r32f"), "f32");
        assert_eq!(texel("rg16snorm"), "i16x2");
    }

    #[test]
    fn mistakes_get_a_suggestion() {
        let message = |name: &str| name.parse::<ImageFormat>().unwrap_err().to_string();
        assert!(message("rgba8u").starts_with("`rgba8u` is no image format; did you mean `rgba8"));
        assert!(message("xyz").starts_with("`xyz` is no image format. A format is an order (r rg"));
        assert!(message("bgra32f").starts_with("OpenCL has no image format `bgra32f`"));
    }
}
