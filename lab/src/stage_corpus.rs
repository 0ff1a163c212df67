//! `cargo xtask stage-corpus DIR`: stages every kernel of a folder of other people's
//! OpenCL sources for which a launch can be guessed, and says what became of each.
//!
//! The first folder level of DIR is the suite, as in `cargo xtask corpus`, and
//! build options come from the same file. A kernel whose staged form does not do
//! what the original does is *wrong*, and the exit code is 1 if there is one. What
//! panics is counted as crashed. The tiles of each staged form are then taken out again.
//!
//! What it misses: a limit of time. The guessed launches are small.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use comfy_table::{Table, presets};
use serde::{Deserialize, Serialize};
use tilewise::survey::{
    RemovedOutcome, SourceOutcome, StagedKernel, StagedOutcome, SurveyInput, stage_each,
};

use crate::corpus::facts::Facts;
use crate::corpus::sources;
use crate::kept;

/// Options of `cargo xtask stage-corpus`.
#[derive(Args)]
pub struct Options {
    /// Folder of suites: each folder in it is one
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Only sources with this in their path
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Build options and exclusions by path; DIR/corpus.toml if it is there
    #[arg(long, value_name = "FILE.toml")]
    options: Option<PathBuf>,
    /// Write the change of each kernel to this folder
    #[arg(long, value_name = "FOLDER")]
    diffs: Option<PathBuf>,
    /// Write the counts to this file
    #[arg(long, value_name = "FILE.json")]
    json: Option<PathBuf>,
}

/// What became of the kernels of a suite.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Suite {
    /// Staged, and proved.
    pub staged: usize,
    /// Of those: their tiles were taken out again, with every barrier, and the result
    /// proved.
    #[serde(default)]
    pub removed: usize,
    /// Of those: tiles that could not be taken out, by reason.
    #[serde(default)]
    pub not_removed: BTreeMap<String, usize>,
    /// Refused, by the code of the first reason.
    pub refused: BTreeMap<String, usize>,
    /// No launch could be guessed, or the kernel is wrong by itself.
    pub not_run: usize,
    /// The staged form does something else.
    pub wrong: usize,
    /// tilewise panicked.
    pub crashed: usize,
}

/// Stages the kernels and prints the tables.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let dir = std::path::absolute(&options.dir)?;
    let facts = match &options.options {
        Some(path) => Facts::read(path)?,
        None if dir.join("corpus.toml").is_file() => Facts::read(&dir.join("corpus.toml"))?,
        None => Facts::default(),
    };
    let found = sources::find(&dir, options.filter.as_deref())?;
    if found.is_empty() {
        bail!("no .cl or .ocl file under {}", dir.display());
    }
    let mut suites: BTreeMap<String, Suite> = BTreeMap::new();
    for path in &found {
        let plan = facts.plan(&dir, path)?;
        if plan.exclude.is_some() {
            continue;
        }
        let input = SurveyInput {
            path: dir.join(path),
            build_options: plan.options,
            include: plan.include,
            prepend: plan.prepend,
            skip: plan.skip.into_iter().map(|(kernel, _)| kernel).collect(),
            ..SurveyInput::default()
        };
        let folder = path
            .components()
            .next()
            .filter(|_| path.parent() != Some(Path::new("")));
        let name = folder.map_or(".".to_owned(), |f| {
            f.as_os_str().to_string_lossy().into_owned()
        });
        let suite = suites.entry(name).or_default();
        source(options, path, &input, suite)?;
    }
    println!("\n{}", table(&suites));
    if let Some(path) = &options.json {
        kept::write(path, &suites)?;
    }
    let bad: usize = suites.values().map(|s| s.wrong + s.crashed).sum();
    if bad > 0 {
        bail!("{bad} kernels are staged wrongly");
    }
    Ok(())
}

/// Stages the kernels of one source.
fn source(
    options: &Options,
    path: &Path,
    input: &SurveyInput,
    suite: &mut Suite,
) -> anyhow::Result<()> {
    let mut at = String::new();
    let mut kernels: Vec<StagedKernel> = Vec::new();
    let done = catch_unwind(AssertUnwindSafe(|| {
        stage_each(input, &mut |kernel, outcome| {
            at = kernel.to_owned();
            kernels.extend(outcome);
        })
    }));
    for kernel in &kernels {
        one(options, path, kernel, suite)?;
    }
    match done {
        Ok(outcome) => match outcome? {
            SourceOutcome::Compiled { .. } => {}
            _ => println!("{}: is not compiled", path.display()),
        },
        Err(_) => {
            suite.crashed += 1;
            println!("{}::{at}: CRASHED", path.display());
        }
    }
    Ok(())
}

fn one(
    options: &Options,
    path: &Path,
    kernel: &StagedKernel,
    suite: &mut Suite,
) -> anyhow::Result<()> {
    let name = format!("{}::{}", path.display(), kernel.kernel);
    let diff = match &kernel.outcome {
        StagedOutcome::Proved {
            diff,
            left,
            removed,
        } => {
            suite.staged += 1;
            println!("{name}: staged and proved");
            for (code, why) in left {
                println!("    beside it {code} {why}");
            }
            match removed {
                RemovedOutcome::Proved => suite.removed += 1,
                RemovedOutcome::Refused(reasons) => {
                    let (code, why) = reasons.first().cloned().unwrap_or_default();
                    println!("    its tiles are not removed: {code} {why}");
                    *suite.not_removed.entry(code).or_default() += 1;
                }
                RemovedOutcome::Wrong(why) => {
                    suite.wrong += 1;
                    println!("    REMOVED WRONGLY: {why}");
                }
            }
            diff
        }
        StagedOutcome::Refused(reasons) => {
            let code = reasons.first().map_or("", |(code, _)| code);
            *suite.refused.entry(code.to_owned()).or_default() += 1;
            println!("{name}: refused");
            for (code, why) in reasons {
                println!("    {code} {why}");
            }
            return Ok(());
        }
        StagedOutcome::Wrong { why, diff } => {
            suite.wrong += 1;
            println!("{name}: WRONG: {why}\n    {}", kernel.command);
            diff
        }
        StagedOutcome::NotRun(why) => {
            suite.not_run += 1;
            let first = why.lines().next().unwrap_or_default();
            println!("{name}: not run: {first}");
            return Ok(());
        }
    };
    if let Some(folder) = &options.diffs {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("can't make {}", folder.display()))?;
        let file = folder.join(name.replace(['/', ':'], "_") + ".diff");
        std::fs::write(&file, format!("{}\n{diff}", kernel.command))
            .with_context(|| format!("can't write {}", file.display()))?;
    }
    Ok(())
}

fn table(suites: &BTreeMap<String, Suite>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    table.set_header([
        "suite", "staged", "removed", "refused", "by code", "not run", "wrong", "crashed",
    ]);
    for (name, suite) in suites {
        let codes: Vec<String> = suite
            .refused
            .iter()
            .map(|(c, n)| format!("{c} {n}"))
            .collect();
        let refused: usize = suite.refused.values().sum();
        table.add_row([
            name.clone(),
            suite.staged.to_string(),
            suite.removed.to_string(),
            refused.to_string(),
            codes.join(", "),
            suite.not_run.to_string(),
            suite.wrong.to_string(),
            suite.crashed.to_string(),
        ]);
    }
    table
}
