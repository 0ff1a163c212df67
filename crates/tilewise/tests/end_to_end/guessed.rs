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
