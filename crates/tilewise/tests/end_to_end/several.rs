//! Files of several kernels.

use tilewise::KernelInput;
use tilewise::commands::check::check;

use crate::common::{have_clang, simulated};

const TEXT: &str = "\
kernel void fine(global int *a) { a[get_global_id(0)] = 1; }
kernel void beyond(global int *a) { a[get_global_id(0) + 1] = 1; }
kernel void unnamed(global int *a) { a[get_global_id(0) + 2] = 1; }
";
const LAUNCHES: &str = "\
[[launch]]
kernel = \"beyond\"
global = 64
args = { a = \"[64]\" }

[[launch]]
kernel = \"fine\"
global = 64
args = { a = \"[64]\" }

[[launch]]
kernel = \"beyond\"
name = \"again\"
global = 128
args = { a = \"[128]\" }
";

/// Without a kernel's name all are checked of which the launch file has launches.
#[test]
fn check_takes_each_kernel_of_the_launch_file() {
    if !have_clang() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.cl");
    std::fs::write(&path, TEXT).expect("a file");
    std::fs::write(path.with_extension("toml"), LAUNCHES).expect("a file");
    let checked = |input: &KernelInput| -> Vec<(String, usize)> {
        let runs = check(&simulated(), input).expect("checked");
        let found = runs.into_iter().map(|r| (r.kernel, r.findings.len()));
        found.collect()
    };
    let input = KernelInput {
        path,
        ..KernelInput::default()
    };
    let both = [("beyond".to_owned(), 1), ("fine".to_owned(), 0)];
    assert_eq!(checked(&input), both);
    let again = KernelInput {
        launch_name: Some("again".to_owned()),
        ..input
    };
    assert_eq!(checked(&again), both[..1]);
}
