//! What removal writes for small kernels, each for a single point.

use tilewise_frontend::{Options, Source, Toolchain, source};
use tilewise_staging::{Refusal, Removed, remove};

fn try_remove(text: &str) -> Result<Removed, Vec<Refusal>> {
    let source = Source {
        path: "k.cl".into(),
        text: text.to_owned(),
        prepend: Vec::new(),
    };
    let tools = Toolchain::find().expect("clang is installed");
    let tree = source::source_tree(&tools, &source, &Options::default()).expect(text);
    remove(&tree, "k")
}

/// A kernel with these statements, and a tile of 64 elements.
fn kernel(body: &str) -> String {
    let body = body.strip_prefix('\n').unwrap_or(body);
    format!(
        "\
__kernel void k(__global const float *in, __global float *out, int n, int flag)
{{
    __local float tile[64];
    int g = get_global_id(0);
    int l = get_local_id(0);
{body}}}
"
    )
}

/// What is left of these statements.
fn left(body: &str) -> String {
    let text = kernel(body);
    let removed = try_remove(&text).unwrap_or_else(|r| panic!("{r:?}\n{text}"));
    let begin = removed.text.find("{\n").expect("the body") + 2;
    let end = removed.text.rfind('}').expect("its end");
    format!("\n{}", &removed.text[begin..end])
}

fn refusal(body: &str) -> String {
    let refusals = try_remove(&kernel(body)).expect_err(body);
    refusals.iter().map(|r| format!("{r}\n")).collect()
}

#[test]
fn what_holds_nothing_but_a_barrier_goes_whole() {
    let body = "
    if (g < n)
        tile[l] = in[g];
    if (flag > 0)
        barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n)
        out[g] = tile[l];
";
    let expected = "
    int g = get_global_id(0);
    if (g < n)
        out[g] = in[g];
";
    assert_eq!(left(body), expected);
}

#[test]
fn a_body_that_goes_leaves_an_empty_statement() {
    let body = "
    tile[l] = in[g];
    if (atomic_inc(&((volatile __global int *)out)[0]) > 0)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[g + 1] = tile[l];
";
    let text = left(body);
    assert!(
        text.contains("> 0)\n        ;\n    out[g + 1] = in[g];"),
        "{text}"
    );
}

#[test]
fn the_other_branch_stays() {
    let fill_first = "
    float s = 1.0f;
    if (g < n)
        tile[l] = in[g];
    else
        s = 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n)
        out[g] = s * tile[l];
";
    let text = left(fill_first);
    assert!(
        text.contains("    if (g >= n)\n        s = 2.0f;\n    if (g < n)\n"),
        "{text}"
    );
    let fill_last = "
    float s = 1.0f;
    if (g >= n || flag > 2) {
        s = 2.0f;
    } else {
        tile[l] = in[g];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n && flag < 3)
        out[g] = s * tile[l];
";
    let text = left(fill_last);
    assert!(
        text.contains("        s = 2.0f;\n    }\n    if (g < n"),
        "{text}"
    );
    assert!(!text.contains("else"), "{text}");
}

#[test]
fn an_else_does_not_get_another_if() {
    let body = "
    float s = 1.0f;
    if (flag > 0)
        if (g < n)
            tile[l] = in[g];
        else
            s = 2.0f;
    else
        s = 3.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n && flag > 0)
        out[g] = s * tile[l];
";
    assert!(
        refusal(body).contains("one branch of an if"),
        "{}",
        refusal(body)
    );
}

#[test]
fn code_behind_a_comment_stays() {
    let body = "
    float s = 1.0f;
    tile[l] = g < n ? in[g] : 0.0f; /* copy */ if (flag) s = 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE); /* wait
    for all */
    if (g < n) out[g] = s * tile[l];
";
    let expected = "
    int g = get_global_id(0);
    float s = 1.0f;
    if (flag) s = 2.0f;
    if (g < n) out[g] = s * in[g];
";
    assert_eq!(left(body), expected);
}

#[test]
fn the_conversion_of_a_tile_stays() {
    let text = "\
__kernel void k(__global const int *table, __global const int *x, __global int *out, int n)
{
    __local uchar tile[64];
    int l = get_local_id(0);
    tile[l] = l < n ? table[l] : 300;
    barrier(CLK_LOCAL_MEM_FENCE);
    int g = get_global_id(0);
    out[g] = tile[x[g] & 63];
}
";
    let plain = text.replace("l < n ? table[l] : 300", "table[l]");
    let removed = try_remove(&plain).expect("removed");
    assert!(
        removed.text.contains("out[g] = (uchar)table[x[g] & 63];"),
        "{}",
        removed.text
    );
    let removed = try_remove(text).expect("removed");
    let expected = "(uchar)((x[g] & 63) < n ? table[x[g] & 63] : 300)";
    assert!(removed.text.contains(expected), "{}", removed.text);
}

#[test]
fn variables_in_sight_are_named() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, int W)
{
    __local float tile[16][17];
    int x0 = get_group_id(0) * 16;
    int y0 = get_group_id(1) * 16;
    int lx = get_local_id(0), ly = get_local_id(1);
    tile[ly][lx] = in[(y0 + ly) * W + x0 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(x0 + ly) * W + y0 + lx] = tile[lx][ly];
}
";
    let removed = try_remove(text).expect("removed");
    assert!(
        removed.text.contains("= in[(y0 + lx) * W + x0 + ly];"),
        "{}",
        removed.text
    );
}

#[test]
fn a_row_of_fixed_length_is_read_as_it_is_written() {
    let text = "\
__kernel void k(__global const int *in, __global int *out, int cols)
{
    __local int tile[256];
    int l = get_local_id(0);
    for (int ty = 0; ty < 16; ty++)
        tile[ty * 16 + l] = in[l + cols * ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < 16; m++)
        if (l <= m)
            out[m * 16 + l] = tile[(m - l) * 16 + l];
}
";
    let removed = try_remove(text).expect("removed");
    assert!(
        removed.text.contains("= in[l + cols * (m - l)];"),
        "{}",
        removed.text
    );
    // As a sum, it may be any row.
    let text = text.replace("(m - l) * 16 + l", "m * 16 - 15 * l");
    assert!(try_remove(&text).is_err());
}

#[test]
fn parameters_keep_their_comments() {
    let text = "\
__kernel void k(__global const float *in,  // input samples
                __local float *tile,       // one chunk
                __global float *out,       // result
                int n,                     // number of samples
                __local float *rest)       // another chunk
{
    int g = get_global_id(0);
    int l = get_local_id(0);
    tile[l] = in[g];
    rest[l] = in[g + n];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = tile[l] + rest[l];
}
";
    let expected = "\
__kernel void k(__global const float *in,  // input samples
                __global float *out,       // result
                int n)                     // number of samples
{
    int g = get_global_id(0);
    out[g] = in[g] + in[g + n];
}
";
    assert_eq!(try_remove(text).expect("removed").text, expected);
}

#[test]
fn nothing_but_what_goes_changes() {
    let body = "    int a = 2, lx = get_local_id(0), b = 3;  \n\n\n    int r = l + 1, \
        s = g;\n    tile[lx] = in[g]; barrier(CLK_LOCAL_MEM_FENCE); \
        mem_fence(CLK_LOCAL_MEM_FENCE);\n    out[s] = tile[lx] * a * b;\n\n\n";
    let expected = "\n    int g = get_global_id(0);\n    int l = get_local_id(0);\n    \
        int a = 2, b = 3;  \n\n\n    int r = l + 1, s = g;\n    out[s] = in[g] * a * b;\n\n\n";
    assert_eq!(left(body), expected);
}

#[test]
fn macros_of_a_tile_go_with_it() {
    let text = format!(
        "#define AT(i) tile[i]\n#define N 64\n{}",
        kernel("    AT(l) = in[g];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    out[g] = AT(l);\n")
    );
    let removed = try_remove(&text).expect("removed");
    assert!(
        removed.text.starts_with("#define N 64\n__kernel"),
        "{}",
        removed.text
    );
    assert!(removed.text.contains("out[g] = in[g];"), "{}", removed.text);
}

#[test]
fn text_that_is_left_out_still_compiles_when_it_is_not() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, __local float *tile)
{
    int g = get_global_id(0);
    int l = get_local_id(0);
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
#if 0
    out[g] = tile[l ^ 1];
#else
    out[g] = tile[l];
#endif
}
";
    let removed = try_remove(text).expect("removed");
    assert!(
        removed.text.contains("__local float *tile)"),
        "{}",
        removed.text
    );
    assert!(removed.text.contains("int l = "), "{}", removed.text);
    assert!(removed.parameters.is_empty());
    assert!(
        removed
            .notes
            .iter()
            .any(|n| n.starts_with("tile is still declared"))
    );
}

#[test]
fn copies_in_many_forms() {
    let forms = [
        (
            "    float v = in[g];\n    tile[l] = v;\n",
            "in[g + 63 - 2 * l]",
        ),
        (
            "    if (g < n)\n        tile[l] = in[g];\n    else\n        tile[l] = 0;\n",
            "(g + 63 - 2 * l < n ? in[g + 63 - 2 * l] : 0)",
        ),
        (
            "    tile[l] = 0.0f;\n    if (g < n)\n        tile[l] = in[g];\n",
            "(g + 63 - 2 * l < n ? in[g + 63 - 2 * l] : 0.0f)",
        ),
        (
            "    int t = l;\n    while (t < 64) {\n        tile[t] = in[flag + t];\n        t += 32;\n    }\n",
            "in[flag + 63 - l]",
        ),
        (
            "    int t = l;\n    for (; t < 64; t += 32)\n        tile[t] = in[flag + t];\n",
            "in[flag + 63 - l]",
        ),
        (
            "    event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);\n    wait_group_events(1, &e);\n",
            "in[64 * get_group_id(0) + 63 - l]",
        ),
    ];
    for (fill, read) in forms {
        let body = format!("{fill}    barrier(CLK_LOCAL_MEM_FENCE);\n    out[g] = tile[63 - l];\n");
        let expected = format!(
            "\n    int g = get_global_id(0);\n    int l = get_local_id(0);\n    out[g] = {read};\n"
        );
        assert_eq!(left(&body), expected, "{fill}");
    }
}

#[test]
fn strides_and_single_variables() {
    let text = "\
__kernel void k(__global const uchar *in, __global const float *scale, __global float *out)
{
    __local uchar tile[192];
    __local float s;
    int l = get_local_id(0);
    int base = get_group_id(0) * 64;
    tile[3 * l] = in[3 * base + 3 * l];
    tile[3 * l + 1] = in[3 * base + 3 * l + 1];
    tile[3 * l + 2] = in[3 * base + 3 * l + 2];
    if (l == 0)
        s = scale[get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + l] = s * tile[189 - 3 * l];
}
";
    let expected = "\
__kernel void k(__global const uchar *in, __global const float *scale, __global float *out)
{
    int l = get_local_id(0);
    int base = get_group_id(0) * 64;
    out[base + l] = scale[get_group_id(0)] * in[3 * base + 189 - 3 * l];
}
";
    assert_eq!(try_remove(text).expect("removed").text, expected);
}

#[test]
fn a_tile_that_holds_more_stays_with_its_barriers() {
    let text = "\
__kernel void k(__global const float *in, __global const float *w, __global float *out)
{
    __local float tile[64];
    __local float sum[64];
    int g = get_global_id(0);
    int l = get_local_id(0);
    tile[l] = in[g];
    sum[l] = w[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (l < s)
            sum[l] += sum[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = tile[l] * sum[0];
}
";
    let expected = text
        .replace("    __local float tile[64];\n", "")
        .replace("    tile[l] = in[g];\n", "")
        .replace("tile[l] *", "in[g] *");
    let removed = try_remove(text).expect("removed");
    assert_eq!(removed.text, expected);
    assert_eq!(removed.refusals.len(), 1);
    assert_eq!(removed.refusals[0].buffer.as_deref(), Some("sum"));
    assert!(
        removed
            .notes
            .iter()
            .any(|n| n.starts_with("the barriers stay"))
    );
}

#[test]
fn a_tile_that_is_filled_twice_stays() {
    let body = "
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    float a = tile[63 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = in[g + 1024];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = a + tile[63 - l];
";
    assert!(
        refusal(body).contains("filled more than once"),
        "{}",
        refusal(body)
    );
}

#[test]
fn barriers_of_global_memory_stay() {
    let body = "
    tile[l] = in[g];
    out[g] = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        out[g + 63] = tile[l];
";
    let text = left(body);
    assert!(text.contains("barrier("), "{text}");
    let own = "
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = flag * out[g] + tile[l];
";
    let text = left(own);
    assert!(
        text.ends_with("    out[g] = flag * out[g] + in[g];\n"),
        "{text}"
    );
    assert!(!text.contains("barrier("), "{text}");
}

/// A loop that goes changes a variable: it stays where that is read, unless it is set
/// again.
#[test]
fn what_a_loop_changes_may_be_read_behind_it() {
    let fill = "
    int t = l;
    for (; t < 64; t += 32)
        tile[t] = in[flag + t];
    barrier(CLK_LOCAL_MEM_FENCE);
";
    let text = left(&format!("{fill}    out[t] = tile[63 - l];\n"));
    assert!(text.contains("t += 32)\n        ;\n"), "{text}");
    let text = left(&format!("{fill}    t = g;\n    out[t] = tile[63 - l];\n"));
    assert!(!text.contains("t += 32"), "{text}");
}

#[test]
fn a_condition_that_reads_the_tile_is_turned_round() {
    let body = "
    float s = 0.0f;
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile[l] > 0.5f)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        s = tile[l];
    out[g] = s;
";
    let text = left(body);
    assert!(
        text.contains("    if (!(in[g] > 0.5f))\n        s = in[g];\n"),
        "{text}"
    );
}

#[test]
fn a_tile_that_is_named_otherwise_stays() {
    let body = "
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = tile[l] + sizeof(tile);
";
    let removed = try_remove(&kernel(body));
    assert!(removed.is_err() || !removed.expect("ok").text.contains("sizeof(tile)"));
}

/// A pointer into the tile goes with it.
#[test]
fn reads_through_a_pointer_into_the_tile() {
    let body = "
    __local const float *own = tile + l + 1;

    if (l < 63)
        tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = -1; k <= 0; ++k)
        out[g] += own[k];
";
    let expected = "
    int g = get_global_id(0);

    for (int k = -1; k <= 0; ++k)
        out[g] += in[g + k + 1];
";
    assert_eq!(left(body), expected);
}

/// One that goes where the reads can't be seen stays, and the tile with it.
#[test]
fn a_pointer_that_is_named_otherwise_stays() {
    let body = "
    __local const float *own = tile + l;

    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = own[0] + vload2(0, own).x;
";
    assert!(refusal(body).contains("TW307"), "{}", refusal(body));
    let body = "
    __local const float *own = tile + l;
    __local const float *last = own + 1;

    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = own[0] + (float)(last - own);
";
    assert!(refusal(body).contains("TW307"), "{}", refusal(body));
}

/// Pointers from pointers go, too, and those that nobody reads.
#[test]
fn chains_of_pointers_go_with_the_tile() {
    let body = "
    __local const float *first = tile + 1, *own = first + l;
    __local const float *nobody = own + 1;

    if (l < 63)
        tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = own[-1] + first[l];
";
    let expected = "
    int g = get_global_id(0);
    int l = get_local_id(0);

    out[g] = in[g] + in[g + 1];
";
    assert_eq!(
        left(body).replace("    int l = get_local_id(0);\n", ""),
        expected.replace("    int l = get_local_id(0);\n", "")
    );
}

/// A name that stands for something else where the tile is read is not written there.
#[test]
fn inner_names_are_not_captured() {
    let body = "
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 3; ++k) {
        int g = k & flag;

        out[g] += tile[l];
    }
";
    assert!(
        refusal(body).contains("g is declared again here"),
        "{}",
        refusal(body)
    );
}
