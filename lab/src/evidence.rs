//! Re-runs what tilewise claims of itself.
//!
//! Each claim is one row: what is claimed, the target, what was found now, and
//! whether it holds. Claims that need no GPU are run; those that do are read
//! from the committed runs in `bench/runs/`, and say which.

mod checks;
mod claims;
mod language;
mod runs;
mod speed;
mod staging;

use std::path::PathBuf;
use std::process::{Command, Output};

use anyhow::{Context, bail};
use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;

use crate::workspace;

/// Options of `cargo xtask evidence`.
#[derive(Args)]
pub struct Options {
    /// Only claims whose text holds this
    #[arg(value_name = "TEXT")]
    filter: Option<String>,
    /// Take this binary instead of building one
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// Finds out whether a claim holds, and what came out.
type Test = dyn Fn(&Bench) -> anyhow::Result<(String, bool)>;

/// A claim and how to test it.
pub struct Claim {
    /// What is claimed.
    pub text: String,
    /// What must come out.
    pub target: String,
    /// Finds it out: what came out, and whether the claim holds.
    pub test: Box<Test>,
}

impl Claim {
    fn new(
        text: impl Into<String>,
        target: impl Into<String>,
        test: impl Fn(&Bench) -> anyhow::Result<(String, bool)> + 'static,
    ) -> Self {
        Self {
            text: text.into(),
            target: target.into(),
            test: Box::new(test),
        }
    }
}

/// What claims are tested with.
pub struct Bench {
    /// The workspace.
    pub root: PathBuf,
    binary: PathBuf,
}

impl Bench {
    /// Runs tilewise in the workspace.
    pub fn tilewise(&self, args: &[&str]) -> anyhow::Result<Output> {
        self.command(args).output().context("can't run tilewise")
    }

    /// A command that runs tilewise in the workspace.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(args).current_dir(&self.root);
        command
    }

    /// Runs tilewise and reads the JSON it prints.
    pub fn json(&self, args: &[&str]) -> anyhow::Result<Value> {
        let mut all = args.to_vec();
        all.extend(["--format", "json"]);
        let output = self.tilewise(&all)?;
        serde_json::from_slice(&output.stdout).with_context(|| {
            format!(
                "`tilewise {}` printed no JSON: {}",
                all.join(" "),
                String::from_utf8_lossy(&output.stderr)
            )
        })
    }
}

/// Prints the table.
///
/// # Errors
/// A claim does not hold, or can't be tested.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let root = workspace::root()?.to_owned();
    let binary = match &options.binary {
        Some(path) => std::path::absolute(path)?,
        None => workspace::build_tilewise(&root)?,
    };
    let bench = Bench { root, binary };
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["claim", "target", "found", ""]);
    let (mut tested, mut failed) = (0, 0);
    for claim in claims::all(&bench)? {
        if let Some(filter) = &options.filter
            && !claim.text.contains(filter.as_str())
        {
            continue;
        }
        tested += 1;
        eprintln!("evidence: {}", claim.text);
        let (found, ok) = match (claim.test)(&bench) {
            Ok(found) => found,
            Err(error) => (format!("{error:#}"), false),
        };
        failed += usize::from(!ok);
        let mark = if ok { "ok" } else { "NOT OK" };
        table.add_row([claim.text.as_str(), &claim.target, &found, mark]);
    }
    println!("{table}");
    if tested == 0 {
        bail!("no claim holds that text");
    }
    if failed > 0 {
        bail!("{failed} of {tested} claims do not hold");
    }
    println!("{tested} claims hold");
    Ok(())
}
