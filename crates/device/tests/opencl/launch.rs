//! Listing, building, binding and running on a real device.

use crate::common::*;
use tilewise_device::{BoundLaunch, BufferRole, Clearance, DeviceError, OpenCl, Program, Queue};
use tilewise_launch::{Launch, Scalar};

const SOURCE: &str = "
kernel void blur(global const float *in, global float *out, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    float l = i > 0 ? in[i - 1] : 0.0f;
    float r = i + 1 < n ? in[i + 1] : 0.0f;
    out[i] = l + in[i] + r;
}
kernel void blur_tiled(global const float *in, global float *out, int n, local float *tile) {
    int l = get_local_id(0), i = get_global_id(0), s = get_local_size(0);
    tile[l + 1] = i < n ? in[i] : 0.0f;
    if (l == 0) tile[0] = i > 0 ? in[i - 1] : 0.0f;
    if (l == s - 1) tile[s + 1] = i + 1 < n ? in[i + 1] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) out[i] = tile[l] + tile[l + 1] + tile[l + 2];
}
kernel void half_of(global float *out) {
    if (get_global_id(0) % 2 == 0) out[get_global_id(0)] = 1.0f;
}
kernel void add_one(global float *data, global const float *same) {
    size_t i = get_global_id(0);
    data[i] = same[i] + 1.0f;
}
__attribute__((reqd_work_group_size(16, 1, 1)))
kernel void needs_16(global float *out) {
    local float t[16];
    t[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[get_local_id(0)];
}
";

const IN: BufferRole = BufferRole::Input;
const OUT: BufferRole = BufferRole::Output;

fn bind(queue: &Queue, launch: &Launch, roles: &[BufferRole]) -> Result<BoundLaunch, DeviceError> {
    let program = Program::build(queue, SOURCE, "")?;
    let kernel = program.kernel(&launch.kernel)?;
    BoundLaunch::new(kernel, launch, roles, &mut iota_f32, Clearance::OwnKernel)
}

fn outputs(bound: &BoundLaunch) -> Vec<(usize, Vec<f32>)> {
    let times = bound.run().expect("the kernel runs");
    assert!(
        times.queued <= times.submit && times.submit <= times.start && times.start <= times.end
    );
    let mut all = Vec::new();
    bound
        .read_outputs(|arg, bytes| all.push((arg, floats(bytes))))
        .expect("outputs can be read");
    all
}

fn error_of<T>(result: Result<T, DeviceError>) -> DeviceError {
    match result {
        Ok(_) => panic!("expected an error"),
        Err(error) => error,
    }
}

#[test]
fn devices_are_chosen_by_number_name_and_kind() {
    let Some(queue) = queue() else { return };
    let devices = OpenCl::load()
        .and_then(|o| o.devices())
        .expect("a queue was opened before");
    let first = &devices.all()[0];
    assert_eq!(first.info(), queue.device().info());
    assert!(first.info().compute_units > 0 && first.info().local_memory > 0);
    assert!(first.info().opencl_version() >= (1, 1));

    for wanted in ["0", "cl:0", &first.info().kind.to_string()] {
        assert_eq!(devices.select(wanted).expect(wanted).index(), 0);
    }
    let name = first.info().name.to_uppercase();
    if devices.all().len() == 1 {
        assert_eq!(
            devices
                .select(&name[1..])
                .expect("part of the name")
                .index(),
            0
        );
    }
    for wanted in ["cl:99", "cl:no such device", ""] {
        let error = error_of(devices.select(wanted));
        assert!(
            matches!(error, DeviceError::UnknownDevice { .. }),
            "{error}"
        );
        assert!(error.to_string().contains(&first.info().name), "{error}");
    }
}

#[test]
fn a_failed_build_gives_the_compilers_log() {
    let Some(queue) = queue() else { return };
    let source = "kernel void k(global int *a) {\n  a[0] = no_such_name;\n}\n";
    match error_of(Program::build(&queue, source, "-DX=1")) {
        DeviceError::BuildFailed { log, options, .. } => {
            assert!(log.contains("no_such_name") && log.contains(":2:"), "{log}");
            assert_eq!(options, "-DX=1");
        }
        other => panic!("{other}"),
    }
    let error = error_of(Program::build(&queue, source, "-DX=\0"));
    assert_eq!(error, DeviceError::ZeroByteInOptions { at: 4 });
}

#[test]
fn options_reach_the_compiler_and_kernels_are_named() {
    let Some(queue) = queue() else { return };
    let source = "#ifndef N\n#error no N\n#endif\nkernel void a(global int *o) { o[0] = N; }\nkernel void b(global int *o) { o[0] = 1; }";
    let program = Program::build(&queue, source, "-D N=3").expect("builds");
    let mut names = program.kernel_names().expect("names");
    names.sort();
    assert_eq!(names, ["a", "b"]);
    let error = error_of(program.kernel("c"));
    assert!(matches!(&error, DeviceError::NoSuchKernel { kernels, .. } if kernels.len() == 2));
    assert!(!error.is_environment());
    assert!(!program.binary().expect("a binary").is_empty());
}

#[test]
fn work_group_info_has_the_required_size_and_local_memory() {
    let Some(queue) = queue() else { return };
    let program = Program::build(&queue, SOURCE, "").expect("builds");
    let info = program
        .kernel("needs_16")
        .and_then(|k| k.work_group_info())
        .expect("info");
    assert_eq!(info.required_local, Some([16, 1, 1]));
    assert!(info.preferred_multiple >= 1);
    // PoCL counts the array; a driver may round up.
    assert!(info.local_memory >= 64, "{info:?}");
    let info = program
        .kernel("blur")
        .and_then(|k| k.work_group_info())
        .expect("info");
    assert_eq!(info.required_local, None);
}

#[test]
fn naive_and_tiled_blur_equal_the_reference() {
    let Some(queue) = queue() else { return };
    let n = 1000u64;
    let at = |i: i64| {
        if (0..n as i64).contains(&i) {
            i as f32
        } else {
            0.0
        }
    };
    let expected: Vec<f32> = (0..n as i64)
        .map(|i| at(i - 1) + at(i) + at(i + 1))
        .collect();
    let args = || {
        vec![
            buffer("in", Scalar::F32, Some(n)),
            buffer("out", Scalar::F32, Some(n)),
            int("n", n as i32),
        ]
    };
    let naive = bind(&queue, &launch("blur", 1024, 64, args()), &[IN, OUT, IN]).expect("binds");
    assert_eq!(outputs(&naive), [(1, expected.clone())]);

    let mut tiled_args = args();
    tiled_args.push(local("tile", 66 * 4));
    let tiled = launch("blur_tiled", 1024, 64, tiled_args);
    let tiled = bind(&queue, &tiled, &[IN, OUT, IN, IN]).expect("binds");
    assert_eq!(outputs(&tiled), [(1, expected)]);
}

#[test]
fn the_global_offset_is_taken() {
    let Some(queue) = queue() else { return };
    let mut shifted = launch("half_of", 8, 8, vec![buffer("out", Scalar::F32, Some(16))]);
    shifted.range.offset = [8, 0, 0];
    let bound = bind(&queue, &shifted, &[OUT]).expect("binds");
    let result = &outputs(&bound)[0].1;
    assert!(result[..8].iter().all(|v| v.is_nan()));
    assert_eq!((result[8], result[10]), (1.0, 1.0));
}

#[test]
fn what_a_kernel_leaves_unwritten_is_poison() {
    let Some(queue) = queue() else { return };
    let all = launch(
        "half_of",
        16,
        16,
        vec![buffer("out", Scalar::F32, Some(16))],
    );
    let bound = bind(&queue, &all, &[OUT]).expect("binds");
    for (i, value) in outputs(&bound)[0].1.iter().enumerate() {
        assert_eq!(value.is_nan(), i % 2 == 1, "element {i} is {value}");
    }
}

#[test]
fn an_aliased_buffer_is_one_buffer_and_is_set_back() {
    let Some(queue) = queue() else { return };
    let args = vec![buffer("data", Scalar::F32, Some(16)), alias("same", 0)];
    // Written through one argument and read through the other, so in-out.
    let bound = bind(&queue, &launch("add_one", 16, 16, args), &[OUT, IN]).expect("binds");
    assert_eq!(bound.working_set(), 64);
    let expected: Vec<f32> = (1..=16).map(|i| i as f32).collect();
    assert_eq!(outputs(&bound), [(0, expected.clone())]);
    assert_eq!(
        outputs(&bound),
        [(0, expected)],
        "the second run starts from the first contents"
    );
}

#[test]
fn a_buffer_longer_than_a_transfer_piece_is_whole() {
    let Some(queue) = queue() else { return };
    let n = (5 << 20) + 3u64; // 20 MiB and a bit: two pieces
    let args = vec![
        buffer("in", Scalar::F32, Some(n)),
        buffer("out", Scalar::F32, Some(n)),
        int("n", n as i32),
    ];
    let launch = launch("blur", n.next_multiple_of(256), 256, args);
    let bound = bind(&queue, &launch, &[IN, OUT, IN]).expect("binds");
    let result = &outputs(&bound)[0].1;
    for i in [1usize, 4 << 20, (4 << 20) + 1, n as usize - 2] {
        let i_f = i as f32;
        assert_eq!(result[i], (i_f - 1.0) + i_f + (i_f + 1.0), "element {i}");
    }
}

#[test]
fn launches_that_do_not_suit_the_kernel_are_refused_by_name() {
    let Some(queue) = queue() else { return };
    let float = |name: &str, len| buffer(name, Scalar::F32, len);
    let refused = |l: Launch, roles: &[BufferRole]| error_of(bind(&queue, &l, roles));

    let error = refused(launch("half_of", 16, 16, vec![float("out", None)]), &[OUT]);
    assert_eq!(
        error,
        DeviceError::LengthUnknown {
            name: "out".into(),
            index: 0
        }
    );
    let error = refused(
        launch("half_of", 16, 16, vec![float("out", Some(0))]),
        &[OUT],
    );
    assert_eq!(
        error,
        DeviceError::EmptyBuffer {
            name: "out".into(),
            index: 0
        }
    );
    let error = refused(launch("half_of", 16, 16, vec![]), &[]);
    assert!(
        matches!(
            error,
            DeviceError::ArgumentCount {
                takes: 1,
                given: 0,
                ..
            }
        ),
        "{error}"
    );
    // Eight bytes by value, which a driver would take for a memory object.
    let eight = tilewise_launch::ArgValue::Bytes(vec![1; 8]);
    let args = vec![tilewise_launch::Arg {
        name: "out".into(),
        value: eight,
    }];
    let error = refused(launch("half_of", 16, 16, args), &[OUT]);
    assert!(
        matches!(error, DeviceError::ArgumentKind { index: 0, .. }),
        "{error}"
    );
    let args = vec![float("data", Some(16)), alias("same", 1)];
    let error = refused(launch("add_one", 16, 16, args), &[OUT, IN]);
    assert!(
        matches!(error, DeviceError::AliasOfNoBuffer { of: 1, .. }),
        "{error}"
    );
    let error = refused(
        launch("needs_16", 32, 32, vec![float("out", Some(32))]),
        &[OUT],
    );
    assert!(
        error
            .to_string()
            .contains("requires a work-group of 16x1x1"),
        "{error}"
    );
    let too_long = queue.device().info().max_item_sizes[0] * 2;
    let error = refused(
        launch("half_of", too_long, too_long, vec![float("out", Some(16))]),
        &[OUT],
    );
    assert!(matches!(error, DeviceError::WorkGroup { .. }), "{error}");
    let args = |bytes| {
        vec![
            float("in", Some(64)),
            float("out", Some(64)),
            int("n", 64),
            local("tile", bytes),
        ]
    };
    let limit = queue.device().info().local_memory;
    let error = refused(
        launch("blur_tiled", 64, 64, args(limit + 4)),
        &[IN, OUT, IN, IN],
    );
    assert!(
        matches!(error, DeviceError::LocalMemoryExceeded { .. }),
        "{error}"
    );
    let huge = Some(queue.device().info().max_buffer / 4 + 1);
    let error = refused(launch("half_of", 16, 16, vec![float("out", huge)]), &[OUT]);
    assert!(
        matches!(error, DeviceError::BufferTooLarge { .. }),
        "{error}"
    );
}

#[test]
fn a_value_of_the_wrong_size_names_the_argument() {
    let Some(queue) = queue() else { return };
    let mut args = vec![
        buffer("in", Scalar::F32, Some(64)),
        buffer("out", Scalar::F32, Some(64)),
        int("n", 64),
    ];
    args[2].value = tilewise_launch::ArgValue::Bytes(vec![0; 8]);
    let error = error_of(bind(&queue, &launch("blur", 64, 64, args), &[IN, OUT, IN]));
    let DeviceError::Argument { name, index, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!((name.as_str(), *index), ("n", 2));
    assert!(error.to_string().contains("CL_INVALID_ARG_SIZE"), "{error}");
}

#[test]
fn a_work_group_that_the_driver_refuses_is_named_as_opencl_names_it() {
    let Some(queue) = queue() else { return };
    if queue.device().info().non_uniform_groups {
        return; // there a remainder group is no error
    }
    let uneven = launch(
        "half_of",
        100,
        64,
        vec![buffer("out", Scalar::F32, Some(100))],
    );
    let bound = bind(&queue, &uneven, &[OUT]).expect("binds");
    let error = error_of(bound.run());
    assert!(matches!(error, DeviceError::NotStarted { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("CL_INVALID_WORK_GROUP_SIZE (-54)"),
        "{error}"
    );
    assert!(!error.is_environment());

    let mut flat = launch(
        "half_of",
        64,
        64,
        vec![buffer("out", Scalar::F32, Some(64))],
    );
    flat.range.dims = 0;
    assert_eq!(
        error_of(bind(&queue, &flat, &[OUT])),
        DeviceError::Dimensions { dims: 0 }
    );
}

#[test]
fn an_alias_may_stand_first_but_not_in_a_ring() {
    let Some(queue) = queue() else { return };
    let args = vec![alias("data", 1), buffer("same", Scalar::F32, Some(16))];
    let bound = bind(&queue, &launch("add_one", 16, 16, args), &[OUT, IN]).expect("binds");
    assert_eq!(outputs(&bound)[0].1[15], 16.0);
    let ring = vec![alias("data", 1), alias("same", 0)];
    let error = error_of(bind(&queue, &launch("add_one", 16, 16, ring), &[OUT, IN]));
    assert!(
        matches!(error, DeviceError::AliasOfNoBuffer { .. }),
        "{error}"
    );
}
