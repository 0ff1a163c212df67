//! Values into bytes: little-endian, with OpenCL's sizes and the kernel's
//! structure layout. A value that its type can't hold is an error.

use half::f16;

use crate::element::{ElemType, Scalar};
use crate::expr::{Env, Expr, Num};
use crate::parse::ValueText;
use crate::signature::{StructType, ValueType};
use crate::text::TextError;

/// Why a value has no bytes of the wanted type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EncodeError {
    /// At a place in the text.
    Text(TextError),
    /// The value as a whole: what is wrong, and what would be right.
    Shape(String),
}

impl From<TextError> for EncodeError {
    fn from(error: TextError) -> Self {
        EncodeError::Text(error)
    }
}

/// Writes `value` as a `scalar` to the start of `out`; the message says why it
/// doesn't fit.
pub(crate) fn encode_scalar(scalar: Scalar, value: Num, out: &mut [u8]) -> Result<(), String> {
    let size = scalar.size() as usize;
    if scalar.is_float() {
        let exact = value.as_f64();
        let rounded = match scalar {
            Scalar::F16 => f16::from_f64(exact).to_f64(),
            Scalar::F32 => f64::from(exact as f32),
            _ => exact,
        };
        if exact.is_finite() && !rounded.is_finite() {
            return Err(format!("{value} is too large for {}", both_names(scalar)));
        }
        match scalar {
            Scalar::F16 => out[..size].copy_from_slice(&f16::from_f64(exact).to_le_bytes()),
            Scalar::F32 => out[..size].copy_from_slice(&(exact as f32).to_le_bytes()),
            _ => out[..size].copy_from_slice(&exact.to_le_bytes()),
        }
        return Ok(());
    }
    let Some(int) = value.as_int() else {
        return Err(format!(
            "{} needs a whole number, this is {value}",
            both_names(scalar)
        ));
    };
    let (low, high) = integer_range(scalar);
    if int < low || int > high {
        return Err(format!(
            "{int} does not fit {}, which holds {low} to {high}",
            both_names(scalar)
        ));
    }
    out[..size].copy_from_slice(&int.to_le_bytes()[..size]);
    Ok(())
}

/// The value of the scalar whose bytes stand at the start of `bytes`.
pub(crate) fn decode_scalar(scalar: Scalar, bytes: &[u8]) -> Num {
    let mut wide = [0; 8];
    let size = (scalar.size() as usize).min(bytes.len());
    wide[..size].copy_from_slice(&bytes[..size]);
    let unsigned = u64::from_le_bytes(wide);
    match scalar {
        Scalar::F16 => Num::Float(f16::from_bits(unsigned as u16).to_f64()),
        Scalar::F32 => Num::Float(f64::from(f32::from_bits(unsigned as u32))),
        Scalar::F64 => Num::Float(f64::from_bits(unsigned)),
        Scalar::I8 => Num::Int(i128::from(unsigned as i8)),
        Scalar::I16 => Num::Int(i128::from(unsigned as i16)),
        Scalar::I32 => Num::Int(i128::from(unsigned as i32)),
        Scalar::I64 => Num::Int(i128::from(unsigned as i64)),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Num::Int(i128::from(unsigned)),
    }
}

/// Lowest and highest value of an integer type.
pub(crate) fn integer_range(scalar: Scalar) -> (i128, i128) {
    let bits = scalar.size() * 8;
    match scalar {
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => (0, (1 << bits) - 1),
        _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

/// Both names of a type, such as `float (f32)`.
pub(crate) fn both_names(scalar: Scalar) -> String {
    format!("{} ({scalar})", scalar.opencl_name())
}

/// The bytes of `value` as a `ty`.
pub(crate) fn encode(
    ty: &ValueType,
    value: &ValueText,
    env: &Env<'_>,
) -> Result<Vec<u8>, EncodeError> {
    let mut out = vec![0; ty.size() as usize];
    write(ty, value, env, &mut out, "")?;
    Ok(out)
}

fn write(
    ty: &ValueType,
    value: &ValueText,
    env: &Env<'_>,
    out: &mut [u8],
    member: &str,
) -> Result<(), EncodeError> {
    let of_member = if member.is_empty() {
        String::new()
    } else {
        format!(" (member {member})")
    };
    match (ty, value) {
        (ValueType::Elem(elem), ValueText::Scalar(expr)) if elem.lanes == 1 => {
            component(elem.scalar, expr, env, out)
        }
        (ValueType::Elem(elem), ValueText::Vector(components))
            if components.len() == usize::from(elem.lanes) =>
        {
            let size = elem.scalar.size() as usize;
            for (expr, out) in components.iter().zip(out.chunks_exact_mut(size)) {
                component(elem.scalar, expr, env, out)?;
            }
            Ok(())
        }
        (ValueType::Elem(elem), _) => Err(EncodeError::Shape(format!(
            "expected {}{of_member}",
            example(*elem)
        ))),
        (ValueType::Struct(layout), ValueText::Struct(members)) => {
            write_struct(layout, members, env, out, member)
        }
        (ValueType::Struct(layout), _) => Err(EncodeError::Shape(format!(
            "expected a structure{of_member}, such as {}",
            struct_example(layout)
        ))),
        (ValueType::Opaque { size, .. }, _) => Err(EncodeError::Shape(format!(
            "the members of this type are not known{of_member}: give its {size} bytes as @file.bin"
        ))),
    }
}

fn component(
    scalar: Scalar,
    expr: &Expr,
    env: &Env<'_>,
    out: &mut [u8],
) -> Result<(), EncodeError> {
    let value = expr.eval(env)?;
    encode_scalar(scalar, value, out).map_err(|message| expr.error(message).into())
}

fn write_struct(
    layout: &StructType,
    members: &[(String, ValueText)],
    env: &Env<'_>,
    out: &mut [u8],
    outer: &str,
) -> Result<(), EncodeError> {
    let path = |name: &str| {
        if outer.is_empty() {
            name.to_owned()
        } else {
            format!("{outer}.{name}")
        }
    };
    let names = || layout.fields.iter().map(|f| f.name.as_str());
    if let Some((unknown, _)) = members.iter().find(|(name, _)| names().all(|n| n != name)) {
        return Err(EncodeError::Shape(format!(
            "struct {} has no member {}; its members are {}",
            layout.name,
            path(unknown),
            names().collect::<Vec<_>>().join(", ")
        )));
    }
    let given = |name: &str| {
        members
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value)
    };
    let missing: Vec<String> = names()
        .filter(|name| given(name).is_none())
        .map(path)
        .collect();
    if !missing.is_empty() && !overlaps(layout) {
        return Err(EncodeError::Shape(format!(
            "no value for {}; give all members, as in {}",
            missing.join(", "),
            struct_example(layout)
        )));
    }
    for field in &layout.fields {
        let Some(value) = given(&field.name) else {
            continue;
        };
        let out = &mut out[field.offset as usize..];
        match (field.array, value) {
            (None, value) => write(&field.ty, value, env, out, &path(&field.name))?,
            (Some(count), ValueText::Array(elements)) if elements.len() as u64 == count => {
                let size = field.ty.size() as usize;
                for (n, value) in elements.iter().enumerate() {
                    let name = format!("{}[{n}]", path(&field.name));
                    write(&field.ty, value, env, &mut out[n * size..], &name)?;
                }
            }
            (Some(count), _) => {
                return Err(EncodeError::Shape(format!(
                    "member {} is an array: give its {count} elements as [a,b,…]",
                    path(&field.name)
                )));
            }
        }
    }
    Ok(())
}

/// Whether members share bytes: a union, of which one member is given.
fn overlaps(layout: &StructType) -> bool {
    layout.fields.windows(2).any(|pair| {
        let end = pair[0].offset + pair[0].ty.size() * pair[0].array.unwrap_or(1);
        pair[1].offset < end
    })
}

/// What a value of the type looks like.
fn example(elem: ElemType) -> String {
    let one = if elem.scalar.is_float() { "1.5" } else { "1" };
    if elem.lanes == 1 {
        return format!("one {}, such as {one}", both_names(elem.scalar));
    }
    let components = vec![one; usize::from(elem.lanes)].join(",");
    format!(
        "{} components for {}{} ({elem}), as in ({components})",
        elem.lanes,
        elem.scalar.opencl_name(),
        elem.lanes
    )
}

/// What a value of the structure looks like, with a 0 for each number.
pub(crate) fn struct_example(layout: &StructType) -> String {
    let members: Vec<String> = layout
        .fields
        .iter()
        .map(|field| {
            let one = value_example(&field.ty);
            let value = match field.array {
                None => one,
                Some(count) if count <= 4 => format!("[{}]", vec![one; count as usize].join(",")),
                Some(_) => format!("[{one},…]"),
            };
            format!("{}:{value}", field.name)
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

/// A value of the type, with a 0 for each number.
pub(crate) fn value_example(ty: &ValueType) -> String {
    match ty {
        ValueType::Elem(elem) if elem.lanes == 1 => "0".to_owned(),
        ValueType::Elem(elem) => format!("({})", vec!["0"; usize::from(elem.lanes)].join(",")),
        ValueType::Struct(layout) => struct_example(layout),
        ValueType::Opaque { .. } => "@file.bin".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{ArgText, parse_arg};
    use crate::signature::Field;

    fn params() -> ValueType {
        let int = ValueType::Elem(ElemType::scalar(Scalar::I32));
        let field = |name: &str, offset, ty: &ValueType, array| Field {
            name: name.into(),
            offset,
            ty: ty.clone(),
            array,
        };
        ValueType::Struct(StructType {
            name: "Params".into(),
            size: 20,
            align: 4,
            fields: vec![
                field("nx", 0, &int, None),
                field(
                    "dt",
                    4,
                    &ValueType::Elem(ElemType::scalar(Scalar::F32)),
                    None,
                ),
                field("k", 8, &int, Some(2)),
                field(
                    "h",
                    16,
                    &ValueType::Elem(ElemType::scalar(Scalar::F16)),
                    None,
                ),
            ],
        })
    }

    fn bytes(ty: &ValueType, text: &str) -> Result<Vec<u8>, String> {
        let ArgText::Value(value) = parse_arg(text).unwrap() else {
            panic!("{text} is no value")
        };
        encode(ty, &value, &Env::default()).map_err(|error| match error {
            EncodeError::Text(error) => error.to_string(),
            EncodeError::Shape(message) => message,
        })
    }

    fn elem(text: &str) -> ValueType {
        ValueType::Elem(text.parse().unwrap())
    }

    #[test]
    fn scalars_and_vectors() {
        assert_eq!(bytes(&elem("i32"), "-2").unwrap(), (-2_i32).to_le_bytes());
        assert_eq!(bytes(&elem("u8"), "255").unwrap(), [255]);
        assert_eq!(bytes(&elem("i16"), "1e3").unwrap(), 1000_i16.to_le_bytes());
        assert_eq!(
            bytes(&elem("f16"), "1.5").unwrap(),
            f16::from_f32(1.5).to_le_bytes()
        );
        assert_eq!(
            bytes(&elem("f32"), "-inf").unwrap(),
            f32::NEG_INFINITY.to_le_bytes()
        );
        assert_eq!(bytes(&elem("u64"), "2^64-1").unwrap(), [255; 8]);
        let float3 = bytes(&elem("f32x3"), "(1,2,3)").unwrap();
        assert_eq!(float3.len(), 16);
        assert_eq!(float3[8..12], 3.0_f32.to_le_bytes());
    }

    #[test]
    fn values_that_do_not_fit() {
        for (ty, text, expected) in [
            (
                "u8",
                "256",
                "256 does not fit uchar (u8), which holds 0 to 255\n    256\n    ^^^",
            ),
            (
                "u32",
                "-1",
                "-1 does not fit uint (u32), which holds 0 to 4294967295\n    -1\n    ^^",
            ),
            (
                "i32",
                "0.5",
                "int (i32) needs a whole number, this is 0.5\n    0.5\n    ^^^",
            ),
            (
                "f32",
                "1e39",
                "1e39 is too large for float (f32)\n    1e39\n    ^^^^",
            ),
            (
                "f16",
                "65536",
                "65536 is too large for half (f16)\n    65536\n    ^^^^^",
            ),
            (
                "f32x2",
                "1",
                "expected 2 components for float2 (f32x2), as in (1.5,1.5)",
            ),
            ("i32", "(1,2)", "expected one int (i32), such as 1"),
        ] {
            assert_eq!(bytes(&elem(ty), text), Err(expected.to_owned()));
        }
    }

    #[test]
    fn structures_by_member() {
        let got = bytes(&params(), "{dt:0.5, nx:64, k:[1,2], h:2}").unwrap();
        let mut expected = Vec::new();
        expected.extend(64_i32.to_le_bytes());
        expected.extend(0.5_f32.to_le_bytes());
        expected.extend(1_i32.to_le_bytes());
        expected.extend(2_i32.to_le_bytes());
        expected.extend(f16::from_f32(2.0).to_le_bytes());
        expected.extend([0, 0]);
        assert_eq!(got, expected);
        assert_eq!(
            bytes(&params(), "{nx:1}").unwrap_err(),
            "no value for dt, k, h; give all members, as in {nx:0,dt:0,k:[0,0],h:0}"
        );
        assert_eq!(
            bytes(&params(), "{nz:1}").unwrap_err(),
            "struct Params has no member nz; its members are nx, dt, k, h"
        );
        assert!(
            bytes(&params(), "{nx:1,dt:0,k:[1],h:0}")
                .unwrap_err()
                .contains("2 elements")
        );
        assert!(
            bytes(&params(), "5")
                .unwrap_err()
                .contains("expected a structure")
        );
    }
}
