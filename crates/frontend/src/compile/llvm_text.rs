//! Edits of LLVM's text form, between clang's runs.

/// Takes `convergent` from functions and calls that only compute or read, and
/// keeps the optimiser from merging the others.
///
/// clang marks every OpenCL builtin as convergent, `clamp` and `sqrt` too, and
/// LLVM does not unroll a loop with a convergent call. Barriers, atomics and
/// sub-group functions write or synchronise, so that they have none of the
/// attributes looked for and keep the mark.
///
/// LLVM 14 still makes one call before a branch of two equal convergent calls
/// on its sides (`SimplifyCFG`), which changes what a sub-group function gives;
/// `nomerge` forbids that.
pub fn mark_convergence(text: &str) -> String {
    text.lines()
        .map(|line| {
            let only_reads = ["readnone", "readonly", "memory(none)", "memory(read)"]
                .iter()
                .any(|a| line.contains(a));
            if !line.starts_with("attributes #") {
                line.to_owned()
            } else if only_reads {
                line.replace("{ convergent ", "{ ")
                    .replace(" convergent ", " ")
            } else {
                line.replace("{ convergent ", "{ convergent nomerge ")
            }
        })
        .fold(String::with_capacity(text.len()), |mut text, line| {
            text.push_str(&line);
            text.push('\n');
            text
        })
}

/// Says in the data layout which widths of integers the target computes with.
/// LLVM then makes no others from them (`InstCombine` narrows a value to as
/// many bits as it needs where no width is better than another).
pub fn with_native_integers(text: &str) -> String {
    text.lines()
        .fold(String::with_capacity(text.len()), |mut text, line| {
            match line.strip_suffix('"') {
                Some(layout) if line.starts_with("target datalayout = ") => {
                    text.push_str(layout);
                    text.push_str("-n8:16:32:64\"");
                }
                _ => text.push_str(line),
            }
            text.push('\n');
            text
        })
}

/// Turns `sitofp i1 x to T` into two steps: true is -1, and llvm-spirv 14
/// translates it as 1.
pub fn with_signed_bools(text: &str) -> String {
    let mut steps = 0;
    text.lines()
        .fold(String::with_capacity(text.len()), |mut text, line| {
            match signed_bool(line, steps) {
                Some(lines) => {
                    text.push_str(&lines);
                    steps += 1;
                }
                None => text.push_str(line),
            }
            text.push('\n');
            text
        })
}

fn signed_bool(line: &str, number: usize) -> Option<String> {
    let (name, rest) = line.split_once(" = sitofp ")?;
    let (from, rest) = match rest.strip_prefix('<') {
        None => ("i1".to_owned(), rest.strip_prefix("i1 ")?),
        Some(rest) => {
            let (lanes, rest) = rest.split_once(" x i1> ")?;
            (format!("<{lanes} x i1>"), rest)
        }
    };
    let (value, to) = rest.split_once(" to ")?;
    let int = from.replace("i1", "i32");
    let metadata = to.find(", !").map_or("", |at| &to[at..]);
    Some(format!(
        "  %signed.bool.{number} = sext {from} {value} to {int}{metadata}\n\
         {name} = sitofp {int} %signed.bool.{number} to {to}"
    ))
}

/// Turns `freeze T x` into the plain value: the translator knows no `freeze`.
/// What it guards against, a branch on an undefined value, can't arise in the
/// simulator, where every value has definite bits.
pub fn drop_freeze(text: &str) -> String {
    text.lines()
        .fold(String::with_capacity(text.len()), |mut text, line| {
            match plain_value(line) {
                Some(plain) => text.push_str(&plain),
                None => text.push_str(line),
            }
            text.push('\n');
            text
        })
}

/// Calls that take fence flags, which the translator wants as constants.
const FENCES: &[&str] = &[
    "@_Z7barrierj(",
    "@_Z18work_group_barrierj(",
    "@_Z9mem_fencej(",
    "@_Z14read_mem_fencej(",
    "@_Z15write_mem_fencej(",
];

/// Gives fences whose flags are no constant every flag. LLVM makes one call of
/// two that end two branches, and then chooses between their flags. The order
/// that more flags give does no harm: the form as compiled is not what races
/// are looked for in.
pub fn with_constant_fences(text: &str) -> String {
    text.lines()
        .fold(String::with_capacity(text.len()), |mut text, line| {
            match constant_fence(line) {
                Some(constant) => text.push_str(&constant),
                None => text.push_str(line),
            }
            text.push('\n');
            text
        })
}

/// `call void @_Z7barrierj(i32 noundef %flags)` as `… i32 noundef 3)`.
fn constant_fence(line: &str) -> Option<String> {
    let at = FENCES
        .iter()
        .find_map(|f| line.find(f).map(|at| at + f.len()))?;
    if !line.contains(" call ") {
        return None;
    }
    let (head, flags) = line.split_at(at);
    let (flags, tail) = flags.split_once(')')?;
    let (ty, value) = flags.rsplit_once(' ')?;
    value
        .starts_with('%')
        .then(|| format!("{head}{ty} 3){tail}"))
}

/// Works out `bitcast (<1 x i64> <i64 5> to <4 x i16>)`: clang leaves it of
/// `as_short4(5ul)`, and the translator knows no vectors of one.
pub fn without_vectors_of_one(text: &str) -> String {
    const START: &str = "bitcast (<1 x i";
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(START) {
        let (before, from) = rest.split_at(at);
        result.push_str(before);
        match parts_of_one(&from[START.len()..]) {
            Some((parts, after)) => {
                result.push_str(&parts);
                rest = after;
            }
            None => {
                result.push_str(START);
                rest = &from[START.len()..];
            }
        }
    }
    result.push_str(rest);
    result
}

/// From `64> <i64 5> to <4 x i16>)…` to `<i16 5, i16 0, …>` and what follows:
/// the number's bytes in the order of memory.
fn parts_of_one(text: &str) -> Option<(String, &str)> {
    let (width, rest) = text.split_once("> <i")?;
    let (value, rest) = rest.split_once("> to <")?;
    let (vector, after) = rest.split_once(">)")?;
    let value: i128 = value.strip_prefix(width)?.trim().parse().ok()?;
    let (lanes, ty) = vector.split_once(" x ")?;
    let (width, lanes): (u32, u32) = (width.parse().ok()?, lanes.parse().ok()?);
    let bits = width.checked_div(lanes).filter(|b| (1..=64).contains(b))?;
    let parts: Option<Vec<String>> = (0..lanes)
        .map(|i| {
            let part = (value >> (i * bits)) as u64 & (u64::MAX >> (64 - bits));
            match ty {
                // LLVM writes a float as the bits of the double that equals it.
                "float" if bits == 32 => {
                    let double = f64::from(f32::from_bits(part as u32)).to_bits();
                    Some(format!("float 0x{double:016X}"))
                }
                _ if ty == format!("i{bits}") => Some(format!("{ty} {part}")),
                _ => None,
            }
        })
        .collect();
    Some((format!("<{}>", parts?.join(", ")), after))
}

/// `%a = freeze T %b, !dbg !1` as `%a = select i1 true, T %b, T %b, !dbg !1`.
fn plain_value(line: &str) -> Option<String> {
    let (result, operand) = line.split_once(" = freeze ")?;
    if !result.trim_start().starts_with('%') {
        return None;
    }
    let (operand, metadata) = match operand.find(", !") {
        Some(at) => operand.split_at(at),
        None => (operand, ""),
    };
    Some(format!(
        "{result} = select i1 true, {operand}, {operand}{metadata}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_true_bool_is_minus_one_as_a_signed_number() {
        let text =
            "  %2 = sitofp <3 x i1> %1 to <3 x float>, !dbg !5\n  %3 = sitofp i32 %0 to float\n";
        let expected = "  %signed.bool.0 = sext <3 x i1> %1 to <3 x i32>, !dbg !5\n  \
                        %2 = sitofp <3 x i32> %signed.bool.0 to <3 x float>, !dbg !5\n  \
                        %3 = sitofp i32 %0 to float\n";
        assert_eq!(with_signed_bools(text), expected);
        let text = "  %2 = sitofp i1 %1 to double\n";
        let expected =
            "  %signed.bool.0 = sext i1 %1 to i32\n  %2 = sitofp i32 %signed.bool.0 to double\n";
        assert_eq!(with_signed_bools(text), expected);
    }

    #[test]
    fn barriers_stay_convergent_and_apart() {
        let text = "attributes #2 = { convergent nounwind readnone willreturn \"x\"=\"y\" }\n\
                    attributes #4 = { convergent nounwind \"x\"=\"y\" }\n\
                    attributes #5 = { convergent }\n";
        assert_eq!(
            mark_convergence(text),
            "attributes #2 = { nounwind readnone willreturn \"x\"=\"y\" }\n\
             attributes #4 = { convergent nomerge nounwind \"x\"=\"y\" }\n\
             attributes #5 = { convergent nomerge }\n"
        );
    }

    #[test]
    fn fences_have_constant_flags() {
        let text = "  tail call spir_func void @_Z7barrierj(i32 noundef %.sink) #12, !dbg !4\n  \
                    call spir_func void @_Z7barrierj(i32 noundef 1) #12\n\
                    declare spir_func void @_Z7barrierj(i32 noundef) #1\n";
        assert_eq!(
            with_constant_fences(text),
            text.replace("noundef %.sink", "noundef 3")
        );
    }

    #[test]
    fn vectors_of_one_are_worked_out() {
        for (from, to) in [
            (
                "store <4 x i16> bitcast (<1 x i64> <i64 -14> to <4 x i16>), <1 x i64> %a\n",
                "store <4 x i16> <i16 65522, i16 65535, i16 65535, i16 65535>, <1 x i64> %a\n",
            ),
            (
                "bitcast (<1 x i64> <i64 1065353216> to <2 x float>)",
                "<float 0x3FF0000000000000, float 0x0000000000000000>",
            ),
            (
                "bitcast (<1 x i64> <i64 1> to <1 x double>)",
                "bitcast (<1 x i64> <i64 1> to <1 x double>)",
            ),
        ] {
            assert_eq!(without_vectors_of_one(from), to);
        }
    }

    #[test]
    fn freeze_becomes_a_value() {
        let text = "  %7 = freeze <2 x i32> %b, !dbg !42\n  %8 = add i32 1, 2\n";
        assert_eq!(
            drop_freeze(text),
            "  %7 = select i1 true, <2 x i32> %b, <2 x i32> %b, !dbg !42\n  %8 = add i32 1, 2\n"
        );
        assert_eq!(
            drop_freeze("  %x.fr = freeze i32 %x\n"),
            "  %x.fr = select i1 true, i32 %x, i32 %x\n"
        );
    }
}
