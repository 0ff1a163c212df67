//! The text of `printf`, after OpenCL C 3.0, section 6.15.14, which is C99's
//! (section 7.19.6.1) without `n`, `*` and `ll`, and with vectors (`%v4hlf`).
//!
//! A conversion that OpenCL does not have, or that has no argument left, is
//! printed as it stands.

use std::fmt::Write;

use tilewise_ir::Ty;

use super::convert::to_double;

/// Formats the scalars in `args`, a vector's components one by one. `string`
/// reads the text that a pointer points to.
pub(crate) fn format(
    text: &[u8],
    args: &[(Ty, u64)],
    mut string: impl FnMut(u64) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut args = args;
    let mut rest = text;
    while let Some((&c, behind)) = rest.split_first() {
        if c != b'%' {
            out.push(c);
            rest = behind;
            continue;
        }
        let Some((spec, behind)) = Spec::read(behind) else {
            out.push(c);
            rest = behind;
            continue;
        };
        let whole = &rest[..rest.len() - behind.len()];
        rest = behind;
        if spec.conversion == b'%' {
            out.push(b'%');
            continue;
        }
        let Some((now, later)) = args.split_at_checked(spec.components) else {
            out.extend_from_slice(whole);
            continue;
        };
        args = later;
        for (i, &(ty, bits)) in now.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            spec.write(ty, bits, &mut string, &mut out);
        }
    }
    out
}

/// One conversion specification.
#[derive(Clone, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Components of a vector; 1 for a scalar.
    components: usize,
    length: Length,
    conversion: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Length {
    #[default]
    None,
    Char,
    Short,
    /// `hl`: 32-bit components.
    Int,
    Long,
}

/// Widths and precisions beyond this are cut: no line is that long.
const WIDEST: usize = 4096;

impl Spec {
    /// Reads what follows a `%`, and gives what stands behind.
    fn read(text: &[u8]) -> Option<(Self, &[u8])> {
        let mut spec = Spec {
            components: 1,
            ..Spec::default()
        };
        let mut rest = text;
        while let Some((&c, behind)) = rest.split_first() {
            match c {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            rest = behind;
        }
        if let Some((width, behind)) = number(rest) {
            spec.width = width;
            rest = behind;
        }
        if let Some(behind) = rest.strip_prefix(b".") {
            let (precision, behind) = number(behind).unwrap_or((0, behind));
            spec.precision = Some(precision);
            rest = behind;
        }
        if let Some(behind) = rest.strip_prefix(b"v") {
            let (components, behind) = number(behind)?;
            if !matches!(components, 2 | 3 | 4 | 8 | 16) {
                return None;
            }
            spec.components = components;
            rest = behind;
        }
        let lengths: [(&[u8], Length); 4] = [
            (b"hh", Length::Char),
            (b"hl", Length::Int),
            (b"h", Length::Short),
            (b"l", Length::Long),
        ];
        for (prefix, length) in lengths {
            if let Some(behind) = rest.strip_prefix(prefix) {
                spec.length = length;
                rest = behind;
                break;
            }
        }
        let (&conversion, behind) = rest.split_first()?;
        spec.conversion = conversion;
        b"diouxXfFeEgGaAcsp%"
            .contains(&conversion)
            .then_some((spec, behind))
    }

    fn write(
        &self,
        ty: Ty,
        bits: u64,
        string: &mut impl FnMut(u64) -> Option<Vec<u8>>,
        out: &mut Vec<u8>,
    ) {
        match self.conversion {
            b'c' => self.pad("", &[bits as u8], false, out),
            b's' => {
                let mut text = string(bits).unwrap_or_else(|| b"(null)".to_vec());
                text.truncate(self.precision.unwrap_or(usize::MAX));
                self.pad("", &text, false, out);
            }
            b'p' => self.pad("0x", format!("{bits:x}").as_bytes(), false, out),
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => self.integer(ty, bits, out),
            _ => self.float(number_of(ty, bits), out),
        }
    }

    fn integer(&self, ty: Ty, bits: u64, out: &mut Vec<u8>) {
        let own = 8 * ty.size();
        let size = match self.length {
            Length::Char => 8,
            Length::Short => 16,
            _ => own,
        };
        let unused = 64 - size.min(own);
        let unsigned = bits << unused >> unused;
        let signed = ((bits << unused) as i64) >> unused;
        let is_signed = matches!(self.conversion, b'd' | b'i');
        let magnitude = if is_signed {
            signed.unsigned_abs()
        } else {
            unsigned
        };
        let mut digits = match self.conversion {
            b'o' => format!("{magnitude:o}"),
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            _ => magnitude.to_string(),
        };
        // A precision of 0 prints no digit of a 0.
        if magnitude == 0 && self.precision == Some(0) {
            digits.clear();
        }
        if let Some(least) = self.precision {
            let missing = least.saturating_sub(digits.len());
            digits.insert_str(0, &"0".repeat(missing));
        }
        let prefix = match self.conversion {
            b'o' if self.alternative && !digits.starts_with('0') => "0",
            b'x' if self.alternative && magnitude != 0 => "0x",
            b'X' if self.alternative && magnitude != 0 => "0X",
            _ if is_signed => self.sign(signed < 0),
            _ => "",
        };
        self.pad(prefix, digits.as_bytes(), self.precision.is_none(), out);
    }

    fn float(&self, value: f64, out: &mut Vec<u8>) {
        let upper = self.conversion.is_ascii_uppercase();
        let mut sign = self.sign(value.is_sign_negative()).to_owned();
        if !value.is_finite() {
            let text = if value.is_nan() { "nan" } else { "inf" };
            let text = if upper {
                text.to_uppercase()
            } else {
                text.to_owned()
            };
            return self.pad(&sign, text.as_bytes(), false, out);
        }
        let magnitude = value.abs();
        let precision = self.precision.unwrap_or(6);
        let mut digits = match self.conversion.to_ascii_lowercase() {
            b'f' => self.with_point(format!("{magnitude:.precision$}")),
            b'e' => self.exponential(magnitude, precision),
            b'g' => self.shortest(magnitude, precision.max(1)),
            _ => {
                sign.push_str("0x");
                self.hexadecimal(magnitude)
            }
        };
        if upper {
            digits.make_ascii_uppercase();
            sign.make_ascii_uppercase();
        }
        self.pad(&sign, digits.as_bytes(), true, out);
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// `#` keeps the point where no digit follows it.
    fn with_point(&self, mut digits: String) -> String {
        if self.alternative && !digits.contains('.') {
            digits.push('.');
        }
        digits
    }

    /// `d.ddde±dd`.
    fn exponential(&self, magnitude: f64, precision: usize) -> String {
        let (digits, exponent) = scientific(magnitude, precision);
        let sign = if exponent < 0 { '-' } else { '+' };
        let digits = self.with_point(digits);
        format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
    }

    /// As `e` where the exponent is small or large, else as `f`; so many
    /// significant digits, without zeros at the end.
    fn shortest(&self, magnitude: f64, significant: usize) -> String {
        let (_, exponent) = scientific(magnitude, significant - 1);
        let as_fixed = exponent >= -4 && exponent < significant as i32;
        let mut digits = if as_fixed {
            let places = (significant as i32 - 1 - exponent).max(0) as usize;
            format!("{magnitude:.places$}")
        } else {
            scientific(magnitude, significant - 1).0
        };
        if self.alternative {
            digits = self.with_point(digits);
        } else if digits.contains('.') {
            let kept = digits.trim_end_matches('0').trim_end_matches('.').len();
            digits.truncate(kept);
        }
        if !as_fixed {
            let sign = if exponent < 0 { '-' } else { '+' };
            // Writing to a string can't fail.
            let _ = write!(digits, "e{sign}{:02}", exponent.unsigned_abs());
        }
        digits
    }

    /// `1.8p+1`, behind `0x`.
    fn hexadecimal(&self, magnitude: f64) -> String {
        const FRACTION: u32 = 52;
        let bits = magnitude.to_bits();
        let biased = (bits >> FRACTION) as i32;
        let mut fraction = bits & ((1 << FRACTION) - 1);
        let (mut lead, exponent) = match biased {
            0 if fraction == 0 => (0, 0),
            0 => (0, -1022),
            _ => (1u64, biased - 1023),
        };
        let mut places = FRACTION as usize / 4;
        match self.precision {
            Some(precision) if precision < places => {
                // To nearest, ties to even.
                let cut = FRACTION - 4 * precision as u32;
                let whole = lead << FRACTION | fraction;
                let half = 1u64 << (cut - 1);
                let odd = whole >> cut & 1;
                let rounded = (whole + half - 1 + odd) >> cut << cut;
                lead = rounded >> FRACTION;
                fraction = rounded & ((1 << FRACTION) - 1);
                places = precision;
            }
            _ => {}
        }
        let mut digits = format!("{fraction:013x}");
        digits.truncate(places);
        match self.precision {
            None => digits.truncate(digits.trim_end_matches('0').len()),
            Some(precision) => {
                let missing = precision.saturating_sub(digits.len());
                digits.push_str(&"0".repeat(missing));
            }
        }
        let point = if digits.is_empty() && !self.alternative {
            ""
        } else {
            "."
        };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{lead}{point}{digits}p{sign}{}", exponent.unsigned_abs())
    }

    /// Fills up to the width: with zeros behind the prefix where that is asked
    /// for, else with spaces.
    fn pad(&self, prefix: &str, text: &[u8], zeros: bool, out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(prefix.len() + text.len());
        let zeros = zeros && self.zero && !self.left;
        if !self.left && !zeros {
            out.resize(out.len() + missing, b' ');
        }
        out.extend_from_slice(prefix.as_bytes());
        if zeros {
            out.resize(out.len() + missing, b'0');
        }
        out.extend_from_slice(text);
        if self.left {
            out.resize(out.len() + missing, b' ');
        }
    }
}

/// Digits with a point behind the first, and the power of ten they stand for.
fn scientific(magnitude: f64, precision: usize) -> (String, i32) {
    let text = format!("{magnitude:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

fn number_of(ty: Ty, bits: u64) -> f64 {
    if ty.is_float() {
        to_double(bits, ty)
    } else {
        // An integer where a number is asked for is undefined: show its bits
        // as what they would be.
        match ty.size() {
            4 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }
}

fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let (number, rest) = text.split_at(digits);
    let value = number
        .iter()
        .fold(0usize, |n, c| (10 * n + usize::from(c - b'0')).min(WIDEST));
    Some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(format_text: &str, args: &[(Ty, u64)]) -> String {
        let hello = |_| Some(b"hello".to_vec());
        String::from_utf8(format(format_text.as_bytes(), args, hello)).expect("ASCII")
    }

    fn int(v: i32) -> (Ty, u64) {
        (Ty::I32, u64::from(v as u32))
    }

    fn double(v: f64) -> (Ty, u64) {
        (Ty::F64, v.to_bits())
    }

    /// What glibc's `printf` prints.
    #[test]
    fn numbers_look_as_in_c() {
        for (format, arg, expected) in [
            ("%d", int(-5), "-5"),
            ("%5d|", int(42), "   42|"),
            ("%-5d|", int(42), "42   |"),
            ("%05d|", int(-42), "-0042|"),
            ("%+d", int(3), "+3"),
            ("% d", int(3), " 3"),
            ("%.3d", int(7), "007"),
            ("%.0d|", int(0), "|"),
            ("%05.3d|", int(7), "  007|"),
            ("%x", int(-1), "ffffffff"),
            ("%#X", int(255), "0XFF"),
            ("%#o", int(8), "010"),
            ("%u", int(-1), "4294967295"),
            ("%hhd", int(300), "44"),
            ("%hd", int(70000), "4464"),
            ("%ld", (Ty::I64, 1 << 40), "1099511627776"),
            ("%c", int(65), "A"),
            ("%f", double(1.5), "1.500000"),
            ("%.0f", double(2.5), "2"),
            ("%#.0f", double(2.5), "2."),
            ("%08.2f", double(-3.256), "-0003.26"),
            ("%e", double(12345.678), "1.234568e+04"),
            ("%.2E", double(1e-7), "1.00E-07"),
            ("%e", double(0.0), "0.000000e+00"),
            ("%g", double(100000.0), "100000"),
            ("%g", double(1000000.0), "1e+06"),
            ("%g", double(0.0001), "0.0001"),
            ("%g", double(0.00001234), "1.234e-05"),
            ("%#g", double(1.0), "1.00000"),
            ("%g", double(0.0), "0"),
            ("%.3g", double(1234.0), "1.23e+03"),
            ("%a", double(1.0), "0x1p+0"),
            ("%a", double(-0.1), "-0x1.999999999999ap-4"),
            ("%.2a", double(1.999), "0x2.00p+0"),
            ("%A", double(3.0), "0X1.8P+1"),
            ("%6.1f|", double(f64::INFINITY), "   inf|"),
            ("%06f|", double(f64::NEG_INFINITY), "  -inf|"),
            ("%F", double(f64::INFINITY), "INF"),
            ("%s", (Ty::Ptr, 1), "hello"),
            ("%.2s|", (Ty::Ptr, 1), "he|"),
            ("%7s|", (Ty::Ptr, 1), "  hello|"),
            ("100%%", int(0), "100%"),
        ] {
            assert_eq!(text(format, &[arg]), expected, "{format}");
        }
    }

    #[test]
    fn vectors_are_lists() {
        let floats: Vec<(Ty, u64)> = [1.0f32, 2.5, -3.0, 4.0]
            .iter()
            .map(|v| (Ty::F32, u64::from(v.to_bits())))
            .collect();
        assert_eq!(text("f4 = %2.2v4hlf", &floats), "f4 = 1.00,2.50,-3.00,4.00");
        let bytes: Vec<(Ty, u64)> = [0xfa, 0xfb, 1].map(|v| (Ty::I8, v)).to_vec();
        assert_eq!(text("%#v3hhx", &bytes), "0xfa,0xfb,0x1");
        assert_eq!(text("%v3hhd", &bytes), "-6,-5,1");
    }

    #[test]
    fn what_is_not_known_stays() {
        assert_eq!(text("%d %q %", &[int(1)]), "1 %q %");
        assert_eq!(text("%d %d", &[int(1)]), "1 %d");
        assert_eq!(text("%v5d", &[int(1)]), "%v5d");
    }
}
