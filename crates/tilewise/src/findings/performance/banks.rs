//! Bank conflicts in local memory: TW203.

use tilewise_analysis::banks::SiteBanks;
use tilewise_analysis::traffic::SiteTraffic;
use tilewise_ir::{AtomicOp, Form, Kernel, Op};
use tilewise_report::Diagnostic;
use tilewise_sim::AccessKind;

use super::{names, noun, op, percent, warning};
use crate::error::Error;
use crate::examine::Examined;
use crate::load::Loaded;
use crate::occupancy_of::local_bytes;
use crate::session::Session;
use crate::target::Target;

/// Passes per pass needed without conflicts, from which on it is a finding. The
/// rows of narrow work-groups often meet in two.
const WORST: f64 = 2.5;
/// The same with `--strict`.
const WORST_IF_STRICT: f64 = 1.5;
/// A site with a smaller share of all passes, in per cent, does not matter.
const SHARE: f64 = 5.0;

/// One finding for each source site.
pub(super) fn findings(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    examined: &Examined,
) -> Result<Vec<Diagnostic>, Error> {
    let worst = if session.strict {
        WORST_IF_STRICT
    } else {
        WORST
    };
    let kernel = loaded.kernel(Form::AsCompiled)?;
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
        // Which banks data selects can't be told by rewriting the index; an atomic load
        // is served as any other.
        let traffic = traffic_of(examined, site);
        let by_data = examined.by_data.contains(&site.site);
        if percent(passes, all) < SHARE || by_data || traffic.is_some_and(|t| loads(kernel, t)) {
            continue;
        }
        let name = traffic.map_or_else(String::new, |t| names(examined, &t.slots));
        let taken = passes as f64 / requests.max(1) as f64;
        let (message, help) = match site.kind {
            AccessKind::Atomic => (
                format!("work-items take turns: each atomic on {name} takes {taken:.1} passes"),
                "combine the values first, in private memory or over the sub-group, or spread the updates over several copies of the counter".to_owned(),
            ),
            kind => (
                format!(
                    "bank conflicts: each {} of {name} takes {taken:.1} passes, where {:.1} would do",
                    noun(kind),
                    taken / degree
                ),
                help(target, loaded, examined, site, &name)?,
            ),
        };
        let mut finding = warning(loaded, site.site, "TW203", message);
        finding.notes.push(format!(
            "{requests} requests take {passes} passes, {:.0} % of the kernel's over local memory",
            percent(passes, all)
        ));
        finding.help.push(help);
        findings.push(finding);
    }
    Ok(findings)
}

/// What takes the conflicts of a load or store away.
fn help(
    target: &Target,
    loaded: &Loaded,
    examined: &Examined,
    site: &SiteBanks,
    name: &str,
) -> Result<String, Error> {
    let Some(pitch) = examined.pitches.suggest(site.site, site.kind) else {
        return Ok(format!(
            "no longer row of {name} takes these away: let neighbouring work-items access neighbouring elements"
        ));
    };
    let more = pitch.to - pitch.from;
    let regions = examined.regions.all();
    let slots = traffic_of(examined, site).map_or(&[][..], |t| &t.slots);
    let bytes: u64 = slots
        .iter()
        .filter_map(|slot| regions.get(*slot)?.bytes)
        .sum();
    let row = pitch.from * u64::from(pitch.element);
    let grown = bytes.div_ceil(row.max(1)) * more * u64::from(pitch.element);
    let (whole, limit) = (local_bytes(loaded)? + grown, target.local_limit());
    let rows = format!(
        "rows of {} elements of {} B in place of {} leave no conflict",
        pitch.to, pitch.element, pitch.from
    );
    Ok(match whole > limit {
        true => format!(
            "{rows}, but then a work-group takes {whole} B of local memory where {limit} B are allowed: make the tile smaller, too"
        ),
        false => {
            format!("{rows}: make the innermost dimension (or the pitch) of {name} {more} longer")
        }
    })
}

/// What is known of a site's accesses otherwise.
fn traffic_of<'e>(examined: &'e Examined, site: &SiteBanks) -> Option<&'e SiteTraffic> {
    let sites = &examined.traffic.sites;
    sites
        .iter()
        .find(|s| s.site == site.site && s.kind == site.kind)
}

/// Whether a site's accesses are atomic loads.
fn loads(kernel: &Kernel, site: &SiteTraffic) -> bool {
    !site.insts.is_empty()
        && site.insts.iter().all(|inst| {
            matches!(
                op(kernel, *inst),
                Some(Op::Atomic {
                    op: AtomicOp::Load,
                    ..
                })
            )
        })
}
