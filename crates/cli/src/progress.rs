//! What is going on, as one line on stderr that goes away; only on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tilewise::Progress;

const SPINNER: &str = "{spinner} {msg} {elapsed:.dim}";
const BAR: &str = "{spinner} {msg} {bar:24} {pos}/{len} {elapsed:.dim}";

/// The line. Clones share it.
#[derive(Clone)]
pub struct ProgressLine {
    bar: ProgressBar,
    quiet: bool,
}

impl ProgressLine {
    /// A line on stderr, or none if stderr is no terminal or `quiet` is set.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        set_template(&bar, SPINNER);
        Self { bar, quiet }
    }

    /// Takes the line away. It comes back with the next phase.
    pub fn clear(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }
}

impl Progress for ProgressLine {
    fn phase(&self, what: &str) {
        set_template(&self.bar, SPINNER);
        self.bar.set_message(what.to_owned());
        self.bar.unset_length();
        self.bar.reset();
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    fn step(&self, done: u64, of: u64) {
        if self.bar.length() != Some(of) {
            self.bar.set_length(of);
            set_template(&self.bar, BAR);
        }
        self.bar.set_position(done);
    }

    fn printed(&self, kernel: &str, text: &str) {
        if self.quiet {
            return;
        }
        self.bar.suspend(|| {
            for line in text.lines() {
                anstream::eprintln!("{}", of_kernel(kernel, line));
            }
        });
    }
}

/// A line of a kernel, so that it can't be taken for one of tilewise's.
fn of_kernel(kernel: &str, line: &str) -> String {
    format!("{kernel} prints | {line}")
}

fn set_template(bar: &ProgressBar, template: &'static str) {
    // A template that does not parse leaves the line as it was; a test parses
    // both.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_parse() {
        for template in [SPINNER, BAR] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
