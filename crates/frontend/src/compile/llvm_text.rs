//! Edits of LLVM's text form, between clang's runs.

/// Takes `convergent` from functions and calls that only compute or read.
///
/// clang marks every OpenCL builtin as convergent, `clamp` and `sqrt` too, and
/// LLVM does not unroll a loop with a convergent call. Barriers, atomics and
/// sub-group functions write or synchronise, so that they have none of the
/// attributes looked for and keep the mark.
pub fn drop_convergent_from_pure(text: &str) -> String {
    text.lines()
        .map(|line| {
            let only_reads = ["readnone", "readonly", "memory(none)", "memory(read)"]
                .iter()
                .any(|a| line.contains(a));
            if line.starts_with("attributes #") && only_reads {
                line.replace("{ convergent ", "{ ")
                    .replace(" convergent ", " ")
            } else {
                line.to_owned()
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

/// Writes constants of vectors of one, `<1 x i64> <i64 5>`, as the scalars that
/// they are. clang folds `as_short4(5ul)` to a cast of such a vector, which the
/// translator does not know.
pub fn without_vectors_of_one(text: &str) -> String {
    const START: &str = "<1 x ";
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(START) {
        let (before, from) = rest.split_at(at);
        result.push_str(before);
        match scalar_of(&from[START.len()..]) {
            Some((scalar, after)) => {
                result.push_str(scalar);
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

/// From `T> <T V>…` to `T V` and what follows.
fn scalar_of(text: &str) -> Option<(&str, &str)> {
    let (ty, after) = text.split_once("> <")?;
    let (scalar, after) = after.split_once('>')?;
    let value = scalar.strip_prefix(ty)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-+.".contains(c);
    let value = value.strip_prefix(' ')?;
    (value.chars().all(plain) && !value.is_empty()).then_some((scalar, after))
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
    fn barriers_stay_convergent() {
        let text = "attributes #2 = { convergent nounwind readnone willreturn \"x\"=\"y\" }\n\
                    attributes #4 = { convergent nounwind \"x\"=\"y\" }\n";
        assert_eq!(
            drop_convergent_from_pure(text),
            "attributes #2 = { nounwind readnone willreturn \"x\"=\"y\" }\n\
             attributes #4 = { convergent nounwind \"x\"=\"y\" }\n"
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
    fn vectors_of_one_are_scalars() {
        let text = "store <4 x i16> bitcast (<1 x i64> <i64 -14> to <4 x i16>), <1 x i64> %a\n";
        assert_eq!(
            without_vectors_of_one(text),
            "store <4 x i16> bitcast (i64 -14 to <4 x i16>), <1 x i64> %a\n"
        );
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
