//! Buffers, aliases and local memory.

use super::{len, limits, message, run, spec, value as arg};
use crate::resolve::resolve;
use crate::resolved::{ArgValue, Buffer, Fill};
use crate::samples::{blur_naive, blur_tiled, global, kernel, local, value};
use crate::signature::{Signature, ValueType};

fn buffer(resolved: &super::Resolved, name: &str) -> Buffer {
    match arg(resolved, name) {
        ArgValue::Buffer(buffer) => buffer.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

/// A blur with everything but `in`.
fn with_in(text: &str) -> Vec<String> {
    [
        "--global 1024",
        "n=1000",
        "out=[n]:zero",
        &format!("in={text}"),
    ]
    .map(str::to_owned)
    .to_vec()
}

fn given(text: &str) -> Buffer {
    let flags = with_in(text);
    buffer(
        &run(
            &blur_naive(),
            &flags.iter().map(String::as_str).collect::<Vec<_>>(),
        ),
        "in",
    )
}

fn wrong(text: &str) -> String {
    let flags = with_in(text);
    message(
        &blur_naive(),
        &flags.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

#[test]
fn lengths_and_fills() {
    for (text, len, fill, generated) in [
        ("[n]", Some(1000), Fill::Random { range: None }, true),
        (
            "f32[n*2]:random",
            Some(2000),
            Fill::Random { range: None },
            true,
        ),
        (
            "float[n]:random(0,n)",
            Some(1000),
            Fill::Random {
                range: Some((0.0, 1000.0)),
            },
            true,
        ),
        ("bytes[n]:zero", Some(250), Fill::Zero, false),
        ("[global_size(0)]:iota", Some(1024), Fill::Iota, false),
        ("[n]:-1.5", Some(1000), Fill::Constant(-1.5), false),
        (":n", None, Fill::Constant(1000.0), false),
    ] {
        let buffer = given(text);
        assert_eq!(
            (buffer.len, buffer.fill, buffer.generated),
            (len, fill, generated),
            "{text}"
        );
    }
}

#[test]
fn a_buffer_left_out_is_noted() {
    let resolved = run(
        &blur_naive(),
        &["--global 1024", "--local 256", "n=1000", "in=[n]"],
    );
    assert_eq!(len(&resolved, "out"), None);
    let notes: Vec<String> = resolved.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "out: length not given, upper bound not checked (set it with --arg 'out=[…]')",
            "random contents for in, out, seed 1 (set it with --arg 'in=[…]:zero' or --seed 1)",
        ]
    );
}

#[test]
fn types_that_differ_name_both() {
    assert_eq!(
        wrong("f64[n]"),
        "--arg 'in=f64[n]': in is given as f64, but the kernel has f32 (`__global const f32 *`)\n  \
         leave the type out: it comes from the kernel"
    );
    assert!(wrong("f32x4[n]").contains("given as f32x4, but the kernel has f32"));
    assert!(wrong("Particle[n]").contains("given as Particle"));
}

#[test]
fn buffers_of_the_wrong_kind_or_size() {
    assert!(wrong("5").contains("it needs a length in brackets"));
    assert!(wrong("local:[4]").contains("no local memory"));
    assert!(wrong("[n-1000]").contains("the length of in (`n-1000`) is 0"));
    assert!(wrong("[2^62]").contains("beyond 2^63"));
    assert!(wrong("bytes[n+1]").contains("1001 bytes are no whole number of elements of 4"));
    assert!(wrong("[n]:rnd").contains("`rnd` is no contents: there are random"));
    assert!(wrong("[n]:random(1,0)").contains("is empty"));
    assert!(wrong("[n]:1e39").contains("too large for float"));
    assert!(wrong("[m]").contains("unknown name `m`"));
}

#[test]
fn a_void_pointer_takes_the_given_type() {
    let mut param = global("data", "u8", false);
    if let crate::signature::ParamKind::Global { elem, .. } = &mut param.kind {
        *elem = ValueType::Opaque { size: 1, align: 1 };
    }
    let resolved = run(
        &kernel("k", 1, vec![param]),
        &["--global 256", "data=f32[16]"],
    );
    assert_eq!(buffer(&resolved, "data").bytes(), Some(64));
}

#[test]
fn aliases() {
    let resolved = run(
        &blur_naive(),
        &["--global 1024", "n=1000", "in=[n]", "out=same:in"],
    );
    assert_eq!(arg(&resolved, "out"), &ArgValue::Alias { of: 0 });
    let by_index = run(
        &blur_naive(),
        &["--global 1024", "n=1000", "in=[n]", "out=same:0"],
    );
    assert_eq!(by_index.launch, resolved.launch);
    assert!(wrong("same:n").contains("only buffers can be the same"));
    assert!(wrong("same:in").contains("can't be the same as itself"));
    assert!(wrong("same:ou").contains("did you mean `out`?"));
    assert_eq!(
        message(
            &blur_naive(),
            &["--global 256", "n=1", "in=same:out", "out=same:in"]
        ),
        "--arg in=same:out: in, out are all the same as each other, but none is a buffer: give \
         one a length"
    );
    let three = kernel(
        "k",
        1,
        vec![
            global("a", "f32", false),
            global("b", "f32", false),
            global("c", "f32", false),
        ],
    );
    let chain = run(&three, &["--global 256", "a=same:b", "b=same:c", "c=[4]"]);
    assert_eq!(arg(&chain, "a"), &ArgValue::Alias { of: 2 });
}

#[test]
fn no_memory() {
    let launch = run(
        &blur_naive(),
        &["--global 1024", "n=1000", "in=null", "out=[n]"],
    );
    assert_eq!(arg(&launch, "in"), &ArgValue::Null);
    let same = ["--global 1024", "n=1000", "in=null", "out=same:in"];
    assert_eq!(arg(&run(&blur_naive(), &same), "out"), &ArgValue::Null);
    let value = message(
        &blur_naive(),
        &["--global 1024", "n=null", "in=[1000]", "out=[1000]"],
    );
    assert!(
        value.contains("a value, and only buffers can be null"),
        "{value}"
    );
    let local = ["--global 1024", "n=1000", "tile=null"];
    let local = message(&blur_tiled(), &local);
    assert!(
        local.contains("local memory, which is never null"),
        "{local}"
    );
}

#[test]
fn local_memory() {
    let tile = |text: &str| {
        let flag = format!("tile={text}");
        let resolved = run(
            &blur_tiled(),
            &["--global 1024", "--local 64", "n=1000", &flag],
        );
        arg(&resolved, "tile").clone()
    };
    let bytes = |bytes| ArgValue::Local { bytes };
    assert_eq!(tile("local:f32[local_size(0)+2]"), bytes(264));
    assert_eq!(tile("local:[258]"), bytes(1032));
    assert_eq!(tile("[258]"), bytes(1032));
    assert_eq!(tile("local:bytes[1024]"), bytes(1024));
    let wrong = |text: &str| {
        message(
            &blur_tiled(),
            &["--global 1024", "n=1000", &format!("tile={text}")],
        )
    };
    assert!(wrong("local:1024").contains("elements or bytes?"));
    assert!(wrong("66").contains("local memory: it needs a length in brackets"));
    assert!(wrong("[66]:zero").contains("holds nothing at the start"));
    assert!(wrong("local:f64[66]").contains("given as f64"));
    assert!(wrong("local:[0]").contains("is 0"));
}

#[test]
fn more_local_memory_than_a_group_has() {
    let signature = kernel(
        "k",
        1,
        vec![local("a", "f32"), local("b", "f32x4"), value("n", "i32")],
    );
    let flags = ["--global 64", "n=1", "a=local:[1]", "b=local:[4000]"];
    assert_eq!(
        message(&signature, &flags),
        "the __local arguments take 64016 bytes a work-group (a 4, b 64000), a test device has \
         49152\n  make the tile or --local smaller"
    );
    let mut limits = limits();
    limits.max_local_bytes = None;
    assert!(resolve(&spec(&flags), &signature, &limits).is_ok());
}

fn table() -> Signature {
    kernel("k", 1, vec![global("in", "f32x3", true)])
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

#[test]
fn contents_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let floats: Vec<u8> = (0..6).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let flag = format!("in=@{}", path.display());
    let load = |signature: &Signature, contents: &[u8]| {
        std::fs::write(&path, contents).unwrap();
        resolve(&spec(&["--global 256", &flag]), signature, &limits()).map(|r| buffer(&r, "in"))
    };
    let scalars = kernel("k", 1, vec![global("in", "f32", true)]);
    let flat = load(&scalars, &npy("<f4", "(6,)", &floats)).unwrap();
    assert_eq!((flat.len, flat.generated), (Some(6), false));
    let Fill::File { data, .. } = &flat.fill else {
        panic!("{flat:?}")
    };
    assert_eq!(data[..], floats[..]);

    // Rows of three become vectors of three, which take the room of four.
    let vectors = load(&table(), &npy("<f4", "(2, 3)", &floats)).unwrap();
    assert_eq!((vectors.len, vectors.bytes()), (Some(2), Some(32)));

    let text = load(&scalars, &npy("<f8", "(3,)", &floats))
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("its elements are f64, the kernel has f32; save it with a.astype('float32')"),
        "{text}"
    );
    let text = load(&table(), &npy("<f4", "(6,)", &floats))
        .unwrap_err()
        .to_string();
    assert!(text.contains("does not split into vectors of 3"), "{text}");

    let raw = folder.path().join("a.bin");
    std::fs::write(&raw, [0; 10]).unwrap();
    let text = message(
        &scalars,
        &["--global 256", &format!("in=@{}", raw.display())],
    );
    assert!(
        text.contains("10 bytes are no whole number of elements of 4 bytes"),
        "{text}"
    );
    std::fs::write(&raw, [0; 12]).unwrap();
    let text = message(
        &scalars,
        &["--global 256", &format!("in=[4]:@{}", raw.display())],
    );
    assert!(
        text.contains("holds 3 elements, the length given is 4"),
        "{text}"
    );
    let text = message(&scalars, &["--global 256", "in=@no/such.bin"]);
    assert!(text.contains("can't read no/such.bin"), "{text}");
}
