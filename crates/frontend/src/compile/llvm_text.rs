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
