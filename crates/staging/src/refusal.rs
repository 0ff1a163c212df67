//! Why a kernel, or a buffer of it, is not staged.

use std::fmt;

use tilewise_frontend::source::{SourceTree, Span};

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The buffer is written by the kernel.
    Written,
    /// The index depends on data.
    DataDependent,
    /// A guard is no inequality of ids, loop variables and uniform values.
    Guard,
    /// The box has no bound that is known before the loads.
    Unbounded,
    /// The box is larger than local memory.
    TooLarge,
    /// A barrier can't stand where all work-items reach it.
    Barrier,
    /// The pointer goes where it can't be followed.
    Escapes,
    /// The buffer is volatile.
    Volatile,
    /// The load is part of a macro.
    Macro,
    /// No element is read twice by a group.
    NoReuse,
    /// The index has a form that is not staged.
    Form,
}

impl Code {
    /// The code that `explain` takes.
    pub fn text(self) -> &'static str {
        match self {
            Code::Written => "TW301",
            Code::DataDependent => "TW302",
            Code::Guard => "TW303",
            Code::Unbounded => "TW304",
            Code::TooLarge => "TW305",
            Code::Barrier => "TW306",
            Code::Escapes => "TW307",
            Code::Volatile => "TW308",
            Code::Macro => "TW309",
            Code::NoReuse => "TW310",
            Code::Form => "TW311",
        }
    }
}

/// A refusal, with the place and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// Its kind.
    pub code: Code,
    /// The buffer, where one is meant.
    pub buffer: Option<String>,
    /// What and why, in one line.
    pub message: String,
    /// What would help, if anything.
    pub help: Option<String>,
    /// Line and column from 1; 0 where they are not known.
    pub at: (u32, u32),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.text(), self.message)
    }
}

impl Refusal {
    /// A refusal at a place of a source.
    pub fn new(tree: &SourceTree, span: Span, code: Code, message: impl Into<String>) -> Self {
        let offset = span.editable().map_or(span.begin, |r| r.start);
        Self {
            code,
            buffer: None,
            message: message.into(),
            help: None,
            at: tree.line_and_column(offset),
        }
    }

    /// Of a kernel whose text is in another file.
    pub fn elsewhere(kernel: &str) -> Self {
        Self {
            code: Code::Form,
            buffer: None,
            message: format!("{kernel} does not stand in this file, so it can't be edited"),
            help: Some("name the file that holds the kernel's text".to_owned()),
            at: (0, 0),
        }
    }

    /// About a buffer.
    pub fn of(mut self, buffer: &str) -> Self {
        self.buffer = Some(buffer.to_owned());
        self
    }

    /// A name that new text would take from an inner declaration.
    pub fn shadowed(tree: &SourceTree, name: &str, inner: Span) -> Self {
        let message = format!(
            "{name} is declared again here, and the new text behind it would take this one"
        );
        Self::new(tree, inner, Code::Form, message).helped("give the two different names")
    }

    /// With what would help.
    pub fn helped(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Refusals for one reason as one: the first, which says how many it stands for.
pub fn merged(refusals: Vec<Refusal>) -> Vec<Refusal> {
    let mut kept: Vec<(Refusal, usize)> = Vec::new();
    for refusal in refusals {
        let same = |(r, _): &&mut (Refusal, usize)| {
            r.code == refusal.code && r.message == refusal.message && r.help == refusal.help
        };
        match kept.iter_mut().find(same) {
            Some((_, count)) => *count += 1,
            None => kept.push((refusal, 1)),
        }
    }
    let told = |(mut refusal, count): (Refusal, usize)| {
        match count {
            1 => {}
            2 => refusal.message.push_str(" (and one more like it)"),
            n => refusal
                .message
                .push_str(&format!(" (and {} more like it)", n - 1)),
        }
        refusal
    };
    kept.into_iter().map(told).collect()
}
