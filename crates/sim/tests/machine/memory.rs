//! Accesses: bounds, shapes, widths, address spaces, atomics, copies.

use crate::support::{buffer, given, launch, range1, simulate, simulate_with, value};
use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{
    AtomicOp, BinaryOp, Conversion, Kernel, MemAccess, Op, Rounding, Space, Ty, Value,
    WorkItemQuery,
};
use tilewise_launch::image::ImageDims;
use tilewise_launch::{
    Arg, ArgValue, Buffer, ElemType, Fill, Image, ImageFormat, Launch, Sampler, Scalar, ValueType,
};
use tilewise_sim::{
    AccessEvent, AccessKind, AddressShape, Analysis, FaultKind, GroupInfo, Memory, Observer,
};

fn gid(k: &mut KernelBuilder) -> Value {
    let id = k.work_item(WorkItemQuery::GlobalId, 0);
    k.convert(Conversion::Sext, id, Ty::I32)
}

/// `out[gid] = in[gid - 1]`, over one work-item too many on either side.
fn shifted() -> Kernel {
    let mut k = KernelBuilder::new("shifted");
    let input = k.pointer_param("in", Space::Global);
    let out = k.pointer_param("out", Space::Global);
    let entry = k.new_block();
    k.at(entry);
    let id = gid(&mut k);
    let ptr = k.line(3).ptr_add(input, id, 4, -4);
    let v = k.load(ptr, Space::Global, Ty::I32);
    let ptr = k.line(4).ptr_add(out, id, 4, 0);
    k.store(ptr, v, Space::Global);
    k.ret();
    k.finish()
}

#[test]
fn accesses_outside_are_faults_and_the_run_goes_on() {
    let kernel = shifted();
    let values: Vec<i32> = (1..=100).collect();
    let args = vec![given(&values), given(&[-1; 100])];
    let launch = launch(&kernel, range1(128, 32), args);
    for threads in [1, 3] {
        let ran = simulate_with(&kernel, &launch, 32, threads, &mut ());
        let out = ran.i32s(1, 100);
        assert_eq!(out[0], 0, "a read outside gives 0");
        assert_eq!(out[1..], values[..99]);
        let [load, store] = &ran.summary.faults[..] else {
            panic!("{:?}", ran.summary.faults);
        };
        // Work-item 0 in front, 101 to 127 behind; the first one is told.
        assert_eq!((load.count, load.group, load.work_item), (28, 0, [0, 0, 0]));
        let FaultKind::OutOfBounds {
            offset,
            access,
            address_from_data,
            ..
        } = load.kind
        else {
            panic!("{load:?}");
        };
        assert_eq!(
            (offset, access, address_from_data),
            (-4, AccessKind::Load, false)
        );
        assert_eq!(
            (store.count, store.group, store.work_item),
            (28, 3, [100, 0, 0])
        );
    }
}

#[test]
fn an_address_from_data_is_told() {
    let mut k = KernelBuilder::new("k");
    let index = k.pointer_param("index", Space::Global);
    let x = k.pointer_param("x", Space::Global);
    let entry = k.new_block();
    k.at(entry);
    let id = gid(&mut k);
    let ptr = k.ptr_add(index, id, 4, 0);
    let i = k.load(ptr, Space::Global, Ty::I32);
    let ptr = k.ptr_add(x, i, 4, 0);
    k.load(ptr, Space::Global, Ty::I32);
    k.ret();
    let kernel = k.finish();
    let args = vec![given(&[0, 1, 2, 9]), given(&[0; 4])];
    let ran = simulate(&kernel, &launch(&kernel, range1(4, 4), args));
    let [fault] = &ran.summary.faults[..] else {
        panic!("{:?}", ran.summary.faults);
    };
    assert!(matches!(
        fault.kind,
        FaultKind::OutOfBounds {
            offset: 36,
            address_from_data: true,
            ..
        }
    ));
    assert_eq!(fault.work_item, [3, 0, 0]);
}

/// A buffer without a length grows to what is touched.
#[test]
fn buffers_without_a_length() {
    let kernel = shifted();
    let open = || {
        ArgValue::Buffer(Buffer {
            elem: ValueType::Elem(ElemType::scalar(Scalar::I32)),
            len: None,
            fill: Fill::Iota,
            generated: true,
        })
    };
    let launch = launch(&kernel, range1(64, 32), vec![open(), open()]);
    let ran = simulate(&kernel, &launch);
    assert_eq!(ran.summary.faults.len(), 1, "only the one in front");
    let touched = &ran.summary.touched;
    assert_eq!((touched[0].read_end, touched[0].write_end), (63 * 4, 0));
    assert_eq!((touched[1].read_end, touched[1].write_end), (0, 64 * 4));
    assert_eq!(ran.i32s(1, 4), [0, 0, 1, 2]);
}

/// Loads and stores of every scalar size, at stride, reversed and uniform.
#[test]
fn sizes_and_strides() {
    for (ty, scalar) in [
        (Ty::I8, Scalar::I8),
        (Ty::I16, Scalar::I16),
        (Ty::I32, Scalar::I32),
        (Ty::I64, Scalar::I64),
    ] {
        let size = i64::from(ty.size());
        for (scale, offset) in [(size, 0), (3 * size, size), (-size, 40 * size), (0, size)] {
            let mut k = KernelBuilder::new("k");
            let input = k.pointer_param("in", Space::Global);
            let out = k.pointer_param("out", Space::Global);
            let entry = k.new_block();
            k.at(entry);
            let id = gid(&mut k);
            let ptr = k.ptr_add(input, id, scale, offset);
            let v = k.load(ptr, Space::Global, ty);
            let ptr = k.ptr_add(out, id, size, 0);
            k.store(ptr, v, Space::Global);
            k.ret();
            let kernel = k.finish();
            let args = vec![
                buffer(scalar, 200, Fill::Random { range: None }),
                buffer(scalar, 40, Fill::Zero),
            ];
            let ran = simulate(&kernel, &launch(&kernel, range1(40, 40), args));
            assert_eq!(ran.summary.faults, [], "{ty} {scale} {offset}");
            let n = size as usize;
            let mut input = vec![0; 200 * n];
            let mut out = vec![0; 40 * n];
            assert!(ran.memory.read(0, 0, &mut input) && ran.memory.read(1, 0, &mut out));
            for id in 0..40 {
                let from = (id as i64 * scale + offset) as usize;
                let expected = &input[from..from + n];
                assert_eq!(&out[id * n..][..n], expected, "{ty} {scale} {offset} {id}");
            }
        }
    }
}

/// `out4[gid].yw = in4[gid].xz`: a vector load and a masked vector store.
#[test]
fn vectors_and_component_stores() {
    let mut k = KernelBuilder::new("k");
    let input = k.pointer_param("in", Space::Global);
    let out = k.pointer_param("out", Space::Global);
    let entry = k.new_block();
    k.at(entry);
    let id = gid(&mut k);
    let access = MemAccess {
        count: 4,
        bytes: 16,
        align: 16,
        ..MemAccess::scalar(Space::Global, Ty::I32)
    };
    let ptr = k.ptr_add(input, id, 16, 0);
    let dst: Vec<Value> = (0..4).map(|_| k.result(Ty::I32)).collect();
    k.push(Op::Load {
        dst: dst.iter().copied().collect(),
        ptr,
        access,
    });
    let ptr = k.ptr_add(out, id, 16, 0);
    k.push(Op::Store {
        src: [None, Some(dst[0]), None, Some(dst[2])]
            .into_iter()
            .collect(),
        ptr,
        access,
    });
    k.ret();
    let kernel = k.finish();
    let values: Vec<i32> = (0..160).collect();
    let args = vec![given(&values), given(&[-1; 160])];
    let mut log = Log::default();
    let launch = launch(&kernel, range1(40, 40), args);
    let ran = simulate_with(&kernel, &launch, 32, 1, &mut log);
    assert_eq!(ran.i32s(1, 8), [-1, 0, -1, 2, -1, 4, -1, 6]);
    let stores: Vec<_> = log
        .0
        .iter()
        .filter(|e| e.kind == AccessKind::Store)
        .collect();
    assert_eq!(stores.len(), 2, "one per sub-group");
    assert_eq!(stores[0].components, 0b1010);
    assert_eq!(stores[0].shape, AddressShape::Strided(16));
    assert_eq!(stores[1].mask, 0xFF, "40 work-items: 8 lanes in the second");
}

/// What an observer is told of each access.
#[derive(Clone, Default)]
struct Log(Vec<Told>);

#[derive(Clone, Debug, PartialEq)]
struct Told {
    kind: AccessKind,
    space: Space,
    components: u16,
    mask: u64,
    in_bounds: u64,
    shape: AddressShape,
    image: Option<u8>,
}

impl Observer for Log {
    const ACCESSES: bool = true;

    fn access(&mut self, e: &AccessEvent<'_>) {
        self.0.push(Told {
            kind: e.kind,
            space: e.access.space,
            components: e.components,
            mask: e.mask,
            in_bounds: e.in_bounds,
            shape: e.shape,
            image: e.image,
        });
    }
}

impl Analysis for Log {
    type Group = Log;

    fn begin(&self, _: &GroupInfo) -> Log {
        Log::default()
    }

    fn finish(&mut self, _: &GroupInfo, observer: Log) {
        self.0.extend(observer.0);
    }
}

/// A private array with an index that differs by lane:
/// `int a[4] = {…}; for (…) a[i] = gid * i; out[gid] = a[gid & 3];`
#[test]
fn private_arrays_are_each_lanes_own() {
    let mut k = KernelBuilder::new("k");
    let out = k.pointer_param("out", Space::Global);
    let a = k.variable("a", Space::Private, 16, Ty::I32);
    let entry = k.new_block();
    let three = k.i32(3);
    let counts = [0, 1, 2, 3].map(|v| k.i32(v));
    k.at(entry);
    let id = gid(&mut k);
    let base = k.var_addr(a);
    for n in counts {
        let ptr = k.ptr_add(base, n, 4, 0);
        let v = k.binary(BinaryOp::Mul, id, n);
        k.store(ptr, v, Space::Private);
    }
    let which = k.binary(BinaryOp::And, id, three);
    let ptr = k.ptr_add(base, which, 4, 0);
    let v = k.load(ptr, Space::Private, Ty::I32);
    let ptr = k.ptr_add(out, id, 4, 0);
    k.store(ptr, v, Space::Global);
    k.ret();
    let kernel = k.finish();
    let ran = simulate(
        &kernel,
        &launch(&kernel, range1(80, 40), vec![given(&[0; 80])]),
    );
    assert_eq!(ran.summary.faults, []);
    let expected: Vec<i32> = (0..80).map(|id| id * (id & 3)).collect();
    assert_eq!(ran.i32s(0, 80), expected);
}

/// A histogram in global and one in local memory; no result is used, so groups
/// may run in parallel.
#[test]
fn atomics_add_up() {
    let mut k = KernelBuilder::new("k");
    let bins = k.pointer_param("bins", Space::Global);
    let tickets = k.pointer_param("tickets", Space::Global);
    let entry = k.new_block();
    let (one, seven) = (k.i32(1), k.i32(7));
    let tile = k.variable("tile", Space::Local, 32, Ty::I32);
    k.at(entry);
    let id = gid(&mut k);
    let bin = k.binary(BinaryOp::And, id, seven);
    let ptr = k.ptr_add(bins, bin, 4, 0);
    k.push(Op::Atomic {
        op: AtomicOp::Add,
        dst: None,
        ptr,
        value: Some(one),
        compare: None,
        access: MemAccess::scalar(Space::Global, Ty::I32),
        fence: tilewise_ir::Fence::default(),
    });
    // Tickets from local memory come in lane order.
    let base = k.var_addr(tile);
    let zero = k.i32(0);
    k.store(base, zero, Space::Local);
    k.barrier();
    let ticket = k.atomic(AtomicOp::Add, base, one, Space::Local);
    let ptr = k.ptr_add(tickets, id, 4, 0);
    k.store(ptr, ticket, Space::Global);
    k.ret();
    let kernel = k.finish();
    let args = vec![given(&[0; 8]), given(&[-1; 1000])];
    let launch = launch(&kernel, range1(1000, 40), args);
    for threads in [1, 4] {
        let ran = simulate_with(&kernel, &launch, 32, threads, &mut ());
        assert_eq!(ran.i32s(0, 8), [125; 8]);
        let expected: Vec<i32> = (0..1000).map(|id| id % 40).collect();
        assert_eq!(ran.i32s(1, 1000), expected);
    }
}

/// A result of a global atomic is used: groups run in order, whatever the
/// number of threads.
#[test]
fn used_results_of_atomics_are_in_order() {
    let mut k = KernelBuilder::new("k");
    let counter = k.pointer_param("counter", Space::Global);
    let out = k.pointer_param("out", Space::Global);
    let entry = k.new_block();
    let one = k.i32(1);
    k.at(entry);
    let id = gid(&mut k);
    let ticket = k.atomic(AtomicOp::Add, counter, one, Space::Global);
    let ptr = k.ptr_add(out, id, 4, 0);
    k.store(ptr, ticket, Space::Global);
    k.ret();
    let kernel = k.finish();
    let launch = launch(
        &kernel,
        range1(500, 50),
        vec![given(&[0]), given(&[0; 500])],
    );
    let ran = simulate_with(&kernel, &launch, 32, 4, &mut ());
    assert_eq!(ran.i32s(1, 500), (0..500).collect::<Vec<_>>());
}

#[test]
fn division_by_zero_is_a_fault() {
    let mut k = KernelBuilder::new("k");
    let out = k.pointer_param("out", Space::Global);
    let entry = k.new_block();
    let (ten, three) = (k.i32(10), k.i32(3));
    k.at(entry);
    let id = gid(&mut k);
    let divisor = k.binary(BinaryOp::And, id, three);
    let q = k.binary(BinaryOp::SDiv, ten, divisor);
    let ptr = k.ptr_add(out, id, 4, 0);
    k.store(ptr, q, Space::Global);
    k.ret();
    let kernel = k.finish();
    let ran = simulate(
        &kernel,
        &launch(&kernel, range1(32, 32), vec![given(&[7; 32])]),
    );
    assert_eq!(ran.i32s(0, 4), [0, 10, 5, 3]);
    let [fault] = &ran.summary.faults[..] else {
        panic!("{:?}", ran.summary.faults);
    };
    assert_eq!((&fault.kind, fault.count), (&FaultKind::DivisionByZero, 8));
}

/// `async_work_group_copy` of 50 elements, strided, by a group of 32.
#[test]
fn asynchronous_copies() {
    let mut k = KernelBuilder::new("k");
    let input = k.pointer_param("in", Space::Global);
    let out = k.pointer_param("out", Space::Global);
    let tile = k.pointer_param("tile", Space::Local);
    let entry = k.new_block();
    let (count, stride) = (k.i64(50), k.i64(2));
    let last = k.i32(49);
    k.at(entry);
    let id = gid(&mut k);
    k.push(Op::AsyncCopy {
        dst: tile,
        src: input,
        count,
        stride,
        elem_bytes: 4,
        dst_space: Space::Local,
        src_space: Space::Global,
    });
    k.push(Op::WaitEvents);
    let reversed = k.binary(BinaryOp::Sub, last, id);
    let ptr = k.ptr_add(tile, reversed, 4, 0);
    let v = k.load(ptr, Space::Local, Ty::I32);
    let ptr = k.ptr_add(out, id, 4, 0);
    k.store(ptr, v, Space::Global);
    k.ret();
    let kernel = k.finish();
    let values: Vec<i32> = (0..100).collect();
    let args = vec![
        given(&values),
        given(&[0; 48]),
        ArgValue::Local { bytes: 200 },
    ];
    let ran = simulate(&kernel, &launch(&kernel, range1(48, 48), args));
    assert_eq!(ran.summary.faults, []);
    let expected: Vec<i32> = (0..48).map(|id| 2 * (49 - id)).collect();
    assert_eq!(ran.i32s(1, 48), expected);
}

/// A structure of 12 bytes by value is copied out element by element.
#[test]
fn structures() {
    let mut k = KernelBuilder::new("k");
    let out = k.pointer_param("out", Space::Global);
    let p = k.variable("p", Space::Private, 12, Ty::I32);
    let entry = k.new_block();
    k.at(entry);
    let id = gid(&mut k);
    let dst = k.ptr_add(out, id, 12, 0);
    let src = k.var_addr(p);
    k.push(Op::Copy {
        dst,
        src,
        bytes: 12,
        dst_space: Space::Global,
        src_space: Space::Private,
        align: 4,
    });
    k.ret();
    let mut kernel = k.finish();
    kernel.params.push(tilewise_ir::KernelParam {
        name: "p".into(),
        binding: tilewise_ir::ParamBinding::ByValue(p),
    });
    let bytes: Vec<u8> = [3i32, 4, 5].iter().flat_map(|v| v.to_le_bytes()).collect();
    let args = vec![given(&[0; 120]), ArgValue::Bytes(bytes)];
    let ran = simulate(&kernel, &launch(&kernel, range1(40, 40), args));
    assert_eq!(ran.summary.faults, []);
    assert_eq!(ran.i32s(0, 120), [3, 4, 5].repeat(40));
}

/// Two arguments of the same memory, and writes to constant memory.
#[test]
fn aliases_and_constant_memory() {
    let mut k = KernelBuilder::new("k");
    let table = k.pointer_param("table", Space::Constant);
    let a = k.pointer_param("a", Space::Global);
    let b = k.pointer_param("b", Space::Global);
    let entry = k.new_block();
    k.at(entry);
    let id = gid(&mut k);
    let ptr = k.ptr_add(table, id, 4, 0);
    let v = k.load(ptr, Space::Constant, Ty::I32);
    let ptr = k.ptr_add(a, id, 4, 0);
    k.store(ptr, v, Space::Global);
    let ptr = k.ptr_add(b, id, 4, 0);
    let v = k.load(ptr, Space::Global, Ty::I32);
    let ptr = k.ptr_add(table, id, 4, 0);
    let twice = k.binary(BinaryOp::Add, v, v);
    k.store(ptr, twice, Space::Constant);
    let ptr = k.ptr_add(b, id, 4, 0);
    k.store(ptr, twice, Space::Global);
    k.ret();
    let kernel = k.finish();
    let args = vec![given(&[1, 2, 3]), given(&[0; 3]), ArgValue::Alias { of: 1 }];
    let ran = simulate(&kernel, &launch(&kernel, range1(3, 3), args));
    assert_eq!(ran.i32s(0, 3), [1, 2, 3]);
    assert_eq!(ran.i32s(1, 3), [2, 4, 6]);
    assert_eq!(ran.i32s(2, 3), [2, 4, 6]);
    assert_eq!(ran.summary.faults.len(), 1);
    assert!(matches!(
        ran.summary.faults[0].kind,
        FaultKind::ConstantWrite { .. }
    ));
}

/// Generic pointers that go to different regions by lane.
#[test]
fn lanes_may_access_different_regions() {
    let mut k = KernelBuilder::new("k");
    let a = k.pointer_param("a", Space::Global);
    let b = k.pointer_param("b", Space::Global);
    let out = k.pointer_param("out", Space::Global);
    let entry = k.new_block();
    let (one, zero) = (k.i32(1), k.i32(0));
    k.at(entry);
    let id = gid(&mut k);
    let bit = k.binary(BinaryOp::And, id, one);
    let even = k.compare(tilewise_ir::CompareOp::Eq, bit, zero);
    let base = k.select(even, a, b);
    let ptr = k.ptr_add(base, id, 4, 0);
    let v = k.load(ptr, Space::Generic, Ty::I32);
    let ptr = k.ptr_add(out, id, 4, 0);
    k.store(ptr, v, Space::Global);
    k.ret();
    let kernel = k.finish();
    let (a, b) = ([10; 32], [20; 31]);
    let mut log = Log::default();
    let launch = launch(
        &kernel,
        range1(32, 32),
        vec![given(&a), given(&b), given(&[0; 32])],
    );
    let ran = simulate_with(&kernel, &launch, 32, 1, &mut log);
    assert_eq!(ran.i32s(2, 4), [10, 20, 10, 20]);
    assert_eq!(ran.i32s(2, 32)[31], 0, "b[31] does not exist");
    assert_eq!(ran.summary.faults.len(), 1);
    let loads: Vec<_> = log
        .0
        .iter()
        .filter(|e| e.kind == AccessKind::Load)
        .collect();
    assert_eq!(loads.len(), 2, "one per region");
    assert!(loads.iter().all(|e| e.space == Space::Global));
    assert_eq!(loads[0].mask, 0x5555_5555);
    assert_eq!(loads[1].in_bounds, 0x2AAA_AAAA);
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let kernel = shifted();
    let refuse = |args: Vec<ArgValue>| {
        let launch = Launch {
            args: args
                .into_iter()
                .map(|value| Arg {
                    name: "x".into(),
                    value,
                })
                .collect(),
            ..launch(&kernel, range1(32, 32), vec![])
        };
        Memory::new(&kernel, &launch)
            .map(|_| ())
            .expect_err("refused")
            .to_string()
    };
    assert!(refuse(vec![given(&[0])]).contains("takes 2 arguments"));
    assert!(refuse(vec![given(&[0]), value(3)]).contains("takes a pointer"));
    assert!(refuse(vec![given(&[0]), ArgValue::Local { bytes: 4 }]).contains("local memory"));
    assert!(refuse(vec![given(&[0]), ArgValue::Alias { of: 7 }]).contains("no buffer"));
}

/// A linear filter along a row of eight texels, with the border around them.
#[test]
fn a_filter_touches_the_texels_that_it_blends() {
    let mut k = KernelBuilder::new("k");
    let image = k.image_param("src");
    let sampler = k.value_param("s", Ty::I64);
    let out = k.pointer_param("out", Space::Global);
    let entry = k.new_block();
    k.at(entry);
    let id = gid(&mut k);
    let x = k.convert(Conversion::SToF(Rounding::NearestEven), id, Ty::F32);
    let texel: Vec<Value> = (0..4).map(|_| k.result(Ty::F32)).collect();
    k.push(Op::ImageRead {
        dst: texel.iter().copied().collect(),
        image,
        sampler: Some(sampler),
        coords: [x].into_iter().collect(),
    });
    let ptr = k.ptr_add(out, id, 4, 0);
    k.store(ptr, texel[0], Space::Global);
    k.ret();
    let kernel = k.finish();
    let format: ImageFormat = "r32f".parse().expect("a format");
    let row = Image {
        dims: ImageDims::D1,
        size: [8, 1, 1],
        layers: 1,
        format,
        texels: Buffer {
            elem: ValueType::Elem(format.texel()),
            len: Some(8),
            fill: Fill::Iota,
            generated: false,
        },
    };
    let sampler = Sampler::from_words(["clamp", "linear"]).expect("a sampler");
    let args = vec![
        ArgValue::Image(row),
        ArgValue::Sampler(sampler),
        given(&[0; 32]),
    ];
    let mut log = Log::default();
    let launch = launch(&kernel, range1(32, 32), args);
    let ran = simulate_with(&kernel, &launch, 32, 1, &mut log);
    assert_eq!(ran.summary.faults, []);
    let blended = [0.0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 3.5, 0.0];
    assert_eq!(ran.f32s(2, 10), blended);
    let reads: Vec<_> = log.0.iter().filter(|e| e.image.is_some()).collect();
    let [low, high] = reads[..] else {
        panic!("{reads:?}");
    };
    // Lanes whose texel is the border touch nothing.
    assert_eq!((low.mask, low.image), (0x1FE, Some(0)));
    assert_eq!((high.mask, high.image), (0xFF, Some(1)));
    for read in reads {
        assert_eq!((read.kind, read.space), (AccessKind::Load, Space::Global));
        assert_eq!(read.shape, AddressShape::Strided(4));
        assert_eq!(read.in_bounds, read.mask);
    }
    let touched = ran.summary.touched.first().expect("the image is touched");
    assert_eq!((touched.read_end, touched.write_end), (32, 0));
}

/// A pointer and a length that nothing has set: faults, never a panic or an
/// endless run.
#[test]
fn wild_pointers_and_lengths() {
    let mut k = KernelBuilder::new("k");
    let input = k.pointer_param("in", Space::Global);
    let tile = k.variable("tile", Space::Local, 64, Ty::I64);
    let entry = k.new_block();
    let one = k.i64(1);
    k.at(entry);
    let base = k.var_addr(tile);
    let wild = k.load(base, Space::Local, Ty::Ptr);
    let v = k.load(wild, Space::Generic, Ty::I32);
    k.store(wild, v, Space::Generic);
    let count = k.load(base, Space::Local, Ty::I64);
    k.push(Op::AsyncCopy {
        dst: base,
        src: input,
        count,
        stride: one,
        elem_bytes: 4,
        dst_space: Space::Local,
        src_space: Space::Global,
    });
    k.ret();
    let kernel = k.finish();
    let ran = simulate(
        &kernel,
        &launch(&kernel, range1(32, 32), vec![given(&[0; 8])]),
    );
    let faults = &ran.summary.faults;
    assert!(
        faults.iter().any(|f| matches!(
            f.kind,
            FaultKind::OutOfBounds {
                region: tilewise_ir::pointer::Region::NULL,
                access: AccessKind::Store,
                address_from_data: true,
                ..
            }
        )),
        "{faults:?}"
    );
    assert!(
        faults
            .iter()
            .any(|f| matches!(f.kind, FaultKind::Runaway { .. })),
        "{faults:?}"
    );
}
