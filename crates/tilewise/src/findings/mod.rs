//! What a run as written found, as findings that point at the source.

mod copies;
mod faults;
mod index_source;
mod misaligned;
mod order;
mod performance;
mod place;
mod races;
mod shifts;
mod suppress;
mod uninit;

use tilewise_report::Diagnostic;
use tilewise_sim::{Fault, FaultKind, Regions};

use crate::error::Error;
use crate::examine::Examined;
use crate::load::Loaded;
use crate::session::Session;
use crate::target::Target;
use crate::written::Written;

/// Findings of a run as written, those left out that the source or the session
/// allows.
///
/// # Errors
/// An address outside its buffer that was computed from *generated* data is no
/// finding: the message says which argument needs real data.
pub fn findings(
    session: &Session,
    loaded: &Loaded,
    written: &Written,
) -> Result<Vec<Diagnostic>, Error> {
    let mut all = every_finding(session, loaded, written)?;
    suppress::drop_allowed(session, loaded, &mut all);
    Ok(all)
}

/// Findings of a run as written. Nothing allows these.
///
/// # Errors
/// As [`findings`].
pub fn every_finding(
    session: &Session,
    loaded: &Loaded,
    written: &Written,
) -> Result<Vec<Diagnostic>, Error> {
    let regions = written.memory.regions();
    let checks = &written.checks;
    let unset = uninit::unset_addresses(&checks.uninit);
    let faults = written.summary.faults.iter().filter(|f| {
        let outside = matches!(
            f.kind,
            FaultKind::OutOfBounds { .. } | FaultKind::OutsideImage { .. }
        );
        // What leaves the whole variable has left the member, too.
        let leaves_all =
            |g: &&Fault| matches!(g.kind, FaultKind::OutOfBounds { .. }) && g.inst == f.inst;
        let member = matches!(f.kind, FaultKind::OutsideMember { .. });
        let twice = member && written.summary.faults.iter().any(|g| leaves_all(&g));
        !(twice || outside && unset.contains(&f.inst))
    });
    let mut all: Vec<Diagnostic> = faults
        .map(|f| faults::finding(loaded, regions, f))
        .collect::<Result<_, _>>()?;
    all.extend(misaligned::findings(loaded, regions, &checks.misaligned)?);
    all.extend(copies::findings(loaded, regions, &checks.copies)?);
    let wrong_copies = copies::made_wrongly(&written.summary.faults, &checks.copies);
    all.extend(races::findings(
        session,
        loaded,
        regions,
        &checks.races,
        &wrong_copies,
    )?);
    let (reads, races) = (&checks.uninit, &checks.races);
    all.extend(uninit::findings(loaded, regions, reads, races)?);
    Ok(all)
}

/// Findings in the text of a kernel, which need no run: those of `--strict`.
///
/// # Errors
/// clang fails.
pub fn text_findings(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
) -> Result<Vec<Diagnostic>, Error> {
    if !session.strict {
        return Ok(Vec::new());
    }
    let mut all = shifts::constant_counts(target, loaded)?;
    suppress::drop_allowed(session, loaded, &mut all);
    Ok(all)
}

/// Findings about performance, those left out that the source or the session
/// allows.
///
/// # Errors
/// The kernel is lost.
pub fn performance_findings(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    examined: &Examined,
) -> Result<Vec<Diagnostic>, Error> {
    let mut all = performance::findings(session, target, loaded, examined)?;
    suppress::drop_allowed(session, loaded, &mut all);
    Ok(all)
}

/// Findings about faults of the machine alone. Nothing allows these.
///
/// # Errors
/// As [`findings`].
pub fn fault_findings(
    loaded: &Loaded,
    regions: &Regions,
    faults: &[Fault],
) -> Result<Vec<Diagnostic>, Error> {
    let found = faults.iter();
    found.map(|f| faults::finding(loaded, regions, f)).collect()
}

/// Findings about what may hang a device or write outside a buffer. Nothing
/// allows these.
///
/// # Errors
/// As [`findings`].
pub fn unsafe_findings(
    loaded: &Loaded,
    regions: &Regions,
    faults: &[Fault],
) -> Result<Vec<Diagnostic>, Error> {
    let found = faults.iter().filter(|f| is_unsafe(f));
    found.map(|f| faults::finding(loaded, regions, f)).collect()
}

/// Whether a launch with these faults may hang a device or write outside its
/// buffers.
pub fn is_unsafe(fault: &Fault) -> bool {
    matches!(
        fault.kind,
        FaultKind::OutOfBounds { .. }
            | FaultKind::OutsideImage { .. }
            | FaultKind::BarrierDivergence { .. }
            | FaultKind::Runaway { .. }
            | FaultKind::SpinWait
    )
}
