use proptest::prelude::*;

use super::*;

fn h200() -> &'static DeviceProfile {
    DeviceProfile::builtin("h200").expect("built in")
}

/// The article's blur over 2^26 floats in groups of 256, with the counters
/// measured on an H200 at 2^24 (which scale) and the instructions of its PTX,
/// roughly.
fn blur(staged: bool) -> Work {
    let groups = 262_144.0;
    let sub_groups = groups * 8.0;
    let bytes = 4.0 * f64::from(1 << 26);
    let mut work = Work {
        groups,
        sub_groups_per_group: 8.0,
        groups_per_unit: 8.0,
        instructions: Instructions {
            fp32: 8.0 * sub_groups,
            integer: 16.0 * sub_groups,
            control: 4.0 * sub_groups,
            ..Instructions::default()
        },
        global_load_requests: 3.0 * sub_groups,
        global_store_requests: sub_groups,
        l1_load_lines: 5.0 * sub_groups,
        l1_store_lines: sub_groups,
        l1_load_sectors: 14.0 * sub_groups,
        l1_store_sectors: 4.0 * sub_groups,
        l2_sectors: 8.5 * sub_groups,
        dram_read_bytes: bytes,
        dram_write_bytes: bytes,
        lifetime: Lifetime {
            arithmetic_cycles: 120.0,
            round_trips: RoundTrips {
                dram: 1.0,
                ..RoundTrips::default()
            },
        },
        ..Work::default()
    };
    if staged {
        work.global_load_requests = 1.25 * sub_groups;
        work.l1_load_lines = 1.25 * sub_groups;
        work.l1_load_sectors = 4.25 * sub_groups;
        work.local_requests = 4.25 * sub_groups;
        work.local_passes = 4.25 * sub_groups;
        work.barriers_per_group = 1.0;
        // The first and last sub-group fetch the halo after their own element.
        work.lifetime.round_trips.l2 = 1.0;
        work.lifetime.round_trips.local = 1.0;
        work.lifetime.arithmetic_cycles = 160.0;
    }
    work
}

fn seconds(work: &Work) -> f64 {
    predict(h200(), work).expect("sound counts").seconds
}

#[test]
fn the_blur_loses_by_latency() {
    let naive = predict(h200(), &blur(false)).expect("sound counts");
    let staged = predict(h200(), &blur(true)).expect("sound counts");
    let speedup = predicted_speedup(h200(), &naive, &staged);
    assert!(speedup.estimate < 0.95, "{speedup:?}");
    assert!(speedup.low < speedup.estimate && speedup.estimate < speedup.high);
    assert_eq!(staged.bottleneck(), TermKind::Latency);
    assert!(staged.lifetime_cycles > naive.lifetime_cycles + 200.0);
    // 0.216 ms were measured; the model is not calibrated yet.
    assert!((0.12e-3..0.35e-3).contains(&naive.seconds), "{naive:?}");
}

#[test]
fn a_time_lies_between_its_largest_term_and_their_sum() {
    for work in [blur(false), blur(true)] {
        let prediction = predict(h200(), &work).expect("sound counts");
        let longest = prediction.terms[0].seconds;
        let sum: f64 = prediction.terms.iter().map(|term| term.seconds).sum();
        assert!(prediction.seconds >= longest && prediction.seconds <= sum);
        assert_eq!(prediction.terms.len(), 7);
    }
}

#[test]
fn units_are_seconds() {
    // 4.3 TB at 4.3 TB/s, next to nothing else.
    let work = Work {
        groups: 132.0,
        sub_groups_per_group: 1.0,
        groups_per_unit: 1.0,
        dram_read_bytes: 4.3e12,
        ..Work::default()
    };
    let prediction = predict(h200(), &work).expect("sound counts");
    assert!((prediction.seconds - 1.0).abs() < 1e-3, "{prediction:?}");
    assert_eq!(prediction.bottleneck(), TermKind::Dram);
    assert!(prediction.dram_utilisation > 0.99);
    assert_eq!(
        prediction
            .term(TermKind::Dram)
            .expect("always there")
            .detail,
        "4300000.0 MB at 4.30 TB/s"
    );
    // One unit at 1.98 GHz and four instructions a cycle.
    let work = Work {
        groups: 1.0,
        sub_groups_per_group: 1.0,
        groups_per_unit: 1.0,
        instructions: Instructions {
            control: 4.0 * 1.98e9,
            ..Instructions::default()
        },
        ..Work::default()
    };
    assert!((seconds(&work) - 1.0).abs() < 1e-3);
}

#[test]
fn one_group_more_than_the_slots_costs_a_wave() {
    let of = |groups: f64| {
        predict(
            h200(),
            &Work {
                groups,
                sub_groups_per_group: 8.0,
                groups_per_unit: 8.0,
                lifetime: Lifetime {
                    arithmetic_cycles: 1000.0,
                    ..Lifetime::default()
                },
                ..Work::default()
            },
        )
        .expect("sound counts")
    };
    assert_eq!(of(132.0 * 8.0).waves, 1.0);
    assert_eq!(of(132.0 * 8.0 + 1.0).waves, 2.0);
    let launch = h200().latency.launch.value();
    let lives = |groups: f64| of(groups).seconds - launch;
    let ratio = lives(132.0 * 8.0 + 1.0) / lives(132.0 * 8.0);
    assert!((ratio - 2.0).abs() < 1e-9);
}

#[test]
fn bank_conflicts_queue_with_l1_on_one_path() {
    let mut conflicts = blur(true);
    conflicts.local_passes *= 32.0;
    let prediction = predict(h200(), &conflicts).expect("sound counts");
    assert_eq!(prediction.bottleneck(), TermKind::Local);
    assert!(prediction.seconds > 1.2 * seconds(&blur(true)));
}

#[test]
fn scattered_stores_are_bound_by_their_lines() {
    let mut scattered = blur(false);
    scattered.l1_store_lines *= 32.0;
    scattered.l1_store_sectors *= 8.0;
    let prediction = predict(h200(), &scattered).expect("sound counts");
    assert_eq!(prediction.bottleneck(), TermKind::L1);
    assert!(prediction.seconds > 3.0 * seconds(&blur(false)));
}

#[test]
fn counts_that_are_none_are_refused() {
    let mut work = blur(false);
    work.l2_sectors = f64::NAN;
    assert!(matches!(
        predict(h200(), &work),
        Err(WorkError::NoCount {
            name: "l2_sectors",
            ..
        })
    ));
    let mut work = blur(false);
    work.groups = 0.0;
    assert_eq!(
        predict(h200(), &work),
        Err(WorkError::BelowOne {
            name: "groups",
            value: 0.0
        })
    );
}

/// Adds `by` of its size to the `n`-th count.
fn grown(mut work: Work, n: usize, by: f64) -> Work {
    let i = &mut work.instructions;
    let trips = &mut work.lifetime.round_trips;
    let counts: [&mut f64; 21] = [
        &mut i.fp32,
        &mut i.integer,
        &mut i.special,
        &mut i.double,
        &mut i.control,
        &mut work.global_load_requests,
        &mut work.global_store_requests,
        &mut work.l1_load_lines,
        &mut work.l1_store_lines,
        &mut work.l1_load_sectors,
        &mut work.l1_store_sectors,
        &mut work.l2_sectors,
        &mut work.dram_read_bytes,
        &mut work.dram_write_bytes,
        &mut work.local_requests,
        &mut work.local_passes,
        &mut work.barriers_per_group,
        &mut trips.l1,
        &mut trips.l2,
        &mut trips.dram,
        &mut trips.local,
    ];
    if let Some(count) = counts.into_iter().nth(n) {
        *count = *count * (1.0 + by) + by;
    }
    work
}

proptest! {
    #[test]
    fn more_of_anything_never_takes_less_time(
        n in 0usize..21,
        by in 0.0f64..4.0,
        staged in any::<bool>(),
        device in 0usize..4,
    ) {
        let profile = &DeviceProfile::all()[device];
        let base = blur(staged);
        let less = predict(profile, &base).expect("sound counts");
        let more = predict(profile, &grown(base, n, by)).expect("sound counts");
        prop_assert!(more.seconds >= less.seconds * (1.0 - 1e-9));
    }

    #[test]
    fn more_resident_groups_never_take_more_time(resident in 1u32..32) {
        let with = |groups_per_unit: u32| seconds(&Work {
            groups_per_unit: f64::from(groups_per_unit),
            ..blur(true)
        });
        prop_assert!(with(resident + 1) <= with(resident) * (1.0 + 1e-9));
    }
}
