//! What the commands print: JSON that the schema allows, every format, a saved
//! run that reads the same, and shown commands that run as shown.

mod common;

use std::path::Path;

use common::{Folder, have, have_clang, stderr, stdout};
use serde_json::Value;
use tilewise_report::json::RUN_SCHEMA;

/// One launch of the naive kernel, which the tiled one shares.
const LAUNCH: [&str; 4] = ["--global", "roundup(n,64)", "--local", "64"];
const SIZE: [&str; 6] = ["--arg", "n=1000", "--arg", "in=[n]", "--arg", "out=[n]"];
const TILE: [&str; 2] = ["--arg", "tile=local:[local_size(0)]"];
const SIMULATED: [&str; 2] = ["--device", "sim:h200"];

/// A command on the blur, with everything that its launch needs.
fn on_blur<'a>(command: &[&'a str], device: &[&'a str]) -> Vec<&'a str> {
    [command, &LAUNCH, &SIZE, device].concat()
}

fn assert_valid(text: &str) {
    let schema: Value = serde_json::from_str(RUN_SCHEMA).expect("a schema");
    let value: Value = serde_json::from_str(text).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|e| format!("{}: {e}", e.instance_path))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// Runs a command that exits with `code`, saves its run, and renders the saved
/// one in every format.
fn every_format(folder: &Folder, command: &[&str], code: i32) {
    let saved = |n: &str| -> [String; 2] { ["json", "html"].map(|e| format!("{n}.{e}")) };
    let [json, html] = saved("first");
    let export = ["--export-json", &json, "--export-html", &html];
    let original = folder.run(&[command, &export].concat(), &[]);
    assert_eq!(
        original.status.code(),
        Some(code),
        "{command:?}: {}",
        stderr(&original)
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_valid(&read(&json));

    let [json_again, html_again] = saved("again");
    let export = ["--export-json", &json_again, "--export-html", &html_again];
    let again = folder.run(&[&["report", &json], &export[..]].concat(), &[]);
    // A saved run is only shown: its findings change no exit code.
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    let gated = folder.run(&["report", &json, "--fail-on", "error"], &[]);
    assert_eq!(gated.status.code(), Some(code), "{}", stderr(&gated));
    assert_eq!(stdout(&again), stdout(&original), "{command:?}");
    assert_eq!(read(&json_again), read(&json), "{command:?}");
    assert_eq!(read(&html_again), read(&html), "{command:?}");
    assert!(read(&html).trim_end().ends_with("</html>"), "{command:?}");

    for format in ["json", "markdown", "github", "sarif"] {
        let shown = folder.run(&["report", &json, "--format", format], &[]);
        let text = stdout(&shown);
        assert_eq!(shown.status.code(), Some(0), "{format}: {}", stderr(&shown));
        match format {
            "json" => assert_valid(text),
            "markdown" => assert!(text.contains("naive") || text.contains("tiled"), "{text}"),
            "github" => assert_eq!(text.contains("::error file="), code == 1, "{text}"),
            _ => {
                let log: Value = serde_json::from_str(text).expect("SARIF is JSON");
                assert_eq!(log["version"], "2.1.0");
                let results = log["runs"][0]["results"].as_array().expect("results");
                assert_eq!(results.is_empty(), code == 0, "{text}");
            }
        }
    }
}

#[test]
fn profile_and_check() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    for command in ["profile", "check"] {
        let clean = on_blur(&[command, "blur.cl::naive"], &SIMULATED);
        every_format(&folder, &clean, 0);
        let mut short = clean;
        short.iter_mut().for_each(|a| {
            if *a == "in=[n]" {
                *a = "in=[900]";
            }
        });
        every_format(&folder, &short, 1);
    }
}

#[test]
fn advise_and_verify() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    let alone = on_blur(&["advise", "blur.cl::naive"], &SIMULATED);
    every_format(&folder, &alone, 0);
    // The tiled kernel of this file computes something else.
    let pair = ["advise", "blur.cl::naive", "--against", "::tiled"];
    let pair = [on_blur(&pair, &SIMULATED), TILE.to_vec()].concat();
    let output = folder.run(&pair, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let same = on_blur(&["verify", "blur.cl::naive", "::naive"], &SIMULATED);
    every_format(&folder, &same, 0);
    let different = ["verify", "blur.cl::naive", "::tiled"];
    let different = [on_blur(&different, &SIMULATED), TILE.to_vec()].concat();
    let output = folder.run(&different, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stderr(&output).contains("differ"), "{}", stderr(&output));
}

#[test]
fn commands_on_a_device() {
    let folder = Folder::new();
    let bench = ["bench", "blur.cl::naive", "--budget", "0.1"];
    let bench = on_blur(&bench, &["--device", "cl:0"]);
    if !have_clang() || !have("TILEWISE_REQUIRE_OPENCL", &folder.run(&bench, &[])) {
        return;
    }
    every_format(&folder, &bench, 0);
    // What a kernel prints on the device, once per launch, is not in the result.
    let prints = ["verify", "prints.cl::a", "::b", "--device", "cl:0"];
    let launch = ["--global", "8", "--arg", "o=[8]", "--arg", "in=[8]:iota"];
    let json = ["--format", "json", "--budget", "0.1"];
    let prints = [&prints[..], &launch, &json].concat();
    let output = folder.run(&prints, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_valid(stdout(&output));
    // Several runs in one file.
    let verify = ["verify", "blur.cl::naive", "::naive"];
    every_format(&folder, &on_blur(&verify, &["--device", "all"]), 0);
}

/// Needs neither clang nor OpenCL.
#[test]
fn demo_with_nothing_installed() {
    let folder = Folder::new();
    let nothing = [
        ("PATH", "/no/such/folder"),
        ("TILEWISE_CLANG", "/no/such/clang"),
        ("TILEWISE_OPENCL_LIB", "/no/such/libOpenCL.so"),
    ];
    for device in [&[][..], &SIMULATED] {
        let arguments = [&["demo", "--export-json", "demo.json"], device].concat();
        let output = folder.run(&arguments, &nothing);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let last = stdout(&output)
            .trim_end()
            .lines()
            .last()
            .unwrap_or_default();
        assert!(last.starts_with("verdict: "), "{last}");
        assert!(last.contains("NVIDIA H200 | predicted"), "{last}");
        let saved = std::fs::read_to_string(folder.path().join("demo.json")).expect("a run");
        assert_valid(&saved);
        let again = folder.run(&["report", "demo.json"], &nothing);
        assert_eq!(stdout(&again), stdout(&output));
    }
}

/// A bundle needs no clang, and gives what the source gave.
#[test]
fn bundles_without_clang() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    let export = on_blur(&["export", "blur.cl::naive", "-o", "kept"], &SIMULATED);
    let output = folder.run(&export, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let no_clang = [("TILEWISE_CLANG", "/no/such/clang")];
    let json = |target: &str, environment: &[(&str, &str)]| -> Value {
        let command = on_blur(&["profile", target, "--format", "json"], &SIMULATED);
        let output = folder.run(&command, environment);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let mut run: Value = serde_json::from_str(stdout(&output)).expect("JSON");
        run["file"].take();
        run
    };
    assert_eq!(json("kept::naive", &no_clang), json("blur.cl::naive", &[]));
}

/// A shell runs every command that `init` shows, also where names need quotes.
#[test]
fn commands_that_init_shows() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    let odd = "it's a blur.cl";
    std::fs::copy(folder.path().join("blur.cl"), folder.path().join(odd)).expect("copied");
    let binary = Path::new(env!("CARGO_BIN_EXE_tilewise"));
    let path = format!(
        "{}:{}",
        binary.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    for file in ["blur.cl", odd] {
        let output = folder.run(&["init", file], &[]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let commands: Vec<&str> = stdout(&output)
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .collect();
        assert_eq!(commands.len(), 4, "{}", stdout(&output));
        for command in commands {
            let mut shell = folder.command("sh");
            let run = shell
                .args(["-c", command])
                .env("PATH", &path)
                .env("TILEWISE_DEVICE", "sim:h200")
                .output()
                .expect("a shell");
            assert_eq!(run.status.code(), Some(0), "{command}: {}", stderr(&run));
            assert!(stdout(&run).contains("Counters"), "{command}");
        }
    }
}

/// Progress and threads leave no trace in the result.
#[test]
fn threads_do_not_matter() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    let with = |threads| {
        let command = [
            "profile",
            "blur.cl::naive",
            "--format",
            "json",
            "--threads",
            threads,
        ];
        let output = folder.run(&on_blur(&command, &SIMULATED), &[]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output).to_owned()
    };
    assert_eq!(with("1"), with("4"));
}

/// What a kernel prints goes to stderr, each line marked as the kernel's, and
/// the run says that there was some.
#[test]
fn a_kernel_that_prints() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    let text = "kernel void talks(global int *o) {\n    int i = get_global_id(0);\n    printf(\"%d of %.1f\\n\", i, 2.5f);\n    o[i] = i;\n}\n";
    std::fs::write(folder.path().join("talks.cl"), text).expect("written");
    let launch = [
        "talks.cl", "--global", "2", "--local", "1", "--arg", "o=[2]",
    ];
    for command in ["check", "profile"] {
        let args = [&[command], &launch[..], &SIMULATED].concat();
        let output = folder.run(&args, &[]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let lines: Vec<&str> = stderr(&output)
            .lines()
            .filter(|l| l.starts_with("talks prints | "))
            .collect();
        assert_eq!(
            lines,
            ["talks prints | 0 of 2.5", "talks prints | 1 of 2.5"]
        );
        assert!(
            stdout(&output).contains("talks printed 2 lines"),
            "{command}"
        );
        assert!(!stdout(&output).contains("0 of 2.5"), "{command}");
    }
}

/// A baseline holds what is known; lines may move, and what is new stays.
#[test]
fn check_against_a_baseline() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    let source = folder.path().join("blur.cl");
    let text = std::fs::read_to_string(&source).expect("the source");
    let mut short = on_blur(&["check", "blur.cl::naive"], &SIMULATED);
    short.iter_mut().for_each(|a| {
        if *a == "in=[n]" {
            *a = "in=[900]";
        }
    });
    let check = |more: &[&str]| folder.run(&[&short[..], more].concat(), &[]);

    let missing = check(&["--baseline", "known.json"]);
    assert_eq!(missing.status.code(), Some(2));
    let said = stderr(&missing);
    assert!(said.contains("--write-baseline known.json"), "{said}");

    let written = check(&["--write-baseline", "known.json"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    assert!(stdout(&written).contains("TW104"), "{}", stdout(&written));
    let known = check(&["--baseline", "known.json"]);
    assert_eq!(known.status.code(), Some(0), "{}", stdout(&known));
    let said = stdout(&known);
    assert!(said.contains("in the baseline known.json"), "{said}");
    assert!(!said.contains("TW104"), "{said}");

    std::fs::write(&source, format!("\n// Moved.\n\n{text}")).expect("the source");
    let moved = check(&["--baseline", "known.json"]);
    assert_eq!(moved.status.code(), Some(0), "{}", stdout(&moved));

    let changed = text.replace("in[i - 1]", "in[i - 2 + 1]");
    assert_ne!(changed, text);
    std::fs::write(&source, changed).expect("the source");
    let new = check(&["--baseline", "known.json"]);
    assert_eq!(new.status.code(), Some(1), "{}", stdout(&new));
    let said = stdout(&new);
    assert!(
        said.contains("TW104") && said.contains("no more there"),
        "{said}"
    );

    std::fs::write(folder.path().join("known.json"), "{}").expect("a file");
    let broken = check(&["--baseline", "known.json"]);
    assert_eq!(broken.status.code(), Some(2));
    let said = stderr(&broken);
    assert!(said.contains("known.json is no baseline"), "{said}");
    // What can't be read is not written over.
    let broken = check(&["--write-baseline", "known.json"]);
    assert_eq!(broken.status.code(), Some(2));
}

/// `stage --write` makes two files and replaces none, unless told to.
#[test]
fn staging_loses_no_file() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    let stage = |more: &[&str]| {
        folder.run(
            &on_blur(&[&["stage", "blur.cl::naive"], more].concat(), &SIMULATED),
            &[],
        )
    };
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    for (name, said) in [
        ("blur.cl", "is the original"),
        ("blur.toml", "ends in .cl"),
        ("blur.ocl", "ends in .cl"),
        ("gather.cl", "gather.cl exists"),
    ] {
        let output = stage(&["--write", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
    let output = stage(&["--write", "new.cl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(read("new.cl").contains("barrier(CLK_LOCAL_MEM_FENCE);"));
    assert!(read("new.toml").contains("tile = "));
    std::fs::remove_file(folder.path().join("new.cl")).expect("removed");
    let output = stage(&["--write", "new.cl"]);
    assert!(
        stderr(&output).contains("new.toml exists"),
        "{}",
        stderr(&output)
    );
    let output = stage(&["--write", "new.cl", "--force-write"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(read("gather.cl").contains("kernel"));
}
