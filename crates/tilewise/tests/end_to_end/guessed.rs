//! `init` writes launches that run: what names do not tell, trials do.

use std::path::Path;

use tilewise::KernelInput;
use tilewise::commands::{check::check, init::init};
use tilewise_report::Severity;

use crate::common::{have_clang, one, simulated};

/// A kernel; what its guessed launch must say; what it shows.
const KERNELS: &[(&str, &str)] = &[
    // One dimension runs over the rows of a matrix.
    (
        "__kernel void rows(__global const float *a, __global const float *x,
                            __global float *y, int n) {
            int i = get_global_id(0);
            if (i >= n) return;
            float s = 0;
            for (int j = 0; j < n; ++j) s += a[i * n + j] * x[j];
            y[i] = s;
        }",
        "--arg 'a=[n*n]' --arg 'x=[n]' --arg 'y=[n]'",
    ),
    // Positions of rows, and columns: loaded data are addresses.
    (
        "__kernel void sparse(__global const int *begin, __global const int *where_,
                              __global const float *a, __global const float *x,
                              __global float *y, int num_rows) {
            int i = get_global_id(0);
            if (i >= num_rows) return;
            float s = 0;
            for (int j = begin[i]; j < begin[i + 1]; ++j) s += a[j] * x[where_[j]];
            y[i] = s;
        }",
        ":random(0,",
    ),
    // The kernel's own array fits one size of work-group.
    (
        "__kernel void reversed(__global float *a) {
            __local float t[64];
            int i = get_local_id(0);
            t[i] = a[get_global_id(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
            a[get_global_id(0)] = t[get_local_size(0) - 1 - i];
        }",
        "--local 64",
    ),
    // Four values per work-item of local memory that the launch sizes.
    (
        "__kernel void four(__global float *a, __local float *t) {
            int i = get_local_id(0);
            for (int k = 0; k < 4; ++k) t[4 * i + k] = a[get_global_id(0)];
            a[get_global_id(0)] = t[4 * i + 3];
        }",
        "'t=local:[4*(local_size(0)+2)]'",
    ),
    // A table of the kernel's, by the work-item.
    (
        "__constant int table[4] = {3, 1, 4, 1};
         __kernel void few(__global int *a) { a[get_global_id(0)] = table[get_global_id(0)]; }",
        "--global 4 --local 1",
    ),
    // Three values per work-item.
    (
        "__kernel void triple(__global const uchar *rgb, __global float *out, int pixels) {
            int i = get_global_id(0);
            if (i < pixels) out[i] = rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2];
        }",
        "--arg 'rgb=[3*pixels]' --arg 'out=[pixels]'",
    ),
];

#[test]
fn guessed_launches_run_clean() {
    if !have_clang() {
        return;
    }
    for (source, expected) in KERNELS {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("k.cl");
        let write = |path: &Path, text: &str| std::fs::write(path, text).expect("written");
        write(&path, source);
        let input = KernelInput {
            path,
            ..KernelInput::default()
        };
        let guess = init(&simulated(), &input).expect("a guess");
        let line = &guess.command_lines[0];
        assert!(line.contains(expected), "{line} lacks {expected}");
        assert!(guess.notes.is_empty(), "{line}: {:?}", guess.notes);
        write(&guess.path, &guess.text);
        let run = one(check(&simulated(), &input).expect("a run"));
        // That an access is slow is true of some of them, and no mistake.
        let mut findings = run.findings.iter();
        let wrong = findings.find(|f| f.severity == Severity::Error);
        assert!(wrong.is_none(), "{line}: {wrong:?}");
    }
}

/// Kernels whose guards and loops tell what names do not; what their guessed launches
/// must say.
const GUARDED: &[(&str, &[&str])] = &[
    // The rows are the ids, though columns are the usual ones.
    (
        "__kernel void matvec(__global const float *A, __global const float *x,
                              __global float *y, uint rows, uint cols) {
            uint row = get_global_id(0);
            if (row < rows) {
                float dot = 0;
                for (uint c = 0; c < cols; c++) dot += A[row * cols + c] * x[c];
                y[row] = dot;
            }
        }",
        &[
            "--global 'roundup(rows,256)'",
            "'A=[rows*cols]'",
            "'x=[cols]'",
            "'y=[rows]'",
            "rows=4096",
        ],
    ),
    // An early return, and a count that is no size of the range.
    (
        "__kernel void nearest(__global const float *refs, int num_refs,
                               __global const float *queries, int num_queries,
                               __global int *found) {
            int q = get_global_id(0);
            if (num_queries <= q) return;
            int best = 0;
            for (int r = 0; r < num_refs; r++)
                if (fabs(refs[r] - queries[q]) < fabs(refs[best] - queries[q])) best = r;
            for (int i = 0; i < 4; i++) found[q * 4 + i] = best + i;
        }",
        &[
            "--global 'roundup(num_queries,256)'",
            "'refs=[num_refs]'",
            "'queries=[num_queries]'",
            "'found=[4*num_queries]'",
        ],
    ),
    // Through local variables.
    (
        "__kernel void twice(__global const float *in, __global float *out, int in_w, int in_h) {
            int ox = get_global_id(0), oy = get_global_id(1);
            int out_w = in_w * 2, out_h = in_h * 2;
            if (ox >= out_w || oy >= out_h) return;
            out[oy * out_w + ox] = in[oy / 2 * in_w + ox / 2];
        }",
        &[
            "--global 'roundup(2*in_w,16),roundup(2*in_h,16)'",
            "'in=[in_w*in_h]'",
            "'out=[2*in_w*2*in_h]'",
        ],
    ),
    // A window that slides with the id is small.
    (
        "__kernel void match(__global const float *image, int image_w, int image_h,
                             __global const float *templ, int templ_w, int templ_h,
                             __global float *score) {
            int x = get_global_id(0), y = get_global_id(1);
            int out_w = image_w - templ_w + 1;
            if (x < out_w && y + templ_h <= image_h) {
                float sum = 0;
                for (int ty = 0; ty < templ_h; ty++)
                    for (int tx = 0; tx < templ_w; tx++)
                        sum += image[(y + ty) * image_w + x + tx] * templ[ty * templ_w + tx];
                score[y * out_w + x] = sum;
            }
        }",
        &[
            "--global 'roundup(image_w-templ_w+1,16),roundup(image_h-templ_h+1,16)'",
            "'image=[image_w*image_h]'",
            "'templ=[templ_w*templ_h]'",
            "templ_w=5",
            "'score=[(image_w-templ_w+1)*(image_h-templ_h+1)]'",
        ],
    ),
    // Rows go with the first dimension; the last one has no neighbour.
    (
        "__kernel void grad(__global const float *p, __global float *q, int n_rows, int n_cols,
                            int pitch) {
            int row = get_global_id(0), col = get_global_id(1);
            if (row + 1 >= n_rows || col >= n_cols) return;
            q[col * pitch + row] = p[col * pitch + row + 1] - p[col * pitch + row];
        }",
        &[
            "--global 'roundup(n_rows,16),roundup(n_cols,16)'",
            "'p=[n_rows*n_cols]'",
            "pitch=n_rows",
        ],
    ),
    // The border does nothing: the ids run over it all the same.
    (
        "__kernel void inner(__global const float *in, __global float *out, int w, int r) {
            int i = get_global_id(0);
            if (i >= r && i < w - r) out[i] = in[i - r] + in[i + r];
        }",
        &["--global 'roundup(w,256)'", "'in=[w]'", "'out=[w]'"],
    ),
    // One dimension over a picture: its sides are no million each.
    (
        "__kernel void flat(__global const float *in, __global float *out, int w, int h) {
            int i = get_global_id(0);
            if (i < w * h) out[i] = in[i / w * w + i % w];
        }",
        &["--global 'roundup(w*h,256)'", "'out=[w*h]'", "w=1024"],
    ),
    // A table that is the same for each work-item is small.
    (
        "__kernel void classes(__global const float *points, __global const float *centres,
                               __global int *class_of, int n, int K, int D) {
            int i = get_global_id(0);
            if (i >= n) return;
            float least = INFINITY;
            for (int k = 0; k < K; ++k) {
                float sum = 0;
                for (int d = 0; d < D; ++d) sum += fabs(points[d * n + i] - centres[k * D + d]);
                if (sum < least) { least = sum; class_of[i] = k; }
            }
        }",
        &["'points=[n*D]'", "'centres=[K*D]'", "'class_of=[n]'", "K=8"],
    ),
];

#[test]
fn guards_and_loops_tell_what_names_do_not() {
    if !have_clang() {
        return;
    }
    for (source, expected) in GUARDED {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("k.cl");
        std::fs::write(&path, source).expect("written");
        let input = KernelInput {
            path,
            ..KernelInput::default()
        };
        let guess = init(&simulated(), &input).expect("a guess");
        let line = &guess.command_lines[0];
        for said in *expected {
            assert!(line.contains(said), "{line} lacks {said}");
        }
        assert!(guess.notes.is_empty(), "{line}: {:?}", guess.notes);
    }
}

/// A kernel that faults however it is launched: the guess is written all the
/// same, and says so.
#[test]
fn a_guess_that_is_not_clean_says_so() {
    if !have_clang() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.cl");
    let source = "__kernel void k(__global int *a) { a[-1 - (int)get_global_id(0)] = 1; }";
    std::fs::write(&path, source).expect("written");
    let input = KernelInput {
        path,
        ..KernelInput::default()
    };
    let guess = init(&simulated(), &input).expect("a guess");
    assert!(guess.notes[0].contains("is not clean"), "{:?}", guess.notes);
    assert!(guess.command_lines[0].contains("--arg 'a=[global_size(0)]'"));
}
