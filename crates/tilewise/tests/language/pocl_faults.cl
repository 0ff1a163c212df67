/*
[[launch]]
kernel = "least_int"
global = 1
local = 1
args = { in = "[1]:zero", out = "[2]:zero" }

[[launch]]
kernel = "constant_nan"
global = 1
local = 1
args = { in = "[1]:zero", out = "[5]:zero" }

[[launch]]
kernel = "skipped_barrier"
global = [1, 2, 2]
local = [1, 2, 2]
args = { n = -1, out = "[4]:zero" }

[expect]
values.skipped_barrier.out = [1, 1, 1, 1]
values.least_int.out = [1, 1]
values.constant_nan.out = [1, 1, 1, 1, 1]
simulator_only = "PoCL 3.1 compiles abs as undefined for the least number, drops the stores of floor, ceil, trunc and round of a constant NaN, and ends the process at rint of one, and runs what follows a barrier that is skipped twice for the first work-item"
*/

// Kernels that PoCL 3.1 (Debian 12, LLVM 15) gets wrong, found by
// `cargo xtask random`; the simulator in both forms and the interpreter of the
// random programs agree on them.

// abs returns an unsigned type, so that the least number has a result, too
// (OpenCL C 1.2, section 6.12.3). PoCL's library leaves it to LLVM's abs with
// the flag that makes it poison: 0 and 0.
kernel void least_int(global const int *in, global int *out) {
    out[0] = abs(in[0] + (-2147483647 - 1)) == 2147483648u;
    out[1] = convert_int_sat(abs(in[0] + (-2147483647 - 1))) == 2147483647;
}

// A NaN stays a NaN. PoCL's rounding functions convert to an integer where the
// number is small, and LLVM takes the conversion of a constant NaN for poison.
kernel void constant_nan(global const int *in, global int *out) {
    float n = (float)in[0] * (0.0f / 0.0f);
    out[0] = isnan(floor(n));
    out[1] = isnan(ceil(n));
    out[2] = isnan(trunc(n));
    out[3] = isnan(round(n));
    out[4] = isnan(rint(n));
}

// A barrier that no work-item comes to orders nothing. PoCL finds out where the
// work-group goes by running its first work-item ahead of the others, and runs
// it again with them: 2 in its element.
kernel void skipped_barrier(int n, global int *out) {
    size_t i = get_global_id(2) * get_global_size(1) + get_global_id(1);
    if (n >= 0)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = out[i] + 1;
}
