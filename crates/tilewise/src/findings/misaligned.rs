//! Accesses at addresses that their type does not allow, as findings: TW106.

use tilewise_analysis::misaligned::Misaligned;
use tilewise_ir::{Form, Kernel};
use tilewise_report::{Diagnostic, Severity};
use tilewise_sim::{AccessKind, Regions};

use super::place::{at, element, site, work_item};
use crate::error::Error;
use crate::load::Loaded;

/// The findings of a run.
pub(super) fn findings(
    loaded: &Loaded,
    regions: &Regions,
    found: &[Misaligned],
) -> Result<Vec<Diagnostic>, Error> {
    let kernel = loaded.kernel(Form::AsWritten)?;
    Ok(found
        .iter()
        .map(|m| finding(loaded, kernel, regions, m))
        .collect())
}

fn finding(loaded: &Loaded, kernel: &Kernel, regions: &Regions, access: &Misaligned) -> Diagnostic {
    let mut finding = at(loaded, site(kernel, access.inst));
    finding.code = "TW106".to_owned();
    finding.severity = Severity::Error;
    finding.count = access.count;
    let verb = match access.kind {
        AccessKind::Load => "reads",
        AccessKind::Store => "writes",
        AccessKind::Atomic => "updates",
    };
    let info = regions.get(access.region);
    finding.message = format!(
        "{verb} {} B at byte offset {} of {}, which is no multiple of {}",
        access.bytes, access.offset, info.name, access.align
    );
    finding.notes.push(format!(
        "first in work-item {} of group {}, at {}",
        work_item(loaded, access.global_id),
        access.group,
        element(info, access.offset)
    ));
    finding.help.push(if access.bytes > 8 {
        "vloadN and vstoreN take any element's address; a vector type needs a multiple of its size"
            .to_owned()
    } else {
        "compute an index in elements of this type, or copy byte by byte".to_owned()
    });
    finding
}
