//! Kernels of which the preprocessor takes only a part.

use tilewise_frontend::source::SourceTree;

use crate::headers::directive;

/// What to know where the preprocessor chooses within a kernel: the new form is that of
/// one choice.
pub fn note(tree: &SourceTree, kernel: &str) -> Option<String> {
    let function = tree.function(kernel)?;
    let text = tree.text.get(function.span.begin..function.span.end)?;
    let (mut at, mut chooses) = (function.span.begin, None);
    for line in text.split_inclusive('\n') {
        let word = directive(line).map_or("", |d| {
            d.split(|c: char| !c.is_ascii_alphabetic())
                .next()
                .unwrap_or("")
        });
        if matches!(word, "if" | "ifdef" | "ifndef") {
            chooses = Some((at, word.to_owned()));
            break;
        }
        at += line.len();
    }
    let (at, word) = chooses?;
    let (line, _) = tree.line_and_column(at);
    Some(format!(
        "line {line}: `#{word}` within {kernel}: the new form was written and proved for the \
         branch that these build options take, not for the others"
    ))
}
