//! Mistakes about asynchronous copies, as findings: TW110.

use std::collections::HashSet;

use tilewise_analysis::async_copies::{CopyFinding, CopyMistake};
use tilewise_ir::{Form, InstId, Kernel};
use tilewise_report::{Diagnostic, Severity};
use tilewise_sim::{AccessKind, Fault, FaultKind, Regions};

use super::place::{at, element, label, site, widen_snippet, work_item};
use crate::error::Error;
use crate::load::Loaded;

/// The findings of a run.
pub(super) fn findings(
    loaded: &Loaded,
    regions: &Regions,
    found: &[CopyFinding],
) -> Result<Vec<Diagnostic>, Error> {
    let kernel = loaded.kernel(Form::AsWritten)?;
    Ok(found
        .iter()
        .map(|f| finding(loaded, kernel, regions, f))
        .collect())
}

/// Copies that are a finding of their own.
pub(super) fn made_wrongly(faults: &[Fault], found: &[CopyFinding]) -> HashSet<InstId> {
    let divergent = faults
        .iter()
        .filter(|f| matches!(f.kind, FaultKind::AsyncCopyDivergence { .. }));
    divergent
        .map(|f| f.inst)
        .chain(found.iter().map(|f| f.copy))
        .collect()
}

fn finding(loaded: &Loaded, kernel: &Kernel, regions: &Regions, found: &CopyFinding) -> Diagnostic {
    let copy = site(kernel, found.copy);
    let place = match found.mistake {
        CopyMistake::Touched { by, .. } | CopyMistake::Meets { by, .. } => site(kernel, by),
        _ => copy,
    };
    let mut finding = at(loaded, place);
    finding.code = "TW110".to_owned();
    finding.severity = Severity::Error;
    finding.count = found.count;
    let wait = "put wait_group_events(1, &event) between the copy and this line";
    match found.mistake {
        CopyMistake::Touched {
            kind,
            region,
            offset,
            is_target,
            is_before,
            global_id,
            ..
        } => {
            let verb = match kind {
                AccessKind::Load => "reads",
                AccessKind::Store => "writes",
                AccessKind::Atomic => "updates",
            };
            let what = element(regions.get(region), offset);
            finding.message = format!(
                "work-item {} {verb} {what} while an asynchronous copy may still be {} it",
                work_item(loaded, global_id),
                if is_target { "writing" } else { "reading" },
            );
            let (here, help) = if is_before {
                (
                    "other work-items have come to this copy already",
                    "put barrier(CLK_LOCAL_MEM_FENCE) between this line and the copy that follows",
                )
            } else {
                ("the copy starts here; a barrier does not wait for it", wait)
            };
            finding.labels.push(label(loaded, copy, here.to_owned()));
            finding.help.push(help.to_owned());
        }
        CopyMistake::Meets {
            by,
            region,
            offset,
            is_target,
            by_is_target,
        } => {
            let what = element(regions.get(region), offset);
            let again = by == found.copy;
            finding.message = format!(
                "this asynchronous copy {} {what} while {} may still be {} it",
                if by_is_target { "writes" } else { "reads" },
                if again {
                    "the same one of an earlier iteration"
                } else {
                    "another one (1)"
                },
                if is_target { "writing" } else { "reading" },
            );
            if !again {
                let here = "(1) the first copy starts here; nothing orders the two";
                finding.labels.push(label(loaded, copy, here.to_owned()));
            }
            finding.help.push(
                "put wait_group_events(1, &event) for the first copy in front of the second, or copy to memory of its own"
                    .to_owned(),
            );
        }
        CopyMistake::NotWaitedFor => {
            finding.message =
                "the kernel ends before this asynchronous copy is waited for".to_owned();
            finding
                .help
                .push("put wait_group_events(1, &event) behind it".to_owned());
        }
        CopyMistake::NotByAll => {
            finding.message =
                "not all sub-groups of the group make this asynchronous copy equally often"
                    .to_owned();
            finding.help.push(ALL.to_owned());
        }
        CopyMistake::ArgumentsDiffer => {
            finding.message =
                "the sub-groups of a group make this asynchronous copy with different addresses"
                    .to_owned();
            finding.help.push(SAME.to_owned());
        }
    }
    finding
        .notes
        .push(format!("first in group {}", found.group));
    widen_snippet(loaded, &mut finding);
    finding
}

/// What mends a copy that only some work-items make.
pub(super) const ALL: &str =
    "move the copy out of the branch: the group makes it together, with all its work-items";

/// What mends a copy with arguments that differ.
pub(super) const SAME: &str = "give the same addresses and count in all work-items: they must not depend on get_local_id or get_global_id";
