//! Scalars in little-endian bytes.

use tilewise_launch::Scalar;

/// The value of an integer; 0 for what is none.
pub fn integer(scalar: Scalar, bytes: &[u8]) -> i64 {
    match (scalar, bytes) {
        (Scalar::U8, &[a]) => i64::from(a),
        (Scalar::I8, &[a]) => i64::from(a as i8),
        (Scalar::U16, &[a, b]) => i64::from(u16::from_le_bytes([a, b])),
        (Scalar::I16, &[a, b]) => i64::from(i16::from_le_bytes([a, b])),
        _ => 0,
    }
}

/// A floating-point value; a NaN for what is none.
pub fn float(scalar: Scalar, bytes: &[u8]) -> f64 {
    match (scalar, bytes) {
        (Scalar::F16, &[a, b]) => half::f16::from_le_bytes([a, b]).to_f64(),
        (Scalar::F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        (Scalar::F64, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => f64::NAN,
    }
}

/// A scalar as text.
pub fn show(scalar: Scalar, bytes: &[u8]) -> String {
    let mut wide = [0u8; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let shift = 64 - 8 * bytes.len() as u32;
    match scalar {
        Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        s if s.is_float() => format!("{:?}", float(s, bytes)),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            (((bits << shift) as i64) >> shift).to_string()
        }
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_widened() {
        for (bits, value) in [(0x3c00u16, 1.0), (0xc000, -2.0), (0x0001, 2f64.powi(-24))] {
            assert_eq!(float(Scalar::F16, &bits.to_le_bytes()), value);
        }
        assert!(float(Scalar::F16, &0x7e00u16.to_le_bytes()).is_nan());
    }
}
