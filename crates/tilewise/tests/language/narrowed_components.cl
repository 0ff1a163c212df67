/*
[[launch]]
kernel = "narrowed"
global = 8
local = 4
args = { a = "[8]:random(0,1000000)", b = "[8]:random(0,1000000)", out = "[64]:zero" }

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
