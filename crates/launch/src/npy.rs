//! Reading of NumPy's `.npy` files (NumPy Enhancement Proposal 1, format
//! versions 1 to 3): a magic string, the length of a header, the header as a
//! Python dictionary of three keys, then the elements.
//!
//! The header is read by hand: it has one shape that NumPy documents, while the
//! libraries for it bring a parser of Python literals and big integers along.
//! Arrays in Fortran order or with the bytes in big-endian order are refused.

use crate::element::Scalar;

/// An array as stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    /// Type of one element, `None` for a structured or unknown type.
    pub(crate) scalar: Option<Scalar>,
    /// The type as the file spells it.
    pub(crate) descr: String,
    /// Length of each dimension.
    pub(crate) shape: Vec<u64>,
    /// The elements, in C order.
    pub(crate) data: Vec<u8>,
}

impl Array {
    /// Number of elements.
    pub(crate) fn len(&self) -> u64 {
        self.shape.iter().product()
    }
}

const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a file's contents; the message says what is wrong with them.
pub(crate) fn read(bytes: &[u8]) -> Result<Array, String> {
    let short = || "the file ends within its header".to_owned();
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or("this is no .npy file (it does not begin with \\x93NUMPY)")?;
    let [major, _minor, rest @ ..] = rest else {
        return Err(short());
    };
    let (len, rest) = match (major, rest) {
        (1, [a, b, rest @ ..]) => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        (2 | 3, [a, b, c, d, rest @ ..]) => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        (1..=3, _) => return Err(short()),
        _ => return Err(format!("version {major} of the .npy format is not known")),
    };
    let (header, data) = rest.split_at_checked(len).ok_or_else(short)?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is no text")?;

    let descr = value_of(header, "descr")?;
    let order = value_of(header, "fortran_order")?;
    let shape = value_of(header, "shape")?;
    let shape = shape
        .trim_start_matches('(')
        .trim_end_matches(')')
        .split(',')
        .map(str::trim)
        .filter(|n| !n.is_empty())
        .map(|n| n.trim_end_matches('L').parse::<u64>())
        .collect::<Result<Vec<u64>, _>>()
        .map_err(|_| format!("the header's shape {shape} can't be read"))?;
    if order == "True" && shape.len() > 1 {
        return Err("the array is stored by columns; save it with \
                    np.save(file, np.ascontiguousarray(a))"
            .to_owned());
    }
    let count = shape.iter().try_fold(1_u64, |n, dim| n.checked_mul(*dim));
    let count = count.ok_or_else(|| format!("the shape {shape:?} is too large"))?;

    let name = descr.trim_matches(['\'', '"']);
    if let Some(kind) = name.strip_prefix('>') {
        return Err(format!(
            "the elements ({name}) are stored big-endian; save them with a.astype('<{kind}')"
        ));
    }
    let scalar = scalar_of(name);
    if let Some(scalar) = scalar
        && count.checked_mul(scalar.size()) != Some(data.len() as u64)
    {
        return Err(format!(
            "the header promises {count} elements of {} bytes, the file holds {} bytes",
            scalar.size(),
            data.len()
        ));
    }
    Ok(Array {
        scalar,
        descr: name.to_owned(),
        shape,
        data: data.to_vec(),
    })
}

/// NumPy's name of a type, such as `<f4`, as a scalar.
fn scalar_of(name: &str) -> Option<Scalar> {
    Some(match name.trim_start_matches(['<', '|', '=']) {
        "i1" => Scalar::I8,
        "u1" | "b1" => Scalar::U8,
        "i2" => Scalar::I16,
        "u2" => Scalar::U16,
        "f2" => Scalar::F16,
        "i4" => Scalar::I32,
        "u4" => Scalar::U32,
        "f4" => Scalar::F32,
        "i8" => Scalar::I64,
        "u8" => Scalar::U64,
        "f8" => Scalar::F64,
        _ => return None,
    })
}

/// The value of `key` in the header: up to the comma that ends it, outside of
/// brackets and quotes.
fn value_of<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let missing = || format!("the header has no `{key}`");
    let at = [format!("'{key}'"), format!("\"{key}\"")]
        .iter()
        .find_map(|quoted| header.find(quoted.as_str()).map(|at| at + quoted.len()))
        .ok_or_else(missing)?;
    let value = header[at..]
        .trim_start()
        .strip_prefix(':')
        .ok_or_else(missing)?
        .trim_start();
    let mut depth = 0_i32;
    let mut quote = None;
    for (i, c) in value.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ',' | '}') if depth == 0 => return Ok(value[..i].trim()),
            (None, _) => {}
        }
    }
    Err(missing())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A file as NumPy writes it.
    pub(crate) fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([version, 0]);
        let prefix = if version == 1 { 10 } else { 12 };
        let mut header = header.to_owned();
        while !(prefix + header.len() + 1).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        if version == 1 {
            out.extend((header.len() as u16).to_le_bytes());
        } else {
            out.extend((header.len() as u32).to_le_bytes());
        }
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    #[test]
    fn what_numpy_writes() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        for version in [1, 2, 3] {
            let array = read(&file(version, header, &[0; 24])).unwrap();
            assert_eq!(
                (array.scalar, &array.shape[..]),
                (Some(Scalar::F32), &[2, 3][..])
            );
            assert_eq!((array.len(), array.data.len()), (6, 24));
        }
        let flat = "{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }";
        assert_eq!(read(&file(1, flat, b"abc")).unwrap().data, b"abc");
        let single = "{'descr': '<f8', 'fortran_order': False, 'shape': (), }";
        assert_eq!(read(&file(1, single, &[0; 8])).unwrap().len(), 1);
        let record =
            "{'descr': [('x', '<f4'), ('y', '<i4')], 'fortran_order': False, 'shape': (2,), }";
        let array = read(&file(1, record, &[0; 16])).unwrap();
        assert_eq!(
            (array.scalar, array.descr.as_str()),
            (None, "[('x', '<f4'), ('y', '<i4')]")
        );
    }

    #[test]
    fn what_can_not_be_used_says_why() {
        let with = |descr: &str, order: &str, shape: &str, len: usize| {
            let header =
                format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
            read(&file(1, &header, &vec![0; len])).unwrap_err()
        };
        assert!(with("<f4", "True", "(2, 3)", 24).contains("ascontiguousarray"));
        assert!(with(">f4", "False", "(2,)", 8).contains("astype('<f4')"));
        assert!(with("<f4", "False", "(2,)", 7).contains("holds 7 bytes"));
        assert!(with("<f4", "False", "(x,)", 8).contains("shape"));
        assert!(with("<f4", "False", "(99999999999, 99999999999)", 8).contains("too large"));
        assert!(read(b"PK").unwrap_err().contains("no .npy file"));
        assert!(
            read(b"\x93NUMPY\x01\x00\xff")
                .unwrap_err()
                .contains("ends within")
        );
        assert!(
            read(&file(1, "{'descr': '<f4'}", &[]))
                .unwrap_err()
                .contains("fortran_order")
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(tail in prop::collection::vec(any::<u8>(), 0..80), header in "[{}'a-z:(), 0-9<>\\[\\]é]{0,60}") {
            let _outcome = read(&tail);
            let _outcome = read(&file(1, &header, &tail));
            let _outcome = read(&[MAGIC, &tail[..]].concat());
        }
    }
}
