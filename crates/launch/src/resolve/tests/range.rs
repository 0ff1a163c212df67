//! Global size, work-group size and offset.

use super::{limits, message, run, spec};
use crate::resolve::resolve;
use crate::samples::{kernel, value};
use crate::signature::Signature;

fn empty(dims: u8) -> Signature {
    kernel("k", dims, vec![value("n", "i32")])
}

/// Global and local size.
fn range(flags: &[&str]) -> ([u64; 3], [u64; 3]) {
    let range = run(&empty(0), &[flags, &["n=1000"]].concat()).launch.range;
    (range.global, range.local)
}

#[test]
fn the_default_group_divides_the_global_size() {
    assert_eq!(range(&["--global 4096"]).1, [256, 1, 1]);
    assert_eq!(range(&["--global 1000"]).1, [250, 1, 1]);
    assert_eq!(range(&["--global 100"]).1, [100, 1, 1]);
    assert_eq!(range(&["--global 4096x4096"]).1, [16, 16, 1]);
    assert_eq!(range(&["--global 30,64"]).1, [15, 16, 1]);
    assert_eq!(range(&["--global 64x64x64"]).1, [8, 8, 4]);
    assert_eq!(
        range(&["--global roundup(n,local_size(0))"]),
        ([1024, 1, 1], [256, 1, 1])
    );
}

#[test]
fn the_default_group_is_noted_with_its_flag() {
    let notes = |flags: &[&str]| -> Vec<String> {
        run(&empty(0), flags)
            .notes
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    assert_eq!(
        notes(&["--global 1000", "n=1"]),
        [
            "work-group size 250, cut so that it divides the global size (set it with --local 250, or if \
          the kernel guards its range --global 1024)"
        ]
    );
    assert_eq!(
        notes(&["--global 512", "n=1"]),
        ["work-group size 256 (set it with --local 256)"]
    );
    assert_eq!(
        notes(&["--global 512", "--local 64", "n=1"]),
        Vec::<String>::new()
    );
}

#[test]
fn a_group_that_does_not_divide_comes_with_corrected_flags() {
    assert_eq!(
        message(&empty(0), &["--global 1000", "--local 48", "n=1"]),
        "the work-group size 48 does not divide the global size 1000 in dimension 0, which OpenCL \
         before 2.0 requires\n  \
         round the global size up (the kernel must guard its range): --global 1008\n  \
         or take a group that divides it: --local 40\n  \
         or build for OpenCL 2.0 or later, which allows a smaller last group: --build-options \
         -cl-std=CL2.0"
    );
    let prime = message(&empty(0), &["--global 1009", "--local 64", "n=1"]);
    assert!(
        prime.contains("--global 1024") && !prime.contains("--local 1"),
        "{prime}"
    );
    let text = message(&empty(0), &["--global n,30", "--local 16x16", "n=1000"]);
    assert!(text.contains("--global 'roundup(n,16),32'"), "{text}");
    assert!(text.contains("--local 10x15"), "{text}");
}

#[test]
fn the_corrected_flags_work() {
    assert_eq!(
        range(&["--global roundup(n,16),32", "--local 16x16"]).0,
        [1008, 32, 1]
    );
    assert_eq!(range(&["--global n,30", "--local 10x15"]).1, [10, 15, 1]);
}

#[test]
fn a_smaller_last_group_where_it_is_allowed() {
    let mut limits = limits();
    limits.non_uniform_groups = true;
    let resolved = resolve(
        &spec(&["--global 1000", "--local 48", "n=1"]),
        &empty(0),
        &limits,
    )
    .unwrap();
    assert_eq!(resolved.launch.range.groups(), [21, 1, 1]);
}

#[test]
fn groups_beyond_the_device() {
    assert_eq!(
        message(&empty(0), &["--global 4096", "--local 2048", "n=1"]),
        "--local 2048: a work-group of 2048 work-items is more than the 1024 allowed on a test \
         device\n  a group that fits: --local 1024"
    );
    let text = message(&empty(0), &["--global 64x64x128", "--local 1x1x128", "n=1"]);
    assert!(
        text.contains("128 work-items in dimension 2 of a group are more than the 64"),
        "{text}"
    );
    let text = message(&empty(0), &["--global 64x64", "--local 64x64", "n=1"]);
    assert!(text.contains("--local 32x32"), "{text}");
}

#[test]
fn zero_negative_and_huge_sizes() {
    assert_eq!(
        message(&empty(0), &["--global n", "n=0"]),
        "--global n: the global size in dimension 0 (`n`) is 0, and nothing would run; it must be \
         at least 1"
    );
    assert!(message(&empty(0), &["--global 64", "--local 0", "n=1"]).contains("the local size"));
    assert!(message(&empty(0), &["--global n-2", "n=1"]).contains("can't be negative"));
    assert!(message(&empty(0), &["--global 2^40x2^40", "n=1"]).contains("beyond 2^63"));
    assert!(message(&empty(0), &["--global 256", "--offset 2^63", "n=1"]).contains("too large"));
}

#[test]
fn dimensions_must_agree() {
    assert_eq!(
        message(&empty(0), &["--global 64x64", "--local 64", "n=1"]),
        "--local 64: the work-group size has 1 dimension, the global size 2 dimensions\n  write \
         --local 64,1"
    );
    assert!(
        message(&empty(0), &["--global 64", "--offset 1x1", "n=1"]).contains("write --offset 1")
    );
    let resolved = run(&empty(0), &["--global 64x64", "--offset 8", "n=1"]);
    assert_eq!(resolved.launch.range.offset, [8, 0, 0]);
}

#[test]
fn a_required_group_is_taken_and_kept() {
    let mut signature = empty(2);
    signature.reqd_local = Some([32, 8, 1]);
    let resolved = run(&signature, &["--global 64x64", "n=1"]);
    assert_eq!(resolved.launch.range.local, [32, 8, 1]);
    assert_eq!(
        resolved.notes[0].to_string(),
        "work-group size 32x8 (reqd_work_group_size) (set it with --local 32x8)"
    );
    assert_eq!(
        message(&signature, &["--global 64x64", "--local 16x16", "n=1"]),
        "--local 16x16: kernel k requires work-groups of 32x8 (reqd_work_group_size)\n  leave \
         --local out, or write --local 32x8"
    );
    let text = message(&signature, &["--global 100x64", "n=1"]);
    assert!(
        text.contains("--global 128x64") && !text.contains("take a group"),
        "{text}"
    );
}

#[test]
fn fewer_dimensions_than_the_kernel_asks_about_are_noted() {
    let resolved = run(&empty(2), &["--global 64", "--local 64", "n=1"]);
    assert!(
        resolved.notes[0].text.contains("1 of the 2 dimensions"),
        "{:?}",
        resolved.notes
    );
}

#[test]
fn errors_in_sizes_are_shown_in_place() {
    assert_eq!(
        message(&empty(0), &["--global 64xm", "n=1"]),
        "--global 64xm: unknown name `m`: names with a value here: n\n    64xm\n       ^"
    );
}
