//! Reads what Oclgrind's tests expect.
//!
//! Lines are `ERROR` with the start of a message, `EXACT` with a line of the
//! dump of a buffer, `MATCH` with the start of one.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;

/// What a test expects.
#[derive(Debug, Default)]
pub struct Reference {
    /// The codes of the findings that stand for its errors.
    pub errors: BTreeSet<&'static str>,
    /// By the name of a buffer: its elements from the first on. One of which only
    /// the start of the line is given is left out.
    pub contents: BTreeMap<String, Vec<String>>,
}

/// Oclgrind's messages, and the codes of the findings that say the same. An error
/// that only follows from another one has none.
const MESSAGES: [(&str, &str); 10] = [
    ("data race at local memory", "TW101"),
    ("data race at global memory", "TW102"),
    ("divergence detected (barrier)", "TW103"),
    ("divergence detected (async copy)", "TW110"),
    ("exceeds static array size", "TW104"),
    ("of size", "TW104"),
    ("Uninitialized", "TW105"),
    ("is not aligned", "TW106"),
    ("buffer", "TW109"),
    ("event", "TW110"),
];

impl Reference {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut reference = Self::default();
        let mut loose = BTreeSet::new();
        for line in text.lines() {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            let rest = rest.trim();
            match kind {
                "ERROR" => {
                    let code = MESSAGES.iter().find(|(part, _)| rest.contains(part));
                    let Some((_, code)) = code else {
                        bail!("`{rest}` is an unknown error");
                    };
                    reference.errors.insert(code);
                }
                "EXACT" | "MATCH" => {
                    let Some((element, value)) = rest.split_once(" =") else {
                        continue;
                    };
                    let name = element.split('[').next().unwrap_or_default().to_owned();
                    if kind == "MATCH" {
                        loose.insert(name);
                        continue;
                    }
                    let values = reference.contents.entry(name).or_default();
                    values.push(value.trim().to_owned());
                }
                _ => {}
            }
        }
        reference.contents.retain(|name, _| !loose.contains(name));
        Ok(reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_contents_are_read() {
        let text = "ERROR Write-write data race at local memory\nERROR Invalid write of size 4 at\n\
             EXACT Argument 'a': 8 bytes\nEXACT   a[0] = 1\nEXACT   a[1] = 2\nMATCH   b[0] =\n";
        let reference = Reference::parse(text).expect("a reference");
        assert_eq!(reference.errors, BTreeSet::from(["TW101", "TW104"]));
        assert_eq!(reference.contents["a"], ["1", "2"]);
        assert!(!reference.contents.contains_key("b"));
        assert!(Reference::parse("ERROR something else").is_err());
    }
}
