//! Uncoalesced accesses to global memory: TW202.
//!
//! An access is set against the sectors that would hold its elements, together with
//! those that other source sites access right beside them: optimisers cut a vector
//! into its components, which devices' compilers put together again.

use std::collections::BTreeMap;

use tilewise_analysis::affine::{Form as Affine, Forms};
use tilewise_analysis::traffic::{SiteTraffic, Stream};
use tilewise_ir::cfg::Cfg;
use tilewise_ir::{Form, Kernel, Op, Space};
use tilewise_report::Diagnostic;
use tilewise_sim::AccessKind;

use super::{names, noun, op, percent, warning};
use crate::error::Error;
use crate::examine::Examined;
use crate::load::Loaded;
use crate::target::Target;

/// Sectors per request over those that would hold the same bytes, from which on it
/// is a finding. Rows of a narrow work-group that begin anywhere take two.
const WORST: f64 = 2.5;
/// A site with a smaller share of all sectors, in per cent, does not matter.
const SHARE: f64 = 5.0;

/// One finding for each source site.
pub(super) fn findings(
    target: &Target,
    loaded: &Loaded,
    examined: &Examined,
) -> Result<Vec<Diagnostic>, Error> {
    let kernel = loaded.kernel(Form::AsCompiled)?;
    let forms = Forms::new(kernel, &Cfg::new(kernel));
    let traffic = &examined.traffic;
    let global = traffic.space(Space::Global);
    let all = global.loads.sectors.value + global.stores.sectors.value;
    // A sub-group of a narrow work-group covers several rows, each of which lies in
    // sectors of its own.
    let width = target.profile.execution.sub_group_width.value();
    let row = loaded.resolved.launch.range.local[0].max(1);
    let rows = (width as f64 / row as f64).max(1.0);
    let mut findings = Vec::new();
    for site in &traffic.sites {
        let regions = examined.regions.all();
        let in_global = site.slots.iter().all(|&slot| {
            let region = regions.get(slot);
            region.is_some_and(|r| r.space == Space::Global && r.image.is_none())
        });
        let stream = &site.stream;
        let (requests, sectors) = (stream.requests.value, stream.sectors.value);
        if !in_global || requests == 0 || site.kind == AccessKind::Atomic {
            continue;
        }
        // What data selects can't be ordered by rewriting the index.
        if examined.by_data.contains(&site.site) {
            continue;
        }
        let bytes = bytes_beside(kernel, &forms, examined, site);
        let least = (bytes / f64::from(examined.sector_bytes)).max(rows);
        let taken = sectors as f64 / requests as f64;
        if taken < WORST * least || percent(sectors, all) < SHARE {
            continue;
        }
        let name = names(examined, &site.slots);
        let kind = noun(site.kind);
        let mut finding = warning(
            loaded,
            site.site,
            "TW202",
            format!(
                "uncoalesced {kind} of {name}: {taken:.1} sectors per request, where {least:.1} would hold its elements"
            ),
        );
        finding.notes.push(format!(
            "{requests} requests take {sectors} sectors of {} B, {:.0} % of the kernel's",
            examined.sector_bytes,
            percent(sectors, all)
        ));
        if let Some(of) = vector_load(kernel, site) {
            finding.help.push(format!(
                "vload{of} and vstore{of} promise no alignment, so that they access one component after the other: where the address is a multiple of the vector's size, go through a pointer to the vector type"
            ));
        }
        finding.help.push(
            "let work-items that are neighbours by get_local_id(0) access neighbouring elements; where the result needs another order, change it in local memory"
                .to_owned(),
        );
        findings.push(finding);
    }
    Ok(findings)
}

/// Components that a `vload` or `vstore` accesses one by one.
fn vector_load(kernel: &Kernel, site: &SiteTraffic) -> Option<u8> {
    match op(kernel, *site.insts.first()?)? {
        Op::Load { access, .. } | Op::Store { access, .. } => {
            Some(access.elements).filter(|&n| n > 1)
        }
        _ => None,
    }
}

/// Distinct bytes that a request accesses, with those of the sites whose addresses
/// differ from its own by less than a sector.
fn bytes_beside(kernel: &Kernel, forms: &Forms, examined: &Examined, site: &SiteTraffic) -> f64 {
    let per_request = |s: &Stream| {
        let bytes = s.distinct_per_request.value * u64::from(s.element_bytes);
        bytes as f64 / s.requests.value.max(1) as f64
    };
    let Some(own) = address(kernel, forms, site) else {
        return per_request(&site.stream);
    };
    // By distance: what is read twice counts once.
    let mut beside: BTreeMap<i64, f64> = BTreeMap::new();
    for other in &examined.traffic.sites {
        if other.kind != site.kind || other.slots != site.slots {
            continue;
        }
        let Some(form) = address(kernel, forms, other) else {
            continue;
        };
        let distance = form.constant.wrapping_sub(own.constant);
        let near = distance.unsigned_abs() < u64::from(examined.sector_bytes);
        if near && form.terms() == own.terms() {
            beside.insert(distance, per_request(&other.stream));
        }
    }
    beside.values().sum()
}

/// The address that the first instruction of a site accesses.
fn address<'f>(kernel: &Kernel, forms: &'f Forms, site: &SiteTraffic) -> Option<&'f Affine> {
    match op(kernel, *site.insts.first()?)? {
        Op::Load { ptr, .. } | Op::Store { ptr, .. } => Some(forms.get(*ptr)),
        _ => None,
    }
}
