//! What a finding is known again by when the lines around it move: its code, its
//! kernel, its file's name, and the text of its line without spaces. Of several that
//! have all that in common, such as two accesses on one line, each has a number in
//! the order of the source.

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostic;

/// The fingerprints of findings, in their order: `5f1d…:1`. Those of one call differ.
pub fn fingerprints(findings: &[&Diagnostic]) -> Vec<String> {
    let hashes: Vec<u64> = findings.iter().map(|f| hash(f)).collect();
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|&i| (&findings[i].file, findings[i].line, findings[i].column));
    let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
    let mut all = vec![String::new(); findings.len()];
    for index in order {
        let number = seen.entry(hashes[index]).or_default();
        *number += 1;
        all[index] = format!("{:016x}:{number}", hashes[index]);
    }
    all
}

/// The text of a finding's line, where it carries that.
pub fn line_text(finding: &Diagnostic) -> Option<&str> {
    let snippet = finding.snippet.as_ref()?;
    let index = finding.line.checked_sub(snippet.first_line)?;
    Some(snippet.lines.get(index as usize)?.trim())
}

/// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), 64 bits, since it must be the same for
/// every build of tilewise.
fn hash(finding: &Diagnostic) -> u64 {
    let text: String = match line_text(finding) {
        Some(line) => line.split_whitespace().collect(),
        None => finding.line.to_string(),
    };
    let file = finding.file.rsplit(['/', '\\']).next().unwrap_or_default();
    let parts = [&finding.code, &finding.kernel, file, &text];
    let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::fingerprints;
    use crate::diagnostic::{Diagnostic, Severity, Snippet};

    fn finding(file: &str, line: u32, column: u32, text: &str) -> Diagnostic {
        Diagnostic {
            code: "TW104".to_owned(),
            severity: Severity::Error,
            message: format!("on line {line}"),
            file: file.to_owned(),
            line,
            column,
            kernel: "k".to_owned(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            count: 1,
            snippet: Some(Snippet {
                first_line: line,
                lines: vec![text.to_owned()],
            }),
        }
    }

    #[test]
    fn lines_may_move_and_be_indented() {
        let before = finding("src/k.cl", 5, 9, "    out[i] = 1;");
        let after = finding("./src/k.cl", 90, 3, "out[i]  = 1;");
        let other = finding("src/k.cl", 5, 9, "    out[j] = 1;");
        let of = |f: &Diagnostic| fingerprints(&[f]);
        assert_eq!(of(&before), of(&after));
        assert_ne!(of(&before), of(&other));
    }

    #[test]
    fn equal_lines_are_numbered_in_the_order_of_the_source() {
        let first = finding("k.cl", 5, 9, "out[i] = 1;");
        let second = finding("k.cl", 9, 9, "out[i] = 1;");
        let [a, b] = &fingerprints(&[&second, &first])[..] else {
            panic!("two findings");
        };
        assert!(a.ends_with(":2") && b.ends_with(":1"), "{a} {b}");
        assert_eq!(a[..16], b[..16]);
    }
}
