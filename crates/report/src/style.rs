//! Whether text carries colours, and which part of it gets which. The colours
//! are the terminal's own sixteen, so that they fit its theme.

use std::fmt::Display;

use anstyle::{AnsiColor, Style as Ansi};

use crate::diagnostic::Severity;
use crate::run::VerdictKind;

/// Plain text or text with terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// No escape sequences at all.
    pub const fn plain() -> Self {
        Self { colour: false }
    }

    /// Colours as ANSI escape sequences.
    pub const fn colour() -> Self {
        Self { colour: true }
    }

    /// Whether escape sequences are wanted.
    pub const fn is_colour(self) -> bool {
        self.colour
    }

    /// A heading.
    pub fn heading(self, text: impl Display) -> String {
        self.paint(Ansi::new().bold(), text)
    }

    /// What may be skipped at a first reading.
    pub fn quiet(self, text: impl Display) -> String {
        self.paint(Ansi::new().dimmed(), text)
    }

    /// Good news.
    pub fn good(self, text: impl Display) -> String {
        self.paint(AnsiColor::Green.on_default().bold(), text)
    }

    /// Bad news.
    pub fn bad(self, text: impl Display) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    /// Neither, but worth a look.
    pub fn notable(self, text: impl Display) -> String {
        self.paint(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// A yes, a no, or anything else.
    pub fn answer(self, answer: &str, text: impl Display) -> String {
        match answer {
            "yes" => self.good(text),
            "no" => self.bad(text),
            _ => self.notable(text),
        }
    }

    /// The class of a verdict.
    pub fn verdict(self, kind: VerdictKind, text: impl Display) -> String {
        match kind {
            VerdictKind::Pays => self.good(text),
            VerdictKind::Loses => self.bad(text),
            VerdictKind::Ties | VerdictKind::Unknown => self.notable(text),
            VerdictKind::NotApplicable => self.heading(text),
        }
    }

    /// The severity of a finding.
    pub fn severity(self, severity: Severity, text: impl Display) -> String {
        match severity {
            Severity::Error => self.bad(text),
            Severity::Warning => self.notable(text),
            Severity::Note => self.heading(text),
        }
    }

    fn paint(self, ansi: Ansi, text: impl Display) -> String {
        if self.colour {
            format!("{ansi}{text}{ansi:#}")
        } else {
            text.to_string()
        }
    }
}
