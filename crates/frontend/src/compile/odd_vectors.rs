//! Vectors of lengths that OpenCL does not have, in LLVM's text form.
//!
//! LLVM writes `(short)v.x` of an `int3` as the first element of `v` seen as
//! `<6 x i16>`. llvm-spirv 14 translates such a cast without a word and takes
//! the elements of a component from the wrong end, so the element is taken from
//! the vector as it was: the component, shifted and cut off. Only casts whose
//! every use is an element of known number are rewritten; others reach the
//! translator as they are.

/// Lengths that the translator knows.
const LENGTHS: [u32; 5] = [2, 3, 4, 8, 16];

/// Rewrites elements of casts to vectors of other lengths.
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
}

/// `name = bitcast from value to to`
#[derive(Clone, Copy)]
struct Cast<'a> {
    name: &'a str,
    from: Vector<'a>,
    value: &'a str,
    to: Vector<'a>,
}

fn rewritten(function: &[&str]) -> Vec<String> {
    let casts: Vec<Cast<'_>> = function
        .iter()
        .filter_map(|line| cast(line))
        .filter(|cast| {
            let uses = function.iter().filter(|line| mentions(line, cast.name));
            uses.clone().count() > 1 && uses.skip(1).all(|line| element(line, cast).is_some())
        })
        .collect();
    let mut lines = Vec::new();
    for line in function {
        let rewritten = casts.iter().find_map(|cast| element(line, cast));
        match rewritten {
            Some(new) => lines.extend(new),
            None => match casts.iter().find(|c| cast_name(line) == Some(c.name)) {
                // The name stays: numbers of values must follow each other.
                Some(c) => {
                    let operand = format!("<{} x {}> {}", c.from.lanes, c.from.element, c.value);
                    let name = c.name;
                    lines.push(format!("  {name} = select i1 true, {operand}, {operand}"));
                }
                None => lines.push((*line).to_owned()),
            },
        }
    }
    lines
}

fn cast_name(line: &str) -> Option<&str> {
    cast(line).map(|c| c.name)
}

fn cast(line: &str) -> Option<Cast<'_>> {
    let (name, rest) = line.trim_start().split_once(" = bitcast ")?;
    let (from, rest) = vector(rest)?;
    let (value, rest) = rest.trim_start().split_once(" to ")?;
    let (to, _) = vector(rest)?;
    let odd = !LENGTHS.contains(&to.lanes) && to.lanes > from.lanes && to.lanes % from.lanes == 0;
    let sized = bits(from.element)? * from.lanes == bits(to.element)? * to.lanes;
    (odd && sized && value.starts_with('%')).then_some(Cast {
        name,
        from,
        value,
        to,
    })
}

/// `<6 x i16>` and what follows.
fn vector(text: &str) -> Option<(Vector<'_>, &str)> {
    let (inside, rest) = text.strip_prefix('<')?.split_once('>')?;
    let (lanes, element) = inside.split_once(" x ")?;
    let lanes = lanes.parse().ok()?;
    Some((Vector { lanes, element }, rest))
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

/// What an element of a cast becomes: the component that holds it, shifted and
/// cut off.
fn element(line: &str, cast: &Cast<'_>) -> Option<Vec<String>> {
    let (name, rest) = line.trim_start().split_once(" = extractelement ")?;
    let (_, rest) = vector(rest)?;
    let rest = rest.trim_start().strip_prefix(cast.name)?;
    let (_, index) = rest.strip_prefix(", ")?.split_once(' ')?;
    let (index, metadata) = match index.find(',') {
        Some(at) => index.split_at(at),
        None => (index, ""),
    };
    let index: u32 = index.parse().ok()?;
    let per = cast.to.lanes / cast.from.lanes;
    let (wide, narrow) = (bits(cast.from.element)?, bits(cast.to.element)?);
    // Little-endian: the first element is the low part.
    let (component, shift) = (index / per, index % per * narrow);
    let base = format!("%odd.{}", name.trim_matches(|c| c == '%' || c == '"'));
    let base = base.replace(
        |c: char| !(c.is_ascii_alphanumeric() || "%._".contains(c)),
        "_",
    );
    let (from, element) = (cast.from.element, cast.to.element);
    let vector = format!("<{} x {from}> {}", cast.from.lanes, cast.value);
    let mut lines = vec![format!(
        "  {base}.component = extractelement {vector}, i64 {component}{metadata}"
    )];
    lines.push(format!(
        "  {base}.bits = bitcast {from} {base}.component to i{wide}{metadata}"
    ));
    lines.push(format!(
        "  {base}.part = lshr i{wide} {base}.bits, {shift}{metadata}"
    ));
    if element.starts_with('i') {
        lines.push(format!(
            "  {name} = trunc i{wide} {base}.part to {element}{metadata}"
        ));
    } else {
        lines.push(format!(
            "  {base}.low = trunc i{wide} {base}.part to i{narrow}{metadata}"
        ));
        lines.push(format!(
            "  {name} = bitcast i{narrow} {base}.low to {element}{metadata}"
        ));
    }
    Some(lines)
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
                        %odd.2.part = lshr i32 %odd.2.bits, 16, !dbg !8\n  \
                        %2 = trunc i32 %odd.2.part to i16, !dbg !8\n  \
                        %3 = bitcast <3 x i32> %v to <3 x float>\n}\n";
        assert_eq!(without_odd_vectors(text), expected);
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
