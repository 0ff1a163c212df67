/*
[[launch]]
kernel = "swizzles_of_three"
global = 8
local = 4
args = { in = "[32]:iota", out = "[32]:zero" }

[[launch]]
kernel = "swizzles_of_sixteen"
global = 4
local = 4
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "halves_and_steps"
global = 8
local = 4
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "views"
global = 8
local = 4
args = { in = "[8]:random", out = "[48]:zero" }

[[launch]]
kernel = "literals_and_operators"
global = 8
local = 4
args = { in = "[8]:random(-100,100)", out = "[64]:zero" }

[[launch]]
kernel = "conversions"
global = 8
local = 4
args = { in = "[8]:random(-300,300)", out = "[8]:zero", bytes = "[32]:zero", longs = "[8]:zero" }

[[launch]]
kernel = "in_memory"
global = 8
local = 4
args = { in = "[24]:iota", out = "[24]:zero" }

[expect]
*/

kernel void swizzles_of_three(global const float *in, global float *out) {
    int i = get_global_id(0);
    float3 a = vload3(i, in), b = a.zxy;
    b.xz = a.yx;
    b.y += a.s2;
    float4 c = (float4)(b, 1.0f);
    c.wyx = a.xzz;
    vstore4(c, i, out);
}

kernel void swizzles_of_sixteen(global const int *in, global int *out) {
    int i = get_global_id(0);
    int16 a = vload16(i, in), b = (int16)(i);
    b.sF3a = (int3)(1, 2, 3);
    b.even = a.odd;
    b.s01 = a.lo.hi.s31;
    b.hi.lo = b.lo.lo.wzyx + a.sfedc;
    vstore16(b, i, out);
}

kernel void halves_and_steps(global const uchar *in, global uchar *out) {
    int i = get_global_id(0);
    uchar8 a = vload8(i, in), b;
    b.lo = a.hi.even.xyxy;
    b.hi = a.odd;
    b.s6 = vec_step(uchar8) + vec_step(float3) + vec_step(a.lo.lo) + vec_step(int);
    vstore8(b, i, out);
}

kernel void views(global const int *in, global int *out) {
    int i = get_global_id(0);
    int n = in[i];
    out[6 * i] = as_int(as_float(n));
    out[6 * i + 1] = as_char4(n).z;
    out[6 * i + 2] = as_ushort2(n).y;
    out[6 * i + 3] = as_int(as_uchar4(n).wzyx);
    out[6 * i + 4] = (int)(as_ulong((int2)(n, i)) >> 31);
    out[6 * i + 5] = as_int4(as_short8((int4)(n, i, -n, 7)).s10325476).z;
}

kernel void literals_and_operators(global const int *in, global int *out) {
    int i = get_global_id(0);
    int n = in[i];
    int4 a = (int4)(n, (int2)(3, -n), i), b = (int4)(7);
    int4 c = (a < b) & (a != n);
    int4 d = c ? a : b - a;
    int4 e = (a % b) * 3 + (a / b << 2) - (a >> 1);
    e ^= ~d;
    e = -e + !a;
    bool any_set = any(c), all_set = all(c);
    vstore8((int8)(d, e), i, out);
    out[8 * i] += any_set * 1000 + all_set * 2000;
}

kernel void conversions(global const int *in, global int *out, global char *bytes, global long *longs) {
    int i = get_global_id(0);
    int n = in[i];
    float f = n * 1.25f;
    vstore4(convert_char4_sat((float4)(f, -f, f * 100, -1e9f)), i, bytes);
    int r = convert_int_rte(f) + 7 * convert_int_rtp(f) + 31 * convert_int_rtn(f) + 101 * (int)f;
    r += convert_uchar_sat(n) + convert_short_sat(n * 1000) + convert_uchar_sat_rte(f);
    r += (int)convert_float_rtz(n * 16777259L % 1000000007L) + (uchar)n + (short)(n * 300);
    out[i] = r;
    longs[i] = convert_long_sat(f * 1e30f) + (long)(double)(n * 0.1) + convert_long_rtp(f * 0.37);
}

kernel void in_memory(global const int *in, global int *out) {
    local int3 shared[4];
    int l = get_local_id(0), i = get_global_id(0);
    int3 own[2];
    own[0] = vload3(i, in);
    own[1] = own[0].zyx;
    own[i & 1].y = 100;
    shared[l] = own[(i >> 1) & 1];
    shared[l].z -= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore3(shared[3 - l] + own[1], i, out);
}
