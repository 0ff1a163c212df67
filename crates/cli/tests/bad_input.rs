//! Input that can't be used: each has a message that says what, where and what
//! next, the right exit code, nothing on stdout and nothing written.
//!
//! The kernels are compiled, so these tests need clang and the SPIR-V
//! translator.

mod common;

use std::path::Path;

use common::{Folder, have_clang, stderr, stdout};

/// Names of the files in a folder, sorted.
fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Runs `tilewise profile` with `args` and files to export, and expects exit
/// code `code` and a message with all of `parts`.
fn refused(args: &[&str], code: i32, parts: &[&str]) {
    refused_in(&Folder::new(), args, &[], code, parts);
}

fn refused_in(
    folder: &Folder,
    args: &[&str],
    environment: &[(&str, &str)],
    code: i32,
    parts: &[&str],
) {
    let before = names(folder);
    let exports = ["--export-json", "run.json", "--export-html", "run.html"];
    let all = [&["profile"], args, &exports[..]].concat();
    let output = folder.run(&all, environment);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{all:?}: {message}");
    assert!(message.starts_with("error: "), "{all:?}: {message}");
    for part in parts {
        assert!(
            message.contains(part),
            "{all:?} does not say {part:?}: {message}"
        );
    }
    assert!(output.stdout.is_empty(), "{all:?} printed a result");
    assert_eq!(names(folder), before, "{all:?} wrote something");
}

#[test]
fn files_without_a_kernel() {
    if !have_clang() {
        return;
    }
    refused(&["missing.cl"], 2, &["can't read missing.cl"]);
    refused(&["empty.cl"], 2, &["empty.cl is empty"]);
    refused(&["helper.cl"], 2, &["helper.cl holds no kernel"]);
    refused(&["."], 2, &["bundle.json"]);
    let recursive = "recursion.cl:1:39: kernel `k`: the recursive call of `f`";
    refused(&["recursion.cl::k"], 2, &[recursive]);
}

/// What clang says, with the user's file and line.
#[test]
fn kernels_that_do_not_compile() {
    if !have_clang() {
        return;
    }
    let marked = [
        "typo.cl does not compile",
        "typo.cl:3:12: error: ",
        "'one'",
        "a[0] = one;",
    ];
    refused(&["typo.cl"], 2, &marked);
    refused(
        &["include.cl"],
        2,
        &["include.cl:1:10: fatal error: ", "'none.h'"],
    );
    let macros = ["typo.cl", "-D", "one=two"];
    refused(&macros, 2, &["typo.cl:3:12", "'two'"]);
}

#[test]
fn kernels_that_are_not_named_or_not_there() {
    if !have_clang() {
        return;
    }
    refused(&["blur.cl"], 2, &["blur.cl::naive", "blur.cl::tiled"]);
    refused(
        &["blur.cl::naiv"],
        2,
        &["no kernel `naiv`, did you mean `naive`? It holds naive, tiled"],
    );
    refused(&["blur.cl", "--kernel", "niave"], 2, &["no kernel `niave`"]);
}

#[test]
fn arguments_that_do_not_fit_the_kernel() {
    if !have_clang() {
        return;
    }
    let naive = |args: &[&str], parts: &[&str]| {
        refused(
            &[&["blur.cl::naive", "--global", "256"], args].concat(),
            2,
            parts,
        );
    };
    naive(&[], &["n (int)", "--arg n="]);
    naive(&["--arg", "m=5"], &["no argument `m`", "2 n (int)"]);
    naive(&["--arg", "n=256", "--arg", "3=1"], &["3 arguments"]);
    naive(&["--arg", "n=[5]"], &["--arg 'n=[5]'", "int"]);
    naive(&["--arg", "n=256", "--arg", "in=f64[n]"], &["f64", "f32"]);
    naive(&["--arg", "n=1.5"], &["n=1.5", "int"]);
    naive(&["--arg", "n=256", "--arg", "in=5"], &["a buffer", "'in=["]);
    naive(&["--arg", "n=256", "--arg", "in=@no.npy"], &["no.npy"]);
    let tiled = ["blur.cl::tiled", "--global", "256", "--arg", "n=256"];
    refused(
        &tiled,
        2,
        &["tile (__local float *)", "--arg 'tile=local:["],
    );
}

#[test]
fn ranges_that_can_not_be_launched() {
    if !have_clang() {
        return;
    }
    let naive = |args: &[&str], parts: &[&str]| {
        refused(
            &[&["blur.cl::naive", "--arg", "n=100"], args].concat(),
            2,
            parts,
        );
    };
    naive(&[], &["the global size", "--global"]);
    naive(&["--global", "0"], &["--global 0"]);
    naive(&["--global", "64x0"], &["dimension 1", "is 0"]);
    naive(
        &["--global", "128", "--arg", "in=[0]"],
        &["length of in", "is 0"],
    );
    naive(&["--global", "64", "--local", "0"], &["--local 0"]);
    naive(
        &["--global", "100", "--local", "64"],
        &["64 does not divide the global size 100", "--global 128"],
    );
    naive(
        &[
            "--device", "sim:h200", "--global", "4096", "--local", "2048",
        ],
        &["1024", "NVIDIA H200"],
    );
    naive(&["--global", "8x"], &["--global 8x"]);
}

/// A length that is given is a promise, and the kernel must keep it: a finding
/// at each place, with a result.
#[test]
fn a_buffer_too_small_for_what_the_kernel_reads() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    let launch = ["blur.cl::naive", "--global", "128", "--local", "64"];
    let arguments = [
        "--arg", "n=128", "--arg", "in=[100]", "--device", "sim:h200",
    ];
    for command in ["check", "profile"] {
        let output = folder.run(&[&[command], &launch[..], &arguments].concat(), &[]);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{command}: {text}");
        let how_to_mend: &[&str] = match command {
            "check" => &["in[i - 1]", "give `in` the length"],
            // One line for each finding.
            _ => &[],
        };
        let what = "reads in[100], 1 element past its end (length 100)";
        for part in ["error[TW104]", "blur.cl:6:19", what]
            .iter()
            .chain(how_to_mend)
        {
            assert!(
                text.contains(part),
                "{command} does not say {part:?}: {text}"
            );
        }
        assert!(stderr(&output).contains("exit code 1: 3 findings"));
    }
}

/// No fault of the kernel: the contents are made up.
#[test]
fn data_that_sends_the_kernel_out_of_a_buffer() {
    if !have_clang() {
        return;
    }
    refused(
        &["gather.cl", "--global", "256", "--arg", "table=[16]"],
        2,
        &[
            "idx",
            "table",
            "gather.cl:6",
            "idx=:random(0,16)",
            "random(0,",
        ],
    );
}

#[test]
fn devices_and_tools_that_are_not_there() {
    if !have_clang() {
        return;
    }
    let launch = ["blur.cl::naive", "--arg", "n=256", "--global", "256"];
    let on = |device| [&launch[..], &["--device", device]].concat();
    refused(&on("sim:h2000"), 2, &["sim:h2000", "sim:h200"]);
    refused(&on("sim:no.toml"), 2, &["no.toml"]);
    refused(&on("gpu"), 2, &["`gpu` names no device", "sim:NAME"]);
    // Found by nothing, on any system.
    let nowhere = [("PATH", "/no/such/folder")];
    let missing = Folder::new().run(&[&["profile"], &launch[..]].concat(), &nowhere);
    if missing.status.code() == Some(3) {
        let message = stderr(&missing);
        assert!(
            message.contains("not found") && message.contains("install"),
            "{message}"
        );
    } else {
        // Both tools stand where they are found without the PATH.
        assert_eq!(missing.status.code(), Some(0), "{}", stderr(&missing));
    }
    let clang = [("TILEWISE_CLANG", "/no/such/clang")];
    refused_in(
        &Folder::new(),
        &launch,
        &clang,
        3,
        &["clang", "/no/such/clang"],
    );
    let no_opencl = [("TILEWISE_OPENCL_LIB", "/no/such/libOpenCL.so")];
    refused_in(
        &Folder::new(),
        &on("cl:0"),
        &no_opencl,
        3,
        &["/no/such/libOpenCL.so"],
    );
    // Without an OpenCL library the exit code is the same.
    refused(&on("cl:99"), 3, &[]);
}

/// `init` writes a file that the other commands find, and leaves one that is
/// there alone.
#[test]
fn init_does_not_overwrite() {
    if !have_clang() {
        return;
    }
    let folder = Folder::new();
    let init = folder.run(&["init", "blur.cl::naive"], &[]);
    let said = stdout(&init);
    assert_eq!(init.status.code(), Some(0), "{}", stderr(&init));
    assert!(
        said.contains("blur.toml") && said.contains("tilewise profile"),
        "{said}"
    );
    let file = folder.path().join("blur.toml");
    std::fs::write(&file, "mine").expect("written");
    let again = folder.run(&["init", "blur.cl::naive"], &[]);
    let message = stderr(&again);
    assert_eq!(again.status.code(), Some(2), "{message}");
    assert!(message.contains("--force-write"), "{message}");
    assert_eq!(text(&file), "mine");
    let forced = folder.run(&["init", "blur.cl::naive", "--force-write"], &[]);
    assert_eq!(forced.status.code(), Some(0));
    assert!(text(&file).contains("[[launch]]"), "{}", text(&file));
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}
