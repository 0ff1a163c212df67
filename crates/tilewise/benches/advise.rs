//! Times `advise --device sim:h200` on the blur pair, from 2^20 elements to
//! 2^30: `cargo bench -p tilewise --bench advise`.
//!
//! Work-groups are sampled and buffers come to be where they are touched, so
//! that the time does not grow with the problem: the rows are to be equal. What
//! clang and the translator give is kept from the first run on; the time left is
//! that of the preprocessor, which is a child process, and of tilewise itself.

use std::path::Path;

use divan::Bencher;
use tempfile::TempDir;
use tilewise::commands::advise::advise;
use tilewise::{DeviceChoice, KernelInput, Session};
use tilewise_launch::ArgSetting;

fn main() {
    divan::main();
}

#[divan::bench(args = [20, 22, 24, 26, 28, 30], sample_count = 5, sample_size = 1)]
fn blur_pair_of_two_to_the(bencher: Bencher<'_, '_>, log2: u32) {
    let kept = TempDir::new().expect("a temporary folder");
    let session = Session {
        device: DeviceChoice::Simulated("h200".to_owned()),
        threads: Some(1),
        cache: Some(kept.path().to_owned()),
        ..Session::default()
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/blur/blur.cl");
    let [naive, tiled] = ["blur_naive", "blur_tiled"].map(|kernel| {
        let mut input = KernelInput {
            path: file.clone(),
            kernel: Some(kernel.to_owned()),
            ..KernelInput::default()
        };
        let size = ArgSetting::from_flag(&format!("n={}", 1u64 << log2));
        input.flags.args.push(size.expect("a setting"));
        input
    });
    let run = || advise(&session, &naive, Some(&tiled), None).expect("advice");
    // The first run fills the cache.
    run();
    bencher.bench_local(run);
}
