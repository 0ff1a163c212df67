//! What staging writes, as diffs of the example kernels and of small kernels for
//! single points.

use std::collections::HashMap;
use std::path::Path;

use similar::TextDiff;
use tilewise_frontend::{Options, Source, Toolchain, source};
use tilewise_staging::{Code, Launch, Staged, remove, stage};

fn staged(
    path: &Path,
    text: String,
    kernel: &str,
    scalars: &[(&str, i128)],
    local: [u64; 3],
) -> Result<Staged, Vec<tilewise_staging::Refusal>> {
    let source = Source {
        path: path.to_owned(),
        text,
        prepend: Vec::new(),
    };
    let tools = Toolchain::find().expect("clang is installed");
    let tree = source::source_tree(&tools, &source, &Options::default()).expect("it compiles");
    let function = tree.function(kernel).expect("the kernel is there");
    let launch = Launch {
        scalars: scalars
            .iter()
            .map(|(n, v)| ((*n).to_owned(), *v))
            .collect::<HashMap<_, _>>(),
        local,
        limit: 48 << 10,
        element_bytes: function
            .params
            .iter()
            .map(|p| {
                (
                    p.name.clone(),
                    if p.ty.written.contains("float4") || p.ty.written.contains("image") {
                        16
                    } else {
                        4
                    },
                )
            })
            .collect(),
        lengths: HashMap::from([("table".to_owned(), 256)]),
        fixed_lengths: vec!["table".to_owned()],
        ..Launch::default()
    };
    stage(&tree, kernel, &launch)
}

/// A change in short: its lines without those around it.
fn diff(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(1)
        .to_string()
}

fn example(name: &str, kernel: &str, scalars: &[(&str, i128)], local: [u64; 3]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name)
        .join(format!("{name}.cl"));
    let text = std::fs::read_to_string(&path).expect("the example is there");
    match staged(&path, text.clone(), kernel, scalars, local) {
        Ok(staged) => {
            let tiles: Vec<String> = staged
                .tiles
                .iter()
                .map(|t| format!("{} in {}: {}\n", t.buffer, t.name, t.length()))
                .collect();
            format!("{}{}", tiles.concat(), diff(&text, &staged.text))
        }
        Err(refusals) => refusals.iter().map(|r| format!("{r}\n")).collect(),
    }
}

/// An example, its kernel, scalars and group shape.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, i128)], [u64; 3]);

/// Every naive example.
#[test]
fn examples() {
    let image = [("W", 4096), ("H", 4096), ("D", 64), ("R", 3)];
    let cases: [Case; 19] = [
        ("blur", "blur_naive", &[("n", 1 << 20)], [256, 1, 1]),
        ("conv2d", "conv2d_naive", &image, [32, 8, 1]),
        ("conv2d_fixed", "conv2d_fixed_naive", &image, [32, 8, 1]),
        ("conv2d_wrap", "conv2d_wrap_naive", &image, [32, 8, 1]),
        ("conv2d_zero", "conv2d_zero_naive", &image, [32, 8, 1]),
        (
            "fir",
            "fir_naive",
            &[("n", 1 << 20), ("R", 16)],
            [256, 1, 1],
        ),
        ("gaussian", "gaussian_rows_naive", &image, [32, 8, 1]),
        ("gaussian", "gaussian_columns_naive", &image, [32, 8, 1]),
        ("jacobi", "jacobi_naive", &image, [32, 8, 1]),
        (
            "kmeans",
            "kmeans_naive",
            &[("n", 1 << 20), ("K", 16), ("D", 4)],
            [256, 1, 1],
        ),
        ("lut", "lut_naive", &[("n", 1 << 20)], [256, 1, 1]),
        ("map", "map_naive", &[("n", 1 << 20)], [256, 1, 1]),
        (
            "matmul",
            "matmul_naive",
            &[("M", 1024), ("N", 1024), ("K", 1024)],
            [16, 16, 1],
        ),
        ("nbody", "nbody_naive", &[("n", 1 << 16)], [256, 1, 1]),
        (
            "pairwise",
            "pairwise_naive",
            &[("n", 4096), ("D", 64)],
            [16, 16, 1],
        ),
        ("image_blur", "image_blur_naive", &image, [16, 16, 1]),
        (
            "rowsum",
            "rowsum_naive",
            &[("rows", 1 << 16), ("cols", 1024)],
            [64, 1, 1],
        ),
        ("stencil3d", "stencil3d_naive", &image, [32, 4, 2]),
        ("transpose", "transpose_naive", &image, [32, 8, 1]),
    ];
    for (name, kernel, scalars, local) in cases {
        insta::assert_snapshot!(kernel, example(name, kernel, scalars, local));
    }
}

/// The code of the first refusal of a kernel `k`, or the new text.
fn outcome(text: &str) -> Result<String, Code> {
    let found = staged(
        Path::new("k.cl"),
        text.to_owned(),
        "k",
        &[("W", 64), ("H", 64), ("n", 64)],
        [16, 16, 1],
    );
    found.map(|s| s.text).map_err(|r| r[0].code)
}

/// What can't be staged is refused by the right code.
#[test]
fn refusals() {
    let cases = [
        (
            Code::Written,
            "__kernel void k(__global float *a, int n) { int i = get_global_id(0); if (i > 0 && i < n) a[i] = a[i - 1]; }",
        ),
        (
            Code::DataDependent,
            "__kernel void k(__global const float *a, __global const int *c, __global float *o) { int i = get_global_id(0); o[i] = a[c[i]]; }",
        ),
        (
            Code::Guard,
            "__kernel void k(__global const float *a, __global const int *m, __global float *o) { int i = get_global_id(0); if (m[i]) o[i] = a[i] + a[i + 1]; }",
        ),
        (
            Code::Unbounded,
            "__kernel void k(__global const float *a, __global float *o) { int i = get_global_id(0); float s = 0; for (int j = 0; j < i; ++j) s += a[j]; o[i] = s; }",
        ),
        (
            Code::Barrier,
            "__kernel void k(__global const float *a, __global float *o) { barrier(CLK_LOCAL_MEM_FENCE); int i = get_global_id(0); o[i] = a[i] + a[i + 1]; }",
        ),
        (
            Code::Escapes,
            "float f(__global const float *p, int i) { return p[i] + p[i + 1]; } __kernel void k(__global const float *a, __global float *o) { int i = get_global_id(0); o[i] = f(a, i); }",
        ),
        (
            Code::Volatile,
            "__kernel void k(__global const volatile float *a, __global float *o) { int i = get_global_id(0); o[i] = a[i] + a[i + 1]; }",
        ),
        (
            Code::Macro,
            "#define BOTH (a[i] + a[i + 1])\n__kernel void k(__global const float *a, __global float *o) { int i = get_global_id(0); o[i] = BOTH; }",
        ),
        (
            Code::NoReuse,
            "__kernel void k(__global const float *a, __global float *o) { int i = get_global_id(0); o[i] = a[i]; }",
        ),
        (
            Code::TooLarge,
            "__kernel void k(__global const float *a, __global float *o, int W, int H, int n) { int i = get_global_id(0); float s = 0; for (int c = 0; c < H; ++c) for (int d = 0; d < W * n; ++d) s += a[c * W * n + d]; o[i] = s; }",
        ),
        (
            Code::Form,
            "__kernel void k(__global const float *a, __global float *o) { int i = get_global_id(0); o[i] = a[i * i]; }",
        ),
    ];
    for (code, text) in cases {
        assert_eq!(outcome(text), Err(code), "{text}");
    }
}

/// The refusals of a kernel `k` for a group.
fn refused(
    text: &str,
    scalars: &[(&str, i128)],
    local: [u64; 3],
) -> Vec<tilewise_staging::Refusal> {
    staged(Path::new("k.cl"), text.to_owned(), "k", scalars, local).expect_err("refused")
}

/// A box that is too large names the largest group whose box is not.
#[test]
fn a_group_that_fits_is_named() {
    let text = "__kernel void k(__global const float *a, __global float *o, int W) { int x = get_global_id(0), y = get_global_id(1); o[y * W + x] = a[y * W + x] + a[(y + 40) * W + x + 40]; }";
    let found = refused(text, &[("W", 4096)], [128, 128, 1]);
    assert_eq!(found[0].code, Code::TooLarge);
    let help = found[0].help.as_deref();
    assert_eq!(help, Some("with --local 64x64 it takes 43264 B"));
}

/// Loads that are refused for one reason are told of once.
#[test]
fn refusals_for_one_reason_are_one() {
    let text = "__kernel void k(__global const float *a, __global const int *c, __global float *o) { int i = get_global_id(0); o[i] = a[c[i]] + a[c[i] + 1] + a[c[i] + 2]; }";
    let found = refused(text, &[], [64, 1, 1]);
    let of_a: Vec<&str> = found
        .iter()
        .filter(|r| r.code == Code::DataDependent)
        .map(|r| r.message.as_str())
        .collect();
    assert_eq!(of_a.len(), 1, "{found:?}");
    assert!(of_a[0].ends_with("(and 2 more like it)"), "{of_a:?}");
}

/// A pointer that the kernel moves is not one to no buffer.
#[test]
fn a_moved_parameter_is_named() {
    let text = "__kernel void k(__global const float *a, __global float *o) { a += 2; int i = get_global_id(0); o[i] = a[i] + a[i + 1]; }";
    let found = refused(text, &[], [64, 1, 1]);
    assert_eq!(found[0].code, Code::Escapes);
    assert!(
        found[0].message.starts_with("a is assigned by the kernel"),
        "{found:?}"
    );
}

/// An unsigned index that may pass below 0 is not compared as if it could be negative.
#[test]
fn unsigned_indices_are_tested_before_they_wrap() {
    let text = outcome(
        "__kernel void k(__global const float *in, __global float *out, uint n)\n{\n    uint x = get_global_id(0);\n\n    if (x >= n)\n        return;\n\n    float s = in[x];\n\n    if (x > 0)\n        s += in[x - 1];\n    out[x] = s;\n}\n",
    )
    .expect("staged");
    assert!(!text.contains("s >= 0"), "{text}");
    insta::assert_snapshot!("unsigned", text);
}

/// `x + dx < W` without sign holds for no `x + dx` below 0, which the variable of a
/// loop may bring about, too.
#[test]
fn unsigned_sums_are_not_below_zero() {
    let text = outcome(
        "__kernel void k(__global const float *in, __global float *out, uint W)\n{\n    uint x = get_global_id(0);\n    float s = 0;\n\n    for (int d = -1; d <= 1; ++d)\n        if (x + d < W)\n            s += in[x + d];\n    out[x] = s;\n}\n",
    )
    .expect("staged");
    assert!(text.contains("x > 0)"), "{text}");
}

/// A macro whose text is another's in parentheses has the value of the whole.
#[test]
fn nested_macros_keep_their_values() {
    let source = "#define FIRST (2)\n#define COUNT (FIRST + 1)\n__kernel void k(__global const float *a, __global float *o)\n{\n    int i = get_global_id(0);\n    float s = 0;\n\n    for (int j = 0; j < COUNT; ++j)\n        s += a[j];\n    o[i] = s;\n}\n";
    let found = staged(Path::new("k.cl"), source.to_owned(), "k", &[], [16, 1, 1]);
    let found = found.expect("staged");
    assert_eq!(found.tiles[0].length(), "3");
    assert!(found.text.contains("t < COUNT"), "{}", found.text);
}

/// A vector's constant ends behind its last parenthesis.
#[test]
fn constants_of_vectors_are_taken_whole() {
    let text = outcome(
        "__kernel void k(__global const float4 *in, __global float4 *out, int n)\n{\n    int i = get_global_id(0);\n\n    if (i < n)\n        out[i] = in[i] + (i > 0 ? in[i - 1] : (float4)(0));\n}\n",
    )
    .expect("staged");
    assert!(text.contains("] : (float4)(0);"), "{text}");
    assert!(text.contains("+ tile[lid];"), "{text}");
}

/// The kernels of the examples that stage by hand, without their tiles.
#[test]
fn tiles_are_removed() {
    let kernels = [
        ("blur", "blur_tiled"),
        ("conv2d", "conv2d_tiled"),
        ("conv2d_fixed", "conv2d_fixed_tiled"),
        ("conv2d_wrap", "conv2d_wrap_tiled"),
        ("conv2d_zero", "conv2d_zero_tiled"),
        ("fir", "fir_tiled"),
        ("gaussian", "gaussian_rows_tiled"),
        ("gaussian", "gaussian_columns_tiled"),
        ("image_blur", "image_blur_tiled"),
        ("jacobi", "jacobi_tiled"),
        ("kmeans", "kmeans_tiled"),
        ("lut", "lut_tiled"),
        ("map", "map_tiled"),
        ("matmul", "matmul_tiled"),
        ("nbody", "nbody_tiled"),
        ("pairwise", "pairwise_tiled"),
        ("rowsum", "rowsum_tiled"),
        ("stencil3d", "stencil3d_tiled"),
        ("transpose", "transpose_padded"),
    ];
    let tools = Toolchain::find().expect("clang is installed");
    let mut all = String::new();
    for (name, kernel) in kernels {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../examples")
            .join(name)
            .join(format!("{name}.cl"));
        let source = Source::read(&path).expect("the example is there");
        let tree = source::source_tree(&tools, &source, &Options::default()).expect("it compiles");
        let text = match remove(&tree, kernel) {
            Ok(removed) => diff(&source.text, &removed.text),
            Err(refusals) => refusals.iter().map(|r| format!("{r}\n")).collect(),
        };
        all.push_str(&format!("== {kernel}\n{text}"));
    }
    insta::assert_snapshot!("removed", all);
}
