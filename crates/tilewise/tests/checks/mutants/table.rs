//! The table of broken kernels, read.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The whole table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    #[serde(rename = "kernel")]
    pub kernels: Vec<Kernel>,
}

/// A staged kernel of an example.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Folder of the example.
    pub example: String,
    pub name: String,
    /// Ways in which it can't be broken, with the reason.
    #[serde(default)]
    pub without: BTreeMap<String, String>,
    #[serde(rename = "mutant")]
    pub mutants: Vec<Mutant>,
}

/// One broken version.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// In which way it is broken.
    pub kind: String,
    /// A text that stands once in the kernel.
    pub find: String,
    /// What stands there instead.
    pub replace: String,
    /// Name of the example's launch.
    #[serde(default = "small")]
    pub launch: String,
    /// Every finding: a code, and a text of the broken kernel that ends in the
    /// line that must be named.
    #[serde(default)]
    pub expect: Vec<String>,
    /// Why it still does the same.
    pub equivalent: Option<String>,
}

fn small() -> String {
    "small".to_owned()
}

impl Table {
    /// Reads the text of the table.
    pub fn read(text: &str) -> Result<Self, String> {
        let table: Self = toml::from_str(text).map_err(|e| format!("table of mutants: {e}"))?;
        for kernel in &table.kernels {
            for mutant in &kernel.mutants {
                if mutant.expect.is_empty() != mutant.equivalent.is_some() {
                    return Err(format!(
                        "{}, {}: `{}`: expects findings, or is equivalent for a reason",
                        kernel.name, mutant.kind, mutant.replace
                    ));
                }
            }
        }
        Ok(table)
    }

    /// The kernels of one example.
    pub fn of(&self, example: &str) -> impl Iterator<Item = &Kernel> {
        self.kernels.iter().filter(move |k| k.example == example)
    }
}
