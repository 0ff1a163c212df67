//! Vectors of lengths that OpenCL does not have, in LLVM's text form.
//!
//! LLVM writes `(short)v.x` of an `int3` as the first element of `v` seen as
//! `<6 x i16>`. llvm-spirv 14 translates such a cast without a word and takes
//! the elements of a component from the wrong end, so the element is taken from
//! the vector as it was: the component, shifted and cut off. The same goes for a
//! load through a pointer cast so. Only vectors whose every use is an element of
//! known number, a shuffle of such or one more cast are rewritten; others reach the
//! translator as they are.

/// Lengths that the translator knows.
const LENGTHS: [u32; 5] = [2, 3, 4, 8, 16];

/// Rewrites elements of casts and of loads through casts to vectors of other lengths.
pub fn without_odd_vectors(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut function: Vec<&str> = Vec::new();
    // Names of values belong to one function.
    for line in text.lines() {
        function.push(line);
        if line == "}" {
            lines.extend(rewritten(&function));
            function.clear();
        }
    }
    lines.extend(function.into_iter().map(str::to_owned));
    lines.push(String::new());
    lines.join("\n")
}

/// A vector type.
#[derive(Clone, Copy)]
struct Vector<'a> {
    lanes: u32,
    element: &'a str,
    /// Size of an element.
    bits: u32,
}

/// A vector seen as one of another length.
#[derive(Clone, Copy)]
struct Cast<'a> {
    name: &'a str,
    to: Vector<'a>,
    /// The value that has the components as they were.
    whole: &'a str,
    from: Vector<'a>,
    /// Where the value was loaded as `to`, under the same name.
    load: Option<Load<'a>>,
}

/// `name = load to, to space* cast` behind
/// `cast = bitcast from space* pointer to to space*`
#[derive(Clone, Copy)]
struct Load<'a> {
    /// ` addrspace(1)`, or nothing.
    space: &'a str,
    pointer: &'a str,
    /// `, align 64` and what follows.
    rest: &'a str,
}

impl Cast<'_> {
    /// What the line becomes that defines the name. The name stays: numbers of
    /// values must follow each other.
    fn definition(&self) -> String {
        let (name, from) = (self.name, self.from.text());
        match self.load {
            None => {
                let whole = self.whole;
                format!("  {name} = select i1 true, {from} {whole}, {from} {whole}")
            }
            Some(Load {
                space,
                pointer,
                rest,
            }) => format!("  {name} = load {from}, {from}{space}* {pointer}{rest}"),
        }
    }
}

impl Vector<'_> {
    fn text(&self) -> String {
        format!("<{} x {}>", self.lanes, self.element)
    }
}

fn rewritten(function: &[&str]) -> Vec<String> {
    let casts = casts(function);
    let mut lines = Vec::new();
    for line in function {
        if let Some(cast) = casts.iter().find(|c| defines(line, c.name)) {
            lines.push(cast.definition());
            continue;
        }
        match casts.iter().find_map(|cast| used(line, cast)) {
            Some(new) => lines.extend(new),
            None => lines.push((*line).to_owned()),
        }
    }
    lines
}

/// The casts of a function whose every use can be rewritten.
fn casts<'a>(function: &[&'a str]) -> Vec<Cast<'a>> {
    let pointers: Vec<PointerCast<'_>> = function.iter().filter_map(|l| pointer(l)).collect();
    let mut casts: Vec<Cast<'_>> = Vec::new();
    for line in function {
        if let Some(found) = cast(line, &casts).or_else(|| load(line, &pointers)) {
            casts.push(found);
        }
    }
    loop {
        let rewritable = |cast: &Cast<'_>| {
            let mut uses = function
                .iter()
                .filter(|line| !defines(line, cast.name) && mentions(line, cast.name))
                .peekable();
            uses.peek().is_some()
                && uses.all(|line| {
                    casts.iter().any(|c| defines(line, c.name)) || used(line, cast).is_some()
                })
        };
        let (kept, dropped): (Vec<_>, Vec<_>) = casts.iter().copied().partition(rewritable);
        // What is derived from a cast that stays has no vector as it was.
        let kept = kept
            .into_iter()
            .filter(|cast| !dropped.iter().any(|d| d.name == cast.whole))
            .collect::<Vec<_>>();
        if kept.len() == casts.len() {
            return kept;
        }
        casts = kept;
    }
}

fn defines(line: &str, name: &str) -> bool {
    let rest = line.trim_start().strip_prefix(name);
    rest.is_some_and(|rest| rest.starts_with(" = "))
}

/// A cast of a value to an odd vector; `earlier` are those of the same
/// function before it.
fn cast<'a>(line: &'a str, earlier: &[Cast<'a>]) -> Option<Cast<'a>> {
    let (name, rest) = line.trim_start().split_once(" = bitcast ")?;
    let (from, rest) = vector(rest)?;
    let (value, rest) = rest.trim_start().split_once(" to ")?;
    let (to, _) = vector(rest)?;
    let (from, whole) = match earlier.iter().find(|c| c.name == value) {
        Some(cast) => (cast.from, cast.whole),
        None => (from, value),
    };
    (is_odd(from, to) && value.starts_with('%')).then_some(Cast {
        name,
        to,
        whole,
        from,
        load: None,
    })
}

/// Whether a vector is cast to one of the same size, of more components, and
/// of a length that the translator does not know.
fn is_odd(from: Vector<'_>, to: Vector<'_>) -> bool {
    let odd = !LENGTHS.contains(&to.lanes)
        && to.lanes > from.lanes
        && to.lanes.is_multiple_of(from.lanes);
    odd && from.bits * from.lanes == to.bits * to.lanes
}

/// `name = bitcast from space* pointer to to space*`
#[derive(Clone, Copy)]
struct PointerCast<'a> {
    name: &'a str,
    from: Vector<'a>,
    to: Vector<'a>,
    space: &'a str,
    pointer: &'a str,
}

fn pointer(line: &str) -> Option<PointerCast<'_>> {
    let (name, rest) = line.trim_start().split_once(" = bitcast ")?;
    let (from, rest) = vector(rest)?;
    let (space, rest) = rest.split_once("* ")?;
    let (pointer, rest) = rest.split_once(" to ")?;
    let (to, rest) = vector(rest)?;
    (is_odd(from, to) && rest.split_once('*')?.0 == space).then_some(PointerCast {
        name,
        from,
        to,
        space,
        pointer,
    })
}

fn load<'a>(line: &'a str, pointers: &[PointerCast<'a>]) -> Option<Cast<'a>> {
    let (name, rest) = line.trim_start().split_once(" = load ")?;
    let (_, rest) = vector(rest)?;
    let (_, rest) = rest.split_once("* ")?;
    pointers.iter().find_map(|cast| {
        let rest = rest.strip_prefix(cast.name)?;
        rest.starts_with(',').then_some(Cast {
            name,
            to: cast.to,
            whole: name,
            from: cast.from,
            load: Some(Load {
                space: cast.space,
                pointer: cast.pointer,
                rest,
            }),
        })
    })
}

/// `<6 x i16>` and what follows.
fn vector(text: &str) -> Option<(Vector<'_>, &str)> {
    let (inside, rest) = text.strip_prefix('<')?.split_once('>')?;
    let (lanes, element) = inside.split_once(" x ")?;
    let vector = Vector {
        lanes: lanes.parse().ok()?,
        element,
        bits: bits(element)?,
    };
    Some((vector, rest))
}

/// Size of a scalar.
fn bits(element: &str) -> Option<u32> {
    match element {
        "half" => Some(16),
        "float" => Some(32),
        "double" => Some(64),
        _ => element.strip_prefix('i')?.parse().ok(),
    }
}

/// Whether a name stands in a line, and is not the start of a longer one.
fn mentions(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let next = line[at + name.len()..].chars().next();
        !next.is_some_and(|c| c.is_ascii_alphanumeric() || "._$-".contains(c))
    })
}

/// What a use of a cast becomes; `None` where it can't be rewritten.
fn used(line: &str, cast: &Cast<'_>) -> Option<Vec<String>> {
    element(line, cast)
        .or_else(|| shuffle(line, cast))
        .or_else(|| Some(vec![cast_on(line, cast)?]))
}

/// `name = bitcast to cast to type`: from the vector as it was.
fn cast_on(line: &str, cast: &Cast<'_>) -> Option<String> {
    let (name, rest) = line.trim_start().split_once(" = bitcast ")?;
    let (_, rest) = vector(rest)?;
    let rest = rest.trim_start().strip_prefix(cast.name)?;
    let to = rest.strip_prefix(" to ")?;
    let known = vector(to).is_none_or(|(to, _)| LENGTHS.contains(&to.lanes));
    let (from, whole) = (cast.from.text(), cast.whole);
    known.then(|| format!("  {name} = bitcast {from} {whole} to {to}"))
}

/// `name = extractelement to cast, index`
fn element(line: &str, cast: &Cast<'_>) -> Option<Vec<String>> {
    let (name, rest) = line.trim_start().split_once(" = extractelement ")?;
    let (_, rest) = vector(rest)?;
    let rest = rest.trim_start().strip_prefix(cast.name)?;
    let (_, index) = rest.strip_prefix(", ")?.split_once(' ')?;
    let (index, metadata) = match index.find(',') {
        Some(at) => index.split_at(at),
        None => (index, ""),
    };
    Some(part(name, index.parse().ok()?, &base(name), cast, metadata))
}

/// `name = shufflevector to cast, to undef, mask`: its components one by one.
fn shuffle(line: &str, cast: &Cast<'_>) -> Option<Vec<String>> {
    let (name, rest) = line.trim_start().split_once(" = shufflevector ")?;
    let (_, rest) = vector(rest)?;
    let rest = rest.trim_start().strip_prefix(cast.name)?;
    let (_, rest) = vector(rest.strip_prefix(", ")?)?;
    let rest = ["undef", "poison"]
        .iter()
        .find_map(|none| rest.trim_start().strip_prefix(none))?;
    let (lanes, rest) = vector(rest.strip_prefix(", ")?)?;
    let (mask, metadata) = match rest.trim_start().strip_prefix('<') {
        Some(list) => list.split_once('>')?,
        None => ("", rest.trim_start().strip_prefix("zeroinitializer")?),
    };
    let indices: Vec<Option<u32>> = if mask.is_empty() {
        vec![Some(0); lanes.lanes as usize]
    } else {
        let index = |entry: &str| match entry.trim().strip_prefix("i32 ")? {
            "undef" | "poison" => Some(None),
            number => Some(Some(number.parse().ok()?)),
        };
        mask.split(',').map(index).collect::<Option<_>>()?
    };
    if indices.iter().flatten().any(|&i| i >= cast.to.lanes) {
        return None;
    }
    let (base, element) = (base(name), cast.to.element);
    let to = format!("<{} x {element}>", lanes.lanes);
    let placed: Vec<(usize, u32)> = indices
        .iter()
        .enumerate()
        .filter_map(|(at, index)| index.map(|index| (at, index)))
        .collect();
    let mut lines = Vec::new();
    let mut so_far = "undef".to_owned();
    for (i, &(at, index)) in placed.iter().enumerate() {
        let one = format!("{base}.{at}");
        lines.extend(part(&format!("{one}.part"), index, &one, cast, metadata));
        let next = match i + 1 == placed.len() {
            true => name.to_owned(),
            false => format!("{one}.so.far"),
        };
        lines.push(format!(
            "  {next} = insertelement {to} {so_far}, {element} {one}.part, i32 {at}{metadata}"
        ));
        so_far = next;
    }
    (!lines.is_empty()).then_some(lines)
}

/// Start of the names of values that a rewritten line needs.
fn base(name: &str) -> String {
    let base = format!("%odd.{}", name.trim_matches(|c| c == '%' || c == '"'));
    base.replace(
        |c: char| !(c.is_ascii_alphanumeric() || "%._".contains(c)),
        "_",
    )
}

/// Element `index` of a cast under this name: the component that holds it,
/// shifted and cut off.
fn part(name: &str, index: u32, base: &str, cast: &Cast<'_>, metadata: &str) -> Vec<String> {
    let per = cast.to.lanes / cast.from.lanes;
    let (from, element) = (cast.from.element, cast.to.element);
    let (wide, narrow) = (cast.from.bits, cast.to.bits);
    // Little-endian: the first element is the low part.
    let (component, shift) = (index / per, index % per * narrow);
    let vector = format!("{} {}", cast.from.text(), cast.whole);
    let mut lines = vec![
        format!("  {base}.component = extractelement {vector}, i64 {component}{metadata}"),
        format!("  {base}.bits = bitcast {from} {base}.component to i{wide}{metadata}"),
        format!("  {base}.shifted = lshr i{wide} {base}.bits, {shift}{metadata}"),
    ];
    if element.starts_with('i') {
        lines.push(format!(
            "  {name} = trunc i{wide} {base}.shifted to {element}{metadata}"
        ));
    } else {
        lines.push(format!(
            "  {base}.low = trunc i{wide} {base}.shifted to i{narrow}{metadata}"
        ));
        lines.push(format!(
            "  {name} = bitcast i{narrow} {base}.low to {element}{metadata}"
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_from_the_vector_as_it_was() {
        let text = "define void @f(<3 x i32> %v) {\n  \
                    %1 = bitcast <3 x i32> %v to <6 x i16>, !dbg !7\n  \
                    %2 = extractelement <6 x i16> %1, i64 3, !dbg !8\n  \
                    %3 = bitcast <3 x i32> %v to <3 x float>\n}\n";
        let expected = "define void @f(<3 x i32> %v) {\n  \
                        %1 = select i1 true, <3 x i32> %v, <3 x i32> %v\n  \
                        %odd.2.component = extractelement <3 x i32> %v, i64 1, !dbg !8\n  \
                        %odd.2.bits = bitcast i32 %odd.2.component to i32, !dbg !8\n  \
                        %odd.2.shifted = lshr i32 %odd.2.bits, 16, !dbg !8\n  \
                        %2 = trunc i32 %odd.2.shifted to i16, !dbg !8\n  \
                        %3 = bitcast <3 x i32> %v to <3 x float>\n}\n";
        assert_eq!(without_odd_vectors(text), expected);
    }

    #[test]
    fn a_load_through_a_cast_pointer_loads_the_vector_as_it_was() {
        let text = "define void @f(<16 x i32> addrspace(1)* %p) {\n  \
                    %1 = bitcast <16 x i32> addrspace(1)* %p to <64 x i8> addrspace(1)*\n  \
                    %2 = load <64 x i8>, <64 x i8> addrspace(1)* %1, align 64, !dbg !7\n  \
                    %3 = extractelement <64 x i8> %2, i64 41\n}\n";
        let expected = "define void @f(<16 x i32> addrspace(1)* %p) {\n  \
                        %1 = bitcast <16 x i32> addrspace(1)* %p to <64 x i8> addrspace(1)*\n  \
                        %2 = load <16 x i32>, <16 x i32> addrspace(1)* %p, align 64, !dbg !7\n  \
                        %odd.3.component = extractelement <16 x i32> %2, i64 10\n  \
                        %odd.3.bits = bitcast i32 %odd.3.component to i32\n  \
                        %odd.3.shifted = lshr i32 %odd.3.bits, 8\n  \
                        %3 = trunc i32 %odd.3.shifted to i8\n}\n";
        assert_eq!(without_odd_vectors(text), expected);
    }

    #[test]
    fn a_shuffle_is_made_of_its_components() {
        let text = "define void @f(<3 x i32> %v) {\n  \
                    %1 = bitcast <3 x i32> %v to <6 x i16>\n  \
                    %2 = shufflevector <6 x i16> %1, <6 x i16> undef, <2 x i32> <i32 undef, i32 5>, !dbg !8\n}\n";
        let expected = "define void @f(<3 x i32> %v) {\n  \
                        %1 = select i1 true, <3 x i32> %v, <3 x i32> %v\n  \
                        %odd.2.1.component = extractelement <3 x i32> %v, i64 2, !dbg !8\n  \
                        %odd.2.1.bits = bitcast i32 %odd.2.1.component to i32, !dbg !8\n  \
                        %odd.2.1.shifted = lshr i32 %odd.2.1.bits, 16, !dbg !8\n  \
                        %odd.2.1.part = trunc i32 %odd.2.1.shifted to i16, !dbg !8\n  \
                        %2 = insertelement <2 x i16> undef, i16 %odd.2.1.part, i32 1, !dbg !8\n}\n";
        assert_eq!(without_odd_vectors(text), expected);
    }

    #[test]
    fn casts_of_casts_start_at_the_vector_as_it_was() {
        let text = "define void @f(<3 x i64>* %p) {\n  \
                    %1 = bitcast <3 x i64>* %p to <6 x i32>*\n  \
                    %2 = load <6 x i32>, <6 x i32>* %1, align 32\n  \
                    %3 = bitcast <6 x i32> %2 to <24 x i8>\n  \
                    %4 = extractelement <24 x i8> %3, i64 8\n  \
                    %5 = bitcast <6 x i32> %2 to <3 x double>, !dbg !7\n}\n";
        let expected = "define void @f(<3 x i64>* %p) {\n  \
                        %1 = bitcast <3 x i64>* %p to <6 x i32>*\n  \
                        %2 = load <3 x i64>, <3 x i64>* %p, align 32\n  \
                        %3 = select i1 true, <3 x i64> %2, <3 x i64> %2\n  \
                        %odd.4.component = extractelement <3 x i64> %2, i64 1\n  \
                        %odd.4.bits = bitcast i64 %odd.4.component to i64\n  \
                        %odd.4.shifted = lshr i64 %odd.4.bits, 0\n  \
                        %4 = trunc i64 %odd.4.shifted to i8\n  \
                        %5 = bitcast <3 x i64> %2 to <3 x double>, !dbg !7\n}\n";
        assert_eq!(without_odd_vectors(text), expected);
        // One use that stays keeps them all.
        let kept = text.replace("i64 8", "i64 %n");
        assert_eq!(without_odd_vectors(&kept), kept);
    }

    #[test]
    fn other_uses_keep_the_cast() {
        let text = "define void @f(<3 x i32> %v) {\n  \
                    %1 = bitcast <3 x i32> %v to <6 x i16>\n  \
                    %2 = extractelement <6 x i16> %1, i64 3\n  \
                    %3 = extractelement <6 x i16> %1, i64 %n\n}\n";
        assert_eq!(without_odd_vectors(text), text);
    }
}
