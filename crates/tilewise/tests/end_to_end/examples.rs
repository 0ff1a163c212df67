//! Every pair of examples: equal results on the simulator and on a device, no
//! findings but those that the example is meant to show, and a verdict for the
//! launch to measure.

use std::time::Instant;

use tilewise::commands::{advise::advise, check::check, verify::verify};
use tilewise_report::{Diagnostic, VerdictKind, Verified};

use crate::common::{example, first_device, have_clang, have_opencl, one, simulated};

/// Tests one pair.
fn pair(topic: &str, naive: &str, staged: &str) {
    if !have_clang() {
        return;
    }
    for launch in ["small", "tiny"] {
        clean(topic, naive, launch);
        clean(topic, staged, launch);
        equal(topic, naive, staged, launch);
    }
    judged(topic, naive, staged);
}

/// What `examples/README.md` says that a kernel shows.
fn shown(kernel: &str) -> &'static [&'static str] {
    match kernel {
        // Stores a row apart; loads a row apart.
        "transpose_naive" | "pairwise_naive" | "rowsum_naive" => &["TW202"],
        "transpose_tiled" => &["TW203"],
        // When not to stage.
        "map_tiled" => &["TW201", "TW207"],
        _ => &[],
    }
}

/// The launch exactly as the file has it.
fn clean(topic: &str, kernel: &str, launch: &str) {
    let input = example(topic, kernel, Some(launch));
    let run = one(check(&simulated(), &input).expect("checked"));
    let other = |f: &&Diagnostic| !shown(kernel).contains(&f.code.as_str());
    let others: Vec<&Diagnostic> = run.findings.iter().filter(other).collect();
    assert!(others.is_empty(), "{kernel}, {launch}: {others:#?}");
    // A launch of one element shows nothing.
    if launch == "small" {
        let found = |code: &&&str| run.findings.iter().any(|f| f.code == **code);
        let missing: Vec<_> = shown(kernel).iter().filter(|c| !found(c)).collect();
        assert!(missing.is_empty(), "{kernel}: {missing:?} not found");
    }
}

fn equal(topic: &str, naive: &str, staged: &str, launch: &str) {
    let [a, b] = [naive, staged].map(|kernel| example(topic, kernel, Some(launch)));
    let device = have_opencl();
    let session = if device { first_device() } else { simulated() };
    let run = one(verify(&session, &a, &b).expect("compared"));
    assert_eq!(run.findings, [], "{staged}, {launch}");
    let [candidate] = &run.candidates[..] else {
        panic!("{staged} is the one candidate: {:?}", run.candidates);
    };
    let verified = candidate.verified.as_ref().expect("verify compares");
    all_equal(verified, staged, launch);
    let on = |simulator: bool| {
        let trials = verified.trials.iter();
        trials
            .filter(|t| (t.on == "simulator") == simulator)
            .count()
    };
    assert!(on(true) > 0, "{staged}, {launch}: not simulated");
    assert_eq!(on(false), usize::from(device), "{staged}, {launch}");
}

fn all_equal(verified: &Verified, staged: &str, launch: &str) {
    for trial in &verified.trials {
        assert!(trial.equal, "{staged}, {launch}: {trial:?}");
    }
    assert!(verified.equal, "{staged}, {launch}");
}

fn judged(topic: &str, naive: &str, staged: &str) {
    let [a, b] = [naive, staged].map(|kernel| example(topic, kernel, None));
    let start = Instant::now();
    let run = one(advise(&simulated(), &a, Some(&b), None).expect("advice"));
    eprintln!("advise {staged}: {:.1} s", start.elapsed().as_secs_f64());
    assert_eq!(run.findings, [], "{staged}");
    assert_eq!(run.procedure.len(), 5, "{staged}");
    let verdict = run.verdict.expect("advise ends with a verdict");
    assert_eq!(verdict.basis, "predicted", "{staged}");
    assert!(
        matches!(
            verdict.kind,
            VerdictKind::Pays | VerdictKind::Ties | VerdictKind::Loses
        ),
        "{staged}: {verdict:?}"
    );
    assert!(verdict.speedup.is_some_and(|s| s > 0.0), "{staged}");
}

macro_rules! pairs {
    ($($test:ident: $topic:literal, $naive:literal, $staged:literal;)*) => {
        $(#[test]
        fn $test() {
            pair($topic, $naive, $staged);
        })*

        /// No folder of `examples/` is left out.
        #[test]
        fn every_example_is_here() {
            let mut topics: Vec<String> = std::fs::read_dir(crate::common::examples())
                .expect("examples/")
                .map(|entry| entry.expect("an entry"))
                .filter(|entry| entry.path().is_dir())
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect();
            topics.sort();
            let mut tested = vec![$($topic),*];
            tested.sort();
            tested.dedup();
            assert_eq!(topics, tested);
        }
    };
}

pairs! {
    blur: "blur", "blur_naive", "blur_tiled";
    conv2d: "conv2d", "conv2d_naive", "conv2d_tiled";
    conv2d_fixed: "conv2d_fixed", "conv2d_fixed_naive", "conv2d_fixed_tiled";
    conv2d_wrap: "conv2d_wrap", "conv2d_wrap_naive", "conv2d_wrap_tiled";
    conv2d_zero: "conv2d_zero", "conv2d_zero_naive", "conv2d_zero_tiled";
    fir: "fir", "fir_naive", "fir_tiled";
    gaussian_columns: "gaussian", "gaussian_columns_naive", "gaussian_columns_tiled";
    gaussian_rows: "gaussian", "gaussian_rows_naive", "gaussian_rows_tiled";
    image_blur: "image_blur", "image_blur_naive", "image_blur_tiled";
    jacobi: "jacobi", "jacobi_naive", "jacobi_tiled";
    kmeans: "kmeans", "kmeans_naive", "kmeans_tiled";
    lut: "lut", "lut_naive", "lut_tiled";
    map: "map", "map_naive", "map_tiled";
    matmul: "matmul", "matmul_naive", "matmul_tiled";
    nbody: "nbody", "nbody_naive", "nbody_tiled";
    pairwise: "pairwise", "pairwise_naive", "pairwise_tiled";
    rowsum: "rowsum", "rowsum_naive", "rowsum_tiled";
    stencil3d: "stencil3d", "stencil3d_naive", "stencil3d_tiled";
    transpose: "transpose", "transpose_naive", "transpose_tiled";
    transpose_padded: "transpose", "transpose_naive", "transpose_padded";
}
