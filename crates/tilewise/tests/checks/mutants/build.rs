//! Puts the broken versions of an example's kernels into one source text.

use std::ops::Range;

use super::table::{Kernel, Mutant};

/// A source text that holds the staged kernels and all their broken versions.
pub struct Built {
    pub text: String,
    pub broken: Vec<Broken>,
}

/// One kernel of it.
pub struct Broken {
    /// Name of the kernel in the text.
    pub name: String,
    /// Name of the kernel that it was.
    pub original: String,
    /// How it is broken; `None` for the kernel as it is in the example.
    mutant: Option<Mutant>,
    /// Its own text.
    text: String,
    /// Line of its first line, from 1.
    first_line: u32,
}

impl Built {
    /// Breaks kernels of a source in all the ways they list.
    pub fn new(source: &str, kernels: &[Kernel]) -> Result<Self, String> {
        let head = source.find("\n__kernel").ok_or("no kernel in the source")?;
        let mut built = Self {
            text: source[..=head].to_owned(),
            broken: Vec::new(),
        };
        for kernel in kernels {
            let text = &source[kernel_range(source, &kernel.name)?];
            built.add(&kernel.name, &kernel.name, text.to_owned(), None);
            for (i, mutant) in kernel.mutants.iter().enumerate() {
                let text = replace_once(text, &mutant.find, &mutant.replace)
                    .map_err(|e| format!("{}, {}: {e}", kernel.name, mutant.kind))?;
                let name = format!("{}_{i}", kernel.name);
                built.add(&kernel.name, &name, text, Some(mutant.clone()));
            }
        }
        Ok(built)
    }

    fn add(&mut self, original: &str, name: &str, text: String, mutant: Option<Mutant>) {
        let text = text.replacen(&format!("{original}("), &format!("{name}("), 1);
        let first_line = 1 + self.text.matches('\n').count() as u32;
        self.text.push_str(&text);
        self.text.push('\n');
        self.broken.push(Broken {
            name: name.to_owned(),
            original: original.to_owned(),
            mutant,
            text,
            first_line,
        });
    }

    /// A line of the text, without indentation.
    pub fn line(&self, line: u32) -> &str {
        let index = (line as usize).wrapping_sub(1);
        self.text.lines().nth(index).unwrap_or_default().trim()
    }
}

impl Broken {
    /// Name of the example's launch.
    pub fn launch(&self) -> &str {
        self.mutant.as_ref().map_or("small", |m| &m.launch)
    }

    /// What it is, for messages.
    pub fn title(&self) -> String {
        match &self.mutant {
            None => format!("{} as it is", self.original),
            Some(m) => format!("{}, {}: `{}`", self.original, m.kind, m.replace.trim()),
        }
    }

    /// Code and line of every finding that the table names.
    pub fn expected(&self) -> Result<Vec<(&str, u32)>, String> {
        let all = self.mutant.iter().flat_map(|m| &m.expect);
        all.map(|finding| {
            let (code, place) = finding
                .split_once(' ')
                .ok_or_else(|| format!("`{finding}` names no line"))?;
            let end = find_once(&self.text, place)
                .map_err(|e| format!("{}: {e}", self.title()))?
                .end;
            let line = self.first_line + self.text[..end].matches('\n').count() as u32;
            Ok((code, line))
        })
        .collect()
    }
}

/// Names of the kernels in a source.
pub fn kernel_names(source: &str) -> impl Iterator<Item = &str> {
    source.split("\n__kernel").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once("void ")?;
        Some(rest.split_once('(')?.0.trim())
    })
}

/// A kernel of a source, from its first word to the brace that closes it.
fn kernel_range(source: &str, name: &str) -> Result<Range<usize>, String> {
    let head = find_once(source, &format!("void {name}("))?.start;
    let start = source[..head]
        .rfind("__kernel")
        .ok_or_else(|| format!("{name} is no kernel"))?;
    let end = source[head..]
        .find("\n}\n")
        .ok_or_else(|| format!("{name} has no end"))?;
    Ok(start..head + end + "\n}\n".len())
}

fn replace_once(text: &str, find: &str, replace: &str) -> Result<String, String> {
    let at = find_once(text, find)?;
    Ok(format!("{}{replace}{}", &text[..at.start], &text[at.end..]))
}

/// The only place where a text stands in another.
fn find_once(text: &str, find: &str) -> Result<Range<usize>, String> {
    let mut places = text.match_indices(find);
    match (places.next(), places.next()) {
        (Some((at, _)), None) => Ok(at..at + find.len()),
        (None, _) => Err(format!("`{find}` is not in it")),
        (Some(_), Some(_)) => Err(format!("`{find}` stands in it more than once")),
    }
}
