//! Paired measurement on a real device.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::common::*;
use tilewise_device::measure::{Ended, MeasureOptions, Observer, measure};
use tilewise_device::{
    BoundLaunch, BufferRole, Clearance, DeviceError, Program, Queue, copy_ceiling,
};
use tilewise_launch::Scalar;

const SOURCE: &str = "
kernel void once(global const float *in, global float *out) {
    size_t i = get_global_id(0);
    out[i] = in[i] * 2.0f;
}
kernel void slow(global const float *in, global float *out) {
    size_t i = get_global_id(0);
    float s = in[i];
    for (int k = 0; k < 200; k++) s = s * 0.99f + sin(s);
    out[i] = in[i] + in[i] + s * 0.0f;
}
kernel void grow(global float *data) { data[get_global_id(0)] += 1.0f; }
";

#[derive(Default)]
struct Kept {
    outputs: Vec<(usize, usize, Vec<f32>)>,
    rounds: u32,
    stop_after: Option<u32>,
}

impl Observer for Kept {
    fn output(&mut self, subject: usize, arg: usize, bytes: &[u8]) {
        self.outputs.push((subject, arg, floats(bytes)));
    }

    fn round(&mut self, done: u32, _: Duration) -> ControlFlow<()> {
        self.rounds = done;
        match self.stop_after {
            Some(last) if done >= last => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn bind(queue: &Queue, name: &str, n: u64) -> BoundLaunch {
    let program = Program::build(queue, SOURCE, "").expect("builds");
    let float = |name| buffer(name, Scalar::F32, Some(n));
    let (args, roles) = match name {
        "grow" => (vec![float("data")], vec![BufferRole::InOut]),
        _ => (
            vec![float("in"), float("out")],
            vec![BufferRole::Input, BufferRole::Output],
        ),
    };
    let kernel = program.kernel(name).expect("the kernel is there");
    BoundLaunch::new(
        kernel,
        &launch(name, n, 64, args),
        &roles,
        &mut iota_f32,
        Clearance::OwnKernel,
    )
    .expect("binds")
}

fn options(rounds: u32) -> MeasureOptions {
    MeasureOptions {
        warm_up: Duration::from_millis(1),
        budget: Duration::from_secs(60),
        min_rounds: 1,
        max_rounds: rounds,
        ..MeasureOptions::default()
    }
}

#[test]
fn a_pair_gives_paired_samples_and_both_outputs() {
    let Some(queue) = queue() else { return };
    let n = 4096;
    let mut pair = [bind(&queue, "once", n), bind(&queue, "slow", n)];
    let mut kept = Kept::default();
    let result = measure(&mut pair, &options(7), &mut kept).expect("measures");
    assert_eq!(result.ended, Ended::Rounds);
    assert_eq!(kept.rounds, 7);
    let [once, slow] = &result.subjects[..] else {
        panic!("two kernels")
    };
    assert_eq!((once.ns.len(), slow.ns.len()), (7, 7));
    assert_eq!(
        (once.kernel.as_str(), slow.kernel.as_str()),
        ("once", "slow")
    );
    assert!(once.repeatable && slow.repeatable);

    let expected: Vec<f32> = (0..n).map(|i| i as f32 * 2.0).collect();
    assert_eq!(kept.outputs, [(0, 1, expected.clone()), (1, 1, expected)]);

    let mean = |s: &tilewise_device::measure::Samples| s.per_launch_ns().sum::<f64>() / 7.0;
    assert!(
        mean(slow) > 3.0 * mean(once),
        "{} {}",
        mean(slow),
        mean(once)
    );
}

#[test]
fn a_short_kernel_runs_in_batches_and_a_small_set_goes_round() {
    let Some(queue) = queue() else { return };
    let n = 1024;
    let mut one = [bind(&queue, "once", n)];
    let wanted = MeasureOptions {
        short_ns: 1_000_000_000,
        last_cache: Some(20 * 1024),
        ..options(2)
    };
    let result = measure(&mut one, &wanted, &mut Kept::default()).expect("measures");
    let samples = &result.subjects[0];
    assert!(samples.launches > 1);
    assert!(samples.per_launch_ns().all(|ns| ns > 0.0 && ns < 1e9));
    // 8 KiB a set, and 40 KiB wanted.
    assert_eq!(
        (samples.working_set.bytes, samples.working_set.sets),
        (8192, 5)
    );
    assert!(samples.working_set.exceeds_cache());

    let fixed = MeasureOptions {
        rotate: false,
        short_ns: 0,
        ..wanted
    };
    let result = measure(&mut one, &fixed, &mut Kept::default()).expect("measures");
    assert_eq!(result.subjects[0].launches, 1);
    // The sets of the first measurement are still there.
    assert!(one[0].sets() == 5);
}

#[test]
fn an_in_place_kernel_is_set_back_before_each_sample() {
    let Some(queue) = queue() else { return };
    let mut one = [bind(&queue, "grow", 256)];
    let mut kept = Kept::default();
    let small = MeasureOptions {
        last_cache: Some(1024),
        ..options(5)
    };
    let result = measure(&mut one, &small, &mut kept).expect("measures");
    let expected: Vec<f32> = (1..=256).map(|i| i as f32).collect();
    assert_eq!(kept.outputs, [(0, 0, expected)]);
    assert!(result.subjects[0].repeatable);
}

#[test]
fn the_observer_and_the_budget_end_a_measurement() {
    let Some(queue) = queue() else { return };
    let mut three = ["once", "slow", "once"].map(|name| bind(&queue, name, 1024));
    let mut kept = Kept {
        stop_after: Some(2),
        ..Kept::default()
    };
    let result = measure(&mut three, &options(50), &mut kept).expect("measures");
    assert_eq!(result.ended, Ended::Stopped);
    assert!(result.subjects.iter().all(|s| s.ns.len() == 2));

    let spent = MeasureOptions {
        budget: Duration::ZERO,
        min_rounds: 3,
        ..options(50)
    };
    let result = measure(&mut three, &spent, &mut Kept::default()).expect("measures");
    assert_eq!(result.ended, Ended::Budget);
    assert!(result.subjects.iter().all(|s| s.ns.len() == 3));

    let error = measure(&mut [], &options(5), &mut Kept::default()).err();
    assert_eq!(error, Some(DeviceError::NothingToMeasure));
}

#[test]
fn the_copy_ceiling_is_a_plausible_bandwidth() {
    let Some(queue) = queue() else { return };
    let ceiling = copy_ceiling(&queue).expect("copies");
    assert_eq!(ceiling.rates.len(), 3);
    let best = ceiling.gb_per_s();
    assert!(best > 0.1 && best < 100_000.0, "{ceiling:?}");
}
