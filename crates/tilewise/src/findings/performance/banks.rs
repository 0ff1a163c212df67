//! Bank conflicts in local memory: TW203.

use tilewise_report::Diagnostic;

use super::{noun, percent, warning};
use crate::examine::Examined;
use crate::load::Loaded;
use crate::session::Session;

/// Passes per pass needed without conflicts, from which on it is a finding. The
/// rows of narrow work-groups often meet in two.
const WORST: f64 = 2.5;
/// The same with `--strict`.
const WORST_IF_STRICT: f64 = 1.5;
/// A site with a smaller share of all passes, in per cent, does not matter.
const SHARE: f64 = 5.0;

/// One finding for each source site.
pub(super) fn findings(session: &Session, loaded: &Loaded, examined: &Examined) -> Vec<Diagnostic> {
    let worst = if session.strict {
        WORST_IF_STRICT
    } else {
        WORST
    };
    let banks = &examined.banks;
    let all: u64 = [banks.loads, banks.stores, banks.atomics]
        .iter()
        .map(|a| a.merged.passes.value)
        .sum();
    let mut findings = Vec::new();
    for site in &banks.sites {
        let counts = &site.accesses.merged;
        let (requests, passes) = (counts.requests.value, counts.passes.value);
        let Some(degree) = counts.degree().filter(|&d| d >= worst) else {
            continue;
        };
        // Which banks data selects can't be told by rewriting the index.
        if percent(passes, all) < SHARE || examined.by_data.contains(&site.site) {
            continue;
        }
        let (kind, name) = (noun(site.kind), name(examined, site));
        let taken = passes as f64 / requests.max(1) as f64;
        let mut finding = warning(
            loaded,
            site.site,
            "TW203",
            format!(
                "bank conflicts: each {kind} of {name} takes {taken:.1} passes, where {:.1} would do",
                taken / degree
            ),
        );
        finding.notes.push(format!(
            "{requests} requests take {passes} passes, {:.0} % of the kernel's over local memory",
            percent(passes, all)
        ));
        finding.help.push(match examined.pitches.suggest(site.site, site.kind) {
            Some(pitch) => format!(
                "rows of {} elements of {} B in place of {} leave no conflict: make the innermost dimension (or the pitch) of {name} {} longer",
                pitch.to,
                pitch.element,
                pitch.from,
                pitch.to - pitch.from
            ),
            None => format!(
                "no longer row of {name} takes these away: let neighbouring work-items access neighbouring elements"
            ),
        });
        findings.push(finding);
    }
    findings
}

/// The memory that a site accesses.
fn name(examined: &Examined, site: &tilewise_analysis::banks::SiteBanks) -> String {
    let sites = &examined.traffic.sites;
    let same = sites
        .iter()
        .find(|s| s.site == site.site && s.kind == site.kind);
    same.map_or_else(String::new, |s| super::names(examined, &s.slots))
}
