//! `tilewise check`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tilewise::Session;
use tilewise::baseline::Baseline;
use tilewise::commands;
use tilewise::commands::explain::codes;
use tilewise_report::Run;

use crate::args::{DeviceArgs, FailOn, GateArgs, LaunchArgs, OutputArgs, seconds};
use crate::failure::Failure;
use crate::files::PendingFiles;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise check K.cl --fail-on warning
  tilewise check K.cl --sizes --budget 60    at awkward sizes, too, for a minute
  tilewise check K.cl --allow TW102          leave out races in global memory
  tilewise check K.cl --write-baseline known.json
  tilewise check K.cl --baseline known.json  fail on what is new since then
  tilewise check K.cl --format github        annotations in a GitHub workflow";

/// What makes a kernel wrong, at its place in the source: data races, accesses
/// outside buffers, divergent barriers, loops without end. Where nothing is wrong,
/// what makes it slow: uncoalesced accesses, bank conflicts, tiles that save nothing.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Kernel file (.cl, .spv) or a bundle's folder
    #[arg(value_name = "K.cl[::KERNEL]")]
    target: String,
    /// Report what OpenCL calls a mistake though it seldom does harm: work-items
    /// that write the same value to one place; and what it defines though few mean
    /// it: shifts by at least as many bits as the value has
    #[arg(long)]
    strict: bool,
    /// Check a spread of awkward sizes, too: one, primes, the work-group's extent
    /// and its neighbours
    #[arg(id = "awkward-sizes", long = "sizes")]
    awkward_sizes: bool,
    /// Seconds that these may take
    #[arg(long, value_name = "SECONDS", requires = "awkward-sizes", default_value = "10", value_parser = seconds)]
    budget: f64,
    /// Instructions that a sub-group may run before a loop counts as one without end
    #[arg(long, value_name = "INSTRUCTIONS", value_parser = clap::value_parser!(u64).range(1..))]
    loop_budget: Option<u64>,
    /// Show and count only findings that this file does not have
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to a baseline; kernels in it that are not checked stay
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
    /// Leave out findings of these codes; `// tilewise: allow TW101` in the
    /// source does so for a line or a function
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = code)]
    allow: Vec<String>,
    #[command(flatten)]
    launch: LaunchArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    gate: GateArgs,
}

/// The code of a finding.
fn code(text: &str) -> Result<String, String> {
    let known = |code: &&str| code.eq_ignore_ascii_case(text.trim());
    match codes().find(known) {
        Some(code) => Ok(code.to_owned()),
        None => Err("no finding has this code; `tilewise explain` lists them".to_owned()),
    }
}

impl Args {
    /// Simulates the launch and shows what came of it.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let input = self.launch.first(&self.target)?;
        let session = Session {
            strict: self.strict,
            loop_budget: self.loop_budget,
            allow: self.allow,
            sizes: self
                .awkward_sizes
                .then(|| Duration::try_from_secs_f64(self.budget).unwrap_or(Duration::MAX)),
            ..terminal.session(self.device)
        };
        // A file that can't be read is told before a long run, not behind it.
        let known = self.baseline.as_deref().map(Baseline::read).transpose()?;
        let to_update = match &self.write_baseline {
            Some(path) if path.exists() => Some(Baseline::read(path)?),
            other => other.as_ref().map(|_| Baseline::default()),
        };
        let mut runs = commands::check::check(&session, &input)?;
        if let (Some(path), Some(known)) = (&self.baseline, known) {
            compare(&known, path, &mut runs);
        }
        if let (Some(path), Some(old)) = (&self.write_baseline, to_update) {
            write(&old.updated(&runs), path)?;
            terminal.remark(&format!(
                "the findings are in {}: `tilewise check … --baseline {}` tells new ones",
                path.display(),
                path.display()
            ));
            let gate = self.gate.or_fail_on(FailOn::Never);
            return outcome::deliver(runs, &self.output, &gate, false, terminal);
        }
        outcome::deliver(runs, &self.output, &self.gate, false, terminal)
    }
}

/// Takes known findings out of runs, and says how many there were.
fn compare(known: &Baseline, path: &Path, runs: &mut [Run]) {
    let compared = known.take_out(runs);
    let name = path.display();
    let mut notes = Vec::new();
    if compared.known > 0 {
        notes.push(format!(
            "{} in the baseline {name} and not shown",
            match compared.known {
                1 => "1 finding is".to_owned(),
                n => format!("{n} findings are"),
            }
        ));
    }
    if !compared.gone.is_empty() {
        notes.push(format!(
            "{} of the baseline {name} no more there; --write-baseline {name} takes them out: {}",
            match compared.gone.len() {
                1 => "1 finding is".to_owned(),
                n => format!("{n} findings are"),
            },
            compared.gone.join("; ")
        ));
    }
    if let Some(first) = runs.first_mut() {
        first.warnings.extend(notes);
    }
}

fn write(baseline: &Baseline, path: &Path) -> Result<(), Failure> {
    let text = baseline.to_text().map_err(|error| Failure::Render {
        format: "JSON",
        reason: error.to_string(),
    })?;
    let mut files = PendingFiles::default();
    files.add(path, text)?;
    files.commit()
}
