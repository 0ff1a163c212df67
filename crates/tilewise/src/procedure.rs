//! The article's decision procedure as five questions, each answered with a
//! figure: does the work-group re-read, does the tile fit, is occupancy kept,
//! are the results equal, is it faster? The first no is the first reason.

use tilewise_model::verdict::{self, Opportunity, VerdictKind};
use tilewise_report::{Answer, BufferProfile, Diagnostic, Occupancy, Profile, Verified};

use crate::error::Error;
use crate::form::Form;
use crate::occupancy_of::occupancy_with;
use crate::target::Target;

/// Below this, a rounded reuse factor is none.
const REUSE_OF_NOTE: f64 = 1.001;
/// Below this, a tile could save no more loads than the band of a verdict holds for
/// nothing; a kernel that stages already reads its halo this often.
const REUSE_WORTH_A_TILE: f64 = 1.05;

const EQUAL: &str = "equal results, no race?";
const FASTER: &str = "faster?";

fn answer(question: &str, answer: Option<bool>, figure: impl Into<String>) -> Answer {
    Answer {
        question: question.to_owned(),
        answer: match answer {
            Some(true) => "yes",
            Some(false) => "no",
            None => "unknown",
        }
        .to_owned(),
        figure: figure.into(),
    }
}

/// Buffers in global memory, and images, that the kernel reads and does not
/// write.
fn stageable(profile: &Profile) -> impl Iterator<Item = &BufferProfile> {
    let far = |b: &&BufferProfile| matches!(b.space.as_str(), "global" | "image");
    let buffers = profile.buffers.iter().filter(far);
    buffers.filter(|b| b.accesses > 0 && b.stores == 0 && b.atomics == 0)
}

/// The buffer with the largest reuse factor of those that are `wanted`.
pub fn most_reused(
    profile: &Profile,
    wanted: impl Fn(&BufferProfile) -> bool,
) -> Option<&BufferProfile> {
    let reuse = |b: &&BufferProfile| b.reuse.unwrap_or(0.0);
    stageable(profile)
        .filter(|b| wanted(b))
        .max_by(|a, b| reuse(a).total_cmp(&reuse(b)))
}

/// Question 1, of the buffers that are staged, or of all where none is known to be.
pub fn re_reads(form: &Form<'_>, staged: &[String]) -> Answer {
    let question = "re-reads within a group?";
    let among_staged = most_reused(&form.profile, |b| staged.contains(&b.name));
    let Some(buffer) = among_staged.or_else(|| most_reused(&form.profile, |_| true)) else {
        return answer(
            question,
            Some(false),
            "no buffer in global memory is read and not written",
        );
    };
    let reuse = buffer.reuse.unwrap_or(0.0);
    let lines: Vec<String> = form
        .profile
        .lines
        .iter()
        .filter(|l| l.buffer == buffer.name && l.kind == "load")
        .map(|l| l.line.to_string())
        .collect();
    let place = match &lines[..] {
        [] => String::new(),
        [one] => format!(" (line {one})"),
        several => format!(" (lines {})", several.join(", ")),
    };
    let mut figure = format!("reuse {reuse:.2} on {}{place}", buffer.name);
    if let Some(across) = buffer.reuse_across_sub_groups {
        figure.push_str(&format!(
            ", of which {across:.2} between sub-groups; simulated"
        ));
    }
    let hardly = reuse < REUSE_WORTH_A_TILE;
    if hardly {
        figure.insert_str(0, "hardly: ");
    }
    if reuse < REUSE_OF_NOTE {
        let (_, excess) = worst_excess(form);
        figure = format!("each element of {} is read once; simulated", buffer.name);
        if excess >= 1.5 {
            figure.push_str(&format!(
                ", but accesses touch {excess:.1} times the sectors they need"
            ));
        }
    }
    answer(question, Some(!hardly), figure)
}

/// Question 2, for a tile of so many bytes per group.
pub fn fits(target: &Target, tile_bytes: Option<u64>, whose: &str) -> Answer {
    let question = "tile fits the per-group limit?";
    let limit = target.info().local_mem_bytes;
    match tile_bytes {
        Some(bytes) => answer(
            question,
            Some(bytes <= limit),
            format!("{bytes} B of {limit} B ({whose})"),
        ),
        None => answer(
            question,
            None,
            format!("no regular footprint was found; the limit is {limit} B"),
        ),
    }
}

/// Question 3: groups per compute unit without and with the tile.
/// `missing` says why one of them is not known.
pub fn occupancy_kept(
    unstaged: Option<&Occupancy>,
    staged: Option<&Occupancy>,
    missing: &str,
) -> Answer {
    let question = "occupancy kept?";
    match unstaged.zip(staged) {
        Some((unstaged, staged)) => answer(
            question,
            // By sub-groups: the two forms may have groups of different sizes.
            Some(staged.fraction >= unstaged.fraction),
            format!(
                "{} -> {} groups per compute unit ({:.0} % -> {:.0} % of its sub-groups), limited by {}; registers are not counted",
                unstaged.groups_per_unit,
                staged.groups_per_unit,
                unstaged.fraction * 100.0,
                staged.fraction * 100.0,
                staged.limited_by
            ),
        ),
        None => answer(question, None, missing),
    }
}

/// The occupancy of a kernel if its group took a tile of so many bytes besides.
///
/// # Errors
/// The group itself does not fit.
pub fn occupancy_with_tile(
    target: &Target,
    form: &Form<'_>,
    tile_bytes: Option<u64>,
) -> Result<Option<Occupancy>, Error> {
    let limit = target.profile.local_memory.per_group.value();
    match tile_bytes.map(|t| t + form.local_bytes) {
        Some(bytes) if bytes <= limit => occupancy_with(target, form.loaded, bytes),
        _ => Ok(None),
    }
}

/// Question 4, without a second form; `which` it would be.
pub fn nothing_to_compare(which: &str) -> Answer {
    answer(EQUAL, None, format!("no {which} to compare with"))
}

/// Question 4. `findings` are those of both kernels on the simulator.
pub fn equal_results(verified: &Verified, findings: &[Diagnostic]) -> Answer {
    let question = EQUAL;
    if let Some(trial) = verified.trials.iter().find(|t| !t.equal) {
        return answer(
            question,
            Some(false),
            format!(
                "differ on {} at {}: {}",
                trial.on,
                trial.launch,
                trial.difference.as_deref().unwrap_or("see the trials")
            ),
        );
    }
    if let Some(wrong) = findings.iter().find(|f| is_about_order(&f.code)) {
        return answer(
            question,
            Some(false),
            format!(
                "{} in {}, line {}: {}",
                wrong.code, wrong.kernel, wrong.line, wrong.message
            ),
        );
    }
    if verified.trials.is_empty() {
        return answer(question, None, "no launch was small enough to compare");
    }
    let count = |place: &str| verified.trials.iter().filter(|t| t.on == place).count();
    let simulated = count("simulator");
    let exact = verified
        .trials
        .iter()
        .filter(|t| t.how.starts_with("bit for bit"))
        .count();
    let devices: Vec<&str> = verified
        .trials
        .iter()
        .filter(|t| t.on != "simulator")
        .map(|t| t.on.as_str())
        .collect();
    let mut figure = format!(
        "equal in {simulated} launches on the simulator{}",
        match devices[..] {
            [] => String::new(),
            _ => format!(" and at full size on {}", devices.join(", ")),
        }
    );
    figure.push_str(&format!(
        ", {exact} of {} bit for bit, no race in those on the simulator",
        verified.trials.len()
    ));
    answer(question, Some(true), figure)
}

/// Whether a finding says that results depend on the order in which
/// work-items run, or on what nothing has set.
fn is_about_order(code: &str) -> bool {
    matches!(code, "TW101" | "TW102" | "TW103" | "TW105" | "TW110")
}

/// Question 5: what the verdict makes of the times, so that the two agree.
pub fn faster(judged: &verdict::Verdict, how: &str) -> Answer {
    let figure = match judged.speedup {
        Some(speedup) => format!("{:.2}x, {how}", speedup.estimate),
        None => how.to_owned(),
    };
    let yes = match judged.kind {
        VerdictKind::Pays => Some(true),
        VerdictKind::Loses => Some(false),
        VerdictKind::Ties | VerdictKind::Unknown | VerdictKind::NotApplicable => None,
    };
    let mut answer = answer(FASTER, yes, figure);
    if judged.kind == VerdictKind::Ties {
        answer.answer = "same".to_owned();
    }
    answer
}

/// Question 5, without a second form; `which` it would be.
pub fn nothing_to_time(which: &str) -> Answer {
    answer(FASTER, None, format!("no {which} to time"))
}

/// What the kernel offers to staging.
pub fn opportunity(target: &Target, form: &Form<'_>) -> Opportunity {
    Opportunity {
        best_reuse: most_reused(&form.profile, |_| true).and_then(|b| b.reuse),
        worst_sector_excess: worst_excess(form).1,
        smallest_tile_bytes: stageable(&form.profile)
            .filter(|b| b.reuse.is_some_and(|r| r >= REUSE_OF_NOTE))
            .filter_map(|b| b.tile_bytes)
            .min(),
        local_bytes_per_group: target.info().local_mem_bytes,
    }
}

/// The largest ratio of sectors touched to sectors that the distinct bytes
/// need, over buffers and over loads and stores, with the buffer's name.
fn worst_excess<'f>(form: &'f Form<'_>) -> (&'f str, f64) {
    let sector = f64::from(form.simulation.shape.sector_bytes);
    let mut worst = ("", 1.0);
    for buffer in &form.simulation.traffic.buffers {
        if buffer.space != tilewise_ir::Space::Global {
            continue;
        }
        for stream in [&buffer.traffic.loads, &buffer.traffic.stores] {
            let needed =
                stream.distinct_per_request.value as f64 * f64::from(stream.element_bytes) / sector;
            // A broadcast needs one sector, however few bytes it takes.
            let needed = needed.max(stream.requests.value as f64);
            let excess = stream.sectors.value as f64 / needed.max(1.0);
            if excess > worst.1 {
                worst = (&buffer.name, excess);
            }
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use tilewise_model::statistics::Interval;
    use tilewise_model::verdict::Band;
    use tilewise_report::Trial;

    use super::*;

    /// A proof says more than `bit for bit`, and a rounded trial less.
    #[test]
    fn trials_that_are_equal_bit_for_bit_are_counted() {
        let trial = |how: &str| Trial {
            on: "simulator".to_owned(),
            launch: "n=3".to_owned(),
            equal: true,
            how: how.to_owned(),
            difference: None,
        };
        let verified = Verified {
            equal: true,
            trials: vec![
                trial("bit for bit"),
                trial("bit for bit, and nothing else read"),
                trial("within 3 ulp"),
            ],
        };
        let figure = equal_results(&verified, &[]).figure;
        assert!(figure.contains("2 of 3 bit for bit"), "{figure}");
    }

    /// A verdict that ties is no yes, and one that is not known no answer.
    #[test]
    fn question_5_says_what_the_verdict_says() {
        let asked = |estimate: f64, spread: f64| {
            let interval = Interval {
                estimate,
                low: estimate - spread,
                high: estimate + spread,
            };
            let judged = verdict::Verdict::measured(interval, Band::default());
            faster(&judged, "measured").answer
        };
        assert_eq!(asked(1.02, 0.01), "same");
        assert_eq!(asked(0.98, 0.01), "same");
        assert_eq!(asked(1.20, 0.01), "yes");
        assert_eq!(asked(0.80, 0.01), "no");
        assert_eq!(asked(1.04, 0.10), "unknown");
    }
}
