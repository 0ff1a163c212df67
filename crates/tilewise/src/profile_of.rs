//! The access profile of a simulated launch, as a report shows it.

use std::collections::BTreeMap;

use tilewise_analysis::estimate::Estimate;
use tilewise_analysis::traffic::BufferTraffic;
use tilewise_ir::{Form, Space};
use tilewise_launch::{ArgValue, ParamKind};
use tilewise_report::{BufferProfile, Counters, LineProfile, Profile, Sampled};
use tilewise_sim::AccessKind;

use crate::launch_info::element_name;
use crate::load::Loaded;
use crate::simulate::Simulation;

/// Builds the profile.
pub fn profile_of(loaded: &Loaded, simulation: &Simulation) -> Profile {
    Profile {
        buffers: simulation
            .traffic
            .buffers
            .iter()
            .filter(|b| b.space != Space::Private)
            .map(|b| buffer(loaded, simulation, b))
            .collect(),
        lines: lines(loaded, simulation),
        counters: counters(simulation),
        sampled: sampled(simulation),
    }
}

fn buffer(loaded: &Loaded, simulation: &Simulation, traffic: &BufferTraffic) -> BufferProfile {
    let loads = &traffic.traffic.loads;
    let read = loads.accesses.value > 0;
    let box_ = simulation
        .footprint
        .buffer(&traffic.name)
        .and_then(|f| f.single())
        .filter(|_| traffic.space == Space::Global || traffic.space == Space::Constant);
    BufferProfile {
        name: traffic.name.clone(),
        space: space(simulation, traffic),
        element: element(loaded, traffic),
        accesses: loads.accesses.value,
        distinct: loads.distinct.value,
        reuse: loads.reuse(),
        stores: traffic.traffic.stores.accesses.value,
        atomics: traffic.traffic.atomics.accesses.value,
        halo: box_
            .and_then(|f| f.halo.as_ref())
            .map_or(Vec::new(), |halo| {
                halo.iter()
                    .map(|[low, high]| [*low as i64, *high as i64])
                    .collect()
            }),
        footprint: box_.map_or(Vec::new(), |f| {
            f.dimensions.iter().map(|d| d.extent).collect()
        }),
        tile_bytes: box_.map(|f| f.staged_bytes()),
        over_fetch: box_.map(|f| 1.0 - 1.0 / f.over_fetch().max(1.0)),
        load_requests: loads.requests.value,
        load_sectors: loads.sectors.value,
        reuse_within_request: loads.lane_reuse().filter(|_| read),
        reuse_over_time: loads.time_reuse().filter(|_| read),
        reuse_across_sub_groups: loads.sub_group_reuse().filter(|_| read),
    }
}

/// The address space of a buffer; of an image, that it is one.
fn space(simulation: &Simulation, traffic: &BufferTraffic) -> String {
    match simulation.regions.all().get(traffic.slot) {
        Some(region) if region.image.is_some() => "image".to_owned(),
        _ => traffic.space.to_string(),
    }
}

/// Type of a buffer's elements; a static local array has only their size.
fn element(loaded: &Loaded, traffic: &BufferTraffic) -> String {
    let launch = &loaded.resolved.launch;
    let from_param = traffic.param.and_then(|index| {
        match (
            &launch.args[index].value,
            &loaded.signature.params[index].kind,
        ) {
            (ArgValue::Buffer(buffer), _) => Some(element_name(&buffer.elem)),
            (ArgValue::Image(image), _) => Some(image.format.to_string()),
            (_, ParamKind::Local { elem }) => Some(element_name(elem)),
            _ => None,
        }
    });
    from_param.unwrap_or_else(|| {
        let bytes = [
            traffic.traffic.loads.element_bytes,
            traffic.traffic.stores.element_bytes,
            traffic.traffic.atomics.element_bytes,
        ];
        format!("{} B", bytes.into_iter().max().unwrap_or(0))
    })
}

fn lines(loaded: &Loaded, simulation: &Simulation) -> Vec<LineProfile> {
    let sites = &loaded.program(Form::AsCompiled).sites;
    // By file, line, buffer and kind; a line inlined at several places is one.
    let mut rows: BTreeMap<(String, u32, String, &str), LineProfile> = BTreeMap::new();
    for site in &simulation.traffic.sites {
        let position = sites.get(site.site).position;
        let names: Vec<&str> = site
            .slots
            .iter()
            .filter_map(|&slot| simulation.regions.all().get(slot))
            .filter(|region| region.space != Space::Private)
            .map(|region| region.name.as_str())
            .collect();
        if names.is_empty() {
            continue;
        }
        let kind = match site.kind {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        };
        let file = sites.file_name(position.file).to_owned();
        let buffer = names.join(", ");
        let row = rows
            .entry((file.clone(), position.line, buffer.clone(), kind))
            .or_insert_with(|| LineProfile {
                text: loaded.line_text(&file, position.line).unwrap_or_default(),
                file,
                line: position.line,
                buffer,
                kind: kind.to_owned(),
                ..LineProfile::default()
            });
        row.accesses += site.stream.accesses.value;
        row.requests += site.stream.requests.value;
        row.sectors += site.stream.sectors.value;
        let banks = simulation
            .banks
            .sites
            .iter()
            .filter(|b| b.site == site.site && b.kind == site.kind);
        row.passes += banks.map(|b| b.accesses.ir.passes.value).sum::<u64>();
    }
    let mut rows: Vec<LineProfile> = rows.into_values().collect();
    for row in &mut rows {
        let per = row.sectors.max(row.passes);
        row.per_request = per as f64 / row.requests.max(1) as f64;
    }
    rows
}

fn counters(simulation: &Simulation) -> Counters {
    let global = simulation.traffic.space(Space::Global);
    let banks = &simulation.banks;
    let lifetimes = &simulation.lifetimes;
    let conflicts = |a: &tilewise_analysis::banks::LocalAccesses| a.merged.conflicts.value;
    Counters {
        global_load_requests: global.loads.requests.value,
        global_load_sectors: global.loads.sectors.value,
        global_store_requests: global.stores.requests.value,
        global_store_sectors: global.stores.sectors.value,
        image_read_requests: simulation.traffic.images.loads.requests.value,
        image_write_requests: simulation.traffic.images.stores.requests.value,
        local_load_requests: banks.loads.merged.requests.value,
        local_load_requests_unmerged: banks.loads.ir.requests.value,
        local_load_passes: banks.loads.merged.passes.value,
        local_store_passes: banks.stores.merged.passes.value,
        local_bank_conflicts: conflicts(&banks.loads)
            + conflicts(&banks.stores)
            + conflicts(&banks.atomics),
        instructions: simulation.mix.issued.value,
        barriers: lifetimes.barriers.value,
        active_lanes: simulation.mix.active_lane_ratio().unwrap_or(0.0),
    }
}

fn sampled(simulation: &Simulation) -> Sampled {
    let traffic = &simulation.traffic;
    let banks = &simulation.banks;
    let mut shown = vec![simulation.mix.issued];
    for buffer in &traffic.buffers {
        for stream in [&buffer.traffic.loads, &buffer.traffic.stores] {
            shown.extend([
                stream.accesses,
                stream.distinct,
                stream.requests,
                stream.sectors,
            ]);
        }
    }
    for accesses in [&banks.loads, &banks.stores, &banks.atomics] {
        shown.extend([accesses.merged.requests, accesses.merged.passes]);
    }
    let whole = traffic.sampled_groups == traffic.groups;
    // What no sampled group reached, others may: their figures are unknown.
    let unreached = simulation.unreached > 0 && !whole;
    let share = |e: &Estimate| e.half_width as f64 / e.value.max(1) as f64;
    let exact = !unreached && shown.iter().all(|e| e.exact);
    Sampled {
        groups: traffic.sampled_groups,
        of: traffic.groups,
        exact,
        relative_error: (!exact && !unreached).then(|| shown.iter().map(share).fold(0.0, f64::max)),
    }
}
