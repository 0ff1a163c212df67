//! Free sizes.

use super::{bytes, len, message, run, value as arg};
use crate::resolve::{Resolved, Tie};
use crate::resolved::ArgValue;
use crate::samples::{blur_naive, blur_tiled, convolution, kernel, value};

fn names(resolved: &Resolved) -> Vec<&str> {
    resolved
        .free_sizes
        .iter()
        .map(|f| f.name.as_str())
        .collect()
}

#[test]
fn a_size_in_expressions() {
    let flags = [
        "--global roundup(n,256)",
        "n=2^20",
        "in=[n]",
        "out=[n]",
        "tile=local:[local_size(0)+2]",
    ];
    let resolved = run(&blur_tiled(), &flags);
    assert_eq!(
        resolved.describe_sizes(),
        ["n = 1048576: with it changes global size in dimension 0, length of in, length of out"]
    );
    let small = resolved.with_size("n", 1000).unwrap();
    assert_eq!(small.launch.range.global, [1024, 1, 1]);
    assert_eq!(
        (len(&small, "in"), bytes(&small, "n")),
        (Some(1000), &1000_i32.to_le_bytes()[..])
    );
    assert_eq!(arg(&small, "tile"), &ArgValue::Local { bytes: 258 * 4 });
    assert_eq!(small.free_sizes[0].value, 1000);
    // Back again, it is the launch as given.
    assert_eq!(
        small.with_size("n", 1 << 20).unwrap().launch,
        resolved.launch
    );
}

#[test]
fn a_literal_global_size_is_tied_to_the_size_below_it() {
    let resolved = run(
        &blur_naive(),
        &[
            "--global 1024",
            "--local 256",
            "n=1000",
            "in=[1000]",
            "out=[n]",
        ],
    );
    assert_eq!(
        resolved.free_sizes[0].ties,
        [
            Tie::GlobalLiteral { dim: 0 },
            Tie::Length { arg: "out".into() }
        ]
    );
    let small = resolved.with_size("n", 3).unwrap();
    assert_eq!(small.launch.range.global, [256, 1, 1]);
    assert_eq!(small.launch.range.local, [256, 1, 1]);
    // A literal length says nothing about other sizes.
    assert_eq!((len(&small, "in"), len(&small, "out")), (None, Some(3)));
    // A whole group below, it is no rounding.
    let far = run(
        &blur_naive(),
        &["--global 1280", "--local 256", "n=1000", "in=[1000]"],
    );
    assert_eq!(names(&far), Vec::<&str>::new());
    assert!(far.describe_sizes()[0].contains("--size NAME"));
}

#[test]
fn an_unrounded_global_size_follows_in_whole_groups() {
    let resolved = run(
        &blur_naive(),
        &["--global n", "--local 256", "n=1024", "in=[n]"],
    );
    assert_eq!(
        resolved.with_size("n", 1000).unwrap().launch.range.global,
        [1024, 1, 1]
    );
}

#[test]
fn two_literal_dimensions_go_by_name() {
    let flags = [
        "--global 64x64",
        "W=60",
        "H=60",
        "R=2",
        "in=[W*H]",
        "tile=local:[(local_size(0)+2*R)*20]",
    ];
    let resolved = run(&convolution(), &flags);
    assert_eq!(names(&resolved), ["W", "H"]);
    let ties = |n: usize| &resolved.free_sizes[n].ties[0];
    assert_eq!(
        (ties(0), ties(1)),
        (
            &Tie::GlobalLiteral { dim: 0 },
            &Tie::GlobalLiteral { dim: 1 }
        )
    );
    let flat = resolved.with_sizes(&[("W", 100), ("H", 1)]).unwrap();
    assert_eq!(flat.launch.range.global, [112, 16, 1]);
    assert_eq!(len(&flat, "in"), Some(100));
    // One after the other gives the same.
    let one = resolved
        .with_size("W", 100)
        .unwrap()
        .with_size("H", 1)
        .unwrap();
    assert_eq!(one.launch, flat.launch);
}

#[test]
fn sizes_reach_through_other_scalars() {
    let signature = kernel("k", 1, vec![value("n", "i32"), value("total", "i32")]);
    let resolved = run(&signature, &["--global total", "n=64", "total=n*4"]);
    assert_eq!(
        resolved.describe_sizes(),
        ["n = 64: with it changes global size in dimension 0, value of total"]
    );
    let small = resolved.with_size("n", 65).unwrap();
    assert_eq!(bytes(&small, "total"), 260_i32.to_le_bytes());
    assert_eq!(small.launch.range.global, [512, 1, 1]);
}

#[test]
fn a_named_size_is_free() {
    let signature = kernel("k", 1, vec![value("n", "i32"), value("a", "f32")]);
    let flags = ["--global 64", "n=1000", "a=1"];
    assert_eq!(names(&run(&signature, &flags)), Vec::<&str>::new());
    let resolved = run(&signature, &[&flags[..], &["--size n"]].concat());
    assert_eq!(
        resolved.describe_sizes(),
        ["n = 1000: with it changes nothing else"]
    );
    assert_eq!(
        bytes(&resolved.with_size("n", 5).unwrap(), "n"),
        5_i32.to_le_bytes()
    );
    let text = message(&signature, &[&flags[..], &["--size a"]].concat());
    assert!(
        text.contains("a size is an integer argument that is given as a number"),
        "{text}"
    );
    let text = message(&signature, &[&flags[..], &["--size m"]].concat());
    assert!(text.contains("has no argument `m`"), "{text}");
}

#[test]
fn sizes_that_can_not_be() {
    let resolved = run(
        &blur_naive(),
        &["--global roundup(n,256)", "n=1000", "in=[n-1]"],
    );
    let message = |name: &str, value| resolved.with_size(name, value).unwrap_err().to_string();
    assert!(message("m", 1).contains("there is no size m; there are n"));
    assert!(message("n", 1).contains("the length of in (`n-1`) is 0"));
    assert!(message("n", 1 << 40).contains("does not fit int"));
}

#[test]
fn files_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.bin");
    std::fs::write(&path, [0; 64]).unwrap();
    let flag = format!("in=@{}", path.display());
    let resolved = run(&blur_naive(), &["--global n", "n=16", &flag, "out=[n]"]);
    std::fs::remove_file(&path).unwrap();
    let small = resolved.with_size("n", 8).unwrap();
    assert_eq!((len(&small, "in"), len(&small, "out")), (Some(16), Some(8)));
}
