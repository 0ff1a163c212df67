//! `tilewise demo`: the worked example of the article that tilewise comes
//! from, a 3-tap blur, naive and tiled.
//!
//! The kernels' compiled forms are embedded, so that the demo needs no clang
//! and, but for the measurement, no OpenCL. Both kernels are compared with a
//! reference in Rust, profiled, measured where a device is there, and judged.

use std::path::Path;
use std::sync::Arc;

use tilewise_device::DeviceKind;
use tilewise_launch::resolve::resolve;
use tilewise_launch::{ElemType, LaunchFile, Scalar, Text, ValueType};
use tilewise_model::verdict::Band;
use tilewise_report::{Command, Run, Trial};

use crate::bundle;
use crate::commands::advise;
use crate::compare::{self, Tolerance};
use crate::error::Error;
use crate::load::{Loaded, Unit};
use crate::session::Session;
use crate::target::{Need, Target};
use crate::written::run_all;

const FILE: &str = "examples/blur/blur.cl";
const MANIFEST: &[u8] = include_bytes!("../../demo/bundle.json");
const SOURCE: &[u8] = include_bytes!("../../demo/kernel.cl");
const AS_WRITTEN: &[u8] = include_bytes!("../../demo/as_written.spv");
const AS_COMPILED: &[u8] = include_bytes!("../../demo/as_compiled.spv");
const LAUNCHES: &str = include_str!("../../demo/launch.toml");

/// Work-group sizes at which the kernels are compared with the reference.
const GROUPS: [u64; 4] = [1, 32, 64, 256];
/// Elements, on a GPU and in the simulator: well beyond the last cache.
const LARGE: u64 = 1 << 26;
/// Elements on a CPU device, where the larger size takes too long.
const SMALL: u64 = 1 << 22;

/// The demo's results.
pub struct Demo {
    /// One run per device.
    pub runs: Vec<Run>,
}

/// Runs the worked example.
///
/// # Errors
/// The device, or a kernel that does not agree with the reference.
pub fn demo(session: &Session) -> Result<Demo, Error> {
    let band = Band::new(session.band).map_err(|e| Error::Input(e.to_string()))?;
    let unit = Arc::new(unit()?);
    let mut runs = Vec::new();
    for target in Target::resolve(session, Need::PreferDevice)? {
        let on_cpu = target
            .device
            .as_ref()
            .is_some_and(|d| d.info().kind == DeviceKind::Cpu);
        let n = if on_cpu { SMALL } else { LARGE };
        let naive = loaded(&unit, &target, "blur_naive", n, 256)?;
        let tiled = loaded(&unit, &target, "blur_tiled", n, 256)?;
        let reference = against_reference(session, &target, &unit)?;
        let mut run = advise::pair(session, &target, [&naive, &tiled], None, band, None)?;
        run.command = Command::Demo;
        for candidate in &mut run.candidates {
            if let Some(verified) = &mut candidate.verified {
                verified.equal &= reference.iter().all(|t| t.equal);
                verified.trials.splice(0..0, reference.iter().cloned());
            }
        }
        run.timings = session.timings.take();
        runs.push(run);
    }
    Ok(Demo { runs })
}

/// The embedded program.
fn unit() -> Result<Unit, Error> {
    bundle::from_parts(
        "of the demo",
        MANIFEST,
        SOURCE,
        AS_WRITTEN.to_vec(),
        Some(AS_COMPILED.to_vec()),
    )
}

/// A kernel of the demo with so many elements and work-items per group.
fn loaded(
    unit: &Arc<Unit>,
    target: &Target,
    kernel: &str,
    n: u64,
    group: u64,
) -> Result<Loaded, Error> {
    let signature = unit
        .compiled
        .signatures
        .iter()
        .find(|s| s.kernel == kernel)
        .ok_or_else(|| Error::Input(format!("the demo lost its kernel {kernel}")))?;
    let file = LaunchFile::parse(LAUNCHES, Path::new("demo/launch.toml"))?;
    let mut spec = file.select(None, Some(kernel))?.clone();
    spec.global = Some(Text::flag(format!("roundup(n,{group})")));
    spec.local = Some(Text::flag(group.to_string()));
    let setting = tilewise_launch::ArgSetting::from_flag(&format!("n={n}"))?;
    spec.args.retain(|a| a.key != setting.key);
    spec.args.push(setting);
    let resolved = resolve(&spec, signature, &unit.limits(target))?;
    Ok(Loaded {
        path: FILE.into(),
        unit: unit.clone(),
        signature: signature.clone(),
        resolved,
        apart: None,
        notes: Vec::new(),
    })
}

/// Compares both kernels with the reference over sizes and groups.
fn against_reference(
    session: &Session,
    target: &Target,
    unit: &Arc<Unit>,
) -> Result<Vec<Trial>, Error> {
    session
        .progress
        .phase("comparing both kernels with a reference in Rust");
    let mut trials = Vec::new();
    let of = GROUPS.len() as u64;
    for (done, &group) in GROUPS.iter().enumerate() {
        session.progress.step(done as u64, of);
        let mut sizes = vec![1, 2, 3, group - 1, group, group + 1, 1021, 1 << 20];
        sizes.retain(|&n| n > 0);
        sizes.sort_unstable();
        sizes.dedup();
        for kernel in ["blur_naive", "blur_tiled"] {
            let mut difference = None;
            for &n in &sizes {
                let loaded = loaded(unit, target, kernel, n, group)?;
                difference = difference.or(differs(session, target, &loaded, n)?);
            }
            let list: Vec<String> = sizes.iter().map(u64::to_string).collect();
            trials.push(Trial {
                on: "simulator".to_owned(),
                launch: format!("{kernel}, n = {}, groups of {group}", list.join(", ")),
                equal: difference.is_none(),
                how: "bit for bit, against a reference in Rust".to_owned(),
                difference,
            });
        }
    }
    Ok(trials)
}

fn differs(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    n: u64,
) -> Result<Option<String>, Error> {
    let launch = &loaded.resolved.launch;
    let index = |name: &str| {
        launch
            .args
            .iter()
            .position(|a| a.name == name)
            .ok_or_else(|| Error::Input(format!("the demo's kernel lost its argument {name}")))
    };
    let (input, output) = (index("in")?, index("out")?);
    let mut bytes = vec![0; n as usize * 4];
    launch.contents(input, 0, &mut bytes);
    let expected: Vec<u8> = reference(&floats(&bytes))
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let memory = run_all(session, target, loaded, launch)?.memory;
    let mut got = vec![0; expected.len()];
    memory.read(output, 0, &mut got);
    let elem = ValueType::Elem(ElemType::scalar(Scalar::F32));
    let whose = ["on the simulator", "by the reference"];
    Ok(compare::compare(&elem, &got, &expected, Tolerance::Exact)
        .map(|d| format!("n = {n}: {}", d.describe("out", whose))))
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect()
}

/// The blur as the article states it, with zeros beyond both ends.
fn reference(input: &[f32]) -> Vec<f32> {
    let at = |i: Option<usize>| i.and_then(|i| input.get(i)).copied().unwrap_or(0.0);
    (0..input.len())
        .map(|i| (at(i.checked_sub(1)) + input[i] + at(i.checked_add(1))) / 3.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_has_zeros_beyond_its_ends() {
        assert_eq!(reference(&[3.0]), [1.0]);
        assert_eq!(reference(&[3.0, 6.0, 9.0]), [3.0, 6.0, 5.0]);
    }
}
