//! Compares buffers with each other and with expected numbers.

use half::f16;
use tilewise_launch::resolved::as_elem;
use tilewise_launch::{Buffer, Scalar};
use toml::Value;

/// The first difference between two buffers of one type, in words.
pub fn difference(buffer: &Buffer, a: &[u8], b: &[u8], ulps: u64) -> Option<String> {
    if a == b {
        return None;
    }
    if a.len() != b.len() {
        return Some(format!("{} bytes against {}", a.len(), b.len()));
    }
    let scalar = as_elem(&buffer.elem).map_or(Scalar::U8, |e| e.scalar);
    let size = scalar.size() as usize;
    let mut pairs = a.chunks(size).zip(b.chunks(size)).enumerate();
    let (at, (x, y)) = pairs.find(|(_, (x, y))| !close(scalar, x, y, ulps))?;
    let differ = a.chunks(size).zip(b.chunks(size));
    let count = differ.filter(|(x, y)| !close(scalar, x, y, ulps)).count();
    Some(format!(
        "scalar {at} is {} against {}, {count} of {} differ",
        show(scalar, x),
        show(scalar, y),
        a.len() / size
    ))
}

/// The first scalar of a buffer that is not the number expected, in words.
pub fn unexpected(buffer: &Buffer, bytes: &[u8], expected: &[Value]) -> Option<String> {
    let scalar = as_elem(&buffer.elem).map_or(Scalar::U8, |e| e.scalar);
    let size = scalar.size() as usize;
    let count = bytes.len() / size;
    if expected.len() > count {
        return Some(format!(
            "{} values are expected of a buffer of {count}",
            expected.len()
        ));
    }
    expected
        .iter()
        .zip(bytes.chunks(size))
        .enumerate()
        .find(|(_, (number, bytes))| encode(scalar, number).as_deref() != Some(*bytes))
        .map(|(at, (number, bytes))| {
            format!("scalar {at} is {}, not {number}", show(scalar, bytes))
        })
}

fn close(scalar: Scalar, x: &[u8], y: &[u8], ulps: u64) -> bool {
    if x == y {
        return true;
    }
    let (Some(a), Some(b)) = (float(scalar, x), float(scalar, y)) else {
        return false;
    };
    if a.is_nan() && b.is_nan() {
        return true;
    }
    ulps > 0 && ordered(scalar, x).abs_diff(ordered(scalar, y)) <= ulps
}

/// A number per value, in the order of the values: neighbours differ by 1.
fn ordered(scalar: Scalar, bytes: &[u8]) -> i64 {
    let bits = unsigned(bytes);
    let sign = 1u64 << (8 * scalar.size() - 1);
    if bits & sign == 0 {
        bits as i64
    } else {
        -((bits & !sign) as i64)
    }
}

fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

fn float(scalar: Scalar, bytes: &[u8]) -> Option<f64> {
    match scalar {
        Scalar::F16 => Some(f16::from_bits(unsigned(bytes) as u16).to_f64()),
        Scalar::F32 => Some(f64::from(f32::from_bits(unsigned(bytes) as u32))),
        Scalar::F64 => Some(f64::from_bits(unsigned(bytes))),
        _ => None,
    }
}

fn encode(scalar: Scalar, number: &Value) -> Option<Vec<u8>> {
    let size = scalar.size() as usize;
    let float = match number {
        Value::Float(f) => *f,
        Value::Integer(n) => *n as f64,
        _ => return None,
    };
    Some(match scalar {
        Scalar::F16 => f16::from_f64(float).to_le_bytes().to_vec(),
        Scalar::F32 => (float as f32).to_le_bytes().to_vec(),
        Scalar::F64 => float.to_le_bytes().to_vec(),
        _ => number.as_integer()?.to_le_bytes()[..size].to_vec(),
    })
}

fn show(scalar: Scalar, bytes: &[u8]) -> String {
    match float(scalar, bytes) {
        Some(f) => format!("{f:?} ({:#x})", unsigned(bytes)),
        None => format!("{0} ({0:#x})", unsigned(bytes)),
    }
}
