//! Patterns of loads that are staged, by what the text says in the end. That the forms do
//! the same is proved by the tests of `stage` in the crate `tilewise`.

use std::collections::HashMap;
use std::path::Path;

use tilewise_frontend::{Options, Source, Toolchain, source};
use tilewise_staging::{Code, Launch, Refusal, stage};

const HEAD: &str = "__kernel void k(__global const float *restrict in, __global float *restrict out, int n, int w, int h)\n{\n";

/// A kernel for groups of 16 work-items, with `in`, `out`, `n`, `w` and `h`.
fn body(text: &str) -> Result<String, Vec<Refusal>> {
    whole(&format!("{HEAD}{text}}}\n"))
}

fn whole(text: &str) -> Result<String, Vec<Refusal>> {
    let source = Source {
        path: Path::new("k.cl").to_owned(),
        text: text.to_owned(),
        prepend: Vec::new(),
    };
    let tools = Toolchain::find().expect("clang is installed");
    let tree = source::source_tree(&tools, &source, &Options::default()).expect("it compiles");
    let function = tree.function("k").expect("the kernel is there");
    let launch = Launch {
        scalars: HashMap::from([("n", 4096), ("w", 64), ("h", 64)].map(|(n, v)| (n.to_owned(), v))),
        local: [16, 16, 1],
        limit: 8 << 10,
        element_bytes: function
            .params
            .iter()
            .map(|p| (p.name.clone(), 4))
            .collect(),
        ..Launch::default()
    };
    stage(&tree, "k", &launch).map(|staged| staged.text)
}

fn assert_says(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

const ID: &str = "    int i = get_global_id(0);\n    if (i >= n) return;\n";

/// What differs at one end of the data only is one tile, the middle with it.
#[test]
fn borders_of_one_end_share_a_tile() {
    let ends = [
        ("max(i - 1, 0)", "min(i + 1, n - 1)"),
        ("i > 0 ? i - 1 : 0", "i < n - 1 ? i + 1 : i"),
        ("clamp(i - 1, 0, n - 1)", "clamp(i + 1, 0, n - 1)"),
    ];
    for (left, right) in ends {
        let text = format!("{ID}    out[i] = in[{left}] + in[i] + in[{right}];\n");
        let text = body(&text).expect("staged");
        assert_says(
            &text,
            &[
                "tile[lid + 1] = in[min(i, n - 1)];",
                "tile[0] = in[max(i - 1, 0)];",
                "out[i] = tile[lid] + tile[lid + 1] + tile[lid + 2];",
            ],
        );
    }
    for (left, right) in [
        ("i == 0 ? n - 1 : i - 1", "i == n - 1 ? 0 : i + 1"),
        ("(i + n - 1) % n", "(i + 1) % n"),
    ] {
        let text = format!("{ID}    out[i] = in[{left}] + in[i] + in[{right}];\n");
        let text = body(&text).expect("staged");
        assert_says(
            &text,
            &[
                "tile[0] = in[(i + n - 1) % n];",
                "out[i] = tile[lid] + tile[lid + 1] + tile[lid + 2];",
            ],
        );
    }
}

/// The middle is no part of a clamp to a range that it may leave.
#[test]
fn a_middle_beyond_the_border_stays() {
    let text = format!(
        "{ID}    out[i] = in[clamp(i - 1, 1, n - 2)] + in[i] + in[clamp(i + 1, 1, n - 2)];\n"
    );
    assert_says(
        &body(&text).expect("staged"),
        &["tile[lid] + in[i] + tile[lid + 2]"],
    );
}

/// Loops whose bounds are ids, or that step several variables, are windows.
#[test]
fn windows_are_read_from_their_bounds() {
    let text = format!(
        "{ID}    float s = 0;\n    for (int j = max(i - 2, 0); j <= min(i + 2, n - 1); ++j)\n        s += in[j];\n    out[i] = s;\n"
    );
    assert_says(&body(&text).expect("staged"), &["s += own[j - i];"]);
    let text = format!(
        "{ID}    float s = 0;\n    for (int k = 2, j = i; k >= 0; --k, ++j)\n        s += in[j];\n    out[i] = s;\n"
    );
    assert_says(&body(&text).expect("staged"), &["s += tile[lid + 2 - k];"]);
}

/// Variables that are changed in place are followed, and go with their last reader.
#[test]
fn mirrors_are_written_step_by_step() {
    let text = format!(
        "{ID}    float s = 0;\n    for (int k = -3; k <= 3; ++k) {{\n        int j = i + k;\n        if (j < 0) j = -j;\n        if (j >= n) j = 2 * n - 2 - j;\n        s += in[j];\n    }}\n    out[i] = s;\n"
    );
    let text = body(&text).expect("staged");
    assert_says(&text, &["if (g < 0)\n", "g = -g;\n", "s += own[k];"]);
    assert!(!text.contains("int j"), "{text}");
}

/// What one guard leaves out is read elsewhere.
#[test]
fn an_exception_that_is_read_anyway_is_none() {
    let text = format!(
        "{ID}    float own = in[i], s = 0;\n    for (int j = 0; j < n; ++j) {{\n        if (j == i) continue;\n        s += in[j] * own;\n    }}\n    out[i] = s;\n"
    );
    assert_says(&body(&text).expect("staged"), &["s += tile["]);
    let text = "    int x = get_global_id(0), y = get_global_id(1);\n    if (x >= w || y >= h) return;\n    float s = -in[y * w + x];\n    for (int dy = -1; dy <= 1; ++dy)\n        for (int dx = -1; dx <= 1; ++dx)\n            if (dx || dy) {\n                int xx = x + dx, yy = y + dy;\n                if (xx >= 0 && xx < w && yy >= 0 && yy < h) s += in[yy * w + xx];\n            }\n    out[y * w + x] = s;\n";
    let text = body(text).expect("staged");
    assert_says(&text, &["if (sx >= 0 && sx < w && sy >= 0 && sy < h)"]);
}

/// The interior of a range is filled by those who read it, and by nobody else.
#[test]
fn an_interior_is_filled_by_its_work_items() {
    let text = "    int x = get_global_id(0), y = get_global_id(1);\n    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)\n        out[y * w + x] = in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x];\n";
    let text = body(text).expect("staged");
    assert_says(
        &text,
        &[
            "if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {\n        tile[at] = in[y * w + x];\n        if (lx == 0 || x < 2)\n",
            "if (lx == lsx - 1 || x >= w - 2)\n",
        ],
    );
}

/// Branches that can't be are none: no condition says `0 > 0`.
#[test]
fn impossible_branches_say_nothing() {
    let text = "    int i = get_global_id(0);\n    if (i == 0) out[i] = in[0] + in[1]; else if (i == n - 1) out[i] = in[n - 2] + in[n - 1]; else if (i < n) out[i] = in[i - 1] + in[i] + in[i + 1];\n";
    let text = body(text).expect("staged");
    assert_says(&text, &["if (i > 0 && i < n - 1) {"]);
    assert!(!text.contains("0 > 0"), "{text}");
}

/// No variable stays that nothing reads, and unsigned ids are compared with their like.
#[test]
fn nothing_unused_stays() {
    let text = "__kernel void k(__global const float *restrict in, __global float *restrict out, uint n)\n{\n    uint i = get_global_id(0);\n    uint l = i > 0 ? i - 1 : 0, other = i;\n    if (i < n)\n        out[other] = (i > 0 ? in[i - 1] : 0.0f) + in[i];\n}\n";
    let text = whole(text).expect("staged");
    assert_says(
        &text,
        &[
            "uint lid = get_local_id(0);",
            "out[other] = tile[lid] + tile[lid + 1];",
        ],
    );
    assert!(!text.contains("lsz"), "{text}");
    let text = "    int x = get_global_id(0), y = get_global_id(1);\n    if (x >= w || y >= h) return;\n    int l = max(x - 1, 0), r = min(x + 1, w - 1);\n    __global const float *row = in + y * w;\n    out[y * w + x] = row[l] + row[x] + row[r];\n";
    let text = body(text).expect("staged");
    assert!(
        !text.contains("*row") && !text.contains("int l ="),
        "{text}"
    );
    // Beyond the border, each reads what the kernel reads.
    assert_says(&text, &["tile[at - 1] = in[y * w + max(x - 1, 0)];"]);
}

/// A grid-stride loop goes on while any work-item of the group does.
#[test]
fn loops_over_the_range_have_a_tile_each_time() {
    let text = "    for (int i = get_global_id(0); i < n; i += get_global_size(0))\n        out[i] = in[i] + in[i + 1];\n";
    assert_says(
        &body(text).expect("staged"),
        &[
            "    for (int i = get_global_id(0); i - lid < n; i += get_global_size(0)) {\n",
            "        if (i < n)\n            out[i] = tile[lid] + tile[lid + 1];\n        barrier(CLK_LOCAL_MEM_FENCE);\n    }\n",
        ],
    );
}

/// Arrays of arrays through a cast are rows of the buffer.
#[test]
fn casts_to_rows_are_followed() {
    let text = "#define W 64\n__kernel void k(__global const float *restrict in, __global float *restrict out)\n{\n    int x = get_global_id(0), y = get_global_id(1);\n    out[y * W + x] = ((__global const float (*)[W + 2])in)[y][x] + ((__global const float (*)[W + 2])in)[y][x /* right */ + 1];\n}\n";
    assert_says(
        &whole(text).expect("staged"),
        &["in[y * (W + 2) + x]", "+ 1] /* right */;"],
    );
}

/// New lines end as the file's do.
#[test]
fn lines_end_alike() {
    let text = format!("{HEAD}{ID}    out[i] = in[i] + in[i + 1];\n}}\n").replace('\n', "\r\n");
    let text = whole(&text).expect("staged");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
}

/// Reasons name what stands in the way, at its place.
#[test]
fn reasons_are_true() {
    let says = |text: String, what: &str| {
        let found = body(&text).expect_err("refused");
        assert!(found[0].message.contains(what), "{what}: {found:?}");
        found[0].at
    };
    let loops = [
        (
            "int j = 0; while (j < n) { s += in[j]; ++j; }",
            "holds j, which a loop counts that is no `for`",
        ),
        (
            "for (int j = 0; j < n; j += 3) s += in[j];",
            "the loop over j steps by 3",
        ),
        (
            "for (int j = n - 1; j >= 0; --j) s += in[j];",
            "the loop over j counts down",
        ),
        (
            "for (int j = 0, k = 1; j < n; ++j, k += 2) s += in[j] * k;",
            "other variables that step along",
        ),
    ];
    for (text, what) in loops {
        let text = format!("{ID}    float s = 0;\n    {text}\n    out[i] = s;\n");
        says(text, what);
    }
    let text = format!(
        "{ID}    if (i > 0 && in[i - 1] > 0) out[i] = 1;\n    else if (i < n - 1 && in[i + 1] > 0) out[i] = 2;\n"
    );
    let at = says(text, "no inequality of ids");
    assert_eq!(at, (6, 27), "the load that data guards");
}

/// A table that all read alike comes from the constant cache.
#[test]
fn a_uniform_constant_table_is_not_staged() {
    let text = "__kernel void k(__constant float *in, __global float *out, int n)\n{\n    int i = get_global_id(0);\n    float s = 0;\n    for (int k = 0; k < 9; ++k)\n        s += in[k] * i;\n    out[i] = s;\n}\n";
    let found = whole(text).expect_err("refused");
    assert_eq!(found[0].code, Code::NoReuse, "{found:?}");
}

/// Reads that a loop moves around the work-item's own element go through a pointer to it,
/// but not where a value below it would wrap, nor where the loop steps from row to row
/// alone, nor where it counts from the edge of the tile.
#[test]
fn loops_around_the_own_element_read_through_a_pointer() -> Result<(), Vec<Refusal>> {
    let text = body(&format!(
        "{ID}    float s = 0;\n    for (int k = -3; k <= 3; ++k) s += i + k >= 0 && i + k < n ? in[i + k] : 0.0f;\n    out[i] = s;\n"
    ))?;
    assert_says(
        &text,
        &[
            "__local const float *own = tile + lid + 3; // the work-item's own element",
            "s += own[k];",
        ],
    );
    let unsigned = "    uint i = get_global_id(0);\n    if (i >= n) return;\n";
    let text = body(&format!(
        "{unsigned}    float s = 0;\n    for (int k = -3; k <= 3; ++k) s += i + k < n ? in[i + k] : 0.0f;\n    out[i] = s;\n"
    ))?;
    assert_says(&text, &["s += tile[lid + 3 + k];"]);
    let rows = "    int x = get_global_id(0);\n    int y = get_global_id(1);\n    if (x >= w || y >= h) return;\n    float s = 0;\n";
    let text = body(&format!(
        "{rows}    for (int k = -3; k <= 3; ++k) s += in[clamp(y + k, 0, h - 1) * w + x];\n    out[y * w + x] = s;\n"
    ))?;
    assert_says(&text, &["s += tile[(ly + 3 + k) * lsx + lx];"]);
    let text = body(&format!(
        "{ID}    float s = 0;\n    for (int k = 0; k < 7; ++k) s += in[i + k];\n    out[i] = s;\n"
    ))?;
    assert_says(&text, &["s += tile[lid + k];"]);
    Ok(())
}

/// What the group's place in the data decides is in the bounds of the fill's loops, if it
/// can be all there.
#[test]
fn groups_beyond_the_data_fill_nothing() -> Result<(), Vec<Refusal>> {
    let rows = "    int x = get_global_id(0);\n    int y = get_global_id(1);\n    if (x >= w || y >= h) return;\n    float s = 0;\n";
    let text = body(&format!(
        "{rows}    for (int j = 0; j < 3; ++j)\n        for (int i = 0; i < 3; ++i) s += in[(y + j) * (w + 2) + x + i];\n    out[y * w + x] = s;\n"
    ))?;
    assert_says(
        &text,
        &[
            "int cols = x - lx < w ? min(tw, lx - x + w + 2) : 0;",
            "int rows = y - ly < h ? min(lsy + 2, ly - y + h + 2) : 0;",
        ],
    );
    Ok(())
}

/// What the text copies from the source keeps its variables: `m` is read by the guard
/// that moves in front of the loop.
#[test]
fn guards_that_move_keep_their_variables() -> Result<(), Vec<Refusal>> {
    let text = whole(
        "__kernel void k(__global const float *restrict in, __global float *restrict out, int n, int w)
{
    int i = get_global_id(0);
    int m = n - w + 1;

    if (i < m) {
        float s = 0.0f;
        for (int j = 0; j < n; j++)
            s += in[j] * (j + i);
        out[i] = s;
    }
}
",
    )?;
    assert_says(
        &text,
        &[
            "int m = n - w + 1;",
            "bool active = i < m;",
            // Floats would add up in another order.
            "s += tile[j] * (j0 + j + i);",
        ],
    );
    Ok(())
}

/// Work-items that share elements by a division are not said to share none.
#[test]
fn a_division_of_ids_hides_reuse() {
    let refused = body(&format!(
        "{ID}    out[i] = in[i / 2] + in[min(i / 2 + 1, n - 1)];\n"
    ));
    let refusals = refused.expect_err("its box can't be told");
    assert!(
        refusals.iter().all(|r| r.code == Code::Form),
        "{refusals:?}"
    );
    assert!(
        format!("{refusals:?}").contains("'/' stands between"),
        "{refusals:?}"
    );
}

/// A name that stands for something else where an element is read is not written there.
#[test]
fn inner_names_are_not_captured() {
    let refused = body(&format!(
        "{ID}    float s = 0;
    for (int d = 0; d <= 3; d++) {{
        int e = i + d;
        {{ int d = e - (i & 7); s += in[e] * d; }}
    }}
    out[i] = s;
"
    ));
    let refusals = refused.expect_err("d is another one there");
    assert!(
        format!("{refusals:?}").contains("d is declared again here"),
        "{refusals:?}"
    );
}

/// A radius that the kernel computes from an argument is one that the launch can compute.
#[test]
fn a_tile_may_grow_by_half_an_argument() -> Result<(), Vec<Refusal>> {
    let kernel = |radius: &str| {
        format!(
            "{HEAD}    int i = get_global_id(0);
    int r = {radius};
    if (i >= n) return;
    float s = 0;
    for (int k = -r; k <= r; ++k) s += in[clamp(i + k, 0, n - 1)];
    out[i] = s;
}}
"
        )
    };
    let text = whole(&kernel("w / 2"))?;
    assert_says(&text, &["tile + lid + r;", "t < 2 * r + lsz;"]);
    let refusals = whole(&kernel("(uchar)w")).expect_err("a launch has no conversions");
    assert!(
        refusals.iter().any(|r| r.code == Code::Form),
        "{refusals:?}"
    );
    Ok(())
}

/// Conversions that sums leave out come back where a function takes one type only, and a
/// macro may be of another type than `int`.
#[test]
fn functions_of_one_type_get_it() -> Result<(), Vec<Refusal>> {
    let text = whole(
        "#define END 100u
__kernel void k(__global const float *restrict in, __global float *restrict out, uint n, int w)
{
    int i = get_global_id(0);
    if (i >= w) return;
    float s = 0;
    for (int k = -2; k <= 2; ++k) s += in[clamp(i + k, 0, (int)n - 1)];
    out[i] = s;
}
",
    )?;
    assert_says(&text, &["clamp(i + t - lid - 2, 0, (int)(n - 1))"]);
    let text = whole(
        "#define END 100u
__kernel void k(__global const float *restrict in, __global float *restrict out, int w)
{
    int i = get_global_id(0);
    if (i >= END) return;
    float s = 0;
    for (int k = 0; k <= w; ++k) s += in[i + k];
    out[i] = s;
}
",
    )?;
    assert_says(&text, &["min(lsz + w, (int)(lid - i + END + w))"]);
    Ok(())
}
