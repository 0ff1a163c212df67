//! What small kernels become: snapshots of the IR as written.

mod common;

use common::compiled;
use tilewise_ir::{Op, Ty};

fn as_written(text: &str) -> String {
    let compiled = compiled(text);
    assert!(compiled.refusals.is_empty(), "{:?}", compiled.refusals);
    let kernels = compiled.as_written.kernels.iter();
    kernels.map(|k| k.to_string()).collect()
}

#[test]
fn an_early_return_and_a_loop() {
    insta::assert_snapshot!(as_written(
        "__kernel void k(__global const float *in, __global float *out, int n) {
            int x = get_global_id(0);
            if (x >= n) return;
            float sum = 0.0f;
            for (int i = 0; i < n; i++) {
                if (i == x) continue;
                sum += in[i];
            }
            out[x] = sum;
        }"
    ));
}

#[test]
fn a_component_store_is_one_masked_store() {
    insta::assert_snapshot!(as_written(
        "__kernel void k(__global float4 *v, __global float3 *w) {
            int x = get_global_id(0);
            v[x].y = 1.0f;
            v[x].xw += (float2)(2.0f, 3.0f);
            w[x] = w[x + 1];
        }"
    ));
}

#[test]
fn local_memory_and_barriers() {
    insta::assert_snapshot!(as_written(
        "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
        void k(__global int *out, __local int *given) {
            __local int tile[64];
            int lid = get_local_id(0);
            tile[lid] = lid;
            given[lid] = 1;
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            atomic_add(&out[0], tile[63 - lid]);
            mem_fence(CLK_LOCAL_MEM_FENCE);
        }"
    ));
}

#[test]
fn structures_by_value_and_copied() {
    insta::assert_snapshot!(as_written(
        "typedef struct { int nx; float dt; float4 v; } P;
        __kernel void k(__global P *out, P p) {
            P q = p;
            q.dt = 2.0f;
            out[get_global_id(0)] = q;
        }"
    ));
}

#[test]
fn a_switch_and_a_dynamic_dimension() {
    insta::assert_snapshot!(as_written(
        "__kernel void k(__global int *out, uint d) {
            int v;
            switch (d) { case 0: v = 4; break; case 7: v = 5; break; default: v = 6; }
            out[get_global_id(d)] = v;
        }"
    ));
}

#[test]
fn private_arrays_live_again_in_each_iteration() {
    insta::assert_snapshot!(as_written(
        "__kernel void k(__global int *out, int n) {
            for (int i = 0; i < n; i++) {
                int a[4];
                a[i & 3] = i;
                out[i] = a[n & 3];
            }
        }"
    ));
}

#[test]
fn helpers_are_inlined_with_their_pointers() {
    insta::assert_snapshot!(as_written(
        "void divide(int a, int b, int *q, int *r) { *q = a / b; *r = a % b; }
        __kernel void k(__global int *out, int n) {
            int q, r;
            divide(n, 3, &q, &r);
            out[0] = q + r;
        }"
    ));
}

#[test]
fn constant_tables_are_initialised() {
    let compiled = compiled(
        "__constant short table[3] = {1, -2, 3};
        __kernel void k(__global int *out) { out[0] = table[get_local_id(0)]; }",
    );
    let var = &compiled.as_written.kernels[0].vars[0];
    assert_eq!(var.name, "table");
    assert_eq!(var.elem_size, 2);
    assert_eq!(var.init.as_deref(), Some(&[1, 0, 0xfe, 0xff, 3, 0][..]));
}

#[test]
fn both_forms_have_the_same_kernels() {
    let compiled = compiled(
        "__kernel void a(__global float *o, int n) {
            float s = 0;
            for (int i = 0; i < n; i++) s += clamp(o[i], 0.0f, 1.0f);
            o[0] = s;
        }
        __kernel void b(__global float *o) { o[1] = 0; }",
    );
    let loads = |program: &tilewise_ir::Program| {
        let kernel = program.kernel("a").expect("kernel a");
        let insts = kernel.blocks.iter().flat_map(|b| &b.insts);
        insts
            .filter(|i| matches!(i.op, tilewise_ir::Op::Load { .. }))
            .count()
    };
    assert_eq!(loads(&compiled.as_written), 1);
    // Unrolled by four, with a loop for the rest.
    assert_eq!(loads(&compiled.as_compiled), 5);
    assert!(compiled.as_compiled.kernel("b").is_some());
    assert_eq!(compiled.notes, Vec::<String>::new());
}

#[test]
fn a_helper_gets_its_own_copy_of_a_structure() {
    insta::assert_snapshot!(as_written(
        "typedef struct { int a[3]; } P;
        int change(P p, int i) { p.a[i] = 7; return p.a[0]; }
        __kernel void k(__global int *out, P p) {
            out[0] = change(p, out[1]) + p.a[0];
        }"
    ));
}

#[test]
fn a_kernel_takes_the_branch_of_its_device() {
    let text = "#ifdef cl_khr_fp16
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        __kernel void with_half(__global half *o) { o[0] = o[1] + o[2]; }
        #else
        __kernel void without(__global float *o) { o[0] = __OPENCL_VERSION__ + VENDOR; }
        #endif";
    let kernels = |extensions: &[&str]| -> Vec<String> {
        let options = tilewise_frontend::Options {
            extensions: Some(extensions.iter().map(|e| (*e).to_owned()).collect()),
            vendor_macros: vec!["VENDOR=3".to_owned()],
            device_version: Some(300),
            ..Default::default()
        };
        let tools = tilewise_frontend::Toolchain::find().expect("tools");
        let compiled = tilewise_frontend::compile(&tools, &common::source(text), &options);
        let signatures = compiled.expect("compiles").signatures;
        signatures.into_iter().map(|s| s.kernel).collect()
    };
    assert_eq!(kernels(&["cl_khr_fp16"]), ["with_half"]);
    assert_eq!(kernels(&["cl_khr_fp64"]), ["without"]);
}

/// They are core, whatever clang makes of them; half arithmetic is not.
#[test]
fn halves_are_loaded_and_stored_without_the_extension() {
    let tools = tilewise_frontend::Toolchain::find().expect("tools");
    let compile = |text: &str, version: &str, extensions: &[&str]| {
        let options = tilewise_frontend::Options {
            cl_std: Some(version.to_owned()),
            extensions: Some(extensions.iter().map(|e| (*e).to_owned()).collect()),
            ..Default::default()
        };
        tilewise_frontend::compile(&tools, &common::source(text), &options)
    };
    let text = "__kernel void k(__global half *p, __constant half *c, __local half *l) {
            float4 v = vload_half4(0, p) + vloada_half4(1, c);
            half3_of(v.xyz, p);
            vstore_half_rtz(v.x + vload_half(3, l), 8, p);
            vstorea_half4_rtp(v, 1, l);
        }";
    let text =
        format!("void half3_of(float3 v, __global half *p) {{ vstorea_half3(v, 2, p); }}\n{text}");
    for (version, extensions) in [
        ("CL1.2", &[][..]),
        ("CL1.2", &["cl_khr_fp64"]),
        ("CL2.0", &[]),
        ("CL3.0", &[]),
    ] {
        let compiled =
            compile(&text, version, extensions).unwrap_or_else(|e| panic!("{version}: {e}"));
        assert_eq!(compiled.refusals.len(), 0, "{version}");
        let halves = |program: &tilewise_ir::Program| {
            let accesses = program.kernels[0].blocks.iter().flat_map(|b| &b.insts);
            let count = accesses.filter(|i| match &i.op {
                Op::Load { access, .. } | Op::Store { access, .. } => access.elem == Ty::F16,
                _ => false,
            });
            count.count()
        };
        assert_eq!(halves(&compiled.as_written), 6, "{version}");
        assert_eq!(halves(&compiled.as_compiled), 6, "{version}");
    }
    let double = "__kernel void k(__global half *p, double d) { vstore_half(d, 0, p); }";
    assert!(compile(double, "CL1.2", &["cl_khr_fp64"]).is_ok());
    let arithmetic = "__kernel void k(__global half *p) { half h = p[0]; p[1] = h + h; }";
    let error = compile(arithmetic, "CL1.2", &[]).expect_err("no half arithmetic");
    assert!(error.to_string().contains("half"), "{error}");
}

#[test]
fn the_padding_of_three_components_keeps_nothing_in_memory() {
    let program = compiled(
        "__kernel void k(__global const float *in, __global float *out, int n) {
            float3 sum = (float3)(0.0f);
            for (int i = 0; i < n; ++i) { float3 d = vload3(i, in) - sum; sum += d * d.x; }
            out[get_global_id(0)] = sum.x + sum.y + sum.z;
        }",
    )
    .as_written;
    let left: Vec<_> = program.kernels[0].vars.iter().map(|v| &v.name).collect();
    assert!(left.is_empty(), "in memory: {left:?}");
}
