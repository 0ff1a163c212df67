//! Textbook tiles, which are right at multiples of the group alone.

use tilewise::KernelInput;
use tilewise::commands::verify::verify;

use crate::common::{have_clang, one, simulated, with_args, with_range};

const TEXT: &str = "\
kernel void naive(global const float *A, global const float *x, global float *y, int n, int K)
{
    int r = get_global_id(0);
    float s = 0;
    for (int k = 0; k < K; ++k)
        s += A[r * K + k] * x[k];
    y[r] = s;
}

kernel void tiled(global const float *A, global const float *x, global float *y, int n, int K)
{
    int r = get_global_id(0), l = get_local_id(0);
    local float tile[16];
    float s = 0;
    for (int t = 0; t < K / 16; ++t) {
        tile[l] = x[t * 16 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k)
            s += A[r * K + t * 16 + k] * tile[k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[r] = s;
}
";

#[test]
fn a_size_may_always_be_a_multiple() {
    if !have_clang() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.cl");
    std::fs::write(&path, TEXT).expect("a file");
    let with = |kernel: &str, sizes: &[&str]| {
        let input = KernelInput {
            path: path.clone(),
            kernel: Some(kernel.to_owned()),
            ..KernelInput::default()
        };
        let args = ["n=64", "K=32", "A=[n*K]", "x=[K]", "y=[n]"];
        let mut input = with_range(with_args(input, &args), "n", "16");
        input.flags.sizes = sizes.iter().map(|s| (*s).to_owned()).collect();
        input
    };
    let compared = |sizes: &[&str]| {
        let (a, b) = (with("naive", sizes), with("tiled", sizes));
        one(verify(&simulated(), &a, &b).expect("compared"))
    };
    let equal = |run: &tilewise_report::Run| run.candidates[0].verified.as_ref().map(|v| v.equal);

    let run = compared(&[]);
    assert_eq!(equal(&run), Some(false));
    let told = |run: &tilewise_report::Run| run.warnings.iter().any(|w| w.contains("--size K%16"));
    assert!(told(&run), "{:?}", run.warnings);

    let run = compared(&["n%16", "K%16"]);
    assert_eq!(equal(&run), Some(true), "{:?}", run.candidates[0].verified);
    assert!(!told(&run), "{:?}", run.warnings);

    let (a, b) = (with("naive", &["K%5"]), with("tiled", &[]));
    let error = verify(&simulated(), &a, &b).expect_err("32 is no multiple of 5");
    assert!(error.to_string().contains("no multiple of 5"), "{error}");
}
