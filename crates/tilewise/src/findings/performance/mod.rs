//! What makes a kernel slow, as findings: TW201 to TW207.
//!
//! They are about the kernel as compiled, and rest on the counts that a profile
//! has. Each names its figures.

mod banks;
mod coalescing;
mod limits;
mod staging;

use tilewise_ir::{Form, SiteId};
use tilewise_report::{Diagnostic, Severity};
use tilewise_sim::AccessKind;

use super::place::{at_in, op};
use crate::error::Error;
use crate::examine::Examined;
use crate::load::Loaded;
use crate::session::Session;
use crate::target::Target;

/// The findings of a launch, by code.
pub(super) fn findings(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    examined: &Examined,
) -> Result<Vec<Diagnostic>, Error> {
    let mut all = staging::without_reuse(loaded, examined)?;
    all.extend(coalescing::findings(target, loaded, examined)?);
    all.extend(banks::findings(session, target, loaded, examined)?);
    all.extend(limits::findings(target, loaded)?);
    all.extend(staging::idle_barriers(loaded, examined));
    Ok(all)
}

/// A finding at a site of the form as compiled.
fn warning(loaded: &Loaded, site: SiteId, code: &str, message: String) -> Diagnostic {
    Diagnostic {
        code: code.to_owned(),
        severity: Severity::Warning,
        message,
        ..at_in(loaded, Form::AsCompiled, site)
    }
}

/// What an access is called.
fn noun(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
    }
}

/// Names of the memory that a site accesses.
fn names(examined: &Examined, slots: &[usize]) -> String {
    let all = examined.regions.all();
    let names = slots.iter().filter_map(|&slot| all.get(slot));
    let names: Vec<&str> = names.map(|region| region.name.as_str()).collect();
    names.join(" and ")
}

/// `part` of `whole` in per cent.
fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
