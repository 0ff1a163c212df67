//! A predicted time from simulated counts.

use tilewise_analysis::estimate::Estimate;
use tilewise_ir::Space;
use tilewise_model::time::{self, Instructions, Lifetime, Prediction, RoundTrips, Work};
use tilewise_report::{Occupancy, Predicted, Term};

use crate::error::Error;
use crate::load::Loaded;
use crate::simulate::Simulation;
use crate::target::Target;

/// The counts that the time model takes.
///
/// Bytes of device memory are the compulsory ones: each sector that the launch
/// touches comes from there once, as long as what groups share is still in L2
/// when the next one asks. What it misses: working sets beyond L2 that are
/// gone through several times, and lines that groups on one compute unit share.
/// Image functions count as loads and stores of texels that lie row by row; the
/// rates of texture units and of their filters are missing.
pub fn work_of(
    target: &Target,
    loaded: &Loaded,
    simulation: &Simulation,
    occupancy: &Occupancy,
) -> Work {
    let range = &loaded.resolved.launch.range;
    let traffic = &simulation.traffic;
    let global = traffic.space(Space::Global);
    let constant = traffic.space(Space::Constant);
    let local = traffic.space(Space::Local);
    let mix = &simulation.mix;
    let banks = &simulation.banks;
    let lives = &simulation.lifetimes;
    let value = |e: Estimate| e.value as f64;
    let sector = f64::from(simulation.shape.sector_bytes);
    let groups = range.group_count() as f64;

    let (mut read, mut written) = (0.0, 0.0);
    for buffer in traffic.buffers.iter().filter(|b| b.space == Space::Global) {
        let size = buffer_bytes(loaded, buffer.param);
        let touched = |sectors: Estimate| (value(sectors) * sector).min(size);
        read += touched(buffer.traffic.loads.distinct_sectors);
        written += touched(buffer.traffic.stores.distinct_sectors);
    }
    let images = &traffic.images;
    let l2_loads = value(global.loads.distinct_sectors) + value(images.loads.distinct_sectors);
    let from_dram = if l2_loads > 0.0 {
        (read / (l2_loads * sector)).min(1.0)
    } else {
        0.0
    };
    let far = lives.per_group(lives.far_trips);
    let constant_bytes = if target.profile.l1.serves_constant.value {
        value(constant.loads.bytes)
    } else {
        0.0
    };
    Work {
        groups,
        sub_groups_per_group: (range.group_size() as f64
            / f64::from(simulation.summary.width.max(1)))
        .ceil(),
        groups_per_unit: f64::from(occupancy.groups_per_unit),
        instructions: Instructions {
            fp32: value(mix.fp32),
            integer: value(mix.integer),
            special: value(mix.special),
            double: value(mix.fp64),
            control: value(mix.control),
        },
        global_load_requests: value(global.loads.requests) + value(images.loads.requests),
        global_store_requests: value(global.stores.requests)
            + value(global.atomics.requests)
            + value(images.stores.requests),
        constant_requests: value(constant.loads.requests),
        load_bytes: value(global.loads.bytes) + value(images.loads.bytes) + constant_bytes,
        l1_load_lines: value(global.loads.lines) + value(images.loads.lines),
        l1_store_lines: value(global.stores.lines)
            + value(global.atomics.lines)
            + value(images.stores.lines),
        l1_load_sectors: value(global.loads.sectors) + value(images.loads.sectors),
        l1_store_sectors: value(global.stores.sectors)
            + value(global.atomics.sectors)
            + value(images.stores.sectors),
        l2_sectors: l2_loads
            + value(global.stores.sectors)
            + value(global.atomics.sectors)
            + value(images.stores.sectors),
        dram_read_bytes: read,
        dram_write_bytes: written,
        local_requests: value(banks.loads.merged.requests)
            + value(banks.stores.merged.requests)
            + value(banks.atomics.merged.requests),
        local_passes: value(banks.loads.merged.passes)
            + value(banks.stores.merged.passes)
            + value(banks.atomics.merged.passes),
        local_bytes: value(local.loads.bytes) + value(local.stores.bytes),
        barriers_per_group: lives.per_group(lives.barriers),
        lifetime: Lifetime {
            // The scoreboard's time starts with the launch of the group, which
            // the model counts by itself.
            arithmetic_cycles: (lives.per_group(lives.arithmetic)
                - target.profile.latency.group_launch.value().round())
            .max(0.0),
            round_trips: RoundTrips {
                l1: lives.per_group(lives.l1_trips),
                l2: far * (1.0 - from_dram),
                dram: far * from_dram,
                local: lives.per_group(lives.local_trips),
            },
        },
    }
}

fn buffer_bytes(loaded: &Loaded, param: Option<usize>) -> f64 {
    let args = &loaded.resolved.launch.args;
    let bytes = param.and_then(|index| args[index].value.memory()?.bytes());
    bytes.map_or(f64::INFINITY, |b| b as f64)
}

/// Predicts the time of a simulated launch.
///
/// # Errors
/// A count that can't be.
pub fn predict(target: &Target, work: &Work) -> Result<Prediction, Error> {
    time::predict(&target.profile, work)
        .map_err(|e| Error::Input(format!("the time can't be predicted: {e}")))
}

/// A prediction as a report shows it.
pub fn predicted(prediction: &Prediction) -> Predicted {
    Predicted {
        time_ns: prediction.seconds * 1e9,
        bottleneck: prediction.bottleneck().to_string(),
        terms: prediction
            .terms
            .iter()
            .map(|term| Term {
                name: term.kind.to_string(),
                detail: term.detail.clone(),
                ns: term.seconds * 1e9,
            })
            .collect(),
        speedup: None,
    }
}
