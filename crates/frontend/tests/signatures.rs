//! Signatures, from the syntax tree and from SPIR-V alone.

mod common;

use common::{compiled, source};
use tilewise_frontend::{Artifacts, Options, Toolchain, build, compile_spirv, lower};
use tilewise_launch::{ElemType, ParamKind, Scalar, ValueType};

const TEXT: &str = "typedef float real;
typedef unsigned int count;
typedef struct { int nx; real dt; float4 v; uchar tags[3]; struct { short a; } in; } P;
struct __attribute__((packed)) Q { char c; int i; };
__kernel void k(__global const real *restrict in, __global volatile uint *out, const P p,
                count n, __local float4 *tile, __constant struct Q *q, uchar3 c) {
    out[get_global_id(1)] = in[0] + p.nx + n + tile[0].x + q->i + c.x;
}
__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void empty() {}
";

fn elem(scalar: Scalar, lanes: u8) -> ValueType {
    ValueType::Elem(ElemType { scalar, lanes })
}

#[test]
fn names_types_and_qualifiers() {
    let signatures = compiled(TEXT).signatures;
    let k = &signatures[0];
    assert_eq!(k.dims_used, 2);
    let kinds: Vec<_> = k.params.iter().map(|p| &p.kind).collect();
    assert_eq!(
        *kinds[0],
        ParamKind::Global {
            elem: elem(Scalar::F32, 1),
            read_only: true,
            restrict: true,
            volatile: false
        }
    );
    assert_eq!(
        *kinds[1],
        ParamKind::Global {
            elem: elem(Scalar::U32, 1),
            read_only: false,
            restrict: false,
            volatile: true
        }
    );
    assert_eq!(*kinds[3], ParamKind::Value(elem(Scalar::U32, 1)));
    assert_eq!(
        *kinds[4],
        ParamKind::Local {
            elem: elem(Scalar::F32, 4)
        }
    );
    assert_eq!(*kinds[6], ParamKind::Value(elem(Scalar::U8, 3)));
    assert_eq!(k.params[0].spelling, "__global const real *restrict");
    assert_eq!(signatures[1].reqd_local, Some([8, 4, 1]));
    assert!(signatures[1].params.is_empty());
}

#[test]
fn structures_are_laid_out() {
    let signatures = compiled(TEXT).signatures;
    let ParamKind::Value(ValueType::Struct(p)) = &signatures[0].params[2].kind else {
        panic!("{:?}", signatures[0].params[2]);
    };
    let fields: Vec<_> = p
        .fields
        .iter()
        .map(|f| (f.name.as_str(), f.offset, f.array))
        .collect();
    assert_eq!(
        fields,
        [
            ("nx", 0, None),
            ("dt", 4, None),
            ("v", 16, None),
            ("tags", 32, Some(3)),
            ("in", 36, None)
        ]
    );
    assert_eq!((p.size, p.align, p.name.as_str()), (48, 16, "P"));
    let ParamKind::Constant {
        elem: ValueType::Struct(q),
    } = &signatures[0].params[5].kind
    else {
        panic!("{:?}", signatures[0].params[5]);
    };
    assert_eq!((q.size, q.fields[1].offset), (5, 1));
}

#[test]
fn spirv_alone_gives_types_and_signs() {
    let tools = Toolchain::find().expect("tools");
    let artifacts = build(&tools, &source(TEXT), &Options::default()).expect("compiles");
    let alone = compile_spirv("k.spv".as_ref(), &artifacts.as_written).expect("lowers");
    let k = &alone.signatures[0];
    assert_eq!(k.params[0].name, "in");
    assert!(matches!(
        &k.params[1].kind,
        ParamKind::Global { elem: e, volatile: true, .. } if *e == elem(Scalar::U32, 1)
    ));
    let sizes = |s: &tilewise_launch::Signature| match &s.params[2].kind {
        ParamKind::Value(v) => v.size(),
        _ => 0,
    };
    assert_eq!(sizes(k), sizes(&artifacts.signatures[0]));
}

#[test]
fn artifacts_survive_a_file() {
    let tools = Toolchain::find().expect("tools");
    let artifacts = build(&tools, &source(TEXT), &Options::default()).expect("compiles");
    let json = serde_json::to_string(&artifacts).expect("writes");
    let mut read: Artifacts = serde_json::from_str(&json).expect("reads");
    read.as_written = artifacts.as_written.clone();
    read.as_compiled = artifacts.as_compiled.clone();
    assert_eq!(read, artifacts);
    let compiled = lower(&read).expect("lowers");
    assert_eq!(compiled.signatures, artifacts.signatures);
    assert_eq!(compiled.as_written.kernels.len(), 2);
}

#[test]
fn the_same_source_gives_the_same_bytes() {
    let tools = Toolchain::find().expect("tools");
    let once = build(&tools, &source(TEXT), &Options::default()).expect("compiles");
    let again = build(&tools, &source(TEXT), &Options::default()).expect("compiles");
    assert_eq!(once, again);
}

/// Each structure holds two of the one before: what is short in the source must
/// not be 2^24 members in the signature.
#[test]
fn structures_that_double_stay_small() {
    let mut text = "typedef struct { int a; } S0;\n".to_owned();
    for n in 1..=24 {
        let inner = n - 1;
        text += &format!("typedef struct {{ S{inner} a; S{inner} b; }} S{n};\n");
    }
    text += "__kernel void k(__global S24 *large, __global S3 *small) {}";
    let signatures = compiled(&text).signatures;
    let ParamKind::Global { elem, .. } = &signatures[0].params[0].kind else {
        panic!("{:?}", signatures[0].params[0]);
    };
    assert!(matches!(elem, ValueType::Opaque { align: 4, .. }));
    assert_eq!(elem.size(), 4 << 24);
    let ParamKind::Global { elem, .. } = &signatures[0].params[1].kind else {
        panic!("{:?}", signatures[0].params[1]);
    };
    assert!(matches!(elem, ValueType::Struct(s) if s.fields.len() == 2 && s.size == 32));
}
