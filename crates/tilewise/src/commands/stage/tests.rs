//! Staging and proof, end to end.

use tilewise_launch::{ArgSetting, LaunchSpec, Text};

use super::*;
use crate::session::DeviceChoice;

fn run(kernel: &str, launch: &str) -> Run {
    run_with(kernel, launch, &StageOptions::default())
}

fn run_with(kernel: &str, launch: &str, options: &StageOptions) -> Run {
    let path = format!("{}/../../examples/{kernel}", env!("CARGO_MANIFEST_DIR"));
    let input = KernelInput {
        launch_name: Some(launch.to_owned()),
        ..KernelInput::parse(&path)
    };
    let session = Session {
        device: DeviceChoice::Simulated("h200".to_owned()),
        ..Session::default()
    };
    let mut runs = stage(&session, &input, options).expect(kernel);
    runs.swap_remove(0)
}

/// The tiles of the examples that stage by hand can be taken out again, and no barrier
/// stays.
#[test]
fn tiles_are_removed_and_proved() {
    let options = StageOptions {
        remove: true,
        ..StageOptions::default()
    };
    let kernels = [
        "blur/blur.cl::blur_tiled",
        "conv2d/conv2d.cl::conv2d_tiled",
        "conv2d_fixed/conv2d_fixed.cl::conv2d_fixed_tiled",
        "conv2d_wrap/conv2d_wrap.cl::conv2d_wrap_tiled",
        "conv2d_zero/conv2d_zero.cl::conv2d_zero_tiled",
        "fir/fir.cl::fir_tiled",
        "gaussian/gaussian.cl::gaussian_rows_tiled",
        "gaussian/gaussian.cl::gaussian_columns_tiled",
        "image_blur/image_blur.cl::image_blur_tiled",
        "jacobi/jacobi.cl::jacobi_tiled",
        "kmeans/kmeans.cl::kmeans_tiled",
        "lut/lut.cl::lut_tiled",
        "map/map.cl::map_tiled",
        "matmul/matmul.cl::matmul_tiled",
        "nbody/nbody.cl::nbody_tiled",
        "pairwise/pairwise.cl::pairwise_tiled",
        "rowsum/rowsum.cl::rowsum_tiled",
        "stencil3d/stencil3d.cl::stencil3d_tiled",
        "transpose/transpose.cl::transpose_padded",
    ];
    for kernel in kernels {
        let run = run_with(kernel, "tiny", &options);
        let candidate = run.candidates.first();
        let verified = candidate.and_then(|c| c.verified.as_ref());
        assert!(
            verified.is_some_and(|v| v.equal),
            "{kernel}: {:?} {:?}",
            verified,
            run.findings
        );
        let staging = candidate.and_then(|c| c.staging.as_ref());
        let text = staging.map_or("", |s| &s.diff);
        assert!(text.contains("-") && text.contains("barrier("), "{kernel}");
        assert!(!text.contains("\n+    barrier("), "{kernel}");
    }
}

/// Every example whose pattern is staged is proved, at small and at tiny sizes.
#[test]
fn examples_are_staged_and_proved() {
    let staged = [
        "blur/blur.cl::blur_naive",
        "conv2d/conv2d.cl::conv2d_naive",
        "conv2d_fixed/conv2d_fixed.cl::conv2d_fixed_naive",
        "conv2d_wrap/conv2d_wrap.cl::conv2d_wrap_naive",
        "conv2d_zero/conv2d_zero.cl::conv2d_zero_naive",
        "fir/fir.cl::fir_naive",
        "gaussian/gaussian.cl::gaussian_rows_naive",
        "gaussian/gaussian.cl::gaussian_columns_naive",
        "jacobi/jacobi.cl::jacobi_naive",
        "kmeans/kmeans.cl::kmeans_naive",
        "lut/lut.cl::lut_naive",
        "matmul/matmul.cl::matmul_naive",
        "nbody/nbody.cl::nbody_naive",
        "pairwise/pairwise.cl::pairwise_naive",
        "image_blur/image_blur.cl::image_blur_naive",
        "rowsum/rowsum.cl::rowsum_naive",
        "stencil3d/stencil3d.cl::stencil3d_naive",
        "transpose/transpose.cl::transpose_naive",
    ];
    for kernel in staged {
        let run = run(kernel, "small");
        let candidate = run.candidates.first();
        let verified = candidate.and_then(|c| c.verified.as_ref());
        assert!(
            verified.is_some_and(|v| v.equal && v.trials.len() > 1),
            "{kernel}: {:?} {:?}",
            verified,
            run.findings
        );
        let staging = candidate.and_then(|c| c.staging.as_ref());
        assert!(
            staging.is_some_and(|s| s.diff.contains("+    barrier(CLK_LOCAL_MEM_FENCE);\n")
                || s.diff.contains("+        barrier(CLK_LOCAL_MEM_FENCE);\n")),
            "{kernel}"
        );
    }
}

/// What has nothing to gain says so by a code.
#[test]
fn a_map_is_refused() {
    let run = run("map/map.cl::map_naive", "small");
    assert!(run.candidates.is_empty());
    assert!(
        run.findings.iter().any(|f| f.code == "TW310"),
        "{:?}",
        run.findings
    );
}

/// What a removal writes is proved: whole `if`s and branches, code behind comments, the
/// conversion of a tile, one tile beside another that stays.
#[test]
fn removals_of_small_kernels_are_proved() {
    let options = StageOptions {
        remove: true,
        ..StageOptions::default()
    };
    let bodies = [
        "if (g < n)\n        tile[l] = in[g];\n    if (n > 3)\n        barrier(CLK_LOCAL_MEM_FENCE);\n    if (g < n)\n        out[g] = tile[l];",
        "float s = 1.0f;\n    if (g < n)\n        tile[l] = in[g];\n    else\n        s = 2.0f;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (g < n)\n        out[g] = s * tile[l];",
        "float s = 1.0f;\n    tile[l] = g < n ? in[g] : 0.0f; /* copy */ if (n > 5) s = 2.0f;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (g < n)\n        out[g] = s * tile[31 - l];",
        "__local uchar low[32];\n    low[l] = g < n ? in[g] : 300.0f;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (g < n)\n        out[g] = low[31 - l];",
        "__local float sum[32];\n    if (g < n)\n        tile[l] = in[g];\n    else\n        tile[l] = 0;\n    sum[l] = l;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (g < n)\n        out[g] = tile[31 - l] * sum[l];",
    ];
    for body in bodies {
        let text = format!(
            "__attribute__((reqd_work_group_size(32, 1, 1)))\n__kernel void k(__global const float *in, __global float *out, int n)\n{{\n    __local float tile[32];\n    int g = get_global_id(0);\n    int l = get_local_id(0);\n    {body}\n}}\n"
        );
        let args = ["n=100", "in=[n]:iota", "out=[n]"];
        let launch = ("roundup(n,32)", "32");
        let run = run_text_with(&text, launch, None, &args, &options);
        assert!(run.removal);
        assert_proved(body, &run, "global 128, local 32");
    }
}

/// A kernel `k` in a file of its own.
fn run_text(text: &str, global: &str, local: &str, offset: Option<&str>, args: &[&str]) -> Run {
    let options = StageOptions::default();
    run_text_with(text, (global, local), offset, args, &options)
}

fn run_text_with(
    text: &str,
    (global, local): (&str, &str),
    offset: Option<&str>,
    args: &[&str],
    options: &StageOptions,
) -> Run {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("k.cl");
    std::fs::write(&path, text).expect("a file");
    let args = args
        .iter()
        .map(|a| ArgSetting::from_flag(a).expect("an argument"))
        .collect();
    let input = KernelInput {
        path,
        kernel: Some("k".to_owned()),
        flags: LaunchSpec {
            global: Some(Text::flag(global)),
            local: Some(Text::flag(local)),
            offset: offset.map(Text::flag),
            args,
            ..LaunchSpec::default()
        },
        ..KernelInput::default()
    };
    let session = Session {
        device: DeviceChoice::Simulated("h200".to_owned()),
        ..Session::default()
    };
    let mut runs = stage(&session, &input, options).expect(text);
    runs.swap_remove(0)
}

/// Staged, and proved at more than one launch, one of them as given.
fn assert_proved(what: &str, run: &Run, launch: &str) {
    let verified = run.candidates.first().and_then(|c| c.verified.as_ref());
    let Some(verified) = verified else {
        panic!("{what}: {:?}", run.findings);
    };
    assert!(
        verified.equal,
        "{what}: {:?} {:?}",
        verified.trials, run.findings
    );
    let tried = verified.trials.iter().any(|t| t.launch.contains(launch));
    assert!(
        tried && verified.trials.len() > 1,
        "{what}: {:?}",
        verified.trials
    );
}

/// The corners of the box are read by nobody, nor is what lies beyond the data.
#[test]
fn a_cross_reads_no_corners() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, int W, int H)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < 1 || y < 1 || x >= W - 1 || y >= H - 1)
        return;
    out[y * W + x] = 0.25f * (in[y * W + x - 1] + in[y * W + x + 1] +
                              in[(y - 1) * W + x] + in[(y + 1) * W + x]);
}
";
    let args = ["W=20", "H=20", "in=[W*H]", "out=[W*H]"];
    let run = run_text(text, "roundup(W,16),roundup(H,16)", "16x16", None, &args);
    assert_proved("cross", &run, "global 32x32, local 16x16");
}

/// `x - 1` wraps around where `x` is 0, and is not read there.
#[test]
fn an_unsigned_index_is_not_read_below_zero() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, uint n)
{
    uint x = get_global_id(0);

    if (x >= n)
        return;

    float sum = in[x];

    if (x > 0)
        sum += in[x - 1];
    out[x] = sum;
}
";
    let args = ["n=100", "in=[n]", "out=[n]"];
    let run = run_text(text, "roundup(n,32)", "32", None, &args);
    assert_proved("unsigned", &run, "global 128, local 32");
}

/// A tile begins where the group does, not at a multiple of its size.
#[test]
fn a_global_offset_moves_the_tile() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i < n)
        out[i] = (i > 0 ? in[i - 1] : 0.0f) + in[i] + (i + 1 < n ? in[i + 1] : 0.0f);
}
";
    let args = ["n=100", "in=[n]", "out=[n]"];
    let run = run_text(text, "64", "16", Some("5"), &args);
    assert_proved("offset", &run, "offset 5");
}

/// A row read backwards is no row below zero, which unsigned indices don't have
/// (random kernel 71).
#[test]
fn an_unsigned_row_is_read_backwards() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, uint W, uint H)
{
    uint x = get_global_id(0);
    uint y = get_global_id(1);

    if (x >= W || y >= H)
        return;

    float sum = 0.0f;

    if (x >= 2 && x + 2 < W) {
        for (int dx = -2; dx <= 2; ++dx)
            sum += in[y * W + W - 1 - (x + dx)];
    }
    out[y * W + x] = sum;
}
";
    let args = ["W=19", "H=11", "in=[W*H]", "out=[W*H]"];
    let run = run_text(text, "roundup(W,4),roundup(H,8)", "4x8", None, &args);
    assert_proved("backwards", &run, "global 20x16, local 4x8");
}

/// Both tiles of a product end where the chunk does: one variable says so (random
/// kernel 310, in which each fill declared its own under one name).
#[test]
fn two_fills_share_the_end_of_the_chunk() {
    let text = "\
__kernel void k(__global const float *A, __global const float *B, __global float *C, int M, int N, int K)
{
    int i = get_global_id(1);
    int j = get_global_id(0);

    float sum = 0.0f;

    for (int k = 0; k < K; ++k)
        sum += A[k * M + i] * B[k * N + j];
    C[i * N + j] = sum;
}
";
    let args = ["M=8", "N=16", "K=19", "A=[M*K]", "B=[K*N]", "C=[M*N]"];
    let run = run_text(text, "N,M", "8x4", None, &args);
    let staged = &run.candidates[0];
    let verified = staged.verified.as_ref().expect("it was tried");
    assert!(verified.equal, "{:?} {:?}", verified.trials, run.findings);
    let text = &staged.staging.as_ref().expect("it is staged").text;
    assert_eq!(text.matches("min(GROUP_X, K - k0)").count(), 1, "{text}");
}

/// Planes of a volume that the launch's own index picks lie any number of elements
/// apart: each has a tile.
#[test]
fn planes_have_tiles_of_their_own() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, int W, int H, int z)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < 1 || y < 1 || x >= W - 1 || y >= H - 1)
        return;

    float below = in[(z - 1) * (W * H) + y * W + x - 1] + in[(z - 1) * (W * H) + y * W + x + 1];
    float here = in[z * (W * H) + (y - 1) * W + x] + in[z * (W * H) + (y + 1) * W + x];

    out[y * W + x] = below + here + in[(z + 1) * (W * H) + y * W + x];
}
";
    let args = ["W=21", "H=10", "z=1", "in=[3*W*H]", "out=[W*H]"];
    let run = run_text(text, "roundup(W,8),roundup(H,4)", "8x4", None, &args);
    assert_proved("planes", &run, "global 24x12, local 8x4");
    let staging = run.candidates[0].staging.as_ref().expect("it is staged");
    let tiles: Vec<&str> = staging.tiles.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(tiles, ["in_tile", "in_tile2"]);
    assert!(
        staging
            .text
            .contains("as in[(z - 1) * (W * H) + y * W + x - 1]")
    );
}

/// Chunks are as short as lets the tiles of a group fit together.
#[test]
fn chunks_grow_short_where_tiles_are_many() {
    let text = "\
__kernel void k(__global const float *a, __global const float *b, __global const float *x, __global float *y, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;

    float sum = 0.0f;

    for (int j = 0; j < n; ++j)
        sum += (a[i * n + j] + b[i * n + j]) * x[j];
    y[i] = sum;
}
";
    let args = ["n=300", "a=[n*n]", "b=[n*n]", "x=[n]", "y=[n]"];
    let run = run_text(text, "roundup(n,256)", "256", None, &args);
    assert_proved("two matrices", &run, "global 512, local 256");
    let staging = run.candidates[0].staging.as_ref().expect("it is staged");
    assert_eq!(staging.tiles.len(), 3);
    assert!(
        staging.text.contains("#define CHUNK 16\n"),
        "{}",
        staging.text
    );
}

/// What stands in one line with others is staged, or refused, but not broken.
#[test]
fn statements_may_share_lines() {
    let stencils = [
        "kernel void k(global const float* in, global float* out, int n) {\n    int i = get_global_id(0); if (i < n)\n        out[i] = in[i] + in[i + 1] + in[i + 2];\n}\n",
        "kernel void k(global const float* in, global float* out, int n) { int i = get_global_id(0); if (i < n) out[i] = in[i] + in[i + 1] + in[i + 2]; }\n",
        "kernel void k(global const float* in, global float* out, int n)\n{ int i = get_global_id(0); if (i < n) { out[i] = in[i] + in[i + 1] + in[i + 2]; } }",
        "kernel void k(global const float* in, global float* out, int n)\n{ if (get_global_id(0) < n) { int i = get_global_id(0); out[i] = in[i] + in[i + 1] + in[i + 2]; } }",
    ];
    for text in stencils {
        let args = ["n=100", "in=[n+2]", "out=[n]"];
        let run = run_text(text, "roundup(n,32)", "32", None, &args);
        assert_proved(text, &run, "global 128, local 32");
    }
    let loops = [
        "kernel void k(global const float* a, global const float* x, global float* y, int n) { int i = get_global_id(0); float s = 0; for (int j = 0; j < n; ++j) s += a[i * n + j] * x[j]; y[i] = s; }",
        "kernel void k(global const float* a, global const float* x, global float* y, int n)\n{\n    int i = get_global_id(0);\n    float s = 0;\n    for (int j = 0; j < n; ++j) s += a[i * n + j] * x[j]; y[i] = s;\n}\n",
    ];
    for text in loops {
        let args = ["n=64", "a=[n*n]", "x=[n]", "y=[n]"];
        let run = run_text(text, "n", "32", None, &args);
        assert!(run.candidates.is_empty(), "{text}");
        assert_eq!(run.findings[0].code, "TW306", "{:?}", run.findings);
    }
}

/// The size of an image bounds its reads as well as an argument does.
#[test]
fn an_image_tells_its_size() {
    let text = "\
__constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void k(__read_only image2d_t src, __write_only image2d_t dst)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= get_image_width(src) || y >= get_image_height(src))
        return;

    float4 sum = 0.0f;

    for (int d = -1; d <= 1; ++d)
        sum += read_imagef(src, s, (int2)(x + d, y));
    write_imagef(dst, (int2)(x, y), sum);
}
";
    let args = ["src=image[21,10]:rgba8", "dst=image[21,10]:rgba8"];
    let run = run_text(text, "32,16", "16x8", None, &args);
    assert_proved("image", &run, "global 32x16, local 16x8");
}

/// In a group of one the work-item at the left border is also the one at the right side
/// (random kernel 478).
#[test]
fn groups_of_one_have_both_sides() {
    let text = "\
__kernel void k(__global const float *restrict in, __global float *restrict out, int W)
{
    int x = get_global_id(0);
    float sum = 0.0f;

    sum += (x >= 1 ? in[x - 1] : 0.0f);
    sum += (x + 1 < W ? in[x + 1] : 0.0f);
    out[x] = sum;
}
";
    let args = ["W=64", "in=[W]", "out=[W]"];
    let run = run_text(text, "W", "32", None, &args);
    assert_proved("one", &run, "global 67, local 1");
}

/// `min` takes two values of one type, whatever that of an id is (random kernel 961).
#[test]
fn ids_may_be_long() {
    let text = "\
__kernel void k(__global const float *restrict in, __global float *restrict out, int W, int R)
{
    long x = get_global_id(0);

    if (x >= W)
        return;

    float sum = 0.0f;

    for (int dx = -R; dx <= R; ++dx)
        sum += *(in + x + dx + R);
    out[x] = sum;
}
";
    let args = ["W=45", "R=2", "in=[W+2*R]", "out=[W]"];
    let run = run_text(text, "roundup(W,8)", "8", None, &args);
    assert_proved("long", &run, "global 48, local 8");
}

/// What a loop leaves in its variable is read behind it, also where it never ran; whole
/// numbers among the arguments are tried at other values.
#[test]
fn a_loop_variable_outlives_its_loop() {
    let text = "\
__kernel void k(__global const float *x, __global float *y, int m)
{
    int i = get_global_id(0), j;
    float sum = 0.0f;

    for (j = 0; j < m; j++)
        sum += x[j] * i;
    y[i] = sum + j;
}
";
    let args = ["m=40000", "x=[40000]", "y=[64]"];
    let run = run_text(text, "64", "64", None, &args);
    assert_proved("behind", &run, "m=0, global 64, local 64");
}

/// `clamp` of a long takes no int beside it.
#[test]
fn limits_of_a_clamp_have_its_type() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, const long n)
{
    long g = get_global_id(0);

    if (g >= n)
        return;

    float sum = 0.0f;

    for (int i = -3; i <= 3; i++)
        sum += in[clamp(g + i, 0L, n - 1)];
    out[g] = sum;
}
";
    let args = ["n=100", "in=[n]", "out=[n]"];
    let run = run_text(text, "roundup(n,32)", "32", None, &args);
    assert_proved("clamp", &run, "global 128, local 32");
}

/// Whoever calls a kernel, or declares it, relies on its parameters.
#[test]
fn a_kernel_that_others_rely_on_stays() {
    let kernel = "\
__kernel void k(__global const float *in, __global float *out, int n)
{
    int g = get_global_id(0);

    if (g >= 1 && g < n - 1)
        out[g] = in[g - 1] + in[g] + in[g + 1];
}
";
    let declared = format!(
        "__kernel void k(__global const float *in, __global float *out, int n);\n\n{kernel}"
    );
    let called = format!(
        "{kernel}\n__kernel void other(__global const float *in, __global float *out, int n)\n\
         {{\n    k(in, out, n);\n}}\n"
    );
    let args = ["n=100", "in=[n]", "out=[n]"];
    for (text, said) in [(declared, "also declared"), (called, "other calls k here")] {
        let run = run_text(&text, "roundup(n,32)", "32", None, &args);
        assert!(run.candidates.is_empty(), "{text}");
        let found = &run.findings[0];
        assert_eq!(found.code, "TW311");
        assert!(found.message.contains(said), "{}", found.message);
    }
}

/// A launch at which nothing is read has no tile.
#[test]
fn an_empty_tile_is_refused() {
    let text = "\
__kernel void k(__global const float *x, __global float *y, int m)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    for (int j = 0; j < m; j++)
        sum += x[j] * i;
    y[i] = sum;
}
";
    let args = ["m=0", "x=[64]", "y=[64]"];
    let run = run_text(text, "64", "64", None, &args);
    assert!(run.candidates.is_empty());
    assert_eq!(run.findings[0].code, "TW310", "{:?}", run.findings);
}

/// A form is that of what the preprocessor leaves, which is said.
#[test]
fn a_choice_of_the_preprocessor_is_told() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, int n)
{
    int g = get_global_id(0);

    if (g >= n)
        return;
#ifdef WIDE
    out[g] = in[g] + in[g + 1] + in[g + 2];
#else
    out[g] = in[g] + in[g + 1];
#endif
}
";
    let args = ["n=100", "in=[n+2]", "out=[n]"];
    let run = run_text(text, "roundup(n,32)", "32", None, &args);
    assert_proved("choice", &run, "global 128, local 32");
    let told = run.warnings.iter().any(|w| w.contains("line 7: `#ifdef`"));
    assert!(told, "{:?}", run.warnings);
}

/// As many as there are work-items may be more than fit next time: chunks, however few
/// they are now.
#[test]
fn what_grows_with_the_range_is_staged_in_chunks() {
    let text = "\
__kernel void k(__global const float *x, __global float *y, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;

    float sum = 0.0f;

    for (int j = 0; j < n; j++)
        sum += fabs(x[j] - x[i]);
    y[i] = sum;
}
";
    let args = ["n=100", "x=[n]", "y=[n]"];
    let run = run_text(text, "roundup(n,32)", "32", None, &args);
    assert_proved("bodies", &run, "global 128, local 32");
    let staging = run.candidates[0].staging.as_ref().expect("it is staged");
    assert_eq!(staging.tiles[0].elements, "local_size(0)");
}

/// A tile of a fixed size is read unset in smaller groups: what the original does there
/// is no result, and no reason to doubt the new form. What is wrong at every launch is
/// compared all the same.
#[test]
fn launches_in_which_the_original_goes_wrong_say_nothing() {
    let options = StageOptions {
        remove: true,
        ..StageOptions::default()
    };
    let text = "\
#define SIZE 32

__kernel void k(__global const float *x, __global float *y, int n)
{
    __local float tile[SIZE];
    int i = get_global_id(0);
    int lid = get_local_id(0);
    float sum = 0.0f;

    for (int j0 = 0; j0 < n; j0 += SIZE) {
        tile[lid] = x[j0 + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < SIZE; j++)
            sum += tile[j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[i] = sum;
}
";
    let args = ["n=128", "x=[n]", "y=[128]"];
    let run = run_text_with(text, ("128", "32"), None, &args, &options);
    assert_proved("bodies", &run, "global 128, local 32");
    let unset = run.warnings.iter().find(|w| w.contains("nothing has set"));
    let unset = unset.expect("smaller groups are left out");
    assert!(
        unset.contains("left out") && unset.contains("local 1"),
        "{unset}"
    );
}

/// Random contents belong to a buffer's name: taking a parameter away in front of it
/// changes nothing.
#[test]
fn a_tile_in_front_of_the_buffers_is_removed() {
    let options = StageOptions {
        remove: true,
        ..StageOptions::default()
    };
    let text = "\
__kernel void k(__local float *tile, __global const float *in, __global float *out)
{
    int g = get_global_id(0);
    int l = get_local_id(0);

    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[2 * g] = tile[l];
}
";
    let args = ["tile=local:f32[local_size(0)]", "in=[128]", "out=[256]"];
    let run = run_text_with(text, ("128", "32"), None, &args, &options);
    assert_proved("in front", &run, "global 128, local 32");
}

/// A kernel of `in`, `out` and `n` in groups of 64.
fn line_of(body: &str) -> Run {
    let text = format!(
        "__kernel void k(__global const float *in, __global float *out, int n)\n{{\n{body}}}\n"
    );
    let args = ["n=1000", "in=[n]", "out=[n]"];
    run_text(&text, "roundup(n,64)", "64", None, &args)
}

/// Borders that differ by load: what one end says is nothing to the loads at the other.
#[test]
fn borders_of_one_end_are_proved() {
    let bodies = [
        "out[i] = in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)];",
        "out[i] = in[i == 0 ? n - 1 : i - 1] - in[i] * in[i == n - 1 ? 0 : i + 1];",
        "out[i] = in[(i + n - 1) % n] - in[i] * in[(i + 1) % n];",
        "out[i] = in[i > 0 ? i - 1 : i] - in[i] * in[i < n - 1 ? i + 1 : i];",
        "out[i] = in[i] - in[max(0, i - 1)];",
    ];
    for body in bodies {
        let text = format!("    int i = get_global_id(0);\n    if (i < n)\n        {body}\n");
        assert_proved(body, &line_of(&text), "global 1024, local 64");
    }
}

/// Loops over a window, a mirror, and the range.
#[test]
fn loops_of_many_kinds_are_proved() {
    let within = |body: &str| {
        format!(
            "    int i = get_global_id(0);\n    if (i >= n)\n        return;\n    float s = 0;\n{body}    out[i] = s;\n"
        )
    };
    let bodies = [
        within("    for (int j = max(i - 2, 0); j <= min(i + 2, n - 1); j++)\n        s = 0.5f * s + in[j];\n"),
        within("    for (int k = 2; k >= -2; --k) {\n        int j = i + k;\n        j = clamp(j, 0, n - 1);\n        s = 0.5f * s + in[j];\n    }\n"),
        within("    for (int j = 0; j < n; ++j) {\n        if (j == i)\n            continue;\n        s += in[j] - in[i];\n    }\n    s *= in[i];\n"),
        "    for (int i = get_global_id(0); i < n - 1; i += get_global_size(0))\n        out[i] = in[i] - in[i + 1];\n".to_owned(),
    ];
    for body in &bodies {
        assert_proved(body, &line_of(body), "global 1024, local 64");
    }
}

/// The interior of an image without signs, in groups that are narrower than the stencil.
#[test]
fn a_wide_cross_in_narrow_groups_is_proved() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, uint W, uint H)
{
    uint x = get_global_id(0);
    uint y = get_global_id(1);

    if (x < 2 || y < 1 || x + 2 >= W || y + 1 >= H)
        return;
    out[y * W + x] = in[y * W + x] + in[y * W + x - 2] + in[y * W + x + 2] +
                     in[(y - 1) * W + x] + in[(y + 1) * W + x];
}
";
    let args = ["W=21", "H=9", "in=[W*H]", "out=[W*H]"];
    for local in ["1x8", "4x1"] {
        let run = run_text(text, "roundup(W,4),roundup(H,8)", local, None, &args);
        assert_proved(local, &run, "global 24x16");
    }
}

/// Nothing is taken from a size without sign, whatever type the index has (random kernels
/// 3011 and 4261).
#[test]
fn sizes_without_sign_stay_above_zero() {
    let line = "\
__kernel void k(__global const float *restrict in, __global float *restrict out, uint W)
{
    uint x = get_global_id(0);

    if (x >= W)
        return;

    out[x] = *(in + x - 1 + 1) + *(in + x + 1 + 1);
}
";
    let args = ["W=45", "in=[W+2]", "out=[W]"];
    let run = run_text(line, "roundup(W,8)", "8", None, &args);
    assert_proved("line", &run, "W=1, global 8, local 8");
    let plane = "\
__kernel void k(__global const float *restrict in, __global float *restrict out, uint W, uint H)
{
    size_t x = get_global_id(0);
    size_t y = get_global_id(1);

    if (x >= W || y >= H)
        return;

    float sum = 0.0f;

    sum += x >= 2 && y + 1 < H ? *(in + (y + 1) * W + x - 2) : 0.0f;
    sum += x >= 1 ? *(in + y * W + x - 1) : 0.0f;
    out[y * W + x] = sum;
}
";
    let args = ["W=19", "H=11", "in=[W*H]", "out=[W*H]"];
    let run = run_text(plane, "roundup(W,8),roundup(H,4)", "8x4", None, &args);
    assert_proved("plane", &run, "W=1, H=37, global 8x40, local 8x4");
}
