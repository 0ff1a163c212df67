//! Claims about what of OpenCL C runs: public suites, random programs, fuzzing,
//! memory.
//!
//! Long runs are read from `bench/runs/`, a short form of them is run now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};

use super::{Claim, runs};
use crate::corpus::Summary as Corpus;
use crate::fuzz::{Fuzzed, TARGETS};
use crate::kept;
use crate::random::Summary as Random;

/// Programs of the run that is kept.
const PROGRAMS: u64 = 10_000;
/// Programs that are run now, from a seed behind those.
const PROGRAMS_NOW: &str = "40";
const SEED_NOW: &str = "20001";

/// Seconds in which fuzzing must find nothing new.
const QUIET: u64 = 600;

/// MiB that the profile of a launch over gigabytes may take.
const MEMORY: u64 = 1024;

/// The claims.
pub fn claims() -> Vec<Claim> {
    let mut claims = corpus();
    claims.push(random());
    claims.push(random_now());
    claims.extend(TARGETS.map(fuzzing));
    claims.push(memory());
    claims
}

fn corpus() -> Vec<Claim> {
    vec![
        Claim::new(
            "kernels of public suites that are lowered in both forms",
            "at least 99 % of those that clang accepts",
            |bench| {
                let (name, kept) = runs::newest_summary::<Corpus>(bench, "-corpus")?;
                let all = kept.all;
                let both = all.written.min(all.compiled);
                let share = 100.0 * both as f64 / all.kernels.max(1) as f64;
                let found = format!("{both} of {} ({share:.1} %), {name}", all.kernels);
                Ok((found, all.kernels > 0 && share >= 99.0))
            },
        ),
        Claim::new(
            "runs of the same kernels",
            "none panics, hangs or aborts",
            |bench| {
                let (name, kept) = runs::newest_summary::<Corpus>(bench, "-corpus")?;
                let all = kept.all;
                let found = format!(
                    "{} panicked, {} hung, {} aborted; {} ran, {} clean, {} as on PoCL, \
                     {} unlike it, {name}",
                    all.panicked,
                    all.hung,
                    all.aborted,
                    all.launches,
                    all.clean,
                    all.agree,
                    all.differ
                );
                Ok((found, all.panicked + all.hung + all.aborted == 0))
            },
        ),
    ]
}

fn random() -> Claim {
    Claim::new(
        "random programs, on the simulator and on PoCL",
        format!("{PROGRAMS}, none wrong on the simulator"),
        |bench| {
            let (name, kept) = runs::newest_summary::<Random>(bench, "-random")?;
            let outcomes: Vec<String> = kept
                .outcomes
                .iter()
                .map(|(what, n)| format!("{n} {what}"))
                .collect();
            // A program that was wrong counts as right when it was run again
            // with the fault mended.
            let (folder, _) = runs::newest(bench, "-random")?;
            let mut mended = 0;
            for program in kept.others.keys() {
                let again = folder.join("again").join(program).with_extension("json");
                if again.is_file() {
                    let again: Random = kept::read(&again)?;
                    mended += u64::from(again.programs == 1 && again.faults == 0);
                }
            }
            let found = format!("{}; {mended} mended since, {name}", outcomes.join("; "));
            let ok = kept.programs >= PROGRAMS && kept.faults == mended;
            Ok((found, ok))
        },
    )
}

/// A few programs more, with the device where there is one.
fn random_now() -> Claim {
    Claim::new(
        "random programs that are not among those",
        format!("{PROGRAMS_NOW}, none wrong on the simulator"),
        |bench| {
            let keep = bench.root.join("target/random");
            let mut command = Command::new(std::env::current_exe()?);
            command
                .args(["random", "--count", PROGRAMS_NOW, "--seed", SEED_NOW])
                .arg("--keep")
                .arg(keep)
                .current_dir(&bench.root);
            let with = match tilewise_device::OpenCl::load().and_then(|cl| cl.devices()) {
                Ok(_) => "with the OpenCL device",
                Err(_) => {
                    command.arg("--no-device");
                    "there is no OpenCL device"
                }
            };
            let output = command.output().context("can't run the programs")?;
            let text = String::from_utf8_lossy(&output.stdout);
            let lines: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
            let found = format!("{}; {with}", lines.join("; "));
            Ok((found, output.status.success()))
        },
    )
}

fn fuzzing(target: &'static str) -> Claim {
    Claim::new(
        format!("fuzz target {target}"),
        format!("{QUIET} s without anything new in the reader, no crash"),
        move |bench| {
            let (name, kept) = runs::newest_summary::<BTreeMap<String, Fuzzed>>(bench, "-fuzz")?;
            let Some(fuzzed) = kept.get(target) else {
                bail!("{name} says nothing of it");
            };
            let found = format!(
                "{} s ({} s in all that runs behind it), {} crashes, {name}",
                fuzzed.quiet, fuzzed.quiet_behind, fuzzed.crashes
            );
            Ok((found, fuzzed.quiet >= QUIET && fuzzed.crashes == 0))
        },
    )
}

/// The blur over 2^30 elements: two buffers of 4 GiB.
fn memory() -> Claim {
    Claim::new(
        "peak memory of `profile` with 2^30 work-items over buffers of 4 GiB",
        format!("under {MEMORY} MiB"),
        |bench| {
            let mut child = bench
                .command(&[
                    "profile",
                    "examples/blur/blur.cl::blur_naive",
                    "--arg",
                    "n=1073741824",
                    "--device",
                    "sim:h200",
                ])
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .context("can't run tilewise")?;
            let status = PathBuf::from(format!("/proc/{}/status", child.id()));
            let mut peak = None;
            // The kernel keeps the highest value, so that a poll misses only
            // what comes after the last one.
            while child.try_wait()?.is_none() {
                peak = peak_kib(&status).or(peak);
                std::thread::sleep(Duration::from_millis(5));
            }
            let output = child.wait_with_output()?;
            if !output.status.success() {
                bail!("{}", String::from_utf8_lossy(&output.stderr));
            }
            let mib = peak.context("/proc says nothing of the process's memory")? / 1024;
            Ok((format!("{mib} MiB"), mib < MEMORY))
        },
    )
}

/// `VmHWM` of a process.
fn peak_kib(status: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
