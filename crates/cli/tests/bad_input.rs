//! Input that can't be used: each has a message that says what, where and what
//! next, the right exit code, nothing on stdout and nothing written.
//!
//! The kernels are compiled, so these tests need clang and the SPIR-V
//! translator.

use std::path::Path;
use std::process::{Command, Output};

/// A 3-tap blur, and a form of it that keeps a tile in local memory.
const BLUR: &str = r"
__kernel void naive(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);
    if (i > 0 && i + 1 < n)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3.0f;
}

__kernel void tiled(__global const float *in, __global float *out, int n,
                    __local float *tile)
{
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = tile[l];
}
";

/// Reads a table at places that another buffer names.
const GATHER: &str = r"
__kernel void gather(__global const int *idx, __global const float *table,
                     __global float *out)
{
    int i = get_global_id(0);
    out[i] = table[idx[i]];
}
";

/// A folder with kernels; tests run in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [
            ("blur.cl", BLUR),
            ("gather.cl", GATHER),
            ("empty.cl", "\n"),
            ("helper.cl", "float half_of(float x) { return x / 2; }\n"),
            (
                "typo.cl",
                "__kernel void k(__global int *a)\n{\n    a[0] = one;\n}\n",
            ),
        ] {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        Self(folder)
    }

    fn run(&self, args: &[&str], environment: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_tilewise"))
            .args(args)
            .env_remove("TILEWISE_DEVICE")
            .env_remove("CLICOLOR_FORCE")
            .envs(environment.iter().copied())
            .current_dir(self.0.path())
            .output()
            .expect("tilewise runs")
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .expect("a folder")
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
    let before = folder.names();
    let exports = ["--export-json", "run.json", "--export-html", "run.html"];
    let all = [&["profile"], args, &exports[..]].concat();
    let output = folder.run(&all, environment);
    let message = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{all:?}: {message}");
    assert!(message.starts_with("error: "), "{all:?}: {message}");
    for part in parts {
        assert!(
            message.contains(part),
            "{all:?} does not say {part:?}: {message}"
        );
    }
    assert!(output.stdout.is_empty(), "{all:?} printed a result");
    assert_eq!(folder.names(), before, "{all:?} wrote something");
}

#[test]
fn files_without_a_kernel() {
    refused(&["missing.cl"], 2, &["can't read missing.cl"]);
    refused(&["empty.cl"], 2, &["empty.cl is empty"]);
    refused(&["helper.cl"], 2, &["helper.cl holds no kernel"]);
    refused(&["."], 2, &["bundle.json"]);
    refused(&["typo.cl"], 2, &["typo.cl:3:12", "'one'"]);
}

#[test]
fn kernels_that_are_not_named_or_not_there() {
    refused(&["blur.cl"], 2, &["blur.cl::naive", "blur.cl::tiled"]);
    refused(&["blur.cl::naiv"], 2, &["no kernel `naiv`", "naive"]);
    refused(&["blur.cl", "--kernel", "niave"], 2, &["no kernel `niave`"]);
}

#[test]
fn arguments_that_do_not_fit_the_kernel() {
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
    let naive = |args: &[&str], parts: &[&str]| {
        refused(
            &[&["blur.cl::naive", "--arg", "n=100"], args].concat(),
            2,
            parts,
        );
    };
    naive(&[], &["the global size", "--global"]);
    naive(&["--global", "0"], &["--global 0"]);
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

/// A length that is given is a promise, and the kernel must keep it.
#[test]
fn data_that_sends_the_kernel_out_of_a_buffer() {
    refused(
        &["gather.cl", "--global", "256", "--arg", "table=[16]"],
        2,
        &["idx", "table", "gather.cl:6", "random(0,"],
    );
}

#[test]
fn devices_and_tools_that_are_not_there() {
    let launch = ["blur.cl::naive", "--arg", "n=256", "--global", "256"];
    let on = |device| [&launch[..], &["--device", device]].concat();
    refused(&on("sim:h2000"), 2, &["sim:h2000", "sim:h200"]);
    refused(&on("sim:no.toml"), 2, &["no.toml"]);
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
}

/// `init` writes a file that the other commands find, and leaves one that is
/// there alone.
#[test]
fn init_does_not_overwrite() {
    let folder = Folder::new();
    let init = folder.run(&["init", "blur.cl::naive"], &[]);
    let said = String::from_utf8(init.stdout).expect("UTF-8");
    assert_eq!(
        init.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&init.stderr)
    );
    assert!(
        said.contains("blur.toml") && said.contains("tilewise profile"),
        "{said}"
    );
    let file = folder.0.path().join("blur.toml");
    std::fs::write(&file, "mine").expect("written");
    let again = folder.run(&["init", "blur.cl::naive"], &[]);
    let message = String::from_utf8(again.stderr).expect("UTF-8");
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
