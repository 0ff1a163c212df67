//! A folder with kernels in which the binary runs, and whether this machine
//! has what a test needs.

use std::path::Path;
use std::process::{Command, Output};

/// Kernels by file name.
const KERNELS: &[(&str, &str)] = &[
    ("blur.cl", include_str!("../data/blur.cl")),
    ("gather.cl", include_str!("../data/gather.cl")),
    (
        "typo.cl",
        "__kernel void k(__global int *a)\n{\n    a[0] = one;\n}\n",
    ),
    (
        "include.cl",
        "#include \"none.h\"\n__kernel void k(__global int *a) { a[0] = 1; }\n",
    ),
    ("helper.cl", "float half_of(float x) { return x / 2; }\n"),
    (
        "recursion.cl",
        "int f(int n) { return n < 2 ? 1 : n * f(n - 1); }\n\
         kernel void k(global int *a) { a[get_global_id(0)] = f(3); }\n\
         kernel void m(global int *a) { a[get_global_id(0)] = 1; }\n",
    ),
    (
        "prints.cl",
        "kernel void a(global int *o, global const int *in) {\n\
         \x20   int g = get_global_id(0);\n\
         \x20   o[g] = in[g] * 3;\n\
         \x20   printf(\"%d\\n\", o[g]);\n\
         }\n\
         kernel void b(global int *o, global const int *in) {\n\
         \x20   int g = get_global_id(0);\n\
         \x20   o[g] = in[g] + in[g] + in[g];\n\
         }\n",
    ),
    ("empty.cl", "\n"),
];

/// Tests run in it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// Writes the kernels.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in KERNELS {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        Self(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs `tilewise` in it.
    pub fn run(&self, args: &[&str], environment: &[(&str, &str)]) -> Output {
        self.command(env!("CARGO_BIN_EXE_tilewise"))
            .args(args)
            .envs(environment.iter().copied())
            .output()
            .expect("tilewise runs")
    }

    /// A program that is to run in it, without the user's settings.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_remove("TILEWISE_DEVICE")
            .env_remove("CLICOLOR_FORCE")
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .current_dir(self.path());
        command
    }
}

/// Whether kernels can be compiled here, as the binary sees it.
///
/// # Panics
/// They can't, and `TILEWISE_REQUIRE_CLANG` is set.
pub fn have_clang() -> bool {
    let profile = [
        "profile",
        "blur.cl::naive",
        "--global",
        "64",
        "--arg",
        "n=64",
        "--device",
        "sim:h200",
    ];
    have("TILEWISE_REQUIRE_CLANG", &Folder::new().run(&profile, &[]))
}

/// What is printed; the tests' kernels have ASCII names.
pub fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

/// What is said beside the result.
pub fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

/// Whether a run found its tool or device; exit code 3 says that it did not.
pub fn have(required_by: &str, probe: &Output) -> bool {
    if probe.status.code() != Some(3) {
        return true;
    }
    let message = stderr(probe);
    assert!(
        std::env::var_os(required_by).is_none(),
        "{required_by} is set, and: {message}"
    );
    eprintln!("skipped: {message}");
    false
}
