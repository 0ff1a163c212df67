//! Sizes, alignments and member offsets by OpenCL's rules (OpenCL C 3.0,
//! section 6.3.5), and type names as launches know them.

use tilewise_launch::{ElemType, Field, Scalar, StructType, ValueType};

use super::type_name::Spelled;
use super::{Declarations, FieldType, Named};

/// Type names within type names deeper than this are not followed.
const MAX_DEPTH: u32 = 64;
/// Members that a structure may have, those of its members included. Structures
/// that each hold two of the one before double it with every line of source.
pub const MAX_MEMBERS: u32 = 4096;

impl Declarations {
    /// The value type that a spelled type without pointers stands for; `None`
    /// for what has no layout here (images, samplers, bit fields).
    pub fn value_type(&self, spelled: &Spelled) -> Option<ValueType> {
        self.named_type(spelled, 0, &mut { MAX_MEMBERS })
    }

    /// A type with its names replaced: pointers and qualifiers of a `typedef`
    /// become those of the type.
    pub fn resolved(&self, spelled: &Spelled) -> Spelled {
        let mut spelled = spelled.clone();
        for _ in 0..MAX_DEPTH {
            let Some(Named::Type(named)) = self.typedefs.get(&spelled.base) else {
                break;
            };
            if named.base == spelled.base || element(&spelled.base).is_some() {
                break;
            }
            let outer = spelled;
            spelled = named.clone();
            let innermost = match spelled.pointers.last_mut() {
                Some(pointer) => pointer,
                None => &mut spelled.base_qualifiers,
            };
            innermost.is_const |= outer.base_qualifiers.is_const;
            innermost.is_volatile |= outer.base_qualifiers.is_volatile;
            innermost.is_restrict |= outer.base_qualifiers.is_restrict;
            innermost.space = outer.base_qualifiers.space.or(innermost.space);
            spelled.pointers.extend(outer.pointers);
            let mut lengths = outer.lengths;
            lengths.append(&mut spelled.lengths);
            spelled.lengths = lengths;
        }
        spelled
    }

    /// `left` is how many more members there may be.
    fn named_type(&self, spelled: &Spelled, depth: u32, left: &mut u32) -> Option<ValueType> {
        if depth > MAX_DEPTH {
            return None;
        }
        let spelled = self.resolved(spelled);
        if !spelled.pointers.is_empty() {
            return Some(ValueType::Opaque { size: 8, align: 8 });
        }
        if let Some(element) = element(&spelled.base) {
            return Some(ValueType::Elem(element));
        }
        if let Some(Named::Record(record)) = self.typedefs.get(&spelled.base) {
            return self.record_type(*record, depth + 1, left);
        }
        if let Some(&record) = self.tags.get(&spelled.base) {
            return self.record_type(record, depth + 1, left);
        }
        // Enumerations are integers.
        if spelled.base.starts_with("enum ") {
            return Some(ValueType::Elem(ElemType::scalar(Scalar::I32)));
        }
        None
    }

    fn record_type(&self, index: usize, depth: u32, left: &mut u32) -> Option<ValueType> {
        let record = self.records.get(index)?;
        if record.opaque || depth > MAX_DEPTH {
            return None;
        }
        let (mut end, mut align) = (0u64, 1u64);
        let mut fields = Vec::new();
        for field in &record.fields {
            *left = left.checked_sub(1)?;
            let (ty, lengths) = match &field.ty {
                FieldType::Record(inner, lengths) => {
                    (self.record_type(*inner, depth + 1, left)?, lengths.clone())
                }
                FieldType::Spelled(spelled) => {
                    let resolved = self.resolved(spelled);
                    (
                        self.named_type(&resolved, depth + 1, left)?,
                        resolved.lengths,
                    )
                }
            };
            let count = lengths.iter().try_fold(1u64, |n, &l| n.checked_mul(l))?;
            let field_align = if record.packed { 1 } else { ty.align().max(1) };
            align = align.max(field_align);
            let offset = match record.is_union {
                true => 0,
                false => end.checked_next_multiple_of(field_align)?,
            };
            let bytes = ty.size().checked_mul(count)?;
            end = end.max(offset.checked_add(bytes)?);
            fields.push(Field {
                name: field.name.clone(),
                offset,
                ty,
                array: (!lengths.is_empty()).then_some(count),
            });
        }
        Some(ValueType::Struct(StructType {
            name: record.name.clone(),
            size: end.checked_next_multiple_of(align)?,
            align,
            fields,
        }))
    }
}

/// The scalar or vector of a name of OpenCL C.
pub fn element(name: &str) -> Option<ElemType> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (scalar_name, digits) = name.split_at(name.len() - digits);
    let scalar = match scalar_name {
        "char" | "signed char" => Scalar::I8,
        "uchar" | "unsigned char" | "bool" | "_Bool" => Scalar::U8,
        "short" => Scalar::I16,
        "ushort" | "unsigned short" => Scalar::U16,
        "half" | "__fp16" => Scalar::F16,
        "int" => Scalar::I32,
        "uint" | "unsigned int" | "unsigned" => Scalar::U32,
        "float" => Scalar::F32,
        "long" | "long long" | "ptrdiff_t" | "intptr_t" => Scalar::I64,
        "ulong" | "unsigned long" | "unsigned long long" | "size_t" | "uintptr_t" => Scalar::U64,
        "double" => Scalar::F64,
        _ => return None,
    };
    match digits {
        "" => Some(ElemType::scalar(scalar)),
        "2" | "3" | "4" | "8" | "16" => Some(ElemType::vector(scalar, digits.parse().ok()?)),
        _ => None,
    }
}
