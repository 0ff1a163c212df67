//! Formats, files and exit codes, by means of `tilewise report` on a saved run:
//! every command hands its runs to the same code.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn saved() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/loses.json")
}

fn tilewise(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewise"));
    command
        .args(args)
        .env_remove("TILEWISE_DEVICE")
        .env_remove("CLICOLOR_FORCE");
    command
}

/// `tilewise report` on the saved run.
fn report(args: &[&str]) -> Output {
    tilewise(&["report"])
        .arg(saved())
        .args(args)
        .output()
        .expect("tilewise runs")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn text_ends_with_the_verdict_and_pipes_get_no_colours() {
    let output = report(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let last = stdout(&output).lines().last().unwrap_or_default();
    assert!(
        last.starts_with("verdict: loses 0.83x (95% CI 0.82-0.84)"),
        "{last}"
    );
    assert!(!stdout(&output).contains('\x1b'));
    assert!(stdout(&report(&["--color", "always"])).contains('\x1b'));
    assert_eq!(stderr(&output), "");
}

#[test]
fn json_comes_back_unchanged_but_for_what_was_left_out() {
    let original: Value =
        serde_json::from_str(&std::fs::read_to_string(saved()).expect("fixture")).expect("JSON");
    let shown =
        |args: &[&str]| -> Value { serde_json::from_str(stdout(&report(args))).expect("JSON") };
    let full = shown(&["--format", "json", "--timings"]);
    assert_eq!(full["measured"]["samples"], original["measured"]["samples"]);
    assert_eq!(full["verdict"]["speedup"], original["verdict"]["speedup"]);
    assert_eq!(full["timings"], original["timings"]);
    let short = shown(&["--format", "json", "--no-data"]);
    assert_eq!(short["measured"]["samples"], Value::Array(Vec::new()));
    assert_eq!(short.get("timings"), None);
}

#[test]
fn each_format_is_rendered() {
    for (format, mark) in [
        ("markdown", "loses"),
        ("github", "::warning file=blur.cl,line=12"),
        ("sarif", "\"ruleId\": \"TW201\""),
    ] {
        let output = report(&["--format", format]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{format}: {}",
            stderr(&output)
        );
        assert!(
            stdout(&output).contains(mark),
            "{format}: {}",
            stdout(&output)
        );
    }
}

#[test]
fn gates_set_the_exit_code_and_say_why() {
    for (args, code, why) in [
        (&["--require", "loses"][..], 0, ""),
        (&["--require", "pays,loses"][..], 0, ""),
        (
            &["--require", "pays"][..],
            1,
            "the verdict on blur_naive on NVIDIA H200 is loses",
        ),
        (
            &["--fail-on", "warning"][..],
            1,
            "1 finding of severity warning or error",
        ),
        (&["--fail-on", "error"][..], 0, ""),
        (&["--fail-on", "never"][..], 0, ""),
    ] {
        let output = report(args);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(why),
            "{args:?}: {}",
            stderr(&output)
        );
        assert_eq!(
            stderr(&output).is_empty(),
            why.is_empty(),
            "{args:?}: {}",
            stderr(&output)
        );
    }
    let quiet = report(&["--require", "pays", "--quiet"]);
    assert_eq!((quiet.status.code(), stderr(&quiet)), (Some(1), ""));
}

#[test]
fn files_are_written_beside_the_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let (json, html) = (
        folder.path().join("run.json"),
        folder.path().join("run.html"),
    );
    let output = report(&[
        "--export-json",
        &json.to_string_lossy(),
        "--export-html",
        &html.to_string_lossy(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["run.html", "run.json"]);
    assert!(stdout(&output).contains("verdict: loses"));
    let again = tilewise(&["report"])
        .arg(&json)
        .output()
        .expect("tilewise runs");
    assert_eq!(stdout(&again), stdout(&output));
    let page = std::fs::read_to_string(&html).expect("a page");
    assert!(page.contains("</html>"), "{page}");
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("run.json");
    let html = folder.path().join("missing/run.html");
    let output = report(&[
        "--export-json",
        &json.to_string_lossy(),
        "--export-html",
        &html.to_string_lossy(),
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    let message = stderr(&output);
    assert!(
        message.starts_with("error: can't write ") && message.contains("run.html"),
        "{message}"
    );
    assert!(
        names(folder.path()).is_empty(),
        "{:?}",
        names(folder.path())
    );
}

#[test]
fn a_file_that_is_no_run_is_named() {
    for (text, part) in [
        ("", "no JSON"),
        ("[1]", "no tilewise run"),
        ("{\"schema\": \"tilewise-run/99\"}", "tilewise-run/99"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("odd.json");
        std::fs::write(&path, text).expect("written");
        let output = tilewise(&["report"])
            .arg(&path)
            .output()
            .expect("tilewise runs");
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let message = stderr(&output);
        assert!(message.starts_with("error: "), "{message}");
        assert!(
            message.contains("odd.json") && message.contains(part),
            "{message}"
        );
    }
    let missing = tilewise(&["report", "no/such/run.json"])
        .output()
        .expect("tilewise runs");
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("can't read no/such/run.json"));
}

/// `tilewise … | head` closes the pipe early: no message, and the exit code of
/// the result.
#[test]
fn a_closed_pipe_is_no_failure() {
    for (args, code) in [(&[][..], 0), (&["--require", "pays", "--quiet"][..], 1)] {
        let mut child = tilewise(&["report"])
            .arg(saved())
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tilewise runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("tilewise ends");
        assert_eq!((output.status.code(), stderr(&output)), (Some(code), ""));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    let output = tilewise(&["report"])
        .arg(saved())
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .expect("tilewise runs");
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).starts_with("error: can't write the result to stdout"));
}
