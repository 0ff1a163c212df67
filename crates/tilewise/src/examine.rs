//! Runs a launch as compiled for the findings about performance.

use std::collections::HashSet;

use tilewise_analysis::banks::{Banks, PitchAnalysis, Pitches};
use tilewise_analysis::data::addresses_from_data;
use tilewise_analysis::handover::{Handover, HandoverAnalysis};
use tilewise_analysis::traffic::Traffic;
use tilewise_ir::{Form, SiteId};
use tilewise_sim::Regions;

use crate::as_compiled::{Analyses, Ready};
use crate::error::Error;
use crate::load::Loaded;
use crate::session::Session;
use crate::simulate::{Which, sim_error};
use crate::target::Target;

/// What the findings about performance are made of. Its counts are those that a
/// profile has.
pub struct Examined {
    /// Accesses, reuse, requests, sectors.
    pub traffic: Traffic,
    /// Passes over local memory.
    pub banks: Banks,
    /// Requests to local memory, to try with rows of another length.
    pub pitches: Pitches,
    /// What barriers order, and what local memory hands over.
    pub handover: Handover,
    /// Which region is which.
    pub regions: Regions,
    /// Source sites that access memory at an address computed from data.
    pub by_data: HashSet<SiteId>,
    /// Bytes of a sector of global memory.
    pub sector_bytes: u32,
}

/// Runs a sample of the work-groups as compiled.
///
/// # Errors
/// The kernel uses something that the simulator lacks.
pub fn examine(session: &Session, target: &Target, loaded: &Loaded) -> Result<Examined, Error> {
    let kernel = loaded.kernel(Form::AsCompiled)?;
    let sites = &loaded.program(Form::AsCompiled).sites;
    let _phase = session
        .timings
        .phase(format!("simulate {} as compiled", kernel.name));
    let ready = Ready::new(session, target, loaded, Which::Sample)?;
    let (mut traffic, mut banks) = (ready.traffic(kernel), ready.banks(kernel));
    let mut pitches = PitchAnalysis::default();
    let mut handover = HandoverAnalysis::new(kernel, ready.prepared.regions());
    Analyses {
        traffic: &mut traffic,
        banks: &mut banks,
        mix: None,
        scoreboard: None,
        footprint: None,
        pitches: Some(&mut pitches),
        handover: Some(&mut handover),
    }
    .run(&ready)
    .map_err(|e| sim_error(e, sites))?;
    let by_data = addresses_from_data(kernel);
    let numbering = kernel.numbering();
    let insts = kernel.block_ids().flat_map(|block| {
        let insts = kernel.block(block).insts.iter().enumerate();
        insts.map(move |(i, inst)| (block, i, inst.site))
    });
    let by_data = insts
        .filter(|&(block, i, _)| by_data[numbering.id(block, i).index()])
        .map(|(_, _, site)| site)
        .collect();
    Ok(Examined {
        traffic: traffic.result(),
        banks: banks.result(),
        pitches: pitches.result(ready.regions.clone(), ready.shape),
        handover: handover.result(),
        regions: ready.prepared.regions().clone(),
        by_data,
        sector_bytes: ready.shape.sector_bytes,
    })
}
