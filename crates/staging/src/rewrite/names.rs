//! Names of the new text: none that the source has.

use std::collections::BTreeSet;

use tilewise_frontend::source::{Function, SourceTree};

/// Names that are taken.
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Every word of a text is taken.
    pub fn of(text: &str) -> Self {
        let words = text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|w| !w.is_empty())
            .map(str::to_owned);
        Self {
            taken: words.collect(),
        }
    }

    /// The words of a function, what stands at file scope, and macros.
    pub fn around(tree: &SourceTree, function: &Function) -> Self {
        let span = function.span;
        let mut names = Self::of(tree.text.get(span.begin..span.end).unwrap_or(&tree.text));
        names.taken.extend(tree.globals.iter().cloned());
        for line in tree
            .text
            .lines()
            .filter(|l| l.trim_start().starts_with('#'))
        {
            names.taken.append(&mut Self::of(line).taken);
        }
        names
    }

    /// Whether a name is free.
    pub fn is_free(&self, name: &str) -> bool {
        !self.taken.contains(name)
    }

    /// A name that is free: the one wanted, or that with a number.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_collide() {
        let mut names = Names::of("float tile = lx + 1;");
        assert_eq!(names.fresh("tile"), "tile2");
        assert_eq!(names.fresh("tile"), "tile3");
        assert_eq!(names.fresh("ly"), "ly");
    }
}
