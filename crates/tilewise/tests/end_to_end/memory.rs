//! A profile of a launch over gigabytes takes memory for what its sampled
//! work-groups touch, not for its buffers.

use std::process::Command;

use tilewise::KernelInput;
use tilewise::commands::profile::profile;

use crate::common::{have_clang, one, simulated, with_args, with_range};

const SOURCE: &str = "__kernel void sum(__global const float *in, __global const uint *idx,
                                        __global float *out, const int w) {
    size_t x = get_global_id(0), y = get_global_id(1), i = y * w + x;
    float s = in[idx[i]];
    for (int k = 0; k < 1024; ++k) s += in[(size_t)k * w + x];
    out[i] = s;
}";

/// Set for the process whose memory is measured.
const MEASURED: &str = "TILEWISE_TEST_MEASURED";

/// 2^30 work-items over three buffers of 4 GiB, one of them read by random
/// indices and down its columns.
#[test]
fn a_launch_over_gigabytes_stays_small() {
    if !have_clang() || !cfg!(target_os = "linux") {
        return;
    }
    // The peak of this process would be that of all tests.
    if std::env::var_os(MEASURED).is_none() {
        let name = "memory::a_launch_over_gigabytes_stays_small";
        let status = Command::new(std::env::current_exe().expect("this test"))
            .args([name, "--exact", "--nocapture"])
            .env(MEASURED, "1")
            .status()
            .expect("the test again");
        assert!(status.success());
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sum.cl");
    std::fs::write(&path, SOURCE).expect("written");
    let input = with_range(
        KernelInput {
            path,
            ..KernelInput::default()
        },
        "w,w",
        "16x16",
    );
    let input = with_args(
        input,
        &[
            "w=32768",
            "in=[w*w]",
            "idx=[w*w]:random(0,w*w)",
            "out=[w*w]",
        ],
    );
    let run = one(profile(&simulated(), &input).expect("a profile"));
    assert!(run.findings.is_empty(), "{:?}", run.findings);
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"))
        .and_then(|kib| kib.trim().parse::<u64>().ok())
        .expect("the peak");
    assert!(peak < 1 << 20, "{peak} KiB at the peak");
}
