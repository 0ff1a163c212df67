//! What `check` finds in small kernels: every kernel of `tests/fail/KIND/` has
//! the findings that comments at its lines name, and no others; every kernel of
//! `tests/pass/KIND/` has none. Each wrong kernel has its mended twin in the
//! file of the same name under `pass`.
//!
//! # A test file
//!
//! A `.cl` file is a test. Its first comment holds launches as a launch file has
//! them; one without a kernel's name is for all kernels that have none of their
//! own, and gives each the arguments that it takes. Behind a line `[check]`
//! stand options: `strict = true`, `allow = ["TW101"]`, `loop_budget = 100000`,
//! `device = "rx7900xtx"` (`h200` unless it is named), `off_chip = true` (local
//! memory is part of global memory, as on CPUs).
//!
//! ```c
//! /*
//! [[launch]]
//! global = 128
//! local = 64
//! args = { in = "[128]", out = "[128]" }
//! */
//! kernel void swapped(global const int *in, global int *out) {
//!     …
//!     out[gid] = tile[63 - lid]; //~ TW101 put barrier(CLK_LOCAL_MEM_FENCE) between
//! }
//! ```
//!
//! `//~ CODE` expects findings of that code on its line, `//~^ CODE` on the line
//! above (one more `^` for each further line). Text behind the code must be part
//! of one such finding's message, labels, notes or help. Warnings (TW2xx) count in
//! `performance` alone: kernels of the other kinds are too small to be quick.
//!
//! A file is compiled once, which is what a test costs: put kernels of one topic
//! together. `cargo test -p tilewise --test checks -- races` runs the files
//! whose path holds `races`.
//!
//! `mutants` breaks the staged kernels of `examples/` and looks for the findings.

mod expect;
mod mutants;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use tilewise::commands::check::check_all;
use tilewise::{DeviceChoice, KernelInput, Session};
use tilewise_frontend::Toolchain;
use tilewise_report::{Diagnostic, Run, Severity};

use expect::{Expected, TestFile};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut trials = Vec::new();
    for verdict in ["fail", "pass"] {
        let files = match files(&root.join(verdict)) {
            Ok(files) => files,
            Err(error) => {
                eprintln!("can't list the test files: {error}");
                return ExitCode::FAILURE;
            }
        };
        for path in files {
            let name = path.strip_prefix(&root).unwrap_or(&path);
            let name = name.with_extension("").display().to_string();
            trials.push(Trial::test(name, move || run(&path, verdict == "fail")));
        }
    }
    match mutants::trials() {
        Ok(more) => trials.extend(more),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The kernel files of all kinds, by name.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for kind in std::fs::read_dir(folder)? {
        for entry in std::fs::read_dir(kind?.path())? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "cl") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn run(path: &Path, wrong: bool) -> Result<(), Failed> {
    if !have_clang()? {
        return Ok(());
    }
    let text = std::fs::read_to_string(path)?;
    let file = TestFile::read(&text)?;
    let inputs: Vec<KernelInput> = file
        .launches
        .iter()
        .map(|(kernel, spec)| KernelInput {
            path: path.to_owned(),
            kernel: Some(kernel.clone()),
            flags: spec.clone(),
            ..KernelInput::default()
        })
        .collect();
    let folder = tempfile::tempdir()?;
    let device = if file.off_chip {
        DeviceChoice::ProfileFile(off_chip(folder.path())?)
    } else {
        DeviceChoice::Simulated(file.device.clone())
    };
    let session = Session {
        device,
        threads: Some(1),
        strict: file.strict,
        loop_budget: file.loop_budget,
        allow: file.allow.clone(),
        ..Session::default()
    };
    let mut runs = check_all(&session, &inputs)?;
    let kind = path.parent().and_then(Path::file_name);
    if kind.is_none_or(|kind| kind != "performance") {
        for run in &mut runs {
            run.findings.retain(|f| f.severity == Severity::Error);
        }
    }
    compare(&file, &runs)?;
    twins(path, &file, wrong)?;
    Ok(())
}

/// Writes the profile of a device whose local memory is part of global memory.
fn off_chip(folder: &Path) -> Result<PathBuf, Failed> {
    let text = include_str!("../../../../profiles/h200.toml");
    let on_chip = r#"kind = { value = "local""#;
    if text.matches(on_chip).count() != 1 {
        return Err("the profile does not say where local memory is".into());
    }
    let path = folder.join("off_chip.toml");
    let text = text.replace(on_chip, r#"kind = { value = "global""#);
    std::fs::write(&path, text)?;
    Ok(path)
}

/// Whether clang and the SPIR-V translator are here.
///
/// # Errors
/// They are not, and `TILEWISE_REQUIRE_CLANG` is set.
fn have_clang() -> Result<bool, Failed> {
    match Toolchain::find() {
        Ok(_) => Ok(true),
        Err(error) if std::env::var_os("TILEWISE_REQUIRE_CLANG").is_some() => {
            Err(error.to_string().into())
        }
        Err(error) => {
            eprintln!("skipped: {error}");
            Ok(false)
        }
    }
}

/// Compares findings with what the comments name.
fn compare(file: &TestFile, runs: &[Run]) -> Result<(), String> {
    let found: Vec<&Diagnostic> = runs.iter().flat_map(|r| &r.findings).collect();
    let at = |f: &&&Diagnostic, e: &Expected| f.line == e.line && f.code == e.code;
    let mut wrong = Vec::new();
    for expected in &file.expected {
        let here: Vec<&&Diagnostic> = found.iter().filter(|f| at(f, expected)).collect();
        if here.is_empty() {
            wrong.push(format!("line {}: no {}", expected.line, expected.code));
        } else if !here.iter().any(|f| says(f, &expected.text)) {
            wrong.push(format!(
                "line {}: {} without the words `{}`",
                expected.line, expected.code, expected.text
            ));
        }
    }
    for finding in &found {
        if !file.expected.iter().any(|e| at(&finding, e)) {
            wrong.push(format!(
                "line {}: {} in {} is not expected",
                finding.line, finding.code, finding.kernel
            ));
        }
    }
    // Every wrong kernel must be found by itself.
    for (run, (kernel, lines)) in runs.iter().zip(file.kernels()) {
        let expected = file.expected.iter().any(|e| lines.contains(&e.line));
        if expected && run.findings.is_empty() {
            wrong.push(format!("{kernel}: nothing found"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let all: Vec<String> = found.iter().map(|f| format!("{f:#?}")).collect();
    Err(format!("{}\n\n{}", wrong.join("\n"), all.join("\n")))
}

fn says(finding: &Diagnostic, text: &str) -> bool {
    let labels = finding.labels.iter().map(|l| &l.message);
    let mut all = [&finding.message]
        .into_iter()
        .chain(labels)
        .chain(&finding.notes)
        .chain(&finding.help);
    all.any(|said| said.contains(text))
}

/// Checks that each kernel of a `fail` file expects something, that its twin
/// exists, and that a `pass` file expects nothing.
fn twins(path: &Path, file: &TestFile, wrong: bool) -> Result<(), String> {
    if !wrong {
        return match file.expected.first() {
            Some(e) => Err(format!("line {}: nothing is expected under pass", e.line)),
            None => Ok(()),
        };
    }
    let twin = path.to_string_lossy().replace("tests/fail/", "tests/pass/");
    let text = std::fs::read_to_string(&twin).map_err(|e| format!("{twin}: {e}"))?;
    let twin = TestFile::read(&text)?;
    for (kernel, lines) in file.kernels() {
        if !file.expected.iter().any(|e| lines.contains(&e.line)) {
            return Err(format!("{kernel} expects no finding"));
        }
        if !twin.kernels().any(|(name, _)| name == kernel) {
            return Err(format!("{kernel} has no mended twin under pass"));
        }
    }
    Ok(())
}
