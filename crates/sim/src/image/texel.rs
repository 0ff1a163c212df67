//! Components as stored and as a kernel sees them: section 8.3 of the OpenCL
//! 1.2 specification. Conversions round to the nearest even number, as the
//! specification prefers; what does not fit saturates.

use half::f16;
use tilewise_ir::Ty;
use tilewise_launch::image::{ChannelType, Component, ImageFormat, TexelKind};

/// Four components as a kernel sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Texel {
    Float([f32; 4]),
    Int([u32; 4]),
}

impl Texel {
    /// The bits of a component as a value of a type: `F32`, `F16` or `I32`.
    pub fn bits(&self, component: usize, ty: Ty) -> u64 {
        match (self, ty) {
            (Texel::Float(f), Ty::F16) => u64::from(f16::from_f32(f[component]).to_bits()),
            (Texel::Float(f), _) => u64::from(f[component].to_bits()),
            (Texel::Int(i), _) => u64::from(i[component]),
        }
    }
}

/// The texel that these stored components are.
pub(crate) fn read(format: ImageFormat, stored: &[u64; 4]) -> Texel {
    let sources = format.order.read_from();
    match format.channel.kind() {
        TexelKind::Float => Texel::Float(sources.map(|source| match source {
            Component::Stored(n) => float(format.channel, stored[n]),
            Component::Zero => 0.0,
            Component::One => 1.0,
        })),
        TexelKind::Integer => Texel::Int(sources.map(|source| match source {
            Component::Stored(n) => integer(format.channel, stored[n]),
            Component::Zero => 0,
            Component::One => 1,
        })),
    }
}

/// The border colour.
pub(crate) fn border(format: ImageFormat) -> Texel {
    let alpha = format.order.border_alpha();
    match format.channel.kind() {
        TexelKind::Float => Texel::Float([0.0, 0.0, 0.0, f32::from(alpha)]),
        TexelKind::Integer => Texel::Int([0, 0, 0, u32::from(alpha)]),
    }
}

/// The components to be stored for those that a kernel writes, given by their
/// bits in a type.
pub(crate) fn write(format: ImageFormat, components: &[u64; 4], ty: Ty) -> [u64; 4] {
    format.order.write_from().map(|n| {
        let bits = components[n];
        match ty {
            Ty::I32 => store_integer(format.channel, bits as u32 as i32),
            Ty::F16 => store_float(format.channel, f16::from_bits(bits as u16).to_f32()),
            _ => store_float(format.channel, f32::from_bits(bits as u32)),
        }
    })
}

fn float(channel: ChannelType, bits: u64) -> f32 {
    match channel {
        ChannelType::Unorm8 => f32::from(bits as u8) / 255.0,
        ChannelType::Unorm16 => f32::from(bits as u16) / 65535.0,
        ChannelType::Snorm8 => (f32::from(bits as i8) / 127.0).max(-1.0),
        ChannelType::Snorm16 => (f32::from(bits as i16) / 32767.0).max(-1.0),
        ChannelType::Half => f16::from_bits(bits as u16).to_f32(),
        _ => f32::from_bits(bits as u32),
    }
}

fn integer(channel: ChannelType, bits: u64) -> u32 {
    match channel {
        ChannelType::Signed8 => bits as u8 as i8 as u32,
        ChannelType::Signed16 => bits as u16 as i16 as u32,
        _ => bits as u32,
    }
}

// The casts saturate, and give 0 for what is no number.
fn store_float(channel: ChannelType, value: f32) -> u64 {
    match channel {
        ChannelType::Unorm8 => (value * 255.0).round_ties_even() as u8 as u64,
        ChannelType::Unorm16 => (value * 65535.0).round_ties_even() as u16 as u64,
        ChannelType::Snorm8 => (value * 127.0).round_ties_even() as i8 as u8 as u64,
        ChannelType::Snorm16 => (value * 32767.0).round_ties_even() as i16 as u16 as u64,
        ChannelType::Half => u64::from(f16::from_f32(value).to_bits()),
        _ => u64::from(value.to_bits()),
    }
}

fn store_integer(channel: ChannelType, value: i32) -> u64 {
    // What `write_imageui` writes is unsigned.
    let unsigned = value as u32;
    match channel {
        ChannelType::Signed8 => value.clamp(-128, 127) as i8 as u8 as u64,
        ChannelType::Signed16 => value.clamp(-32768, 32767) as i16 as u16 as u64,
        ChannelType::Unsigned8 => u64::from(unsigned.min(255)),
        ChannelType::Unsigned16 => u64::from(unsigned.min(65535)),
        _ => u64::from(unsigned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> ImageFormat {
        name.parse().unwrap()
    }

    fn floats(name: &str, stored: [u64; 4]) -> [f32; 4] {
        match read(format(name), &stored) {
            Texel::Float(floats) => floats,
            Texel::Int(ints) => panic!("{ints:?}"),
        }
    }

    #[test]
    fn components_by_order() {
        assert_eq!(floats("rgba32f", [0x3F80_0000, 0, 0, 0])[0], 1.0);
        let bytes = [0, 51, 102, 255];
        assert_eq!(floats("rgba8", bytes), [0.0, 0.2, 0.4, 1.0]);
        assert_eq!(floats("bgra8", bytes), [0.4, 0.2, 0.0, 1.0]);
        assert_eq!(floats("argb8", bytes), [0.2, 0.4, 1.0, 0.0]);
        assert_eq!(floats("r8", bytes), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats("ra8", bytes), [0.0, 0.0, 0.0, 0.2]);
        assert_eq!(floats("a8", [255, 0, 0, 0]), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats("intensity8", [51, 0, 0, 0]), [0.2; 4]);
        assert_eq!(floats("luminance8", [51, 0, 0, 0]), [0.2, 0.2, 0.2, 1.0]);
        assert_eq!(
            read(format("rg8i"), &[0xFF, 1, 0, 0]),
            Texel::Int([u32::MAX, 1, 0, 1])
        );
    }

    #[test]
    fn every_stored_value_survives_a_read_and_a_write() {
        for name in [
            "rgba8",
            "bgra8",
            "argb8",
            "rgba8snorm",
            "rgba16",
            "rgba16snorm",
            "rgba16f",
        ] {
            let format = format(name);
            let most = 1u64 << (8 * format.channel.scalar().size());
            for value in 0..most {
                let stored = [value, most - 1 - value, 3, 7];
                let texel = read(format, &stored);
                let bits: [u64; 4] = std::array::from_fn(|c| texel.bits(c, Ty::F32));
                let back = write(format, &bits, Ty::F32);
                for (is, was) in back.into_iter().zip(stored) {
                    // -128 and -127 are both -1; a NaN stays one.
                    let lowest = most / 2;
                    let same = is == was
                        || name.ends_with("snorm") && was == lowest && is == lowest + 1
                        || f16::from_bits(was as u16).is_nan() && name.ends_with('f');
                    assert!(same, "{name}: {was:#x} became {is:#x}");
                }
            }
        }
    }

    #[test]
    fn writes_round_and_saturate() {
        let float = |name: &str, value: f32| {
            write(format(name), &[u64::from(value.to_bits()); 4], Ty::F32)[0]
        };
        assert_eq!(float("r8", 0.5), 128);
        assert_eq!(float("r8", 2.5 / 255.0), 2);
        assert_eq!(float("r8", 7.0), 255);
        assert_eq!(float("r8", f32::NAN), 0);
        assert_eq!(float("r8snorm", -3.0), 0x80);
        assert_eq!(float("r16f", 1.0), 0x3C00);
        let int =
            |name: &str, value: i32| write(format(name), &[u64::from(value as u32); 4], Ty::I32)[0];
        assert_eq!(int("r8i", -300), 0x80);
        assert_eq!(int("r8ui", -1), 255);
        assert_eq!(int("r16ui", 70000), 65535);
        assert_eq!(int("r32i", -2), 0xFFFF_FFFE);
    }
}
