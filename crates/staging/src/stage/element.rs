//! The type of a buffer's elements.

use tilewise_frontend::source::{SourceTree, Variable};

/// The element type as the source spells it.
pub fn element_text(tree: &SourceTree, param: &Variable) -> String {
    let from_text = tree.text_of(param.span).and_then(|text| {
        let (ty, _) = text.split_once('*')?;
        let words: Vec<&str> = ty
            .split_whitespace()
            .filter(|w| {
                !matches!(
                    *w,
                    "const" | "__global" | "global" | "__constant" | "constant" | "restrict"
                )
            })
            .collect();
        (!words.is_empty()).then(|| words.join(" "))
    });
    from_text.unwrap_or_else(|| {
        param
            .ty
            .spelled
            .as_ref()
            .map_or("float".to_owned(), |s| s.base.clone())
    })
}
