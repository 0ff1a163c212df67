/*
[[launch]]
kernel = "narrowed"
global = 8
local = 4
args = { a = "[8]:random(0,1000000)", b = "[8]:random(0,1000000)", out = "[64]:zero" }

[[launch]]
kernel = "loaded"
global = 8
local = 4
args = { a = "[8]:random(0,1000000)", b = "[8]:random(0,1000000)", c = "{ before = 1.0, numbers = (1311, -70000000007, 987654321987) }", short_out = "[8]:zero", out = "[48]:zero" }

[[launch]]
kernel = "signed_bools"
global = 8
local = 4
args = { a = "[8]:random(0,2)", out = "[8]:zero" }

[expect]
*/

// A component cut off: LLVM sees an int3 as six shorts and an int16 as 32 of
// them, which are no vectors of OpenCL.
kernel void narrowed(global const uint3 *a, global const int16 *b, global short *out) {
    size_t i = get_global_id(0);
    uint3 u = a[i] * 77777u;
    int16 v = b[i] * 99991;
    out[8 * i] = (short)u.x % 7;
    out[8 * i + 1] = (short)u.y;
    out[8 * i + 2] = (char)u.z;
    out[8 * i + 3] = (short)(u.x >> 16) % 5;
    out[8 * i + 4] = (short)v.s0 % 7;
    out[8 * i + 5] = (short)v.sf;
    out[8 * i + 6] = (uchar)v.s7;
    out[8 * i + 7] = (short)(v.s3 >> 16) % 5;
}

// The same through a load: as 64 chars, as six shorts that a shuffle repeats,
// and as six ints that are then 24 chars.
typedef struct {
    float before;
    long3 numbers;
} given;

kernel void loaded(global const int16 *a, global const uint3 *b, given c, global short8 *short_out,
                   global int *out) {
    size_t i = get_global_id(0);
    out[6 * i] = (uchar)a[i].sa % 2;
    out[6 * i + 1] = (uchar)(a[i].s5 >> 8);
    short_out[i] = convert_short8(abs_diff((short8)(3), (short8)(1) << (short)(b[i].x)));
    out[6 * i + 2] = atomic_and(&out[6 * i + 4], (int)c.numbers.z);
    out[6 * i + 3] = (char)c.numbers.y & 1;
    out[6 * i + 5] = (char)c.numbers.x;
}

// True as a component of a vector is -1, and stays so when it is made a double.
kernel void signed_bools(global const int2 *a, global double2 *out) {
    size_t i = get_global_id(0);
    int2 less = a[i] < 1;
    out[i] = (double2)((double)(long)less.x, (double)less.y);
}
