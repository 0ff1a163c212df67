//! What a kernel's body says of its launch.

use std::collections::{BTreeMap, BTreeSet};

/// What was seen in a kernel's body; nothing by default, and names tell the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// By dimension: the ids that the kernel's guards let through are below this.
    pub bounds: [Option<Bound>; 3],
    /// Integer arguments that count the steps of a loop over a window or a small
    /// table, with a value for each.
    pub small: BTreeMap<String, u64>,
}

/// What an id is below, as an expression of the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The expression.
    pub text: String,
    /// It is a sum, which takes parentheses as a factor.
    pub sum: bool,
    /// Arguments that it grows with.
    pub sizes: BTreeSet<String>,
    /// Most arguments that are multiplied in it.
    pub degree: usize,
}

impl Bound {
    /// The expression as a factor of a product.
    pub fn factor(&self) -> String {
        match self.sum {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }
}

impl Seen {
    /// How many arguments are multiplied where this one bounds an id; `None` where it
    /// bounds none.
    pub(super) fn degree(&self, name: &str) -> Option<usize> {
        let bounds = self.bounds.iter().flatten();
        bounds
            .filter(|b| b.sizes.contains(name))
            .map(|b| b.degree)
            .max()
    }
}
