//! Mutation test over the examples: what staging by hand gets wrong is found.
//!
//! `table.toml` lists broken versions of every staged kernel of `examples/` as
//! replacements in its text (barrier removed, barrier in a branch, halo one short,
//! second barrier removed, wrong index, early return before the barrier, wrong
//! fence flag). Each broken kernel must have the findings that the table names, at
//! the lines it names, and no others; a change that changes nothing must have none.
//! Warnings don't count.
//!
//! All broken versions of the kernels of one example are compiled together, as
//! kernels of one file, which is what a test costs.

mod build;
mod table;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use tilewise::commands::check::check_all;
use tilewise::{DeviceChoice, KernelInput, Session};
use tilewise_launch::{LaunchFile, LaunchSpec};
use tilewise_report::{Diagnostic, Severity};

use build::{Broken, Built};
use table::{Kernel, Table};

/// Every way of breaking a staged kernel. Each kernel is broken in each of them,
/// or the table says why it can't be.
const KINDS: [&str; 7] = [
    "barrier removed",
    "barrier in a branch",
    "halo one short",
    "second barrier removed",
    "wrong index",
    "early return",
    "wrong fence flag",
];

/// A test for each example, and one of the table itself.
pub fn trials() -> Result<Vec<Trial>, String> {
    let table = Table::read(include_str!("table.toml"))?;
    let mut trials = Vec::new();
    let mut examples: Vec<&str> = table.kernels.iter().map(|k| k.example.as_str()).collect();
    examples.dedup();
    for example in examples {
        let kernels: Vec<Kernel> = table.of(example).cloned().collect();
        let example = example.to_owned();
        let name = format!("mutants/{example}");
        trials.push(Trial::test(name, move || run(&example, &kernels)));
    }
    trials.push(Trial::test("mutants/table", move || complete(&table)));
    Ok(trials)
}

fn folder(example: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(example)
}

/// Every staged kernel of every example is there, broken in every way.
fn complete(table: &Table) -> Result<(), Failed> {
    let mut wrong = String::new();
    for entry in std::fs::read_dir(folder(""))? {
        let path = entry?.path();
        let Some(example) = path.file_name().and_then(|n| n.to_str()) else {
            continue;
        };
        if !path.is_dir() {
            continue;
        }
        let text = std::fs::read_to_string(path.join(example).with_extension("cl"))?;
        let staged = build::kernel_names(&text).filter(|name| !name.ends_with("_naive"));
        for name in staged {
            if !table.of(example).any(|k| k.name == name) {
                writeln!(wrong, "{name} of examples/{example} is not in the table")?;
            }
        }
    }
    for kernel in &table.kernels {
        for kind in KINDS {
            let broken = kernel.mutants.iter().any(|m| m.kind == kind);
            if broken == kernel.without.contains_key(kind) {
                let name = &kernel.name;
                writeln!(
                    wrong,
                    "{name}: needs a mutant with `{kind}`, or else a reason under `without`"
                )?;
            }
        }
        for mutant in &kernel.mutants {
            if !KINDS.contains(&mutant.kind.as_str()) {
                writeln!(wrong, "{}: `{}` is unknown", kernel.name, mutant.kind)?;
            }
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.into())
    }
}

/// Checks all broken versions of the kernels of an example.
fn run(example: &str, kernels: &[Kernel]) -> Result<(), Failed> {
    if !crate::have_clang()? {
        return Ok(());
    }
    let folder = folder(example);
    let source = std::fs::read_to_string(folder.join(example).with_extension("cl"))?;
    let launches = LaunchFile::read(&folder.join(example).with_extension("toml"))?;
    let built = Built::new(&source, kernels)?;
    let place = tempfile::tempdir()?;
    let path = place.path().join(example).with_extension("cl");
    std::fs::write(&path, &built.text)?;
    let inputs = built
        .broken
        .iter()
        .map(|broken| input(&path, broken, &launches))
        .collect::<Result<Vec<_>, Failed>>()?;
    let session = Session {
        device: DeviceChoice::Simulated("h200".to_owned()),
        threads: Some(1),
        ..Session::default()
    };
    let runs = check_all(&session, &inputs)?;
    let mut wrong = String::new();
    for (broken, run) in built.broken.iter().zip(&runs) {
        let errors = run
            .findings
            .iter()
            .filter(|f| f.severity == Severity::Error);
        let errors: Vec<&Diagnostic> = errors.collect();
        compare(&built, broken, &errors, &mut wrong)?;
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.into())
    }
}

/// A broken kernel with the launch of the kernel that it was.
fn input(path: &Path, broken: &Broken, launches: &LaunchFile) -> Result<KernelInput, Failed> {
    let launch = launches.select(Some(broken.launch()), Some(&broken.original))?;
    Ok(KernelInput {
        path: path.to_owned(),
        kernel: Some(broken.name.clone()),
        flags: LaunchSpec {
            name: None,
            kernel: None,
            ..launch.clone()
        },
        ..KernelInput::default()
    })
}

/// Compares findings with what the table names; says in `wrong` what differs.
fn compare(
    built: &Built,
    broken: &Broken,
    findings: &[&Diagnostic],
    wrong: &mut String,
) -> Result<(), Failed> {
    let expected = broken.expected()?;
    let mut said = String::new();
    for (code, line) in &expected {
        if !findings.iter().any(|f| f.code == *code && f.line == *line) {
            writeln!(said, "    no {code} at `{}`", built.line(*line))?;
        }
    }
    for finding in findings {
        let known = |(code, line): &(&str, u32)| finding.code == *code && finding.line == *line;
        if !expected.iter().any(known) {
            writeln!(
                said,
                "    not expected: {} at `{}`: {}",
                finding.code,
                built.line(finding.line),
                finding.message
            )?;
        }
    }
    if !said.is_empty() {
        writeln!(wrong, "{}:\n{said}", broken.title())?;
    }
    Ok(())
}
