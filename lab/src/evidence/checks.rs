//! Claims about what `check` finds: kernels with known verdicts, broken versions of
//! the staged examples, Oclgrind's own tests, SARIF.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::Value;

use super::runs;
use super::{Bench, Claim};
use crate::oclgrind_tests::Summary as Oclgrind;

/// Kernels with known verdicts.
const KERNELS: usize = 150;
/// Names the published schema of SARIF 2.1.0, which is no part of this repository.
const SCHEMA: &str = "TILEWISE_SARIF_SCHEMA";

/// What this module needs of the table of mutants.
#[derive(Deserialize)]
struct Mutants {
    kernel: Vec<Broken>,
}

#[derive(Deserialize)]
struct Broken {
    mutant: Vec<Mutant>,
}

#[derive(Deserialize)]
struct Mutant {
    /// Why it changes nothing.
    equivalent: Option<String>,
}

/// The claims.
pub fn claims() -> Vec<Claim> {
    let mut claims = vec![kernels(), mutants(), examples(), oclgrind()];
    if std::env::var_os(SCHEMA).is_some() {
        claims.push(sarif());
    }
    claims
}

fn kernels() -> Claim {
    Claim::new(
        "kernels with known verdicts (tests/pass, tests/fail)",
        format!("at least {KERNELS}, each as its comments say"),
        |bench| {
            let tests = bench.root.join("crates/tilewise/tests");
            let wrong = kernels_in(&tests.join("fail"))?;
            let right = kernels_in(&tests.join("pass"))?;
            let ran = test(bench, "tilewise", "checks", &["--skip", "mutants/"])?;
            let found = format!("{wrong} wrong, {right} right; {ran}");
            Ok((found, ran.holds() && wrong + right >= KERNELS))
        },
    )
}

fn mutants() -> Claim {
    Claim::new(
        "broken versions of the staged examples",
        "all found that behave otherwise, at their lines",
        |bench| {
            let path = bench
                .root
                .join("crates/tilewise/tests/checks/mutants/table.toml");
            let table: Mutants = toml::from_str(&read(&path)?)
                .with_context(|| format!("{} is no table of mutants", path.display()))?;
            let all = || table.kernel.iter().flat_map(|k| &k.mutant);
            let same = all().filter(|m| m.equivalent.is_some()).count();
            let other = all().count() - same;
            let ran = test(bench, "tilewise", "checks", &["mutants/"])?;
            let found = format!("{other}, and {same} that change nothing; {ran}");
            Ok((found, ran.holds() && other > 0))
        },
    )
}

/// Every kernel of every example, as it stands.
fn examples() -> Claim {
    Claim::new(
        "findings in the examples",
        "no error in any kernel",
        |bench| {
            let (mut checked, mut wrong) = (0, Vec::new());
            for source in files(&bench.root.join("examples"), "cl")? {
                let launches = source.with_extension("toml");
                if !launches.is_file() {
                    continue;
                }
                let text = read(&source)?;
                for kernel in kernel_names(&text) {
                    let target = format!("{}::{kernel}", source.display());
                    let mut args = vec!["check", &target, "--device", "sim:h200"];
                    if read(&launches)?.contains("name = \"small\"") {
                        args.extend(["--launch-name", "small"]);
                    }
                    // One run stands alone, several are a list.
                    let runs = match bench.json(&args)? {
                        Value::Array(runs) => runs,
                        run => vec![run],
                    };
                    let findings = runs.iter().filter_map(|r| r["findings"].as_array());
                    checked += findings.clone().count();
                    let errors = findings.flatten().filter(|f| f["severity"] == "error");
                    wrong.extend(errors.map(|f| format!("{kernel}: {}", f["code"])));
                }
            }
            let found = match wrong.len() {
                0 => format!("none in {checked} kernels"),
                _ => wrong.join(", "),
            };
            Ok((found, checked > 0 && wrong.is_empty()))
        },
    )
}

fn oclgrind() -> Claim {
    Claim::new(
        "verdicts on Oclgrind's own kernel tests",
        "as its references say, each difference explained",
        |bench| {
            let (name, kept) = runs::newest_summary::<Oclgrind>(bench, "-oclgrind-tests")?;
            let explained = kept.differs.values().all(|reason| !reason.is_empty());
            let found = format!(
                "{} agree of {}, {} differ for a reason, {} for none, {name}",
                kept.agreed,
                kept.tests,
                kept.differs.len(),
                kept.unexplained.len()
            );
            let all = kept.agreed + kept.differs.len() == kept.tests;
            let ok = kept.tests > 0 && all && explained && kept.unexplained.is_empty();
            Ok((found, ok))
        },
    )
}

fn sarif() -> Claim {
    Claim::new(
        "SARIF",
        "valid against the published schema of 2.1.0",
        |bench| {
            let ran = test(bench, "tilewise-report", "renderers", &["schema"])?;
            Ok((ran.to_string(), ran.holds()))
        },
    )
}

/// What a run of tests came to.
struct Ran {
    passed: u64,
    failed: u64,
    /// The test program's own verdict.
    ok: bool,
}

impl Ran {
    fn holds(&self) -> bool {
        self.ok && self.passed > 0 && self.failed == 0
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tests passed, {} failed", self.passed, self.failed)
    }
}

/// Runs one test program, with clang or not at all.
fn test(bench: &Bench, package: &str, name: &str, args: &[&str]) -> anyhow::Result<Ran> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--locked", "-p", package, "--test", name, "--"])
        .args(args)
        .env("TILEWISE_REQUIRE_CLANG", "1")
        .current_dir(&bench.root)
        .output()
        .context("can't run cargo")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(line) = text.lines().find_map(|l| l.strip_prefix("test result: ")) else {
        bail!(
            "the tests did not run: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let count = |what: &str| {
        let parts = line.split([';', '.']).map(str::trim);
        let mut numbers = parts.filter_map(|p| p.strip_suffix(what)?.trim().parse().ok());
        numbers
            .next()
            .with_context(|| format!("`{line}` does not count what {what}"))
    };
    Ok(Ran {
        passed: count("passed")?,
        failed: count("failed")?,
        ok: output.status.success(),
    })
}

fn kernels_in(folder: &Path) -> anyhow::Result<usize> {
    let mut count = 0;
    for file in files(folder, "cl")? {
        count += kernel_names(&read(&file)?).count();
    }
    Ok(count)
}

/// Kernels that a text defines.
fn kernel_names(text: &str) -> impl Iterator<Item = &str> {
    let heads = text.split("kernel void ").skip(1);
    heads.filter_map(|rest| Some(rest.split_once('(')?.0.trim()))
}

/// Files with an ending, in a folder and those inside of it, by name.
fn files(folder: &Path, ending: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found: BTreeSet<PathBuf> = BTreeSet::new();
    let mut work = vec![folder.to_owned()];
    while let Some(folder) = work.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("can't list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension() == Some(OsStr::new(ending)) {
                found.insert(path);
            }
        }
    }
    Ok(found.into_iter().collect())
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))
}
