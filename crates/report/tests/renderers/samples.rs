//! Hand-made runs. The figures of the blur are those of an NVIDIA H200 with
//! n = 2^24 and groups of 256 where a counter exists; the rest is plausible.

use tilewise_report::*;

pub fn launch() -> LaunchInfo {
    LaunchInfo {
        global: vec![16_777_216],
        local: vec![256],
        offset: vec![0],
        args: vec![
            arg("in", "__global const float*", "f32[16777216] random"),
            arg("out", "__global float*", "f32[16777216] random"),
            arg("n", "int", "16777216"),
        ],
        defaults: vec!["in is random in [-1,1); set it with --arg in=[n]:FILL".to_owned()],
    }
}

fn arg(name: &str, ty: &str, value: &str) -> ArgInfo {
    ArgInfo {
        name: name.to_owned(),
        ty: ty.to_owned(),
        value: value.to_owned(),
    }
}

pub fn device() -> DeviceInfo {
    DeviceInfo {
        name: "NVIDIA H200".to_owned(),
        id: "cl:0".to_owned(),
        simulated: false,
        local_mem_bytes: 49_152,
        driver: Some("580.159.04".to_owned()),
    }
}

/// A run of `command` that knows nothing yet.
pub fn bare(command: Command) -> Run {
    Run {
        schema: SCHEMA.to_owned(),
        tilewise: "0.1.0".to_owned(),
        command,
        kernel: "blur_naive".to_owned(),
        file: "examples/blur/blur.cl".to_owned(),
        launch: launch(),
        device: device(),
        profile: None,
        occupancy: None,
        predicted: None,
        measured: None,
        findings: Vec::new(),
        candidates: Vec::new(),
        procedure: Vec::new(),
        removal: false,
        action: None,
        verdict: None,
        warnings: Vec::new(),
        timings: Vec::new(),
    }
}

pub fn profile() -> Profile {
    Profile {
        buffers: vec![
            BufferProfile {
                name: "in".to_owned(),
                space: "global".to_owned(),
                element: "f32".to_owned(),
                accesses: 50_331_646,
                distinct: 16_908_286,
                reuse: Some(50_331_646.0 / 16_908_286.0),
                stores: 0,
                atomics: 0,
                halo: vec![[1, 1]],
                footprint: vec![258],
                tile_bytes: Some(1032),
                over_fetch: Some(0.0),
                load_requests: 1_572_864,
                load_sectors: 7_340_030,
                reuse_within_request: Some(1.0),
                reuse_over_time: Some(2.82),
                reuse_across_sub_groups: Some(1.05),
            },
            BufferProfile {
                name: "out".to_owned(),
                space: "global".to_owned(),
                element: "f32".to_owned(),
                stores: 16_777_216,
                ..BufferProfile::default()
            },
        ],
        lines: vec![
            line(
                24,
                "float left = (gid > 0) ? in[gid - 1] : 0.0f;",
                "in",
                "load",
                2_621_439,
            ),
            line(
                25,
                "float right = (gid + 1 < n) ? in[gid + 1] : 0.0f;",
                "in",
                "load",
                2_621_439,
            ),
            line(
                27,
                "out[gid] = (left + in[gid] + right) / 3.0f;",
                "in",
                "load",
                2_097_152,
            ),
            line(
                27,
                "out[gid] = (left + in[gid] + right) / 3.0f;",
                "out",
                "store",
                2_097_152,
            ),
        ],
        counters: Counters {
            global_load_requests: 1_572_864,
            global_load_sectors: 7_340_030,
            global_store_requests: 524_288,
            global_store_sectors: 2_097_152,
            instructions: 13_107_200,
            active_lanes: 1.0,
            ..Counters::default()
        },
        sampled: Sampled {
            groups: 24,
            of: 65_536,
            exact: true,
            relative_error: None,
        },
    }
}

fn line(line: u32, text: &str, buffer: &str, kind: &str, sectors: u64) -> LineProfile {
    LineProfile {
        file: "examples/blur/blur.cl".to_owned(),
        line,
        text: text.to_owned(),
        buffer: buffer.to_owned(),
        kind: kind.to_owned(),
        accesses: 16_777_216,
        requests: 524_288,
        sectors,
        passes: 0,
        per_request: sectors as f64 / 524_288.0,
    }
}

pub fn tiled_profile() -> Profile {
    let mut profile = profile();
    profile.buffers[0].accesses = 16_908_286;
    profile.buffers[0].reuse = Some(1.0);
    profile.lines.clear();
    profile.counters = Counters {
        global_load_requests: 655_358,
        global_load_sectors: 2_228_222,
        global_store_requests: 524_288,
        global_store_sectors: 2_097_152,
        image_read_requests: 0,
        image_write_requests: 0,
        local_load_requests: 1_572_864,
        local_load_requests_unmerged: 1_572_864,
        local_load_passes: 1_572_864,
        local_store_passes: 655_360,
        local_bank_conflicts: 0,
        instructions: 19_660_800,
        barriers: 65_536,
        active_lanes: 0.97,
    };
    profile
}

pub fn occupancy(local_bytes: u64) -> Occupancy {
    Occupancy {
        groups_per_unit: 8,
        limited_by: "work-items".to_owned(),
        fraction: 1.0,
        local_bytes,
        registers: Some(16),
        registers_source: "assumed".to_owned(),
        limits: [
            ("local memory", 32),
            ("registers", 16),
            ("work-items", 8),
            ("groups", 32),
        ]
        .map(|(resource, groups)| OccupancyLimit {
            resource: resource.to_owned(),
            groups,
        })
        .into(),
        curve: (0..=48)
            .map(|kib: u64| {
                let fit = if kib == 0 {
                    8
                } else {
                    (227 / (kib + 1)).min(8)
                };
                (kib << 10, u32::try_from(fit).expect("at most 8"))
            })
            .collect(),
    }
}

fn predicted(time_ns: f64, speedup: Option<f64>) -> Predicted {
    Predicted {
        time_ns,
        bottleneck: "latency".to_owned(),
        terms: [
            ("DRAM", 32_000.0),
            ("L2", 21_000.0),
            ("L1", 14_500.0),
            ("issue", 9_000.0),
            ("latency", 50_100.0),
        ]
        .map(|(name, ns)| Term {
            name: name.to_owned(),
            detail: "in a few words".to_owned(),
            ns,
        })
        .into(),
        speedup,
    }
}

/// Samples that look like a device's: a floor, a tail, and no randomness.
pub fn measured(floor: f64, speedup: Option<f64>) -> Measured {
    let samples: Vec<f64> = (0u32..60)
        .map(|i| {
            let noise = f64::from(i.wrapping_mul(2_654_435_761) >> 16) / 65_536.0;
            floor * (1.0 + 0.03 * noise * noise)
        })
        .collect();
    Measured {
        median_ns: floor * 1.008,
        min_ns: floor,
        max_ns: floor * 1.03,
        samples,
        launches_per_sample: 4,
        gbps: Some(134_217_728.0 / floor),
        speedup,
        interval: speedup.map(|s| [s - 0.01, s + 0.01]),
    }
}

fn trial(launch: &str, on: &str, how: &str) -> Trial {
    Trial {
        on: on.to_owned(),
        launch: launch.to_owned(),
        equal: true,
        how: how.to_owned(),
        difference: None,
    }
}

pub fn verified() -> Verified {
    let mut trials: Vec<Trial> = [1, 2, 3, 255, 256, 257, 1021]
        .map(|n: u64| {
            let global = n.next_multiple_of(256);
            trial(
                &format!("n={n} global {global} local 256"),
                "simulator",
                "bit for bit",
            )
        })
        .into();
    trials.push(trial(
        "n=16777216 global 16777216 local 256",
        "NVIDIA H200",
        "within 3 ulp",
    ));
    Verified {
        equal: true,
        trials,
    }
}

pub fn candidate() -> Candidate {
    Candidate {
        id: "blur_tiled".to_owned(),
        source: "given".to_owned(),
        file: "examples/blur/blur.cl".to_owned(),
        staged: true,
        verified: Some(verified()),
        profile: Some(tiled_profile()),
        occupancy: Some(occupancy(1032)),
        predicted: Some(predicted(61_000.0, Some(0.86))),
        measured: Some(measured(63_100.0, Some(0.83))),
        launch: None,
        staging: Some(tilewise_report::Staging {
            tiles: vec![tilewise_report::StagedTile {
                buffer: "in".to_owned(),
                name: "tile".to_owned(),
                elements: "local_size(0)+2".to_owned(),
                bytes: Some(1032),
            }],
            ..tilewise_report::Staging::default()
        }),
    }
}

fn answers() -> Vec<Answer> {
    [
        (
            "re-reads within a group?",
            "yes",
            "reuse 2.98 on in (line 24), simulated 24 of 65536 groups, exact",
        ),
        (
            "tile fits the per-group limit?",
            "yes",
            "1032 B of 49152 B, device query",
        ),
        (
            "occupancy kept?",
            "yes",
            "8 groups per unit before and after, computed",
        ),
        (
            "equal results, no race?",
            "yes",
            "8 trials equal, simulator and NVIDIA H200",
        ),
        (
            "faster?",
            "no",
            "0.83x (95% CI 0.82-0.84), measured, 60 samples",
        ),
    ]
    .map(|(question, answer, figure)| Answer {
        question: question.to_owned(),
        answer: answer.to_owned(),
        figure: figure.to_owned(),
    })
    .into()
}

/// The blur pair, measured: staging loses.
pub fn advise() -> Run {
    Run {
        profile: Some(profile()),
        occupancy: Some(occupancy(0)),
        predicted: Some(predicted(52_400.0, None)),
        measured: Some(measured(52_000.0, None)),
        candidates: vec![candidate()],
        procedure: answers(),
        action: Some("keep blur_naive as it is".to_owned()),
        verdict: Some(Verdict {
            kind: VerdictKind::Loses,
            basis: "measured".to_owned(),
            speedup: Some(0.83),
            lo: Some(0.82),
            hi: Some(0.84),
            interval: Some("95% CI".to_owned()),
            unsure: false,
            staged: vec!["in".to_owned()],
            device: "NVIDIA H200".to_owned(),
            reasons: vec![
                "the L1 already serves 69.6 % of the loads".to_owned(),
                "the barrier adds about 260 cycles to a group of about 1,580".to_owned(),
            ],
        }),
        warnings: vec![
            "the working set (128 MiB) is twice the L2 (60 MiB): pass a larger n to leave it behind"
                .to_owned(),
        ],
        ..bare(Command::Advise)
    }
}

/// One kernel alone: nothing to compare it with.
pub fn alone() -> Run {
    let mut run = advise();
    run.candidates.clear();
    run.measured = None;
    run.predicted = None;
    run.procedure.truncate(3);
    run.action = None;
    run.warnings.clear();
    run.verdict = Some(Verdict {
        kind: VerdictKind::Unknown,
        basis: "not measured".to_owned(),
        speedup: None,
        lo: None,
        hi: None,
        interval: None,
        unsure: false,
        staged: Vec::new(),
        device: "NVIDIA H200".to_owned(),
        reasons: vec!["no staged form yet; give one with --against".to_owned()],
    });
    run
}

/// The pair, predicted on a simulated device.
pub fn predicted_pair() -> Run {
    let mut run = advise();
    run.device.simulated = true;
    run.device.id = "sim:h200".to_owned();
    run.device.driver = None;
    run.measured = None;
    run.candidates[0].measured = None;
    if let Some(verdict) = &mut run.verdict {
        verdict.basis = "predicted".to_owned();
        verdict.speedup = Some(0.86);
        verdict.lo = Some(0.77);
        verdict.hi = Some(0.96);
        verdict.interval = Some("80% model interval".to_owned());
        verdict.unsure = true;
    }
    run
}

pub fn source() -> Snippet {
    Snippet {
        first_line: 22,
        lines: [
            "",
            "    if (gid < n) {",
            "        float left = (gid > 0) ? in[gid - 1] : 0.0f;",
            "        float right = (gid + 1 < n) ? in[gid + 1] : 0.0f;",
            "",
            "        out[gid] = (left + in[gid] + right) / 3.0f;",
        ]
        .map(str::to_owned)
        .into(),
    }
}

/// An access outside its buffer, with everything a finding can have.
pub fn finding() -> Diagnostic {
    Diagnostic {
        code: "TW104".to_owned(),
        severity: Severity::Error,
        message: "read of in[-1], 1 element before the buffer".to_owned(),
        file: "examples/blur/blur.cl".to_owned(),
        line: 24,
        column: 34,
        kernel: "blur_naive".to_owned(),
        labels: vec![
            Label {
                message: "guarded here".to_owned(),
                file: "examples/blur/blur.cl".to_owned(),
                line: 23,
                column: 9,
            },
            Label {
                message: "called from here".to_owned(),
                file: "examples/other.cl".to_owned(),
                line: 7,
                column: 3,
            },
        ],
        notes: vec!["work-item 0 of group 0".to_owned()],
        help: vec!["test gid > 0 before the read".to_owned()],
        count: 256,
        snippet: Some(source()),
    }
}

/// Every key that a run can have is there.
pub fn full() -> Run {
    let mut run = advise();
    run.findings = vec![finding()];
    run.timings = vec![Timing {
        phase: "simulate".to_owned(),
        seconds: 0.123,
    }];
    let inexact = Sampled {
        groups: 40,
        of: 65_536,
        exact: false,
        relative_error: Some(0.012),
    };
    for profile in run
        .profile
        .iter_mut()
        .chain(run.candidates[0].profile.as_mut())
    {
        profile.sampled = inexact.clone();
    }
    if let Some(predicted) = &mut run.predicted {
        predicted.speedup = Some(1.0);
    }
    if let Some(measured) = &mut run.measured {
        measured.speedup = Some(1.0);
        measured.interval = Some([0.99, 1.01]);
    }
    run.candidates[0].launch = Some(launch());
    run.candidates[0].profile = run.profile.clone();
    if let Some(verified) = &mut run.candidates[0].verified {
        verified.equal = false;
        verified.trials[0].equal = false;
        verified.trials[0].difference = Some("out[0]: 0.5 instead of 0.25".to_owned());
    }
    run
}

/// Nothing measured is a number, every list is empty.
pub fn degenerate(command: Command) -> Run {
    let mut run = full();
    run.command = command;
    run.launch = LaunchInfo::default();
    run.device = DeviceInfo::default();
    run.kernel = String::new();
    run.file = String::new();
    let nan = f64::NAN;
    if let Some(profile) = &mut run.profile {
        profile.counters.active_lanes = nan;
        profile.sampled = Sampled::default();
        for buffer in &mut profile.buffers {
            buffer.reuse = Some(f64::INFINITY);
            buffer.over_fetch = Some(nan);
            buffer.halo.clear();
            buffer.load_requests = 0;
        }
        for line in &mut profile.lines {
            line.per_request = nan;
            line.line = 0;
        }
    }
    run.occupancy = Some(Occupancy {
        fraction: nan,
        ..Occupancy::default()
    });
    run.predicted = Some(Predicted {
        time_ns: f64::INFINITY,
        terms: vec![Term {
            name: "DRAM".to_owned(),
            detail: String::new(),
            ns: nan,
        }],
        ..Predicted::default()
    });
    run.measured = Some(Measured {
        median_ns: nan,
        min_ns: nan,
        max_ns: nan,
        samples: vec![nan, f64::INFINITY, 3.0],
        gbps: Some(nan),
        speedup: Some(nan),
        interval: Some([nan, f64::NEG_INFINITY]),
        ..Measured::default()
    });
    run.candidates[0].measured = run.measured.clone();
    run.candidates[0].occupancy = Some(Occupancy {
        curve: vec![(0, 0), (0, 0)],
        ..Occupancy::default()
    });
    run.candidates[0].verified = Some(Verified::default());
    if let Some(verdict) = &mut run.verdict {
        verdict.speedup = Some(nan);
        verdict.lo = Some(nan);
        verdict.hi = Some(f64::INFINITY);
        verdict.reasons.clear();
    }
    run.timings[0].seconds = nan;
    run
}

/// Text that each format could take for its own markup.
pub fn hostile() -> Run {
    let evil = "<script>alert(1)</script> | `x` **b** @all %0A::error::\u{1b}[31m\nnext, a:b \"q\" ' & ]]>";
    let mut run = full();
    run.kernel = evil.to_owned();
    run.file = evil.to_owned();
    run.device.name = evil.to_owned();
    run.action = Some(evil.to_owned());
    run.warnings = vec![evil.to_owned()];
    run.launch.args[0].value = evil.to_owned();
    for step in &mut run.procedure {
        step.question = evil.to_owned();
        step.answer = evil.to_owned();
        step.figure = evil.to_owned();
    }
    if let Some(profile) = &mut run.profile {
        profile.buffers[0].name = evil.to_owned();
        profile.lines[0].text = evil.to_owned();
        profile.lines[0].file = evil.to_owned();
        profile.lines[0].buffer = evil.to_owned();
    }
    run.candidates[0].id = evil.to_owned();
    if let Some(verdict) = &mut run.verdict {
        verdict.reasons = vec![evil.to_owned()];
        verdict.staged = vec![evil.to_owned()];
        verdict.device = evil.to_owned();
        verdict.basis = evil.to_owned();
    }
    let finding = &mut run.findings[0];
    finding.message = evil.to_owned();
    finding.file = evil.to_owned();
    finding.code = evil.to_owned();
    finding.notes = vec![evil.to_owned()];
    finding.labels[1].message = evil.to_owned();
    if let Some(snippet) = &mut finding.snippet {
        snippet.lines[2] = evil.to_owned();
    }
    run
}
