//! What one kernel is told, alone.

use tilewise_launch::{ArgSetting, Text};

use super::*;
use crate::session::DeviceChoice;

/// A file of kernels, with the range and arguments that flags would give.
fn written(
    folder: &tempfile::TempDir,
    text: &str,
    [global, local]: [&str; 2],
    args: &[&str],
) -> KernelInput {
    let path = folder.path().join("k.cl");
    std::fs::write(&path, text).expect("a file");
    let mut input = KernelInput::parse(&path.display().to_string());
    input.flags.global = Some(Text::flag(global.to_owned()));
    input.flags.local = Some(Text::flag(local.to_owned()));
    for arg in args {
        let setting = ArgSetting::from_flag(arg).expect("a setting");
        input.flags.args.push(setting);
    }
    input
}

fn session(device: DeviceChoice) -> Session {
    Session {
        device,
        budget_seconds: 0.1,
        ..Session::default()
    }
}

/// `advise` on the simulated H200, of one kernel.
fn advised(text: &str, range: [&str; 2], args: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let input = written(&folder, text, range, args);
    let runs = advise(&session(simulated()), &input, None, None);
    runs.expect("advice").swap_remove(0)
}

fn simulated() -> DeviceChoice {
    DeviceChoice::Simulated("h200".to_owned())
}

const TILED: &str = "\
__kernel void k(__global const float *in, __global float *out, int n, __local float *tile)
{
    int i = get_global_id(0);
    int l = get_local_id(0);

    tile[l + 1] = i < n ? in[i] : 0.0f;
    if (l == 0)
        tile[0] = i > 0 && i <= n ? in[i - 1] : 0.0f;
    if (l == get_local_size(0) - 1)
        tile[l + 2] = i + 1 < n ? in[i + 1] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = tile[l] + tile[l + 1] + tile[l + 2];
}
";

/// A kernel that stages already is held against its form without the tile, which tilewise
/// writes.
#[test]
fn a_kernel_that_stages_is_compared_with_its_form_without_tiles() {
    let args = [
        "n=65536",
        "in=[n]",
        "out=[n]",
        "tile=local:f32[local_size(0)+2]",
    ];
    let run = advised(TILED, ["65536", "256"], &args);
    let [candidate] = &run.candidates[..] else {
        panic!("one candidate: {:?}", run.warnings);
    };
    assert!(!candidate.staged && candidate.source == "generated");
    assert!(candidate.verified.as_ref().is_some_and(|v| v.equal));
    let verdict = run.verdict.as_ref().expect("a verdict");
    assert_eq!(verdict.basis, "predicted");
    assert_eq!(verdict.staged, ["in"]);
    // Of the form without the tile: the staged one reads each element about once.
    assert_eq!(run.procedure[0].answer, "yes");
    let action = run.action.as_deref().unwrap_or_default();
    let next = ["keep k as it is", "stage ", "measure first"];
    assert!(next.iter().any(|n| action.contains(n)), "{action}");
    assert!(!action.contains("write a staged form"), "{action}");
}

/// A tile of computed values can't be taken out: the answer says that there is a tile.
#[test]
fn a_kernel_whose_tile_stays_is_not_told_to_stage() {
    let text = "\
__kernel void k(__global const float *in, __global float *out, int n)
{
    __local float tile[66];
    int i = get_global_id(0);
    int l = get_local_id(0);

    tile[l + 1] = sqrt(in[i]);
    if (l == 0)
        tile[0] = sqrt(in[max(i - 1, 0)]);
    if (l == 63)
        tile[65] = sqrt(in[min(i + 1, n - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l] + tile[l + 1] + tile[l + 2];
}
";
    let args = ["n=256", "in=[n]", "out=[n]"];
    let run = advised(text, ["256", "64"], &args);
    assert!(run.candidates.is_empty());
    let verdict = run.verdict.as_ref().expect("a verdict");
    assert_eq!(verdict.kind, VerdictKind::Unknown);
    assert!(verdict.reasons[0].contains("stages already"), "{verdict:?}");
    let action = run.action.as_deref().unwrap_or_default();
    assert!(action.contains("k stages already"), "{action}");
    assert!(
        run.warnings.iter().any(|w| w.contains("not taken out")),
        "{:?}",
        run.warnings
    );
    // At both ends an element is read twice, which is next to nothing.
    let reads = &run.procedure[0];
    assert_eq!(reads.answer, "no", "{}", reads.figure);
    assert!(reads.figure.starts_with("hardly: "), "{}", reads.figure);
}

/// The verdict names the buffers that have tiles, those too that are read as often as
/// before, but along the rows.
#[test]
fn a_verdict_names_all_tiles_of_the_form_that_was_judged() {
    let text = "\
__kernel void matvec(__global const float *A, __global const float *x,
                     __global float *y, uint rows, uint cols)
{
    uint row = get_global_id(0);
    if (row < rows) {
        float dot = 0;
        for (uint c = 0; c < cols; c++)
            dot += A[row * cols + c] * x[c];
        y[row] = dot;
    }
}
";
    let args = [
        "rows=512",
        "cols=512",
        "A=[rows*cols]",
        "x=[cols]",
        "y=[rows]",
    ];
    let run = advised(text, ["512", "64"], &args);
    let staging = run.candidates[0].staging.as_ref().expect("a staged form");
    let mut tiles: Vec<&str> = staging.tiles.iter().map(|t| t.buffer.as_str()).collect();
    tiles.sort_unstable();
    let mut named = run.verdict.expect("a verdict").staged;
    named.sort_unstable();
    assert_eq!(named, tiles);
    assert_eq!(named, ["A", "x"]);
}

/// A group that fits the device, but not the one whose profile stands in: the device's
/// times count, and nothing is predicted.
#[test]
fn a_group_beyond_the_profile_that_stands_in_is_measured() {
    let text = "\
__kernel void naive(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i] + in[i ^ 1];
}

__kernel void tiled(__global const float *in, __global float *out)
{
    __local float tile[16384];
    int i = get_global_id(0);
    int l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l] + tile[l ^ 1];
}
";
    let folder = tempfile::tempdir().expect("a folder");
    // 64 KiB in a group, then more work-items than a GPU's group has.
    for local in ["64", "2048"] {
        let args = ["in=[4096]", "out=[4096]"];
        let naive = KernelInput {
            kernel: Some("naive".to_owned()),
            ..written(&folder, text, ["4096", local], &args)
        };
        let tiled = KernelInput {
            kernel: Some("tiled".to_owned()),
            ..naive.clone()
        };
        let session = session(DeviceChoice::OpenCl("0".to_owned()));
        let devices = match Target::resolve(&session, Need::PreferDevice) {
            Ok(devices) => devices,
            Err(error) => {
                assert!(
                    std::env::var_os("TILEWISE_REQUIRE_OPENCL").is_none(),
                    "{error}"
                );
                return eprintln!("skipped: {error}");
            }
        };
        let limits = devices[0].limits(false);
        if devices[0].modelled || devices[0].local_limit() < 65536 || limits.max_group_size < 2048 {
            return eprintln!("skipped: the device allows no larger groups than the profile");
        }
        let run = advise(&session, &naive, Some(&tiled), None)
            .expect("advice")
            .swap_remove(0);
        let candidate = &run.candidates[0];
        assert!(candidate.occupancy.is_none() && candidate.predicted.is_none());
        assert!(candidate.measured.is_some() && run.measured.is_some());
        assert_eq!(run.occupancy.is_some(), local == "64");
        assert_eq!(run.verdict.as_ref().expect("a verdict").basis, "measured");
        assert_eq!(run.procedure[2].answer, "unknown");
        let notes = run.warnings.iter();
        let unpredicted = notes.filter(|w| w.contains("no time is predicted"));
        assert_eq!(unpredicted.count(), if local == "64" { 1 } else { 2 });
    }
}

/// tilewise's own fault ends `advise` as it ends `stage`; what else keeps a form from
/// running is a note.
#[test]
fn a_form_that_does_not_compile_is_an_error() {
    let fault = Error::Generated {
        kernel: "k".to_owned(),
        why: Box::new(Error::Input("k.cl:1: error".to_owned())),
    };
    let error = alone::cannot_run("form", fault).expect_err("a fault");
    assert_eq!(error.exit_code(), 2);
    let note = alone::cannot_run("form", Error::Unsupported("pipes".to_owned()));
    assert_eq!(note.expect("a note"), "the form can't be run: pipes");
}

/// What a verdict tells the user to do; the kernel that is theirs comes first.
#[test]
fn a_change_that_may_be_for_the_worse_is_measured_first() {
    let text = "\
__kernel void plain(__global const float *in, __global float *out)
{
    out[get_global_id(0)] = in[get_global_id(0)];
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let input = written(&folder, text, ["64", "64"], &["in=[64]", "out=[64]"]);
    let session = session(simulated());
    let target = Target::resolve(&session, Need::Profile)
        .expect("a target")
        .swap_remove(0);
    let loaded = load(&session, &target, &[input]).expect("loaded");
    let form = Form::analyse(&session, &target, &loaded[0]).expect("analysed");
    let told = |[low, estimate, high]: [f64; 3], unstaged_first: bool, origin: Origin| {
        let interval = Interval {
            estimate,
            low,
            high,
        };
        let judged = verdict::Verdict::predicted(interval, Band::default());
        let report = report_verdict(&judged, &target, Vec::new());
        next(&report, &form, &form, unstaged_first, origin)
    };
    let starts = |told: String, with: &str| assert!(told.starts_with(with), "{told}");
    let unsure = [0.87, 1.07, 1.26];
    starts(told(unsure, true, Origin::Staged), "measure first");
    starts(told(unsure, true, Origin::Given), "measure first");
    starts(
        told([1.1, 1.3, 1.5], true, Origin::Staged),
        "apply it: tilewise stage ",
    );
    starts(told([1.1, 1.3, 1.5], true, Origin::Given), "use plain");
    // What stays as it is needs no measurement.
    starts(told(unsure, false, Origin::Removed), "keep plain as it is");
    starts(
        told([0.8, 0.9, 1.1], true, Origin::Staged),
        "keep plain as it is",
    );
    starts(
        told([0.8, 0.9, 1.1], false, Origin::Removed),
        "measure first",
    );
    starts(
        told([0.8, 1.0, 1.2], false, Origin::Removed),
        "measure first",
    );
    starts(
        told([0.97, 1.0, 1.03], false, Origin::Removed),
        "remove the tile: tilewise stage ",
    );
    starts(
        told([0.6, 0.7, 0.8], false, Origin::Given),
        "remove the tile: use plain",
    );
}
