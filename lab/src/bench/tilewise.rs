//! Runs tilewise's side of the benchmark.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use super::cases::{Case, LAUNCHES};
use super::process::timed;
use crate::workspace;

/// Repetitions per round of a simulation.
const REPETITIONS: &str = "3";

/// The built program that times simulations.
pub struct Tilewise {
    root: PathBuf,
    simulation: PathBuf,
}

/// What the simulation of a launch took.
pub struct Simulation {
    /// Seconds of each repetition: of CPU with one thread, of the day with several.
    pub seconds: Vec<f64>,
    /// Instructions that sub-groups ran.
    pub instructions: f64,
    /// Mean share of active lanes.
    pub active_lanes: f64,
}

impl Tilewise {
    /// Builds it, optimised.
    pub fn build(root: &Path) -> anyhow::Result<Self> {
        let simulation = workspace::build(
            root,
            &[
                "bench",
                "--no-run",
                "--package",
                "tilewise",
                "--bench",
                "simulation",
            ],
        )?;
        Ok(Self {
            root: root.to_owned(),
            simulation,
        })
    }

    /// Builds the command-line tool, optimised.
    pub fn build_binary(&self) -> anyhow::Result<PathBuf> {
        workspace::build_tilewise(&self.root)
    }

    /// Times the simulation of a case's launch on so many threads.
    pub fn simulation(
        &self,
        case: &Case,
        watch: &str,
        threads: usize,
    ) -> anyhow::Result<Simulation> {
        let (output, _) = timed(
            Command::new(&self.simulation)
                .current_dir(&self.root)
                .args([
                    &format!("{}::{}", case.file, case.kernel),
                    LAUNCHES,
                    watch,
                    REPETITIONS,
                    &threads.to_string(),
                ]),
        )?;
        let found: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{}: no figures", case.kernel))?;
        let number = |key: &str| found[key].as_f64().with_context(|| format!("no `{key}`"));
        let seconds = found["seconds"].as_array().context("no `seconds`")?;
        Ok(Simulation {
            seconds: seconds.iter().filter_map(Value::as_f64).collect(),
            instructions: number("instructions")?,
            active_lanes: number("active_lanes")?,
        })
    }

    /// CPU seconds of a whole command on one thread, which compiles anew.
    pub fn whole(
        &self,
        binary: &Path,
        case: &Case,
        launch: &str,
        command: &str,
    ) -> anyhow::Result<f64> {
        let (_, seconds) = timed(Command::new(binary).current_dir(&self.root).args([
            command,
            &format!("{}::{}", case.file, case.kernel),
            "--launch",
            LAUNCHES,
            "--launch-name",
            launch,
            "--device",
            "sim:h200",
            "--threads",
            "1",
            "--no-cache",
        ]))?;
        Ok(seconds)
    }
}
