//! The two streams: results on stdout, all else on stderr; colours, progress
//! and Ctrl-C.

use std::io::{self, Write};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use tilewise::Session;
use tilewise_report::{Severity, Style};

use crate::args::{Color, DeviceArgs, MeasureArgs, TerminalArgs};
use crate::cache;
use crate::exit;
use crate::failure::Failure;
use crate::progress::ProgressLine;

/// How this invocation talks to its user.
pub struct Terminal {
    /// Style of the result.
    style: Style,
    /// Style of errors.
    error_style: Style,
    quiet: bool,
    progress: ProgressLine,
}

impl Terminal {
    /// By the flags, and by what stdout and stderr are. From here on, Ctrl-C
    /// ends the process with exit code 130.
    pub fn new(args: TerminalArgs) -> Self {
        match args.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
        .write_global();
        let style = |choice| match choice {
            ColorChoice::Never => Style::plain(),
            _ => Style::colour(),
        };
        let terminal = Self {
            style: style(AutoStream::choice(&io::stdout())),
            error_style: style(AutoStream::choice(&io::stderr())),
            quiet: args.quiet,
            progress: ProgressLine::new(args.quiet),
        };
        terminal.end_on_interrupt();
        terminal
    }

    /// Style of the result.
    pub fn style(&self) -> Style {
        self.style
    }

    /// The library's session for commands that run no kernel.
    pub fn plain_session(&self) -> Session {
        Session {
            hide_printf: true,
            progress: Arc::new(self.progress.clone()),
            ..Session::default()
        }
    }

    /// The library's session for commands that only simulate.
    pub fn session(&self, device: DeviceArgs) -> Session {
        Session {
            device: device.device,
            threads: device.threads,
            cache: cache::folder().filter(|_| !device.no_cache),
            ..self.plain_session()
        }
    }

    /// The library's session for commands that may measure.
    pub fn measuring_session(&self, device: DeviceArgs, measure: &MeasureArgs) -> Session {
        Session {
            force: measure.force,
            band: measure.band,
            budget_seconds: measure.budget,
            ..self.session(device)
        }
    }

    /// Prints a result. A reader who closed the pipe (`| head`) has seen
    /// enough: that is no failure.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        self.progress.clear();
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Stdout(error)),
            _ => Ok(()),
        }
    }

    /// Says something about the result on stderr, unless `--quiet`.
    pub fn remark(&self, text: &str) {
        if !self.quiet {
            self.progress.clear();
            to_stderr(text);
        }
    }

    /// Prints why there is no result.
    pub fn error(&self, failure: &Failure) {
        let title = self.error_style.severity(Severity::Error, "error:");
        to_stderr(&format!("{title} {}", failure.message().trim_end()));
    }

    /// Prints why the result makes the exit code 1, unless `--quiet`.
    pub fn objection(&self, objection: &exit::Objection) {
        let title = self.error_style.severity(Severity::Error, "exit code 1:");
        self.remark(&format!("{title} {objection}"));
    }

    /// Takes the progress line away.
    pub fn clear_progress(&self) {
        self.progress.clear();
    }

    fn end_on_interrupt(&self) {
        let progress = self.progress.clone();
        let handler = ctrlc::set_handler(move || {
            progress.clear();
            to_stderr("interrupted");
            std::process::exit(exit::INTERRUPTED.into());
        });
        if let Err(error) = handler {
            self.remark(&format!(
                "note: Ctrl-C ends tilewise without exit code 130: {error}"
            ));
        }
    }
}

fn to_stderr(text: &str) {
    // Where stderr is closed, there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{text}");
}
