//! Reads of what nothing has set, as findings: TW105.

use std::collections::HashSet;

use tilewise_analysis::races::Races;
use tilewise_analysis::uninit::{UninitRead, UseKind};
use tilewise_ir::{Form, InstId, Kernel, Space};
use tilewise_report::{Diagnostic, Severity};
use tilewise_sim::{RegionInfo, Regions};

use super::place::{at, element, label, site, widen_snippet, work_item};
use crate::error::Error;
use crate::load::Loaded;

/// The findings of a run. A read that races with the write that would have set
/// the element is told as a race.
pub(super) fn findings(
    loaded: &Loaded,
    regions: &Regions,
    reads: &[UninitRead],
    races: &Races,
) -> Result<Vec<Diagnostic>, Error> {
    let kernel = loaded.kernel(Form::AsWritten)?;
    let racing: HashSet<InstId> = races
        .races
        .iter()
        .filter(|r| r.space == Space::Local)
        .flat_map(|r| [r.first.inst, r.second.inst])
        .collect();
    let races = |inst: &InstId| racing.contains(inst);
    let told = reads
        .iter()
        .filter(|r| !races(&r.inst) && !r.carried_by.as_ref().is_some_and(races));
    Ok(told.map(|r| finding(loaded, kernel, regions, r)).collect())
}

/// Instructions whose address is computed from what nothing has set: that it
/// leads outside of its buffer is no finding of its own.
pub(super) fn unset_addresses(reads: &[UninitRead]) -> HashSet<InstId> {
    reads
        .iter()
        .filter(|r| r.used_for == UseKind::Address)
        .map(|r| r.used_at)
        .collect()
}

fn finding(loaded: &Loaded, kernel: &Kernel, regions: &Regions, read: &UninitRead) -> Diagnostic {
    let mut finding = at(loaded, site(kernel, read.inst));
    finding.code = "TW105".to_owned();
    finding.severity = Severity::Error;
    finding.count = read.count;
    let used = used_for(read.used_for);
    finding.message = match read.place {
        Some((region, offset)) => format!(
            "{} {}, which nothing has set",
            if read.used_for == UseKind::Atomic && read.inst == read.used_at {
                "updates"
            } else {
                "reads"
            },
            element(regions.get(region), offset)
        ),
        None => format!("uses a value that nothing has set {used}"),
    };
    if read.used_at != read.inst {
        finding.labels.push(label(
            loaded,
            site(kernel, read.used_at),
            format!("used here {used}"),
        ));
    }
    if let Some(store) = read.carried_by {
        finding.labels.push(label(
            loaded,
            site(kernel, store),
            "copied from where it is not set".to_owned(),
        ));
    }
    finding.notes.push(format!(
        "first in work-item {} of group {}",
        work_item(loaded, read.global_id),
        read.group
    ));
    if let Some((region, offset)) = read.place {
        finding.help.extend(help(regions.get(region), offset));
    }
    widen_snippet(loaded, &mut finding);
    finding
}

fn used_for(kind: UseKind) -> &'static str {
    match kind {
        UseKind::Branch => "to decide where to go",
        UseKind::Address => "in an address",
        UseKind::Output => "as a result",
        UseKind::Atomic => "by an atomic",
        UseKind::Group => "by a function of the group",
    }
}

/// What would mend it.
fn help(info: &RegionInfo, offset: u64) -> Option<String> {
    let elem = info.elem_bytes.max(1);
    let name = &info.name;
    match info.space {
        Space::Local if info.bytes == Some(elem) => Some(format!(
            "let one work-item set {name}, then put barrier(CLK_LOCAL_MEM_FENCE) before the others read it"
        )),
        Space::Local => {
            let index = offset / elem;
            let last = info.bytes.map_or(0, |b| b / elem).saturating_sub(1);
            Some(if index == 0 || index == last {
                format!(
                    "{name}[{index}] is at the {} of {name}: if it is part of a halo, stage one element more on that side",
                    if index == 0 { "start" } else { "end" }
                )
            } else {
                format!(
                    "the staging loop never writes {name}[{index}]: check its bounds and guards"
                )
            })
        }
        _ => Some(format!("give {name} a value on every path that leads here")),
    }
}
