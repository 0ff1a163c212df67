//! The exit codes, and what makes a result end with 1: findings, results that
//! differ, a launch that was unsafe to make, a verdict other than required.

use std::fmt;

use tilewise_report::{Command, Run, VerdictKind, phrase};

use crate::args::{FailOn, GateArgs};

/// All is well.
pub const FINE: u8 = 0;
/// The command ran, and its result is one that should stop a build.
pub const OBJECTION: u8 = 1;
/// The command line or the input is wrong.
pub const USAGE: u8 = 2;
/// A tool or device is missing or was lost.
pub const ENVIRONMENT: u8 = 3;
/// Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Findings after which nothing is launched on a device without `--force`:
/// barrier divergence and a runaway loop may hang it, an access outside a
/// buffer may overwrite what isn't ours.
const UNSAFE: [&str; 3] = ["TW103", "TW104", "TW108"];

/// What about a result should stop a build.
#[derive(Debug, PartialEq)]
pub enum Objection {
    /// So many findings at or above `--fail-on`.
    Findings { count: usize, fail_on: FailOn },
    /// A kernel whose results differ from others, or were not compared with them.
    Unequal {
        kernel: String,
        others: String,
        compared: bool,
    },
    /// A kernel that was not staged, or whose staged form was not proved; the same of
    /// one whose tiles were to go.
    NotStaged {
        kernel: String,
        code: Option<String>,
        removal: bool,
    },
    /// A launch that was not made since the simulator found it unsafe.
    Unsafe {
        kernel: String,
        code: String,
        device: String,
    },
    /// A verdict that `--require` does not allow.
    Verdict {
        kernel: String,
        device: String,
        verdict: Option<VerdictKind>,
    },
}

/// Everything about `runs` that should stop a build, by the flags in `gate`;
/// `forced` says that `--force` was given. No objection is exit code 0.
pub fn objections(runs: &[Run], gate: &GateArgs, forced: bool) -> Vec<Objection> {
    let fail_on = gate.fail_on.unwrap_or_default();
    let count = runs
        .iter()
        .flat_map(|run| &run.findings)
        .filter(|finding| fail_on.covers(finding.severity))
        .count();
    let mut objections = Vec::new();
    if count > 0 {
        objections.push(Objection::Findings { count, fail_on });
    }
    for run in runs {
        if !forced {
            objections.extend(unsafe_launch(run));
        }
        objections.extend(match run.command {
            Command::Stage => not_staged(run).into_iter().collect(),
            _ => unequal(run),
        });
        let verdict = run.verdict.as_ref().map(|verdict| verdict.kind);
        let allowed = |kind| gate.require.iter().any(|&r| VerdictKind::from(r) == kind);
        if !gate.require.is_empty() && !verdict.is_some_and(allowed) {
            objections.push(Objection::Verdict {
                kernel: run.kernel.clone(),
                device: run.device.name.clone(),
                verdict,
            });
        }
    }
    objections
}

fn unsafe_launch(run: &Run) -> Option<Objection> {
    let launches = matches!(
        run.command,
        Command::Verify | Command::Bench | Command::Advise | Command::Demo
    );
    let launched = run.measured.is_some()
        || run
            .candidates
            .iter()
            .filter_map(|candidate| candidate.verified.as_ref())
            .any(|verified| verified.trials.iter().any(|t| t.on == run.device.name));
    if !launches || run.device.simulated || launched {
        return None;
    }
    let finding = run
        .findings
        .iter()
        .find(|finding| UNSAFE.contains(&finding.code.as_str()))?;
    Some(Objection::Unsafe {
        kernel: finding.kernel.clone(),
        code: finding.code.clone(),
        device: run.device.name.clone(),
    })
}

/// That `stage` gave no form that was proved.
fn not_staged(run: &Run) -> Option<Objection> {
    let proved = run
        .candidates
        .iter()
        .any(|c| c.verified.as_ref().is_some_and(|v| v.equal));
    let refusal = run.findings.iter().find(|f| f.code.starts_with("TW3"));
    (!proved).then(|| Objection::NotStaged {
        kernel: run.kernel.clone(),
        removal: run.removal,
        code: refusal
            .filter(|_| run.candidates.is_empty())
            .map(|f| f.code.clone()),
    })
}

/// Candidates whose results differ. `verify` also objects to results that were
/// never compared: its silence would be taken for a proof.
fn unequal(run: &Run) -> Vec<Objection> {
    let must_compare = run.command == Command::Verify;
    let mut objections: Vec<Objection> = run
        .candidates
        .iter()
        .filter_map(|candidate| {
            let trials = candidate.verified.as_ref().filter(|v| !v.trials.is_empty());
            let passes = trials.map_or(!must_compare, |verified| verified.equal);
            let others = match candidate.source.as_str() {
                "expected" => "the expected ones".to_owned(),
                _ => format!("those of {}", candidate.id),
            };
            (!passes).then(|| Objection::Unequal {
                kernel: run.kernel.clone(),
                others,
                compared: trials.is_some(),
            })
        })
        .collect();
    if must_compare && run.candidates.is_empty() {
        objections.push(Objection::Unequal {
            kernel: run.kernel.clone(),
            others: "any others".to_owned(),
            compared: false,
        });
    }
    objections
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Findings { count, fail_on } => {
                let findings = if *count == 1 { "finding" } else { "findings" };
                let level = match fail_on {
                    FailOn::Warning => "warning or error",
                    FailOn::Error | FailOn::Never => "error",
                };
                write!(
                    f,
                    "{count} {findings} of severity {level} (--fail-on sets the limit)"
                )
            }
            Self::NotStaged {
                kernel,
                code: Some(code),
                removal,
            } => {
                let what = if *removal {
                    format!("no tile of {kernel} was removed")
                } else {
                    format!("{kernel} was not staged")
                };
                write!(f, "{what}: tilewise explain {code}")
            }
            Self::NotStaged {
                kernel,
                code: None,
                removal,
            } => {
                let what = if *removal {
                    format!("{kernel} without its tiles")
                } else {
                    format!("the staged form of {kernel}")
                };
                write!(f, "{what} was not proved to do the same")
            }
            Self::Unequal {
                kernel,
                others,
                compared: true,
            } => write!(f, "the results of {kernel} differ from {others}"),
            Self::Unequal {
                kernel,
                others,
                compared: false,
            } => write!(f, "the results of {kernel} were not compared with {others}"),
            Self::Unsafe {
                kernel,
                code,
                device,
            } => write!(
                f,
                "{kernel} was not launched on {device}, since the simulator found {code}; mend it (tilewise explain {code}), or launch it all the same with --force"
            ),
            Self::Verdict {
                kernel,
                device,
                verdict: Some(kind),
            } => write!(
                f,
                "the verdict on {kernel} on {device} is {}, which --require does not allow",
                phrase::verdict_kind(*kind)
            ),
            Self::Verdict {
                kernel,
                device,
                verdict: None,
            } => write!(
                f,
                "there is no verdict on {kernel} on {device}, and --require needs one"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use tilewise_report::{
        Candidate, DeviceInfo, Diagnostic, LaunchInfo, SCHEMA, Severity, Trial, Verdict, Verified,
    };

    use super::*;
    use crate::args::RequiredVerdict;

    fn run(command: Command, simulated: bool) -> Run {
        Run {
            schema: SCHEMA.to_owned(),
            tilewise: "0.1.0".to_owned(),
            command,
            kernel: "naive".to_owned(),
            file: "k.cl".to_owned(),
            launch: LaunchInfo::default(),
            device: DeviceInfo {
                name: "Some GPU".to_owned(),
                simulated,
                ..DeviceInfo::default()
            },
            profile: None,
            occupancy: None,
            predicted: None,
            measured: None,
            findings: Vec::new(),
            candidates: Vec::new(),
            procedure: Vec::new(),
            removal: false,
            action: None,
            verdict: None,
            warnings: Vec::new(),
            timings: Vec::new(),
        }
    }

    fn finding(code: &str, severity: Severity) -> Diagnostic {
        Diagnostic {
            code: code.to_owned(),
            severity,
            message: String::new(),
            file: "k.cl".to_owned(),
            line: 1,
            column: 1,
            kernel: "naive".to_owned(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            count: 1,
            snippet: None,
        }
    }

    fn candidate(equal: Option<bool>) -> Candidate {
        let trial = |equal| Trial {
            on: "simulator".to_owned(),
            launch: String::new(),
            equal,
            how: "bit for bit".to_owned(),
            difference: None,
        };
        Candidate {
            id: "tiled".to_owned(),
            source: "given".to_owned(),
            file: "k.cl".to_owned(),
            staged: true,
            verified: equal.map(|equal| Verified {
                equal,
                trials: vec![trial(equal)],
            }),
            profile: None,
            occupancy: None,
            predicted: None,
            measured: None,
            launch: None,
            staging: None,
        }
    }

    fn gate(fail_on: FailOn) -> GateArgs {
        GateArgs {
            fail_on: Some(fail_on),
            require: Vec::new(),
        }
    }

    fn said(runs: &[Run], gate: &GateArgs, forced: bool) -> Vec<String> {
        objections(runs, gate, forced)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn findings_count_from_the_limit_up() {
        let mut check = run(Command::Check, true);
        check.findings = vec![
            finding("TW101", Severity::Error),
            finding("TW203", Severity::Warning),
            finding("TW301", Severity::Note),
        ];
        let runs = [check];
        for (limit, count) in [(FailOn::Error, 1), (FailOn::Warning, 2)] {
            let expected = [Objection::Findings {
                count,
                fail_on: limit,
            }];
            assert_eq!(objections(&runs, &gate(limit), false), expected);
        }
        assert!(objections(&runs, &gate(FailOn::Never), false).is_empty());
        assert_eq!(objections(&runs, &GateArgs::default(), false).len(), 1);
    }

    #[test]
    fn an_unsafe_launch_objects_whatever_the_limit() {
        let mut bench = run(Command::Bench, false);
        bench.findings = vec![finding("TW104", Severity::Error)];
        let never = gate(FailOn::Never);
        let text = said(&[bench.clone()], &never, false).concat();
        assert!(
            text.contains("not launched on Some GPU") && text.contains("TW104"),
            "{text}"
        );
        assert!(
            objections(&[bench.clone()], &never, true).is_empty(),
            "--force launches"
        );
        bench.device.simulated = true;
        assert!(
            objections(&[bench], &never, false).is_empty(),
            "nothing was to be launched"
        );
    }

    #[test]
    fn verify_needs_a_comparison_that_agrees() {
        let verdict = |command, candidates: Vec<Candidate>| {
            let mut run = run(command, true);
            run.candidates = candidates;
            said(&[run], &GateArgs::default(), false).concat()
        };
        assert_eq!(verdict(Command::Verify, vec![candidate(Some(true))]), "");
        let text = verdict(Command::Verify, vec![candidate(Some(false))]);
        assert_eq!(text, "the results of naive differ from those of tiled");
        for nothing in [Vec::new(), vec![candidate(None)]] {
            assert!(verdict(Command::Verify, nothing).contains("not compared"));
        }
        assert_eq!(verdict(Command::Bench, vec![candidate(None)]), "");
        assert!(verdict(Command::Advise, vec![candidate(Some(false))]).contains("differ from"));
    }

    #[test]
    fn a_required_verdict_must_be_there_and_allowed() {
        let mut advise = run(Command::Advise, true);
        let gate = GateArgs {
            fail_on: None,
            require: vec![RequiredVerdict::Pays, RequiredVerdict::Ties],
        };
        let text = said(&[advise.clone()], &gate, false).concat();
        assert!(text.starts_with("there is no verdict on naive"), "{text}");
        let kinds = [
            (VerdictKind::Pays, true),
            (VerdictKind::Ties, true),
            (VerdictKind::Loses, false),
            (VerdictKind::Unknown, false),
            (VerdictKind::NotApplicable, false),
        ];
        for (kind, allowed) in kinds {
            advise.verdict = Some(Verdict {
                kind,
                basis: "predicted".to_owned(),
                speedup: None,
                lo: None,
                hi: None,
                interval: None,
                unsure: false,
                staged: Vec::new(),
                device: "Some GPU".to_owned(),
                reasons: Vec::new(),
            });
            assert_eq!(
                objections(&[advise.clone()], &gate, false).is_empty(),
                allowed,
                "{kind:?}"
            );
        }
    }
}
