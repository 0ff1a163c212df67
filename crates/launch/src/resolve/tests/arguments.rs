//! Names, indices, and arguments by value.

use super::{bytes, len, message, run, spec};
use crate::resolve::resolve;
use crate::samples::{blur_naive, blur_tiled, elem, global, kernel, value};
use crate::signature::{Field, Param, ParamKind, StructType, ValueType};
use crate::spec::{Origin, Text};

#[test]
fn by_name_and_by_index() {
    let by_name = run(
        &blur_naive(),
        &["--global 1024", "n=1000", "in=[n]", "out=[n]"],
    );
    let by_index = run(
        &blur_naive(),
        &["--global 1024", "2=1000", "0=[n]", "1=[n]"],
    );
    assert_eq!(by_name.launch, by_index.launch);
    assert_eq!(bytes(&by_name, "n"), 1000_i32.to_le_bytes());
}

#[test]
fn everything_missing_is_reported_at_once_with_flags() {
    assert_eq!(
        message(&blur_tiled(), &[]),
        "kernel blur_tiled can't be launched yet: 3 values are missing\n  \
         n (i32)               for instance --arg n=1048576\n  \
         tile (__local f32 *)  for instance --arg 'tile=local:[local_size(0)+2]'\n  \
         the global size       for instance --global 'roundup(n,256)'"
    );
}

#[test]
fn the_suggested_flags_launch_the_kernel() {
    let flags = [
        "--global roundup(n,256)",
        "n=1048576",
        "tile=local:[local_size(0)+2]",
    ];
    assert_eq!(
        run(&blur_tiled(), &flags).launch.range.global,
        [1 << 20, 1, 1]
    );
}

#[test]
fn unknown_names_and_indices() {
    assert_eq!(
        message(&blur_naive(), &["--global 1", "n=1", "inn=[n]"]),
        "--arg 'inn=[n]': kernel blur_naive has no argument `inn`; did you mean `in`?\n  \
         its parameters: 0 in (__global const f32 *), 1 out (__global f32 *), 2 n (i32)"
    );
    assert!(
        message(&blur_naive(), &["--global 1", "3=1"])
            .starts_with("--arg 3=1: kernel blur_naive has 3 arguments, so the last index is 2")
    );
    let two = message(&blur_naive(), &["n=1", "foo=1", "bar=1"]);
    assert!(two.contains("`foo`") && two.contains("`bar`"), "{two}");
}

#[test]
fn an_argument_given_twice() {
    assert_eq!(
        message(&blur_naive(), &["--global 1", "n=1", "2=2"]),
        "argument n is given twice: --arg n=1 and --arg 2=2; remove one"
    );
    // The command line wins over the file even where one names and one counts.
    let mut mixed = spec(&["--global 256", "2=2", "n=1"]);
    let path = std::path::Path::new("blur.toml").into();
    mixed.args[0].value = Text {
        text: "2".into(),
        origin: Origin::File { path, line: 3 },
    };
    let resolved = resolve(&mixed, &blur_naive(), &super::limits()).unwrap();
    assert_eq!(bytes(&resolved, "n"), 1_i32.to_le_bytes());
}

#[test]
fn scalars_of_scalars_in_any_order() {
    let signature = kernel(
        "k",
        1,
        vec![
            value("total", "i32"),
            value("W", "i32"),
            value("H", "u16"),
            value("dx", "f32"),
        ],
    );
    let resolved = run(
        &signature,
        &["--global W", "total=W*H", "W=64", "H=W/2", "dx=1.0/H"],
    );
    assert_eq!(bytes(&resolved, "total"), 2048_i32.to_le_bytes());
    assert_eq!(bytes(&resolved, "dx"), (1.0_f32 / 32.0).to_le_bytes());
}

#[test]
fn scalars_may_ask_for_the_range() {
    let signature = kernel("k", 1, vec![value("groups", "i32"), value("n", "i32")]);
    let resolved = run(
        &signature,
        &[
            "--global roundup(n,64)",
            "--local 64",
            "n=100",
            "groups=num_groups(0)",
        ],
    );
    assert_eq!(bytes(&resolved, "groups"), 2_i32.to_le_bytes());
    assert_eq!(
        message(
            &signature,
            &["--global groups", "n=1", "groups=num_groups(0)"]
        ),
        "these values need each other, so none can be computed: the global size needs groups \
         needs the NDRange"
    );
}

#[test]
fn circles_are_named() {
    let signature = kernel("k", 1, vec![value("a", "i32"), value("b", "i32")]);
    assert_eq!(
        message(&signature, &["--global 1", "a=b+1", "b=a"]),
        "these values need each other, so none can be computed: a needs b needs a"
    );
}

#[test]
fn wrong_values_are_reported_together() {
    let signature = kernel(
        "k",
        1,
        vec![value("a", "u8"), value("b", "f32x2"), value("c", "i32")],
    );
    assert_eq!(
        message(&signature, &["--global 1", "a=300", "b=1", "c=[4]"]),
        "--arg a=300: 300 does not fit uchar (u8), which holds 0 to 255\n    300\n    ^^^\n\
         --arg b=1: b is `f32x2`: expected 2 components for float2 (f32x2), as in (1.5,1.5)\n\
         --arg 'c=[4]': c is `i32`, a value and no buffer\n  write for instance --arg c=0"
    );
}

#[test]
fn macros_are_names_too() {
    let resolved = run(
        &blur_naive(),
        &[
            "--global 256",
            "-D TILE=16",
            "-D T=float",
            "n=TILE*2",
            "in=[n]",
        ],
    );
    assert_eq!(len(&resolved, "in"), Some(32));
}

fn params() -> Param {
    let field = |name: &str, offset, ty: &str| Field {
        name: name.into(),
        offset,
        ty: elem(ty),
        array: None,
    };
    let layout = StructType {
        name: "Params".into(),
        size: 8,
        align: 4,
        fields: vec![field("nx", 0, "i32"), field("dt", 4, "f32")],
    };
    Param {
        name: "p".into(),
        kind: ParamKind::Value(ValueType::Struct(layout)),
        spelling: "Params".into(),
    }
}

#[test]
fn members_of_structures_are_names() {
    let signature = kernel("k", 1, vec![params(), global("in", "f32", true)]);
    let resolved = run(
        &signature,
        &["--global p.nx", "p={nx:64,dt:0.1}", "in=[p.nx+2]"],
    );
    assert_eq!(len(&resolved, "in"), Some(66));
    assert!(message(&signature, &["--global 1", "p={nx:64}"]).contains("no value for dt"));
}

#[test]
fn values_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.bin");
    std::fs::write(&path, [64, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let signature = kernel("k", 1, vec![params()]);
    let flag = format!("p=@{}", path.display());
    let resolved = run(&signature, &["--global p.nx", &flag]);
    assert_eq!(resolved.launch.range.global, [64, 1, 1]);
    std::fs::write(&path, [0; 16]).unwrap();
    let text = message(&signature, &["--global 1", &flag]);
    assert!(
        text.contains("holds 16 bytes, the argument takes 8"),
        "{text}"
    );
}
