/*
[[launch]]
kernel = "integers"
global = 90
local = 45
build_options = "-cl-std=CL2.0"
args = { in = "[90]:random(-50,50)", out = "[90]:zero" }

[[launch]]
kernel = "remainder"
global = 100
local = 48
build_options = "-cl-std=CL2.0"
args = { in = "[100]:iota", out = "[100]:zero" }

[[launch]]
kernel = "wide"
global = 64
local = 32
build_options = "-cl-std=CL2.0"
args = { in = "[64]:iota", out = "[64]:zero", sums = "[64]:zero" }

[[launch]]
kernel = "votes"
global = 128
local = 64
build_options = "-cl-std=CL2.0"
args = { in = "[128]:iota", out = "[128]:zero" }

[[launch]]
kernel = "broadcast_2d"
global = "12x10"
local = "6x5"
build_options = "-cl-std=CL2.0"
args = { out = "[120]:zero" }

[[launch]]
kernel = "in_a_loop"
global = 64
local = 64
build_options = "-cl-std=CL2.0"
args = { out = "[64]:zero" }

[[launch]]
kernel = "under_a_uniform_branch"
global = 96
local = 48
build_options = "-cl-std=CL2.0"
args = { out = "[96]:zero" }

[expect]
simulator_only = "PoCL 3.1 has no work-group functions"
# Every kernel compares with a loop over local memory and counts what differs.
values.integers.out = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
values.remainder.out = [1128, 1128]
values.wide.sums = [0, 1, 3, 6, 10]
values.votes.out = [10, 10]
values.in_a_loop.out = [2016, 2016]
values.under_a_uniform_branch.out = [1128, 1128]
*/

kernel void integers(global const int *in, global int *out) {
    local int all[64];
    size_t l = get_local_id(0), n = get_local_size(0);
    int own = in[get_global_id(0)];
    all[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0, low = INT_MAX, high = INT_MIN;
    for (size_t i = 0; i < n; i++) {
        sum += all[i];
        low = min(low, all[i]);
        high = max(high, all[i]);
    }
    int before = 0, low_before = INT_MAX, high_before = INT_MIN;
    for (size_t i = 0; i < l; i++) {
        before += all[i];
        low_before = min(low_before, all[i]);
        high_before = max(high_before, all[i]);
    }
    int wrong = 0;
    wrong += work_group_reduce_add(own) != sum;
    wrong += work_group_reduce_min(own) != low;
    wrong += work_group_reduce_max(own) != high;
    wrong += work_group_scan_exclusive_add(own) != before;
    wrong += work_group_scan_inclusive_add(own) != before + own;
    wrong += work_group_scan_exclusive_min(own) != low_before;
    wrong += work_group_scan_inclusive_min(own) != min(low_before, own);
    wrong += work_group_scan_exclusive_max(own) != high_before;
    wrong += work_group_scan_inclusive_max(own) != max(high_before, own);
    wrong += work_group_reduce_min((uint)own) != (low < 0 ? work_group_reduce_min((uint)own) : (uint)low);
    wrong += work_group_broadcast(own, 7) != all[7];
    out[get_global_id(0)] = wrong;
}

kernel void remainder(global const int *in, global int *out) {
    int own = in[get_global_id(0)];
    int sum = work_group_reduce_add(own);
    uint size = work_group_reduce_add(1u);
    out[get_global_id(0)] = size == get_local_size(0) ? sum : -1;
}

kernel void wide(global const float *in, global float *out, global double *sums) {
    size_t i = get_global_id(0);
    out[i] = work_group_reduce_max(in[i]) - work_group_reduce_min(in[i])
        + work_group_scan_inclusive_add(in[i]);
    sums[i] = work_group_scan_inclusive_add((double)in[i]);
    long big = work_group_reduce_add((long)i << 33);
    ulong most = work_group_reduce_max((ulong)i << 33);
    out[i] += big == (long)(31 * 16 + (i / 32) * 1024) << 33 ? 0.0f : 1000.0f;
    out[i] += most == (ulong)(i / 32 * 32 + 31) << 33 ? 0.0f : 1000.0f;
}

kernel void votes(global const int *in, global int *out) {
    int v = in[get_global_id(0)];
    int r = 0;
    r += work_group_all(v < 128) ? 2 : 1;
    r += work_group_any(v == 127) ? 0 : 4;
    r += work_group_any(v == 3 || v == 80) ? 4 : 0;
    r += work_group_all(v != 3 && v != 80) ? 16 : 0;
    out[get_global_id(0)] = v < 64 ? r : r == 6 ? 10 : 0;
}

kernel void broadcast_2d(global int *out) {
    int own = get_local_id(1) * 10 + get_local_id(0) + 100 * get_group_id(0);
    int got = work_group_broadcast(own, 3, 2) + work_group_broadcast(own, 0, 4);
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
        got - (23 + 40 + 200 * (int)get_group_id(0));
}

kernel void in_a_loop(global int *out) {
    int sum = get_local_id(0);
    for (int i = 0; i < 6; i++) {
        int other = work_group_broadcast(sum, i * 7);
        sum = i == 5 ? work_group_reduce_add((int)get_local_id(0)) : sum + other - other;
    }
    out[get_global_id(0)] = sum;
}

kernel void under_a_uniform_branch(global int *out) {
    int sum = 0;
    if (get_group_id(0) == 0)
        sum = work_group_reduce_add((int)get_local_id(0));
    out[get_global_id(0)] = sum;
}
