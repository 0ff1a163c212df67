//! Every construct lowers in both forms, or is refused by name.

mod common;

use common::{compiled, try_compile};

/// Bodies of a kernel over `g` (global int), `f` (global float), `v` (global
/// float4), `h` (global half), `l` (local int), `n` (int), `x` (float).
const BODIES: &[&str] = &[
    "g[0] = g[1] + g[2] - g[3] * g[4] / g[5] % g[6];",
    "g[0] = (g[1] << n) | (g[2] >> n) & ~g[3] ^ -g[4];",
    "((__global uint *)g)[0] = ((uint)n >> 3) / 5u % 7u;",
    "f[0] = f[1] / f[2] + fmod(f[3], x) - -x;",
    "g[0] = x > 1.0f && n < 3 || x != x;",
    "g[0] = isnan(x) + isinf(x) + isfinite(x) + isnormal(x) + signbit(x);",
    "g[0] = isequal(x, 1.0f) + islessgreater(x, 1.0f) + isordered(x, x) + isunordered(x, x);",
    "g[0] = any(v[0] > v[1]) + all(v[0] == v[1]);",
    "f[0] = convert_float(n) + (float)(uint)n; g[0] = convert_int_sat_rte(x);",
    "g[0] = convert_uchar_sat(n) + convert_short_sat((uint)n) + convert_uint_rtp(x);",
    "g[0] = as_int(x); v[0] = as_float4((int4)(n)); g[1] = as_int(as_uchar4(n).wzyx);",
    "((__global long *)g)[0] = as_long(v[0].xy); v[1].zw = as_float2(((__global long *)g)[0]);",
    "v[0] = v[1].wzyx + (float4)(v[2].lo, v[3].odd) * x;",
    "float4 t = v[0]; t[n] = x; f[0] = t[n + 1];",
    "f[0] = dot(v[0], v[1]) + length(v[2]) + distance(v[0], v[1]);",
    "v[0] = cross(v[1], v[2]) + normalize(v[3]) + fast_normalize(v[0]);",
    "v[0] = mix(v[1], v[2], x) + clamp(v[3], 0.0f, 1.0f) + step(0.5f, v[0]) + sign(v[1]);",
    "v[0] = fmax(v[1], x) + smoothstep(0.0f, 1.0f, v[2]) + degrees(v[3]) + radians(v[0]);",
    "f[0] = sin(x) + native_cos(x) + half_sqrt(x) + exp10(x) + pow(x, x) + pown(x, n) + powr(x, x);",
    "f[0] = native_divide(x, x) + half_recip(x) + rootn(x, n) + ldexp(x, n) + ilogb(x) + nan((uint)n);",
    "float r; int e; f[0] = fract(x, &r) + modf(x, &r) + sincos(x, &r) + frexp(x, &e) + r + e;",
    "int e; f[0] = lgamma_r(x, &e) + remquo(x, x, &e) + e;",
    "g[0] = abs(n) + abs_diff(n, 3) + add_sat(n, 1) + hadd(n, 1) + rhadd(n, 1) + mad_hi(n, n, n);",
    "g[0] = clz(n) + popcount(n) + rotate(n, 3) + mul_hi(n, n) + mad24(n, n, n) + mul24(n, n);",
    "g[0] = min(n, 3) + max((uint)n, 3u) + clamp(n, 0, 9) + sub_sat(n, 1) + mad_sat(n, n, n);",
    "g[0] = upsample((short)n, (ushort)n); g[1] = upsample((uchar)n, (uchar)n);",
    "g[0] = select(n, 3, n > 2); v[0] = select(v[1], v[2], isless(v[1], v[2]));",
    "f[0] = bitselect(x, 1.0f, f[2]); g[0] = bitselect(n, 3, 5);",
    "v[0] = shuffle(v[1], (uint4)(3, 2, 1, 0)); v[2] = shuffle2(v[0], v[1], (uint4)(n));",
    "float3 t = vload3(n, f); vstore3(t, 0, f); vstore8(vload8(1, f), 2, f);",
    "f[0] = vload_half(n, h); float3 t = vloada_half3(n, h); vstore_half(t.x, 1, h);",
    "vstorea_half4_rtz(v[0], n, h); vstore_half2_rtp(v[0].xy, n, h); v[1] = vload_half4(0, h);",
    "atomic_inc(g); atomic_dec(g); atomic_xchg(f, x); g[1] = atomic_cmpxchg(g, 1, n);",
    "atomic_min(g, n); atomic_max((__global uint *)g, 3u); atomic_and(l, n); atomic_xor(l, n);",
    "event_t e = async_work_group_copy(l, g, 64, 0); wait_group_events(1, &e);",
    "event_t e = async_work_group_strided_copy(l, g, 64, 2, 0); wait_group_events(1, &e);",
    "prefetch(g, 4); read_mem_fence(CLK_GLOBAL_MEM_FENCE); printf(\"%d %f\\n\", n, x);",
    "int a[3][2]; a[n][1] = n; a[0][n] = 2; g[0] = a[n][0] + a[2][1];",
    "union { int i; float f; } u; u.f = x; g[0] = u.i;",
    "struct { char c; int i[2]; } s = {1, {2, 3}}; s.i[n] = n; g[0] = s.c + s.i[1];",
    "__global int *p = g; while (p < g + n) { *p++ = 1; } g[0] = p - g;",
    "__global int *p = n > 2 ? g : g + 4; p[n] = 1; __local int *q[2] = {l, l + 4}; *q[n] = 2;",
    "g[0] = (int)(size_t)(g + n); *(__global int *)((size_t)g + 4) = 1;",
    "do { n--; if (n == 7) break; if (n & 1) continue; g[n] = n; } while (n > 0);",
    "again: if (n-- > 0) { g[n] = 1; goto again; }",
    "switch (n) { case 1: g[0] = 1; case 2: g[1] = 2; break; default: return; } g[2] = 3;",
    // LLVM narrows the condition to two bits, which SPIR-V does not have.
    "int r = g[n]; switch (r & 3) { case 0: r += g[n + 2]; break; case 1: r = 7 * g[n + 3]; break; \
     case 2: g[n + 5] = 3; break; default: r = 9; } g[n] = r;",
    // Constants of which clang makes vectors of one element.
    "((__global short4 *)g)[0] = as_short4(0x0001000200030004ul);",
    // LLVM makes one barrier of the two.
    "if (n > 3) { g[0] = l[1]; barrier(CLK_LOCAL_MEM_FENCE); } \
     else { g[1] = l[0]; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }",
    "volatile int t = n; t = t + 1; g[0] = t; *(volatile __global int *)g = 1;",
    "g[0] = get_work_dim() + get_global_size(1) + get_num_groups(2) + get_group_id(0);",
    "g[0] = get_global_offset(n) + get_local_size(n);",
    "double d = x; d = sqrt(d) + 1.5; f[0] = (float)d; g[0] = (int)d;",
    "long t = (long)n * n; ulong u = (ulong)t >> 3; g[0] = (int)(t % 7) + (int)(u / 3);",
    "char c = n; uchar16 w = (uchar16)(c); w.s3 = 4; w.hi = w.lo; g[0] = w.sf;",
    "bool b = n; g[0] = !b; int4 m = v[0] < v[1]; g[1] = m.x; g[2] = (-m).y;",
];

#[test]
fn everything_in_the_list_lowers_in_both_forms() {
    // One program of many kernels: clang starts once.
    let mut text = String::from("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    for (i, body) in BODIES.iter().enumerate() {
        text.push_str(&format!(
            "__kernel void k{i}(__global int *g, __global float *f, __global float4 *v, \
             __global half *h, __local int *l, int n, float x) {{ {body} }}\n"
        ));
    }
    let compiled = compiled(&text);
    assert_eq!(compiled.refusals, []);
    assert_eq!(compiled.notes, Vec::<String>::new());
    for program in [&compiled.as_written, &compiled.as_compiled] {
        assert_eq!(program.kernels.len(), BODIES.len());
    }
}

#[test]
fn refusals_name_the_construct_and_the_place() {
    let cases = [
        (
            "#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable
            __kernel void k(read_only image2d_msaa_t i, __global float4 *o) {
                o[0] = read_imagef(i, (int2)(0), 1);
            }",
            "parameter `i` of the type `image2d_msaa_t`",
        ),
        (
            "int f(int n) { return n < 2 ? 1 : n * f(n - 1); }
            __kernel void k(__global int *o) { o[0] = f(o[1]); }",
            "the recursive call of `f`",
        ),
        (
            "int g(int n);
            __kernel void k(__global int *o) {
                o[0] = g(1);
            }",
            "kernel.cl:3:24: kernel `k`: the call of `g`",
        ),
    ];
    for (text, expected) in cases {
        let compiled = compiled(text);
        assert!(compiled.signatures.is_empty(), "{text}");
        let shown: Vec<String> = compiled.refusals.iter().map(|r| r.to_string()).collect();
        assert!(
            shown.len() == 1 && shown[0].contains(expected),
            "{expected}\n{shown:?}"
        );
    }
}

#[test]
fn a_refused_kernel_leaves_the_others() {
    let compiled = compiled(
        "#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable
        __kernel void bad(read_only image2d_msaa_t i) { get_image_width(i); }
        __kernel void good(__global int *o) { o[0] = 1; }",
    );
    assert_eq!(compiled.signatures.len(), 1);
    assert_eq!(compiled.signatures[0].kernel, "good");
    assert!(compiled.as_compiled.kernel("good").is_some());
    assert_eq!(compiled.refusals.len(), 1);
}

#[test]
fn newer_versions_of_the_language() {
    for std in ["-cl-std=CL2.0", "-cl-std=CL3.0"] {
        let compiled = try_compile(
            "int add(int *p, int n) { return *p + n; }
            __kernel void k(__global int *o, __local int *l) {
                int t = 2;
                o[0] = add(&t, 1) + add(l, 2) + add(o, 3);
                work_group_barrier(CLK_LOCAL_MEM_FENCE);
            }",
            std,
        );
        // The generic address space is optional in 3.0, and clang leaves it out.
        if std.ends_with("2.0") {
            let compiled = compiled.expect("CL2.0");
            assert_eq!(compiled.refusals, []);
        }
    }
}
