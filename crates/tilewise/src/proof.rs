//! Does a staged form do what the original does, and read nothing else?
//!
//! Both run on the simulator as written, every work-group, over the spread of
//! sizes that `verify` uses, further group shapes, and launches of a few groups
//! somewhere inside the data. Equal means: the same bits in every buffer that either
//! writes; no fault, race or unset read that the original does not have; and, byte by
//! byte, no read of a buffer that the original does not make in the same launch. So
//! a fill that reads beyond what the kernel reads shows, wherever a buffer happens to
//! end.
//!
//! What it misses: launches that were not tried.

use tilewise_analysis::touched::PageSet;
use tilewise_ir::pointer::{self, Region};
use tilewise_ir::{Form, Space};
use tilewise_launch::resolve::resolve;
use tilewise_launch::{Launch, LaunchSpec, Text};
use tilewise_report::{Diagnostic, Trial};
use tilewise_sim::{
    AccessEvent, AccessKind, Analysis, GroupInfo, GroupSet, Memory, Observer, Prepared, Regions,
    RunSummary,
};

use crate::error::Error;
use crate::findings::{findings, is_unsafe};
use crate::launch_info::in_words;
use crate::load::Loaded;
use crate::session::Session;
use crate::simulate::{run_options, sim_error};
use crate::target::Target;
use crate::verify::{SizedPair, shared_outputs, spread};
use crate::written::run_all;

/// Most launches of further shapes.
const MOST_VARIANTS: usize = 6;
/// Most work-items of a launch: a group of each kind of border is in less.
const MOST_WORK_ITEMS: u64 = 1 << 13;

/// What a proof gave.
#[derive(Default)]
pub struct Proof {
    /// Each launch tried.
    pub trials: Vec<Trial>,
    /// Faults of the staged form.
    pub findings: Vec<Diagnostic>,
    /// What to know about the launches.
    pub notes: Vec<String>,
}

impl Proof {
    /// Whether everything that was tried agrees.
    pub fn holds(&self) -> bool {
        !self.trials.is_empty() && self.trials.iter().all(|t| t.equal) && self.findings.is_empty()
    }
}

/// Compares a staged form with its original. Buffers named in `whole` are staged
/// to a length that the launch gives: elements between those that the original
/// happens to look up are read, too.
///
/// # Errors
/// One of them can't be simulated.
pub fn prove(
    session: &Session,
    target: &Target,
    original: &Loaded,
    staged: &Loaded,
    whole: &[&str],
) -> Result<Proof, Error> {
    let mut proof = Proof::default();
    let mut launches = spread(original, staged, &mut proof.notes);
    launches.extend(variants(target, original, staged));
    // Large launches show nothing that small ones don't, and take long.
    let small = |l: &SizedPair| l.1.range.work_items() <= MOST_WORK_ITEMS;
    if launches.iter().any(small) {
        launches.retain(small);
    }
    let of = launches.len() as u64;
    session.progress.phase(&format!(
        "proving the staged form of {} on the simulator",
        original.signature.kernel
    ));
    let mut left_out = Vec::new();
    for (done, (sizes, first, second)) in launches.into_iter().enumerate() {
        session.progress.step(done as u64, of);
        let named: Vec<(&str, u64)> = sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let words = in_words(&second, &named);
        let a = run(session, target, original, &first)?;
        // What the original does wrong by itself proves nothing.
        if a.summary.faults.iter().any(is_unsafe) {
            left_out.push(words);
            continue;
        }
        let b = run(session, target, staged, &second)?;
        // Races and unset reads are looked for with checks of their own; what the
        // original has, too, is not the staging's.
        let own = findings(
            session,
            original,
            &run_all(session, target, original, &first)?,
        )?;
        let found = findings(session, staged, &run_all(session, target, staged, &second)?)?;
        for finding in found {
            let before = own.iter().any(|f| f.code == finding.code);
            let known = |f: &Diagnostic| f.code == finding.code && f.line == finding.line;
            if !before && !proof.findings.iter().any(known) {
                proof.findings.push(finding);
            }
        }
        let difference = differs((&first, &a), (&second, &b), whole);
        proof.trials.push(Trial {
            on: "simulator".to_owned(),
            launch: words,
            equal: difference.is_none(),
            how: "bit for bit, and nothing else read".to_owned(),
            difference,
        });
    }
    if !left_out.is_empty() {
        proof.notes.push(format!(
            "{} accesses memory outside its buffers in these launches, so they were left out: {}",
            original.signature.kernel,
            left_out.join("; ")
        ));
    }
    Ok(proof)
}

/// What a run left.
struct Left {
    summary: RunSummary,
    memory: Memory,
    reads: Reads,
}

fn run(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
) -> Result<Left, Error> {
    let kernel = loaded.kernel(Form::AsWritten)?;
    let sites = &loaded.program(Form::AsWritten).sites;
    let failed = |e| sim_error(e, sites);
    let width = target.profile.execution.sub_group_width.value() as u32;
    let prepared = Prepared::new(kernel, launch, width).map_err(failed)?;
    let memory = Memory::new(kernel, launch).map_err(failed)?;
    let mut reads = Reads::default();
    let options = run_options(session);
    let summary = tilewise_sim::run(&prepared, &memory, &GroupSet::All, &mut reads, &options)
        .map_err(failed)?;
    Ok(Left {
        summary,
        memory,
        reads,
    })
}

/// The first thing in which a staged form differs from its original.
fn differs(a: (&Launch, &Left), b: (&Launch, &Left), whole: &[&str]) -> Option<String> {
    let sides = (
        (a.0, &a.1.summary, &a.1.memory),
        (b.0, &b.1.summary, &b.1.memory),
    );
    for (x, y) in shared_outputs(sides.0, sides.1) {
        if let Some(found) = a.1.memory.first_difference(x, &b.1.memory, y) {
            return Some(format!(
                "{} differs from byte {}",
                a.0.args[x].name, found.byte
            ));
        }
    }
    let (first, second) = (a.1.memory.regions(), b.1.memory.regions());
    for (index, arg) in b.0.args.iter().enumerate() {
        if whole.contains(&arg.name.as_str()) {
            continue;
        }
        let Some(region) = second.of_arg(index) else {
            continue;
        };
        let own = a.0.args.iter().position(|o| o.name == arg.name);
        let known = own.and_then(|i| first.of_arg(i));
        let empty = PageSet::default();
        let before = known.and_then(|r| a.1.reads.of(r)).unwrap_or(&empty);
        let after = b.1.reads.of(region).unwrap_or(&empty);
        if let Some(byte) = beyond(before, after) {
            return Some(beyond_in_words(second, region, byte));
        }
    }
    None
}

fn beyond_in_words(regions: &Regions, region: Region, byte: u64) -> String {
    let info = regions.get(region);
    format!(
        "the staged form reads {}[{}], which the original does not read",
        info.name,
        byte / info.elem_bytes.max(1)
    )
}

/// The first byte of `after` that is not in `before`.
fn beyond(before: &PageSet, after: &PageSet) -> Option<u64> {
    let mut all = before.clone();
    after
        .runs()
        .into_iter()
        .find_map(|(first, end)| (first..end).find(|byte| all.insert_range(*byte, byte + 1) > 0))
}

/// Bytes of global and constant memory that were read, by region.
#[derive(Default)]
struct Reads {
    sets: Vec<PageSet>,
}

impl Reads {
    fn of(&self, region: Region) -> Option<&PageSet> {
        self.sets.get(usize::from(region.0))
    }

    fn at(&mut self, region: Region) -> &mut PageSet {
        let index = usize::from(region.0);
        if self.sets.len() <= index {
            self.sets.resize_with(index + 1, PageSet::default);
        }
        &mut self.sets[index]
    }
}

impl Observer for Reads {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        let global = matches!(event.access.space, Space::Global | Space::Constant);
        if event.kind == AccessKind::Store || !global {
            return;
        }
        let mut lanes = event.mask & event.in_bounds;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let Some(&address) = event.addresses.get(lane) else {
                continue;
            };
            if let Ok(first) = u64::try_from(pointer::offset(address)) {
                let end = first + u64::from(event.access.bytes);
                self.at(pointer::region(address)).insert_range(first, end);
            }
        }
    }
}

impl Analysis for Reads {
    type Group = Reads;

    fn begin(&self, _: &GroupInfo) -> Self::Group {
        Reads::default()
    }

    fn finish(&mut self, _: &GroupInfo, group: Self::Group) {
        for (index, set) in group.sets.iter().enumerate() {
            for (first, end) in set.runs() {
                self.at(Region(index as u16)).insert_range(first, end);
            }
        }
    }
}

/// Launches of other group shapes, and of single groups inside the data.
fn variants(target: &Target, original: &Loaded, staged: &Loaded) -> Vec<SizedPair> {
    let range = &original.resolved.launch.range;
    let dims = usize::from(range.dims);
    let local = &range.local[..dims];
    let text = |size: &[u64]| {
        let words: Vec<String> = size.iter().map(u64::to_string).collect();
        Some(Text::flag(words.join("x")))
    };
    let mut specs: Vec<LaunchSpec> = Vec::new();
    let base = original.resolved.spec();
    // One group, one group further on than the data begins.
    let fixed = original.signature.reqd_local.is_some();
    specs.push(LaunchSpec {
        global: text(local),
        offset: text(local),
        ..base.clone()
    });
    if !fixed {
        let mut shapes: Vec<Vec<u64>> = vec![local.iter().rev().copied().collect()];
        for d in 0..dims {
            let mut halved = local.to_vec();
            halved[d] = (halved[d] / 2).max(1);
            shapes.push(halved);
            let mut single = local.to_vec();
            single[d] = 1;
            shapes.push(single);
        }
        for shape in shapes {
            if shape != local {
                specs.push(LaunchSpec {
                    local: text(&shape),
                    ..base.clone()
                });
            }
        }
    }
    let mut pairs = Vec::new();
    for spec in specs {
        if pairs.len() == MOST_VARIANTS {
            break;
        }
        pairs.extend(variant(target, original, staged, &spec));
    }
    pairs
}

/// Both launches with what `spec` says of the range, at small sizes; `None` where
/// they can't be made.
fn variant(
    target: &Target,
    original: &Loaded,
    staged: &Loaded,
    spec: &LaunchSpec,
) -> Option<SizedPair> {
    let own = LaunchSpec {
        global: spec.global.clone(),
        local: spec.local.clone(),
        offset: spec.offset.clone(),
        ..staged.resolved.spec().clone()
    };
    let first = resolve(spec, &original.signature, &original.unit.limits(target)).ok()?;
    let second = resolve(&own, &staged.signature, &staged.unit.limits(target)).ok()?;
    let local = original.resolved.launch.range.local;
    let sizes: Vec<(String, u64)> = original
        .resolved
        .free_sizes
        .iter()
        .enumerate()
        .map(|(i, f)| (f.name.clone(), 2 * local[i.min(2)].max(1) + 3 + i as u64))
        .collect();
    let named: Vec<(&str, u64)> = sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    // Sizes that only the original's launch leaves free are set in both.
    let at = |r: &tilewise_launch::Resolved| {
        let own: Vec<(&str, u64)> = named
            .iter()
            .copied()
            .filter(|(n, _)| r.free_sizes.iter().any(|f| f.name == *n))
            .collect();
        r.with_sizes(&own).ok().map(|r| r.launch)
    };
    let (a, b) = (at(&first)?, at(&second)?);
    (a.range.work_items().max(b.range.work_items()) <= MOST_WORK_ITEMS).then_some((sizes, a, b))
}
