//! What the machines made of one program.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What one machine did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Seen {
    /// It left in memory what the interpreter did.
    Agrees,
    /// The first difference.
    Differs(String),
    /// It gave no result: an error, a fault or a panic.
    Failed(String),
    /// It was not asked.
    NotRun,
}

/// What all machines made of one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The program.
    pub name: String,
    /// Why the interpreter rejects it.
    pub undefined: Option<String>,
    /// It takes too long to interpret, and was not run.
    pub too_long: bool,
    /// Statements that work-items ran in the interpreter.
    pub steps: u64,
    /// The simulator on the form as written.
    pub as_written: Seen,
    /// The simulator on the form as compiled.
    pub as_compiled: Seen,
    /// The OpenCL device.
    pub device: Seen,
    /// What the front end noted: a form that could not be made.
    pub notes: Vec<String>,
    /// How the child process ended, where it did not report.
    pub crashed: Option<String>,
}

/// Whose fault a report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Everyone agrees.
    Agrees,
    /// Everyone agrees, but the form as compiled is less optimised than it
    /// should be, or the form as written.
    AgreesWithNote,
    /// Not run: it takes too long.
    TooLong,
    /// The device is alone against the interpreter and both simulated forms.
    Device,
    /// The simulator, in one form or both, is not with the interpreter.
    Simulator,
    /// All machines are against the interpreter.
    Interpreter,
    /// The program is not defined.
    Generator,
    /// The process died or hung, on the device.
    DeviceCrash,
    /// The process died or hung elsewhere.
    Crash,
}

impl Class {
    /// Whether it is tilewise's own.
    pub fn is_fault(self) -> bool {
        !matches!(
            self,
            Self::Agrees | Self::AgreesWithNote | Self::TooLong | Self::Device | Self::DeviceCrash
        )
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agrees => {
                "agree on the simulator in both forms, on the device, and with the interpreter"
            }
            Self::AgreesWithNote => "agree, but are not compiled at -O3",
            Self::TooLong => "take too long",
            Self::Device => "differ on the device alone",
            Self::Simulator => "differ or fail on the simulator",
            Self::Interpreter => "differ from the interpreter on every machine",
            Self::Generator => "are not defined",
            Self::DeviceCrash => "crash or hang the device",
            Self::Crash => "crash or hang",
        })
    }
}

impl Report {
    /// The report on a program that was not run.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            undefined: None,
            too_long: false,
            steps: 0,
            as_written: Seen::NotRun,
            as_compiled: Seen::NotRun,
            device: Seen::NotRun,
            notes: Vec::new(),
            crashed: None,
        }
    }

    /// Whose fault it shows.
    pub fn class(&self) -> Class {
        if let Some(how) = &self.crashed {
            return if how.contains("device") {
                Class::DeviceCrash
            } else {
                Class::Crash
            };
        }
        if self.too_long {
            return Class::TooLong;
        }
        if self.undefined.is_some() {
            return Class::Generator;
        }
        let wrong = |seen: &Seen| matches!(seen, Seen::Differs(_) | Seen::Failed(_));
        let (a, b, c) = (&self.as_written, &self.as_compiled, &self.device);
        match (wrong(a), wrong(b), wrong(c)) {
            (false, false, false) if self.notes.is_empty() => Class::Agrees,
            (false, false, false) => Class::AgreesWithNote,
            (false, false, true) => Class::Device,
            (true, true, true) if a == b && b == c => Class::Interpreter,
            _ => Class::Simulator,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "programs that {}", self.class())?;
        if let Some(why) = &self.undefined {
            write!(f, "; {why}")?;
        }
        if let Some(how) = &self.crashed {
            write!(f, "; {how}")?;
        }
        for note in &self.notes {
            write!(f, "; {note}")?;
        }
        for (machine, seen) in [
            ("as written", &self.as_written),
            ("as compiled", &self.as_compiled),
            ("device", &self.device),
        ] {
            if let Seen::Differs(what) | Seen::Failed(what) = seen {
                write!(f, "; {machine}: {what}")?;
            }
        }
        Ok(())
    }
}
