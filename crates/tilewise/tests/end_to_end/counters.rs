//! Figures of the simulated H200 that must equal those which a real one's
//! hardware counters gave (`smsp__sass_inst_executed_op_global_ld`,
//! `l1tex__t_sectors_pipe_lsu_mem_global_op_ld`,
//! `smsp__sass_inst_executed_op_shared_ld`), or the ideal where the hardware's
//! counter carries arbitration noise (passes of local loads).

use tilewise::KernelInput;
use tilewise::commands::profile::profile;
use tilewise_report::{BufferProfile, Profile};

use crate::common::{example, have_clang, one, simulated, with_args};

/// The profile of a launch, of which every figure is said to be exact.
fn exact(input: &KernelInput) -> Profile {
    let run = one(profile(&simulated(), input).expect("a profile"));
    assert_eq!(run.findings, [], "{}", run.kernel);
    let profile = run.profile.expect("the command gives a profile");
    assert!(profile.sampled.exact, "{:?}", profile.sampled);
    profile
}

fn at_counters(topic: &str, kernel: &str) -> Profile {
    exact(&example(topic, kernel, Some("counters")))
}

fn buffer<'p>(profile: &'p Profile, name: &str) -> &'p BufferProfile {
    let found = profile.buffers.iter().find(|b| b.name == name);
    found.expect("a buffer of the kernel")
}

/// Requests and sectors of global loads.
fn global_loads(profile: &Profile) -> (u64, u64) {
    let counters = &profile.counters;
    (counters.global_load_requests, counters.global_load_sectors)
}

#[test]
fn naive_blur() {
    if !have_clang() {
        return;
    }
    let profile = at_counters("blur", "blur_naive");
    assert_eq!(global_loads(&profile), (1_572_864, 7_340_030));
    assert_eq!(profile.counters.local_load_requests, 0);
    let input = buffer(&profile, "in");
    assert_eq!((input.accesses, input.distinct), (50_331_646, 16_908_286));
    let reuse = input.reuse.expect("in is read");
    assert!((reuse - 2.977).abs() < 5e-4, "{reuse}");
    assert_eq!(input.halo, [[1, 1]]);
    assert_eq!(input.tile_bytes, Some(258 * 4));
    assert_eq!(buffer(&profile, "out").reuse, None);
}

#[test]
fn tiled_blur() {
    if !have_clang() {
        return;
    }
    let profile = at_counters("blur", "blur_tiled");
    assert_eq!(global_loads(&profile), (655_358, 2_228_222));
    assert_eq!(profile.counters.local_load_requests, 1_572_864);
    assert_eq!(profile.counters.local_load_passes, 1_572_864);
    assert_eq!(profile.counters.local_bank_conflicts, 0);
    let input = buffer(&profile, "in");
    assert_eq!((input.accesses, input.distinct), (16_908_286, 16_908_286));
    assert_eq!(input.reuse, Some(1.0));
}

/// Reads of an image are accesses of it, and no loads of global memory.
#[test]
fn image_blur() {
    if !have_clang() {
        return;
    }
    let at = |kernel: &str| exact(&example("image_blur", kernel, Some("small")));
    let naive = at("image_blur_naive");
    assert_eq!(global_loads(&naive), (0, 0));
    assert_eq!(naive.counters.global_store_requests, 0);
    // Sub-groups of 16 x 2 work-items: 3 columns and 11 rows of them reach into
    // 37 x 21 pixels, each with 25 reads and one write.
    assert_eq!(naive.counters.image_read_requests, 33 * 25);
    assert_eq!(naive.counters.image_write_requests, 33);
    let input = buffer(&naive, "in");
    assert_eq!(
        (input.space.as_str(), input.element.as_str()),
        ("image", "rgba8")
    );
    assert_eq!(input.accesses, 37 * 21 * 25);
    assert_eq!(input.halo, [[2, 2], [2, 2]]);
    assert_eq!(input.footprint, [20, 12]);
    assert_eq!(buffer(&naive, "out").stores, 37 * 21);
    let tiled = at("image_blur_tiled");
    assert_eq!(global_loads(&tiled), (0, 0));
    assert!(tiled.counters.image_read_requests < 33 * 25 / 4);
    assert!(tiled.counters.local_load_requests > 0);
}

#[test]
fn naive_product() {
    if !have_clang() {
        return;
    }
    let profile = at_counters("matmul", "matmul_naive");
    assert_eq!(global_loads(&profile), (8_388_608, 16_777_216));
}

/// ptxas merges neighbouring local loads into 16-byte ones: 8,388,608 in the
/// IR, 5,242,880 in the machine's code, for both tiles.
#[test]
fn tiled_product() {
    if !have_clang() {
        return;
    }
    let tile32 = with_args(
        example("matmul", "matmul_tiled", Some("tile32")),
        &["M=512", "N=512", "K=512"],
    );
    for profile in [at_counters("matmul", "matmul_tiled"), exact(&tile32)] {
        let counters = &profile.counters;
        assert_eq!(counters.local_load_requests_unmerged, 8_388_608);
        assert_eq!(counters.local_load_requests, 5_242_880);
        // The hardware counts 6,295,429 and 6,295,076 wavefronts.
        assert_eq!(counters.local_load_passes, 6_291_456);
    }
}

#[test]
fn transpose_with_and_without_padding() {
    if !have_clang() {
        return;
    }
    for (kernel, passes) in [
        ("transpose_tiled", 16_777_216),
        ("transpose_padded", 524_288),
    ] {
        let counters = at_counters("transpose", kernel).counters;
        assert_eq!(counters.global_load_sectors, 2_097_152, "{kernel}");
        assert_eq!(counters.local_load_requests, 524_288, "{kernel}");
        assert_eq!(counters.local_load_passes, passes, "{kernel}");
        assert_eq!(
            counters.local_bank_conflicts,
            passes - 524_288,
            "{kernel}: passes beyond one per request"
        );
    }
}
