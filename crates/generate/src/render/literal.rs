//! Constants, written so that they are read back bit for bit.

use tilewise_launch::Scalar;

use crate::tree::Value;
use crate::types::{bits, is_signed};

/// A constant in OpenCL C.
pub fn literal(value: &Value) -> String {
    let all: Vec<String> = value
        .components()
        .iter()
        .map(|&b| scalar(value.ty.scalar, b))
        .collect();
    match &all[..] {
        [one] => one.clone(),
        several => format!("(({})({}))", super::name(value.ty), several.join(", ")),
    }
}

fn scalar(ty: Scalar, value: u64) -> String {
    match ty {
        Scalar::F32 => float(f64::from(f32::from_bits(value as u32)), "f"),
        Scalar::F64 => float(f64::from_bits(value), ""),
        Scalar::U32 => format!("{value}u"),
        Scalar::U64 => format!("{value}ul"),
        _ => {
            let shift = 64 - bits(ty);
            let number = if is_signed(ty) {
                ((value << shift) as i64) >> shift
            } else {
                value as i64
            };
            match (ty, number) {
                (Scalar::I32, -2_147_483_648) => "(-2147483647 - 1)".to_owned(),
                (Scalar::I32, n) if n < 0 => format!("({n})"),
                (Scalar::I32, n) => n.to_string(),
                (Scalar::I64, i64::MIN) => "(-9223372036854775807l - 1)".to_owned(),
                (Scalar::I64, n) if n < 0 => format!("({n}l)"),
                (Scalar::I64, n) => format!("{n}l"),
                (_, n) => format!("(({})({n}))", ty.opencl_name()),
            }
        }
    }
}

/// A float in C's hexadecimal notation, which rounds nothing. What is not
/// finite is a quotient: `INFINITY` and `NAN` are no constants to clang.
fn float(x: f64, suffix: &str) -> String {
    if x.is_nan() {
        return format!("(0.0{suffix} / 0.0{suffix})");
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let text = if x.is_infinite() {
        format!("(1.0{suffix} / 0.0{suffix})")
    } else if x.abs() < 1e9 && x.fract() == 0.0 {
        format!("{:.1}{suffix}", x.abs())
    } else {
        let all = x.abs().to_bits();
        let (exponent, fraction) = (all >> 52, all & ((1 << 52) - 1));
        let (lead, exponent) = match exponent {
            0 => (0, -1022),
            e => (1, e as i64 - 1023),
        };
        format!("0x{lead}.{fraction:013x}p{exponent}{suffix}")
    };
    if sign.is_empty() {
        text
    } else {
        format!("({sign}{text})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants() {
        let float = |x: f32| scalar(Scalar::F32, u64::from(x.to_bits()));
        assert_eq!(float(-2.0), "(-2.0f)");
        assert_eq!(float(0.1), "0x1.99999a0000000p-4f");
        assert_eq!(float(f32::NEG_INFINITY), "(-(1.0f / 0.0f))");
        assert_eq!(float(-0.0), "(-0.0f)");
        assert_eq!(scalar(Scalar::F64, 1), "0x0.0000000000001p-1022");
        assert_eq!(scalar(Scalar::I8, 0xff), "((char)(-1))");
        assert_eq!(scalar(Scalar::I32, 0x8000_0000), "(-2147483647 - 1)");
        assert_eq!(scalar(Scalar::U64, u64::MAX), "18446744073709551615ul");
    }
}
