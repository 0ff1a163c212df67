//! The results as a table with a row per suite, and lists of what failed.

use std::collections::BTreeMap;
use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};
use serde::{Deserialize, Serialize};
use tilewise::survey::{OnDevice, Simulated, SourceOutcome};

use super::record::{Ended, Ending, KernelRecord, Record, SourceRecord};

/// Counts of a suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Sources.
    pub files: usize,
    /// Those of them that the options exclude.
    pub excluded: usize,
    /// Those that clang accepts.
    pub accepted: usize,
    /// Kernels of these.
    pub kernels: usize,
    /// Kernels that are lowered as written.
    pub written: usize,
    /// Kernels that are lowered as compiled, too.
    pub compiled: usize,
    /// Kernels with a launch that was run.
    pub launches: usize,
    /// Runs without a finding.
    pub clean: usize,
    /// Runs with one, or whose generated data leads outside a buffer.
    pub findings: usize,
    /// Clean runs that gave what the device gave.
    pub agree: usize,
    /// Clean runs that gave something else.
    pub differ: usize,
    /// Clean runs that were not compared, for a reason.
    pub not_compared: usize,
    /// Panics of tilewise.
    pub panicked: usize,
    /// Steps that took longer than they may.
    pub hung: usize,
    /// Ends by a signal.
    pub aborted: usize,
}

const HEAD: &[&str] = &[
    "suite",
    "files",
    "left out",
    "accepted",
    "kernels",
    "as written",
    "as compiled",
    "launches",
    "clean",
    "findings",
    "agree",
    "differ",
    "not compared",
    "panicked",
    "hung",
    "aborted",
];

impl Counts {
    fn cells(&self) -> [usize; 15] {
        [
            self.files,
            self.excluded,
            self.accepted,
            self.kernels,
            self.written,
            self.compiled,
            self.launches,
            self.clean,
            self.findings,
            self.agree,
            self.differ,
            self.not_compared,
            self.panicked,
            self.hung,
            self.aborted,
        ]
    }

    fn add_source(&mut self, source: &SourceRecord) {
        self.files += 1;
        self.excluded += usize::from(source.excluded.is_some());
        if let Some(ended) = &source.ended {
            self.add_end(ended);
        }
        match &source.outcome {
            Some(SourceOutcome::Compiled {
                kernels,
                refused,
                stands_in,
                ..
            }) => {
                self.accepted += 1;
                self.kernels += kernels.len() + refused.len();
                self.written += kernels.len();
                if stands_in.is_none() {
                    self.compiled += kernels.len();
                }
            }
            Some(SourceOutcome::NotTranslated { .. } | SourceOutcome::NotLowered { .. }) => {
                self.accepted += 1;
            }
            Some(SourceOutcome::Rejected { .. }) | None => {}
        }
        for kernel in &source.kernels {
            self.add_kernel(kernel);
        }
    }

    fn add_kernel(&mut self, kernel: &KernelRecord) {
        if let Some(ended) = &kernel.ended {
            self.add_end(ended);
        }
        let Some(outcome) = &kernel.outcome else {
            return;
        };
        match &outcome.written {
            Simulated::Clean => {
                self.launches += 1;
                self.clean += 1;
            }
            Simulated::Findings { .. } | Simulated::NeedsData { .. } => {
                self.launches += 1;
                self.findings += 1;
            }
            Simulated::NoLaunch { .. } | Simulated::Refused { .. } => {}
        }
        match &outcome.device {
            OnDevice::Agrees { .. } => self.agree += 1,
            OnDevice::Differs { .. } => self.differ += 1,
            OnDevice::Failed { .. } => self.not_compared += 1,
            OnDevice::NotRun { .. } => {
                self.not_compared += usize::from(outcome.written == Simulated::Clean);
            }
        }
    }

    fn add_end(&mut self, ended: &Ended) {
        match ended.how {
            // The device's driver, not tilewise.
            _ if ended.stage == "device" => {}
            Ending::Panicked => self.panicked += 1,
            Ending::Hung => self.hung += 1,
            Ending::Aborted => self.aborted += 1,
        }
    }
}

/// The counts of a run, small enough to be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// By suite.
    pub suites: BTreeMap<String, Counts>,
    /// Of all suites.
    pub all: Counts,
    /// Runs that gave something else than the device: the kernel and the first
    /// difference.
    pub differ: Vec<String>,
}

impl Summary {
    /// Counts a run.
    pub fn of(record: &Record) -> Self {
        let mut summary = Self::default();
        for source in &record.sources {
            let suite = source.suite().to_owned();
            summary.suites.entry(suite).or_default().add_source(source);
            summary.all.add_source(source);
            for kernel in &source.kernels {
                if let Some(outcome) = &kernel.outcome
                    && let OnDevice::Differs { difference } = &outcome.device
                {
                    let place = format!("{}::{}", source.path, kernel.name);
                    summary.differ.push(format!("{place}: {difference}"));
                }
            }
        }
        summary
    }
}

/// The table, then what failed, by kind and reason.
pub fn render(record: &Record, all: bool) -> String {
    let summary = Summary::of(record);
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(HEAD);
    let total = ("all".to_owned(), summary.all);
    for (name, counts) in summary.suites.iter().chain([(&total.0, &total.1)]) {
        let mut row = vec![name.clone()];
        row.extend(counts.cells().iter().map(usize::to_string));
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = format!("{}\n", table.trim_fmt());
    for (title, reasons) in lists(record, all) {
        if reasons.is_empty() {
            continue;
        }
        let count: usize = reasons.values().map(Vec::len).sum();
        writeln!(text, "\n{title} ({count})").expect("a string takes any text");
        for (reason, places) in reasons {
            writeln!(text, "  {}x {reason}", places.len()).expect("a string takes any text");
            for place in places {
                writeln!(text, "      {place}").expect("a string takes any text");
            }
        }
    }
    text
}

/// Reasons with the places where they hold.
type Reasons = BTreeMap<String, Vec<String>>;

fn lists(record: &Record, all: bool) -> Vec<(&'static str, Reasons)> {
    let mut left_out = Reasons::new();
    let mut rejected = Reasons::new();
    let mut not_translated = Reasons::new();
    let mut refused = Reasons::new();
    let mut not_compiled = Reasons::new();
    let mut ended = Reasons::new();
    let mut no_launch = Reasons::new();
    let mut findings = Reasons::new();
    let mut differ = Reasons::new();
    let mut not_compared = Reasons::new();
    let mut agree = Reasons::new();
    let note = |list: &mut Reasons, reason: &str, place: String| {
        let reason = reason.lines().collect::<Vec<_>>().join(" | ");
        list.entry(reason).or_default().push(place);
    };
    for source in &record.sources {
        let path = &source.path;
        if let Some(why) = &source.excluded {
            note(&mut left_out, why, path.clone());
        }
        if let Some(end) = &source.ended {
            note(&mut ended, &end_in_words(end), path.clone());
        }
        match &source.outcome {
            Some(SourceOutcome::Rejected { message }) => {
                // The place differs from file to file, the error does not.
                let (place, error) = message.split_once("error: ").unwrap_or(("", message));
                note(&mut rejected, error, format!("{path} {place}"));
            }
            Some(SourceOutcome::NotTranslated { message }) => {
                note(&mut not_translated, message, path.clone());
            }
            Some(SourceOutcome::NotLowered { message }) => {
                note(&mut refused, message, path.clone());
            }
            Some(SourceOutcome::Compiled {
                refused: kernels,
                stands_in,
                ..
            }) => {
                for r in kernels {
                    let name = r.kernel.as_deref().unwrap_or("?");
                    let reason = format!("{}: {}", r.construct, r.reason);
                    note(&mut refused, &reason, format!("{path}::{name}"));
                }
                if let Some(reason) = stands_in {
                    note(&mut not_compiled, reason, path.clone());
                }
            }
            None => {}
        }
        for kernel in &source.kernels {
            let place = format!("{path}::{}", kernel.name);
            if let Some(why) = &kernel.excluded {
                note(&mut left_out, why, place.clone());
            }
            if let Some(end) = &kernel.ended {
                let list = match end.stage.as_str() {
                    "device" => &mut not_compared,
                    _ => &mut ended,
                };
                note(list, &end_in_words(end), place.clone());
            }
            let Some(outcome) = &kernel.outcome else {
                continue;
            };
            for run in [Some(&outcome.written), outcome.compiled.as_ref()]
                .into_iter()
                .flatten()
            {
                match run {
                    Simulated::Clean => {}
                    Simulated::Findings { codes, first } => {
                        note(&mut findings, &codes.join(" "), format!("{place}: {first}"));
                    }
                    Simulated::NeedsData { message } => {
                        let line = message.lines().next().unwrap_or_default();
                        note(&mut findings, "needs data", format!("{place}: {line}"));
                    }
                    Simulated::NoLaunch { message } => {
                        note(&mut no_launch, message, place.clone());
                    }
                    Simulated::Refused { message } => {
                        note(&mut refused, message, place.clone());
                    }
                }
            }
            match &outcome.device {
                OnDevice::Differs { difference } => {
                    note(&mut differ, "values", format!("{place}: {difference}"));
                }
                OnDevice::Failed { message } => note(&mut not_compared, message, place),
                // The driver's end is listed already.
                OnDevice::NotRun { .. } if kernel.ended.is_some() => {}
                OnDevice::NotRun { why } if outcome.written == Simulated::Clean => {
                    note(&mut not_compared, why, place);
                }
                OnDevice::Agrees { how } if all => {
                    note(&mut agree, how, format!("{place}: {}", outcome.command));
                }
                OnDevice::NotRun { .. } | OnDevice::Agrees { .. } => {}
            }
        }
    }
    vec![
        ("Left out", left_out),
        ("Rejected by clang", rejected),
        ("Not translated to SPIR-V", not_translated),
        ("Refused", refused),
        ("Not lowered as compiled", not_compiled),
        ("Panicked, hung, aborted", ended),
        ("No launch", no_launch),
        ("Findings", findings),
        ("Differ from the device", differ),
        ("Clean but not compared", not_compared),
        ("Agree", agree),
    ]
}

fn end_in_words(end: &Ended) -> String {
    let how = match end.how {
        Ending::Panicked => "panicked",
        Ending::Hung => "hung",
        Ending::Aborted => "aborted",
    };
    format!("{how} at {}: {}", end.stage, end.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewise::survey::{KernelOutcome, RefusedKernel};

    fn sample() -> Record {
        let kernel = |name: &str, written, device| KernelRecord {
            name: name.to_owned(),
            outcome: Some(KernelOutcome {
                kernel: name.to_owned(),
                command: String::new(),
                written,
                compiled: Some(Simulated::Clean),
                device,
            }),
            ended: None,
            excluded: None,
        };
        let findings = Simulated::Findings {
            codes: vec!["TW104".to_owned()],
            first: "k.cl:3: TW104 reads a[9]".to_owned(),
        };
        let not_run = OnDevice::NotRun {
            why: "no clean run".to_owned(),
        };
        Record {
            sources: vec![
                SourceRecord {
                    path: "s/k.cl".to_owned(),
                    excluded: None,
                    outcome: Some(SourceOutcome::Compiled {
                        kernels: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
                        refused: vec![RefusedKernel {
                            kernel: Some("d".to_owned()),
                            construct: "a pipe".to_owned(),
                            reason: "pipes are not run".to_owned(),
                        }],
                        stands_in: None,
                        version: None,
                    }),
                    kernels: vec![
                        kernel(
                            "a",
                            Simulated::Clean,
                            OnDevice::Agrees {
                                how: "bit for bit".to_owned(),
                            },
                        ),
                        kernel("b", findings, not_run),
                        KernelRecord {
                            name: "c".to_owned(),
                            outcome: None,
                            ended: Some(Ended {
                                how: Ending::Hung,
                                stage: "profile".to_owned(),
                                message: "signal 6: ".to_owned(),
                            }),
                            excluded: None,
                        },
                    ],
                    ended: None,
                },
                SourceRecord {
                    path: "s/m.cl".to_owned(),
                    excluded: None,
                    outcome: Some(SourceOutcome::Rejected {
                        message: "m.cl:1:1: error: unknown type name 'foo'".to_owned(),
                    }),
                    kernels: Vec::new(),
                    ended: None,
                },
            ],
        }
    }

    #[test]
    fn every_outcome_is_counted_once() {
        let mut counts = Counts::default();
        for source in &sample().sources {
            counts.add_source(source);
        }
        assert_eq!(
            counts.cells(),
            [2, 0, 1, 4, 3, 3, 2, 1, 1, 1, 0, 0, 0, 1, 0]
        );
    }

    #[test]
    fn reasons_stand_below_the_table() {
        let text = render(&sample(), false);
        for part in [
            "Rejected by clang (1)\n  1x unknown type name 'foo'\n      s/m.cl m.cl:1:1:",
            "Refused (1)\n  1x a pipe: pipes are not run\n      s/k.cl::d",
            "1x hung at profile: signal 6: \n      s/k.cl::c",
            "1x TW104\n      s/k.cl::b: k.cl:3: TW104 reads a[9]",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        assert!(!text.contains("Agree ("), "{text}");
        assert!(render(&sample(), true).contains("Agree (1)"));
    }
}
