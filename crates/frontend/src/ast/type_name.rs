//! Types as clang spells them: `const __global float *restrict __private`.

/// An address space keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AddressSpace {
    Global,
    Constant,
    Local,
    Private,
    Generic,
}

/// A spelled type, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spelled {
    /// The type's name without qualifiers, such as `unsigned int`, `struct P`.
    pub base: String,
    /// Qualifiers of the base.
    pub base_qualifiers: Qualifiers,
    /// Qualifiers of each pointer, from the innermost outwards.
    pub pointers: Vec<Qualifiers>,
    /// Lengths of an array of them, outermost first.
    pub lengths: Vec<u64>,
}

/// Qualifiers of a type or pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Qualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `restrict`.
    pub is_restrict: bool,
    /// Where the object lives.
    pub space: Option<AddressSpace>,
}

impl Qualifiers {
    /// Takes a word if it is a qualifier.
    fn take(&mut self, word: &str) -> bool {
        match word {
            "const" => self.is_const = true,
            "volatile" => self.is_volatile = true,
            "restrict" | "__restrict" => self.is_restrict = true,
            "__global" => self.space = Some(AddressSpace::Global),
            "__constant" => self.space = Some(AddressSpace::Constant),
            "__local" => self.space = Some(AddressSpace::Local),
            "__private" => self.space = Some(AddressSpace::Private),
            "__generic" => self.space = Some(AddressSpace::Generic),
            _ => return false,
        }
        true
    }
}

/// Takes a spelled type apart; `None` for types that are not read (functions,
/// pointers to arrays).
pub fn parse(text: &str) -> Option<Spelled> {
    let (text, lengths) = split_lengths(text);
    if text.contains('(') {
        return None;
    }
    let mut spelled = Spelled {
        lengths,
        ..Spelled::default()
    };
    let spaced = text.replace('*', " * ");
    let mut base: Vec<&str> = Vec::new();
    for word in spaced.split_whitespace() {
        if word == "*" {
            spelled.pointers.push(Qualifiers::default());
            continue;
        }
        let qualifiers = match spelled.pointers.last_mut() {
            Some(pointer) => pointer,
            None => &mut spelled.base_qualifiers,
        };
        if qualifiers.take(word) {
            continue;
        }
        if !spelled.pointers.is_empty() {
            return None;
        }
        base.push(word);
    }
    spelled.base = base.join(" ");
    (!spelled.base.is_empty()).then_some(spelled)
}

/// The lengths of an array type, outermost first.
pub fn lengths(text: &str) -> Vec<u64> {
    split_lengths(text).1
}

fn split_lengths(text: &str) -> (&str, Vec<u64>) {
    let mut rest = text.trim();
    let mut lengths = Vec::new();
    while let Some(inner) = rest.strip_suffix(']') {
        let Some(at) = inner.rfind('[') else { break };
        let Ok(length) = inner[at + 1..].parse() else {
            break;
        };
        lengths.insert(0, length);
        rest = inner[..at].trim_end();
    }
    (rest, lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_keep_their_qualifiers() {
        let ty = parse("const __global float *restrict __private").unwrap();
        assert_eq!(ty.base, "float");
        assert!(ty.base_qualifiers.is_const);
        assert_eq!(ty.base_qualifiers.space, Some(AddressSpace::Global));
        assert_eq!(ty.pointers.len(), 1);
        assert!(ty.pointers[0].is_restrict);
    }

    #[test]
    fn values_and_arrays() {
        let ty = parse("const __private unsigned int").unwrap();
        assert_eq!(ty.base, "unsigned int");
        assert!(ty.pointers.is_empty());
        assert_eq!(parse("uint[3][2]").unwrap().lengths, [3, 2]);
        assert_eq!(parse("struct P *__private").unwrap().base, "struct P");
        assert_eq!(parse("void (int)"), None);
    }
}
