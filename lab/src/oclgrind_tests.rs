//! Runs Oclgrind's own kernel tests through `check` and compares the verdicts.
//!
//! Each test of Oclgrind is a kernel (`T.cl`), a launch (`T.sim`) and what is
//! expected (`T.ref`). The launch is rebuilt, the simulator runs it with every
//! check, and the kinds of mistakes found are set against the kinds that the
//! reference lists; where it lists the contents of buffers, these are compared,
//! too. Differences that are known are explained in [`differences`]: one that
//! isn't there, or an explanation that no longer holds, is an error.
//!
//! The tests themselves are Oclgrind's (three-clause BSD) and no part of this
//! repository: `git clone https://github.com/jrprice/Oclgrind`, then
//! `cargo xtask oclgrind-tests Oclgrind/tests/kernels`.

mod differences;
mod launch;
mod reference;
mod sim_file;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use comfy_table::{Table, presets};
use serde::{Deserialize, Serialize};
use tilewise::commands::verify::verify_expect;
use tilewise::{DeviceChoice, Session};

use crate::corpus;
use reference::Reference;
use sim_file::SimFile;

/// Options of `cargo xtask oclgrind-tests`.
#[derive(Args)]
pub struct Options {
    /// Oclgrind's folder `tests/kernels`
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Only tests with this in their name
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Write the counts and the reasons here
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

/// What became of all tests.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Tests that ran.
    pub tests: usize,
    /// With the reference's verdict.
    pub agreed: usize,
    /// With another one, and why that is, by the test's name.
    pub differs: BTreeMap<String, String>,
    /// With another one for no known reason.
    pub unexplained: Vec<String>,
}

/// What became of a test.
enum Outcome {
    /// The verdict is the reference's.
    Agreed,
    /// It is not, in these words.
    Differs(String),
}

/// Runs the tests and prints what became of each.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let tests: Vec<PathBuf> = corpus::sources(&options.dir, options.filter.as_deref())?
        .into_iter()
        .filter(|source| options.dir.join(source).with_extension("sim").is_file())
        .collect();
    if tests.is_empty() {
        bail!("no .sim file under {}", options.dir.display());
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["test", "verdict", "why"]);
    let mut summary = Summary {
        tests: tests.len(),
        ..Summary::default()
    };
    for test in &tests {
        let name = test.with_extension("").display().to_string();
        eprintln!("{name}");
        let outcome =
            one(&options.dir, test).unwrap_or_else(|e| Outcome::Differs(format!("{e:#}")));
        let known = differences::known(&name);
        let (verdict, why) = match (&outcome, known) {
            (Outcome::Agreed, None) => {
                summary.agreed += 1;
                ("agreed", String::new())
            }
            (Outcome::Differs(found), Some(known)) if found.contains(known.found) => {
                let reason = known.reason.to_owned();
                summary.differs.insert(name.clone(), reason);
                ("differs", known.reason.to_owned())
            }
            (Outcome::Differs(found), Some(known)) => {
                summary.unexplained.push(name.clone());
                ("DIFFERS", format!("{found}; known is `{}`", known.found))
            }
            (Outcome::Differs(found), None) => {
                summary.unexplained.push(name.clone());
                ("DIFFERS", found.clone())
            }
            (Outcome::Agreed, Some(_)) => {
                summary.unexplained.push(name.clone());
                ("AGREES", "an explanation says that it differs".to_owned())
            }
        };
        table.add_row([name.as_str(), verdict, why.as_str()]);
    }
    println!("{table}");
    println!(
        "\n{} tests: {} agreed, {} differ for a known reason, {} unexplained",
        summary.tests,
        summary.agreed,
        summary.differs.len(),
        summary.unexplained.len()
    );
    if let Some(path) = &options.summary {
        let mut text = serde_json::to_string_pretty(&summary)?;
        text.push('\n');
        std::fs::write(path, text).with_context(|| format!("can't write {}", path.display()))?;
    }
    if !summary.unexplained.is_empty() {
        bail!("unexplained: {}", summary.unexplained.join(", "));
    }
    Ok(())
}

/// Runs one test.
fn one(dir: &Path, source: &Path) -> anyhow::Result<Outcome> {
    let path = dir.join(source);
    let read = |ending: &str| {
        let path = path.with_extension(ending);
        std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))
    };
    let sim = SimFile::parse(&read("sim")?)?;
    if sim.arguments.iter().any(|a| a == "-i") {
        return Ok(Outcome::Differs("a test of the debugger".to_owned()));
    }
    let reference = if path.with_extension("ref").is_file() {
        Reference::parse(&read("ref")?)?
    } else {
        Reference::default()
    };
    let files = tempfile::tempdir()?;
    let launch = launch::Rebuilt::new(&path, &sim, files.path())?;
    // What a wrong kernel leaves in memory is up to the simulator.
    let expect = if reference.errors.is_empty() {
        launch.expected(&reference, files.path())?
    } else {
        Vec::new()
    };
    let session = Session {
        device: DeviceChoice::Simulated("h200".to_owned()),
        ..Session::default()
    };
    let runs = verify_expect(&session, &launch.input, &expect)?;
    let findings = runs.iter().flat_map(|run| &run.findings);
    let found: BTreeSet<&str> = findings.map(|f| f.code.as_str()).collect();
    let mut differs = Vec::new();
    let list = |codes: &BTreeSet<&str>| match codes.len() {
        0 => "nothing".to_owned(),
        _ => codes.iter().copied().collect::<Vec<_>>().join(", "),
    };
    if found != reference.errors {
        differs.push(format!(
            "found {}, expected {}",
            list(&found),
            list(&reference.errors)
        ));
    }
    for candidate in runs.iter().flat_map(|run| &run.candidates) {
        let trials = candidate.verified.iter().flat_map(|v| &v.trials);
        differs.extend(trials.filter_map(|t| t.difference.clone()));
    }
    Ok(if differs.is_empty() {
        Outcome::Agreed
    } else {
        Outcome::Differs(differs.join("; "))
    })
}
