//! Does staging pay, for this kernel, this launch, this device?
//!
//! A verdict is made from a speed-up (time of the unstaged over time of the
//! staged kernel) and a band around 1 within which a difference is not worth a
//! tile. Measured speed-ups are judged by their whole 95 % interval, predicted
//! ones by their point estimate, with `unsure` where the model's interval
//! reaches another class ([`Band`]). Where there is nothing to stage, no
//! speed-up is needed ([`not_applicable`]). Why it is so, in order of weight,
//! comes from the terms of the time model ([`reasons`]).

mod applicability;
mod reasons;
mod rules;

use std::fmt;

pub use applicability::{NotApplicable, Opportunity, not_applicable};
pub use reasons::{Favours, Reason, reasons};
pub use rules::{Band, BandError};

use crate::statistics::Interval;

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerdictKind {
    /// The staged kernel is faster.
    Pays,
    /// The staged kernel is slower.
    Loses,
    /// Neither is faster by more than the band.
    Ties,
    /// Not known, see [`Verdict::note`].
    Unknown,
    /// There is nothing that staging could gain.
    NotApplicable,
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pays => "pays",
            Self::Loses => "loses",
            Self::Ties => "ties",
            Self::Unknown => "unknown",
            Self::NotApplicable => "not-applicable",
        })
    }
}

/// What a verdict rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Timings on the device.
    Measured,
    /// The time model, with the counts of a real staged kernel.
    Predicted,
    /// The time model, with an ideal tile: no staged kernel was generated.
    PredictedNotGenerated,
    /// What the kernel reads, without any time.
    Profile,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Measured => "measured",
            Self::Predicted => "predicted",
            Self::PredictedNotGenerated => "predicted, not generated",
            Self::Profile => "profile",
        })
    }
}

/// The verdict on one launch on one device.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The answer.
    pub kind: VerdictKind,
    /// What it rests on.
    pub basis: Basis,
    /// Time unstaged over time staged: with a 95 % interval where measured,
    /// with the model's 80 % interval where predicted.
    pub speedup: Option<Interval>,
    /// A prediction whose interval reaches another class.
    pub unsure: bool,
    /// Why the kind is what it is, where the speed-up alone does not say it.
    pub note: Option<String>,
    /// What speaks for and against, the weightiest first.
    pub reasons: Vec<Reason>,
}

impl Verdict {
    /// From timings: the class that holds the whole 95 % interval, else
    /// unknown.
    pub fn measured(speedup: Interval, band: Band) -> Self {
        let kind = band.class_of_interval(speedup);
        Self {
            kind,
            basis: Basis::Measured,
            speedup: Some(speedup),
            unsure: false,
            note: (kind == VerdictKind::Unknown).then(|| {
                format!(
                    "the 95 % interval reaches over a limit of the band of {:.0} %; measure \
                     longer with --budget",
                    band.width() * 100.0
                )
            }),
            reasons: Vec::new(),
        }
    }

    /// From the time model: the class of the point estimate.
    pub fn predicted(speedup: Interval, band: Band) -> Self {
        let kind = band.class_of_point(speedup.estimate);
        Self {
            kind,
            basis: Basis::Predicted,
            speedup: Some(speedup),
            unsure: band.class_of_interval(speedup) != kind,
            note: None,
            reasons: Vec::new(),
        }
    }

    /// A kernel that no staged form could be generated for: unknown, with
    /// what an ideal tile would bring. `code` is the refusal's, `TW301`.
    pub fn refused(code: &str, ideal: Option<Interval>) -> Self {
        Self {
            kind: VerdictKind::Unknown,
            basis: Basis::PredictedNotGenerated,
            speedup: ideal,
            unsure: ideal.is_some(),
            note: Some(format!("refused: {code}")),
            reasons: Vec::new(),
        }
    }

    /// A kernel that has no staged form to compare with.
    pub fn without_staged_form() -> Self {
        Self::unknown("no staged form yet; give one with --against".to_owned())
    }

    /// A kernel that stages, and has no form without its tile to compare with.
    pub fn without_unstaged_form() -> Self {
        Self::unknown("it stages already; give its form without the tile with --against".to_owned())
    }

    /// Neither a time nor what the kernel reads says anything; `note` tells why.
    pub fn unknown(note: String) -> Self {
        Self {
            kind: VerdictKind::Unknown,
            basis: Basis::Profile,
            speedup: None,
            unsure: false,
            note: Some(note),
            reasons: Vec::new(),
        }
    }

    /// A kernel for which staging could gain nothing.
    pub fn nothing_to_gain(why: &NotApplicable) -> Self {
        Self {
            kind: VerdictKind::NotApplicable,
            basis: Basis::Profile,
            speedup: None,
            unsure: false,
            note: Some(why.to_string()),
            reasons: Vec::new(),
        }
    }

    /// The same verdict with its reasons.
    #[must_use]
    pub fn because(mut self, reasons: Vec<Reason>) -> Self {
        self.reasons = reasons;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, estimate: f64, high: f64) -> Interval {
        Interval {
            estimate,
            low,
            high,
        }
    }

    #[test]
    fn measured_verdicts_go_by_the_interval() {
        let kind = |low, high| {
            Verdict::measured(
                interval(low, f64::midpoint(low, high), high),
                Band::default(),
            )
            .kind
        };
        assert_eq!(kind(0.82, 0.84), VerdictKind::Loses);
        assert_eq!(kind(1.20, 1.31), VerdictKind::Pays);
        assert_eq!(kind(0.97, 1.03), VerdictKind::Ties);
        assert_eq!(kind(1.01, 1.09), VerdictKind::Unknown);
        assert_eq!(kind(0.90, 1.10), VerdictKind::Unknown);
    }

    #[test]
    fn an_unknown_measurement_says_what_to_do() {
        let verdict = Verdict::measured(interval(1.01, 1.05, 1.09), Band::default());
        let note = verdict.note.expect("a note");
        assert!(note.contains("band of 5 %") && note.contains("--budget"));
    }

    #[test]
    fn predicted_verdicts_go_by_the_point_and_admit_doubt() {
        let sure = Verdict::predicted(interval(1.1, 1.3, 1.6), Band::default());
        assert_eq!((sure.kind, sure.unsure), (VerdictKind::Pays, false));
        let unsure = Verdict::predicted(interval(0.7, 0.9, 1.1), Band::default());
        assert_eq!((unsure.kind, unsure.unsure), (VerdictKind::Loses, true));
        let tie = Verdict::predicted(interval(0.96, 1.0, 1.04), Band::default());
        assert_eq!((tie.kind, tie.unsure), (VerdictKind::Ties, false));
    }

    #[test]
    fn without_times_the_note_carries_the_answer() {
        let verdict = Verdict::without_staged_form();
        assert_eq!(verdict.kind, VerdictKind::Unknown);
        assert!(verdict.note.expect("a note").contains("--against"));
        let refused = Verdict::refused("TW301", Some(interval(1.0, 1.2, 1.4)));
        assert_eq!(refused.basis.to_string(), "predicted, not generated");
        assert_eq!(refused.note.as_deref(), Some("refused: TW301"));
    }
}
