//! Why one form is faster, in order of weight.
//!
//! Both forms are put through the time model. What a term adds to or takes
//! from the launch's time is its change times the sensitivity of the time to
//! it (the mean of both forms'), so that a term that hides behind others
//! weighs little however much it changes. The latency term is split into its
//! two factors: how long a group lives, and how many groups are resident.
//!
//! For a measured verdict these are the model's reasons for it; where the
//! model disagrees with the clock, so may they.

use std::fmt;

use crate::profile::DeviceProfile;
use crate::time::{Prediction, TermKind, Work};

/// Contributions below this share of the time are not worth a line.
const LEAST_WEIGHT: f64 = 0.005;

/// The form that a reason speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Favours {
    /// For staging.
    Staged,
    /// Against it.
    Unstaged,
}

impl fmt::Display for Favours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Staged => "for staging",
            Self::Unstaged => "against staging",
        })
    }
}

/// One reason, with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The resource concerned.
    pub term: TermKind,
    /// The form that it speaks for.
    pub favours: Favours,
    /// Predicted seconds that it changes, as a share of the unstaged kernel's.
    pub weight: f64,
    /// The figure that changes, for the unstaged kernel, in the unit that
    /// `text` names.
    pub unstaged: f64,
    /// The same for the staged kernel.
    pub staged: f64,
    /// The evidence, a sentence without full stop.
    pub text: String,
}

/// One form of the kernel: what it does, and the time predicted from it.
pub type Form<'a> = (&'a Work, &'a Prediction);

/// The reasons for the difference between two forms, the weightiest first;
/// those that change the time by less than half a percent are left out.
pub fn reasons(profile: &DeviceProfile, unstaged: Form<'_>, staged: Form<'_>) -> Vec<Reason> {
    let base = unstaged.1.seconds;
    let mut found: Vec<Reason> = [
        TermKind::Dram,
        TermKind::L2,
        TermKind::L1,
        TermKind::Local,
        TermKind::Issue,
    ]
    .into_iter()
    .filter_map(|term| {
        let change = seconds(staged.1, term) - seconds(unstaged.1, term);
        let evidence = evidence(profile, term, unstaged.0, staged.0);
        reason(
            term,
            change * sensitivity(unstaged, staged, term) / base,
            evidence,
        )
    })
    .collect();
    found.extend(latency_reasons(unstaged, staged));
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    found
}

fn seconds(prediction: &Prediction, kind: TermKind) -> f64 {
    prediction.term(kind).map_or(0.0, |term| term.seconds)
}

fn sensitivity(unstaged: Form<'_>, staged: Form<'_>, kind: TermKind) -> f64 {
    let of = |form: Form<'_>| form.1.term(kind).map_or(0.0, |term| term.sensitivity);
    f64::midpoint(of(unstaged), of(staged))
}

/// A figure of both forms and the sentence about it.
struct Evidence {
    unstaged: f64,
    staged: f64,
    text: String,
}

/// A reason that adds `share` (negative: saves) of the unstaged time, unless
/// it is too small.
fn reason(term: TermKind, share: f64, evidence: Evidence) -> Option<Reason> {
    (share.abs() >= LEAST_WEIGHT).then(|| Reason {
        term,
        favours: if share < 0.0 {
            Favours::Staged
        } else {
            Favours::Unstaged
        },
        weight: share.abs(),
        unstaged: evidence.unstaged,
        staged: evidence.staged,
        text: evidence.text,
    })
}

/// The figure behind a bandwidth or issue term.
fn evidence(profile: &DeviceProfile, term: TermKind, unstaged: &Work, staged: &Work) -> Evidence {
    let sector = profile.l1.sector.value() as f64;
    let figure = |work: &Work| match term {
        TermKind::Dram => (work.dram_read_bytes + work.dram_write_bytes) / 1e6,
        TermKind::L2 => work.l2_sectors * sector / 1e6,
        TermKind::L1 => (work.l1_load_lines + work.l1_store_lines) / work.sub_groups(),
        TermKind::Local => work.local_passes / work.sub_groups(),
        TermKind::Issue | TermKind::Latency | TermKind::Launch => work.issued() / work.sub_groups(),
    };
    let what = match term {
        TermKind::Dram => "MB to and from device memory",
        TermKind::L2 => "MB to and from L2",
        TermKind::L1 => "lines of global memory touched per sub-group",
        TermKind::Local => "passes over local memory per sub-group",
        TermKind::Issue | TermKind::Latency | TermKind::Launch => "instructions per sub-group",
    };
    let (before, after) = (figure(unstaged), figure(staged));
    Evidence {
        unstaged: before,
        staged: after,
        text: format!("{before:.2} {what} unstaged, {after:.2} staged"),
    }
}

/// The latency term's change, split between lifetime and residency: for a
/// product of two factors, each gets its change at the mean of the other.
fn latency_reasons(unstaged: Form<'_>, staged: Form<'_>) -> Vec<Reason> {
    let kind = TermKind::Latency;
    let lives = [unstaged.1.lifetime_cycles, staged.1.lifetime_cycles];
    let waves = [unstaged.1.waves, staged.1.waves];
    let per_product = seconds(unstaged.1, kind) / (lives[0] * waves[0]);
    if !per_product.is_finite() {
        return Vec::new();
    }
    let scale = per_product * sensitivity(unstaged, staged, kind) / unstaged.1.seconds;
    let by_life = (lives[1] - lives[0]) * f64::midpoint(waves[0], waves[1]) * scale;
    let by_waves = (waves[1] - waves[0]) * f64::midpoint(lives[0], lives[1]) * scale;
    let resident = [unstaged.0.groups_per_unit, staged.0.groups_per_unit];
    [
        reason(
            kind,
            by_life,
            Evidence {
                unstaged: lives[0],
                staged: lives[1],
                text: lifetime_text(lives, unstaged.0, staged.0),
            },
        ),
        reason(
            kind,
            by_waves,
            Evidence {
                unstaged: resident[0],
                staged: resident[1],
                text: format!(
                    "{} groups resident on a compute unit unstaged, {} staged: {} and {} waves",
                    resident[0], resident[1], waves[0], waves[1]
                ),
            },
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn lifetime_text(lives: [f64; 2], unstaged: &Work, staged: &Work) -> String {
    let trips = |work: &Work| {
        let trips = &work.lifetime.round_trips;
        trips.l1 + trips.l2 + trips.dram
    };
    format!(
        "a group lives {:.0} cycles unstaged, {:.0} staged: {:.1} and {:.1} global round trips in \
         turn, {:.1} and {:.1} through local memory, {} and {} barriers",
        lives[0],
        lives[1],
        trips(unstaged),
        trips(staged),
        unstaged.lifetime.round_trips.local,
        staged.lifetime.round_trips.local,
        unstaged.barriers_per_group,
        staged.barriers_per_group,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{Instructions, Lifetime, RoundTrips, predict};

    fn work() -> Work {
        let sub_groups = 8.0 * 262_144.0;
        Work {
            groups: 262_144.0,
            sub_groups_per_group: 8.0,
            groups_per_unit: 8.0,
            instructions: Instructions {
                integer: 30.0 * sub_groups,
                ..Instructions::default()
            },
            global_load_requests: 3.0 * sub_groups,
            l1_load_lines: 5.0 * sub_groups,
            l1_load_sectors: 14.0 * sub_groups,
            l2_sectors: 8.0 * sub_groups,
            dram_read_bytes: 2.7e8,
            lifetime: Lifetime {
                arithmetic_cycles: 100.0,
                round_trips: RoundTrips {
                    dram: 1.0,
                    ..RoundTrips::default()
                },
            },
            ..Work::default()
        }
    }

    fn between(unstaged: &Work, staged: &Work) -> (f64, Vec<Reason>) {
        let profile = DeviceProfile::builtin("h200").expect("built in");
        let before = predict(profile, unstaged).expect("sound counts");
        let after = predict(profile, staged).expect("sound counts");
        (
            (after.seconds - before.seconds) / before.seconds,
            reasons(profile, (unstaged, &before), (staged, &after)),
        )
    }

    #[test]
    fn the_same_work_gives_no_reason() {
        assert_eq!(between(&work(), &work()).1, []);
    }

    #[test]
    fn a_barrier_speaks_against_and_is_named() {
        let mut staged = work();
        staged.barriers_per_group = 4.0;
        staged.lifetime.round_trips.local = 2.0;
        let (_, found) = between(&work(), &staged);
        assert_eq!(found[0].term, TermKind::Latency);
        assert_eq!(found[0].favours, Favours::Unstaged);
        assert!(
            found[0].text.contains("0 and 4 barriers"),
            "{}",
            found[0].text
        );
        assert!(found[0].staged > found[0].unstaged);
    }

    #[test]
    fn fewer_instructions_speak_for() {
        let mut unstaged = work();
        unstaged.instructions.integer *= 20.0;
        let mut staged = unstaged;
        staged.instructions.integer *= 0.5;
        let (_, found) = between(&unstaged, &staged);
        assert_eq!(found[0].term, TermKind::Issue);
        assert_eq!(found[0].favours, Favours::Staged);
        assert!((found[0].unstaged / found[0].staged - 2.0).abs() < 0.02);
    }

    #[test]
    fn lost_occupancy_is_a_reason_of_its_own() {
        let mut staged = work();
        staged.groups_per_unit = 3.0;
        let (_, found) = between(&work(), &staged);
        assert!(
            found[0].text.starts_with("8 groups resident"),
            "{}",
            found[0].text
        );
        assert_eq!(found[0].favours, Favours::Unstaged);
    }

    #[test]
    fn small_changes_are_explained_almost_whole() {
        let mut staged = work();
        staged.lifetime.arithmetic_cycles += 60.0;
        staged.instructions.integer *= 1.1;
        let (change, found) = between(&work(), &staged);
        let explained: f64 = found
            .iter()
            .map(|reason| match reason.favours {
                Favours::Unstaged => reason.weight,
                Favours::Staged => -reason.weight,
            })
            .sum();
        assert!((explained - change).abs() < 0.01, "{explained} of {change}");
    }

    #[test]
    fn reasons_come_by_weight() {
        let mut staged = work();
        staged.global_load_requests *= 0.4;
        staged.l1_load_sectors *= 0.3;
        staged.instructions.integer *= 3.0;
        staged.barriers_per_group = 1.0;
        let (_, found) = between(&work(), &staged);
        assert!(found.is_sorted_by(|a, b| a.weight >= b.weight));
    }
}
