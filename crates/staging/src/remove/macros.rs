//! Macros that nothing uses any more.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::rewrite::TextEdit;
use crate::rewrite::comments::blanked;
use crate::rewrite::edit::apply;

/// The new text without the macros that the old one used and that name one of these
/// words, where nothing else names them now.
pub fn without_macros(before: &str, text: String, words: &[&str]) -> String {
    let mut text = text;
    // One may be all that names another.
    loop {
        let code = blanked(&text);
        let old = blanked(before);
        let dead = macros(&code).into_iter().find(|(name, body, range)| {
            let named = words_in(&code[body.clone()]);
            words.iter().any(|w| named.contains(w))
                && count(&code, name) == count(&code[range.clone()], name)
                && count(&old, name) > count(&code[range.clone()], name)
        });
        let Some((_, _, range)) = dead else {
            return text;
        };
        match apply(&text, &[TextEdit::replace(range, "")]) {
            Some(shorter) => text = shorter,
            None => return text,
        }
    }
}

/// Macros of a text: name, body, and the lines of the definition.
fn macros(code: &str) -> Vec<(String, Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let begin = at;
        // A line goes on behind a backslash.
        loop {
            let end = code[at..].find('\n').map_or(code.len(), |i| at + i + 1);
            let goes_on = code[at..end].trim_end().ends_with('\\');
            at = end;
            if !goes_on || at == code.len() {
                break;
            }
        }
        let line = &code[begin..at];
        let Some(rest) = line
            .trim_start()
            .strip_prefix('#')
            .and_then(|r| r.trim_start().strip_prefix("define"))
        else {
            continue;
        };
        let name: String = rest
            .trim_start()
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let behind = at - rest.trim_start().len() + name.len();
        found.push((name, behind..at, begin..at));
    }
    found
}

/// The words of a text.
pub fn words_in(code: &str) -> BTreeSet<&str> {
    code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .collect()
}

/// How often a text holds a word.
fn count(code: &str, word: &str) -> usize {
    code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|w| *w == word)
        .count()
}

/// Where a word stands in lines that the preprocessor may leave out.
pub fn conditional_places(code: &str, within: Range<usize>, word: &str) -> Vec<usize> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let directive = line
            .trim_start()
            .strip_prefix('#')
            .map(str::trim_start)
            .unwrap_or_default();
        if directive.starts_with("if") {
            depth += 1;
        } else if directive.starts_with("endif") {
            depth = depth.saturating_sub(1);
        }
        if depth > 0 {
            for (i, _) in line.match_indices(word) {
                let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let alone =
                    !line[..i].ends_with(letter) && !line[i + word.len()..].starts_with(letter);
                if alone && within.contains(&(at + i)) {
                    found.push(at + i);
                }
            }
        }
        at += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_of_a_tile_go() {
        let old =
            "#define AT(i) tile[i]\n#define TWO(i) \\\n  AT(i)\n#define N 4\nTWO(1) N AT(2)\n";
        let new = old.replace("TWO(1)", "in[1]").replace("AT(2)", "in[2]");
        let text = without_macros(old, new, &["tile", "AT"]);
        assert_eq!(text, "#define N 4\nin[1] N in[2]\n");
    }

    #[test]
    fn words_in_conditional_text() {
        let code = "t\n#if 0\nt tt\n#endif\nt\n";
        assert_eq!(conditional_places(code, 0..code.len(), "t"), [8]);
    }
}
