//! What changed between two runs.

use std::collections::BTreeMap;

use tilewise::survey::{OnDevice, Simulated, SourceOutcome};

use super::record::Record;

/// How far a kernel comes; a later one is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// Refused, or its process ended early.
    Nowhere,
    /// Lowered as written only.
    Written,
    /// Lowered in both forms.
    Lowered,
    /// Run, with findings.
    Ran,
    /// Run without findings.
    Clean,
    /// Equal to the device's.
    Agrees,
}

impl Reach {
    fn text(self) -> &'static str {
        match self {
            Reach::Nowhere => "not lowered",
            Reach::Written => "lowered as written only",
            Reach::Lowered => "lowered, not run",
            Reach::Ran => "run with findings",
            Reach::Clean => "run clean",
            Reach::Agrees => "agrees with the device",
        }
    }
}

/// Differences of two runs.
#[derive(Debug, Default)]
pub struct Changes {
    worse: Vec<String>,
    better: Vec<String>,
    lost: bool,
}

/// Compares a run with an earlier one, kernel by kernel; sources that only one
/// of them tried are left out.
pub fn compare(earlier: &Record, now: &Record) -> Changes {
    let (before, after) = (reaches(earlier), reaches(now));
    let mut changes = Changes::default();
    for (kernel, &was) in &before {
        let source = kernel.split("::").next().unwrap_or_default();
        let tried = |s: &super::record::SourceRecord| s.path == source && s.excluded.is_none();
        if !now.sources.iter().any(tried) {
            continue;
        }
        let is = after.get(kernel).copied().unwrap_or(Reach::Nowhere);
        let line = format!("{kernel}: {}, was {}", is.text(), was.text());
        if is < was {
            // A launch may be guessed anew and then meet a finding; what was
            // lowered or run must stay so.
            changes.lost |= is < was.min(Reach::Ran);
            changes.worse.push(line);
        } else if is > was {
            changes.better.push(line);
        }
    }
    changes
}

/// How far each kernel came, by `path::kernel`.
fn reaches(record: &Record) -> BTreeMap<String, Reach> {
    let mut reaches = BTreeMap::new();
    for source in &record.sources {
        let Some(SourceOutcome::Compiled {
            kernels,
            refused,
            stands_in,
            ..
        }) = &source.outcome
        else {
            continue;
        };
        for refused in refused.iter().filter_map(|r| r.kernel.as_deref()) {
            reaches.insert(format!("{}::{refused}", source.path), Reach::Nowhere);
        }
        for name in kernels {
            let lowered = match stands_in {
                Some(_) => Reach::Written,
                None => Reach::Lowered,
            };
            let found = source.kernels.iter().find(|k| k.name == *name);
            let reach = match found.map(|k| (&k.ended, &k.outcome)) {
                // What ends a device's driver is no fault of the simulator.
                Some((Some(end), _)) if end.stage != "device" => Reach::Nowhere,
                Some((_, Some(outcome))) => match (&outcome.written, &outcome.device) {
                    (_, OnDevice::Agrees { .. }) => Reach::Agrees,
                    (Simulated::Clean, _) => Reach::Clean,
                    (Simulated::Findings { .. } | Simulated::NeedsData { .. }, _) => Reach::Ran,
                    (Simulated::NoLaunch { .. } | Simulated::Refused { .. }, _) => lowered,
                },
                _ => lowered,
            };
            reaches.insert(format!("{}::{name}", source.path), reach);
        }
    }
    reaches
}

impl Changes {
    /// Whether something that was lowered or run is so no more.
    pub fn lost(&self) -> bool {
        self.lost
    }

    /// The changes, the bad ones first.
    pub fn render(&self) -> String {
        let mut text = String::new();
        for (title, lines) in [("worse", &self.worse), ("better", &self.better)] {
            text.push_str(&format!(
                "\n{} {title} than in the earlier run\n",
                lines.len()
            ));
            for line in lines {
                text.push_str(&format!("  {line}\n"));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::record::{KernelRecord, SourceRecord};
    use tilewise::survey::KernelOutcome;

    fn run(kernels: &[(&str, Simulated)]) -> Record {
        Record {
            sources: vec![SourceRecord {
                path: "s/k.cl".to_owned(),
                excluded: None,
                outcome: Some(SourceOutcome::Compiled {
                    kernels: kernels.iter().map(|(name, _)| (*name).to_owned()).collect(),
                    refused: Vec::new(),
                    stands_in: None,
                    version: None,
                }),
                kernels: kernels
                    .iter()
                    .map(|(name, written)| KernelRecord {
                        name: (*name).to_owned(),
                        outcome: Some(KernelOutcome {
                            kernel: (*name).to_owned(),
                            command: String::new(),
                            written: written.clone(),
                            compiled: None,
                            device: OnDevice::NotRun { why: String::new() },
                        }),
                        ended: None,
                        excluded: None,
                    })
                    .collect(),
                ended: None,
            }],
        }
    }

    #[test]
    fn what_is_lost_stands_first() {
        let refused = || Simulated::Refused {
            message: "the simulator has no x".to_owned(),
        };
        let findings = || Simulated::Findings {
            codes: Vec::new(),
            first: String::new(),
        };
        let earlier = run(&[("a", Simulated::Clean), ("b", refused())]);
        let changes = compare(&earlier, &run(&[("a", refused()), ("b", Simulated::Clean)]));
        assert!(changes.lost());
        let text = changes.render();
        assert!(text.starts_with("\n1 worse"), "{text}");
        assert!(
            text.contains("s/k.cl::a: lowered, not run, was run clean"),
            "{text}"
        );
        assert!(
            text.contains("s/k.cl::b: run clean, was lowered, not run"),
            "{text}"
        );
        // Findings of another launch are shown, but are no loss.
        let changes = compare(&earlier, &run(&[("a", findings()), ("b", refused())]));
        assert!(!changes.lost());
        assert!(changes.render().contains("1 worse"));
        // A kernel that is gone is lost.
        assert!(compare(&earlier, &run(&[("b", refused())])).lost());
    }
}
