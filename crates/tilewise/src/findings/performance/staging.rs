//! Tiles that save nothing, and barriers that order nothing: TW201, TW207.

use std::collections::BTreeSet;

use tilewise_ir::{Form, Kernel, Op, Space, Value};
use tilewise_report::Diagnostic;
use tilewise_sim::AccessKind;

use super::{names, warning};
use crate::error::Error;
use crate::examine::Examined;
use crate::load::Loaded;

/// TW201: variables in local memory that are filled from global memory and read
/// once, by the work-item that filled them.
pub(super) fn without_reuse(
    loaded: &Loaded,
    examined: &Examined,
) -> Result<Vec<Diagnostic>, Error> {
    let kernel = loaded.kernel(Form::AsCompiled)?;
    let sources = Sources::new(kernel);
    let mut findings = Vec::new();
    for (region, used) in &examined.handover.variables {
        let once = used.readers && used.reads == used.own_reads && used.again == 0;
        if !once || used.reads == 0 || used.writes == 0 {
            continue;
        }
        let slot = usize::from(region.0);
        let here = |s: &&tilewise_analysis::traffic::SiteTraffic| {
            s.slots.contains(&slot) && s.kind != AccessKind::Load
        };
        let writers: Vec<_> = examined.traffic.sites.iter().filter(here).collect();
        let staged = |s: &tilewise_analysis::traffic::SiteTraffic| {
            s.kind == AccessKind::Store && s.insts.iter().all(|&i| sources.is_copied(i.index()))
        };
        let Some(first) = writers.first() else {
            continue;
        };
        if !writers.iter().all(|s| staged(s)) {
            continue;
        }
        let name = names(examined, &[slot]);
        let mut finding = warning(
            loaded,
            first.site,
            "TW201",
            format!(
                "staged without reuse: each element of {name} is read once, by the work-item that wrote it"
            ),
        );
        finding.notes.push(format!(
            "{} B written, {} B read in the groups that ran, no byte twice and none by another work-item",
            used.writes * u64::from(used.cell_bytes),
            used.reads * u64::from(used.cell_bytes)
        ));
        finding.help.push(format!(
            "keep the value in a private variable: {name} and its barrier save no access to global memory"
        ));
        findings.push(finding);
    }
    Ok(findings)
}

/// TW207: barriers that order nothing.
pub(super) fn idle_barriers(loaded: &Loaded, examined: &Examined) -> Vec<Diagnostic> {
    let barriers = examined.handover.barriers.iter().filter(|b| b.idle);
    barriers
        .map(|barrier| {
            let mut finding = warning(
                loaded,
                barrier.site,
                "TW207",
                "this barrier orders nothing: behind it no work-item accesses what another one wrote or read before it"
                    .to_owned(),
            );
            finding.notes.push(format!(
                "passed {} times by the groups that ran",
                barrier.passed
            ));
            finding
                .help
                .push("leave it out: work-items wait for each other here for nothing".to_owned());
            finding
        })
        .collect()
}

/// Where stored values come from.
struct Sources<'k> {
    kernel: &'k Kernel,
    /// By value: the instruction that defines it, as block and position.
    defined: Vec<Option<(usize, usize)>>,
    /// By value: the arguments of the edges to its block parameter.
    incoming: Vec<Vec<Value>>,
}

impl<'k> Sources<'k> {
    fn new(kernel: &'k Kernel) -> Self {
        let mut defined = vec![None; kernel.values.len()];
        let mut incoming = vec![Vec::new(); kernel.values.len()];
        for (b, block) in kernel.blocks.iter().enumerate() {
            for (i, inst) in block.insts.iter().enumerate() {
                inst.op
                    .for_each_def(|value| defined[value.index()] = Some((b, i)));
            }
            for edge in block.term.edges() {
                let params = &kernel.block(edge.block).params;
                for (param, arg) in params.iter().zip(&edge.args) {
                    incoming[param.index()].push(*arg);
                }
            }
        }
        Self {
            kernel,
            defined,
            incoming,
        }
    }

    /// Whether an instruction stores what was loaded from global memory, or
    /// constants where nothing is to be loaded.
    fn is_copied(&self, inst: usize) -> bool {
        let numbering = self.kernel.numbering();
        let (block, at) = numbering.position(tilewise_ir::InstId::new(inst));
        let op = self.kernel.block(block).insts.get(at).map(|i| &i.op);
        let Some(Op::Store { src, .. }) = op else {
            return false;
        };
        let mut loads = false;
        let mut seen = BTreeSet::new();
        let mut work: Vec<Value> = src.iter().flatten().copied().collect();
        while let Some(value) = work.pop() {
            if !seen.insert(value.index()) {
                continue;
            }
            work.extend(&self.incoming[value.index()]);
            let Some((b, i)) = self.defined[value.index()] else {
                continue;
            };
            match &self.kernel.blocks[b].insts[i].op {
                Op::Load { access, .. } => {
                    if !matches!(access.space, Space::Global | Space::Constant) {
                        return false;
                    }
                    loads = true;
                }
                Op::ImageRead { .. } => loads = true,
                Op::Convert { a, .. } => work.push(*a),
                Op::Select {
                    if_true, if_false, ..
                } => work.extend([*if_true, *if_false]),
                _ => return false,
            }
        }
        loads
    }
}
