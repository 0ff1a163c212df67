/*
[[launch]]
kernel = "ids"
global = 150
local = 75
build_options = "-cl-std=CL2.0"
args = { out = "[150]:zero" }

[[launch]]
kernel = "arithmetic"
global = 200
local = 100
build_options = "-cl-std=CL2.0"
args = { in = "[200]:random(-50,50)", out = "[200]:zero" }

[[launch]]
kernel = "floats"
global = 128
local = 128
build_options = "-cl-std=CL2.0"
args = { in = "[128]:random", out = "[128]:zero" }

[[launch]]
kernel = "votes"
global = 128
local = 64
build_options = "-cl-std=CL2.0"
args = { in = "[128]:iota", out = "[128]:zero" }

[[launch]]
kernel = "after_a_divergent_branch"
global = 64
local = 64
build_options = "-cl-std=CL2.0"
args = { out = "[64]:zero" }

[expect]
needs = ["cl_khr_subgroups"]
# Each kernel counts where a function differs from a loop over the sub-group.
values.ids.out = [0, 0, 0, 0, 0, 0, 0, 0]
values.arithmetic.out = [0, 0, 0, 0, 0, 0, 0, 0]
values.floats.out = [0, 0, 0, 0, 0, 0, 0, 0]
values.votes.out = [0, 0, 0, 0, 0, 0, 0, 0]
*/

kernel void ids(global int *out) {
    uint most = get_max_sub_group_size(), n = get_local_size(0);
    uint l = get_local_id(0);
    int wrong = get_sub_group_id() != l / most;
    wrong += get_sub_group_local_id() != l % most;
    wrong += get_num_sub_groups() != (n + most - 1) / most;
    wrong += get_enqueued_num_sub_groups() != get_num_sub_groups();
    wrong += get_sub_group_size() != min(most, n - l / most * most);
    out[get_global_id(0)] = wrong;
}

kernel void arithmetic(global const int *in, global int *out) {
    local int all[128];
    uint l = get_local_id(0), s = get_sub_group_local_id(), n = get_sub_group_size();
    uint first = l - s;
    int own = in[get_global_id(0)];
    all[l] = own;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0, low = INT_MAX, high = INT_MIN;
    for (uint i = 0; i < n; i++) {
        sum += all[first + i];
        low = min(low, all[first + i]);
        high = max(high, all[first + i]);
    }
    int before = 0, low_before = INT_MAX, high_before = INT_MIN;
    for (uint i = 0; i < s; i++) {
        before += all[first + i];
        low_before = min(low_before, all[first + i]);
        high_before = max(high_before, all[first + i]);
    }
    int wrong = 0;
    wrong += sub_group_reduce_add(own) != sum;
    wrong += sub_group_reduce_min(own) != low;
    wrong += sub_group_reduce_max(own) != high;
    wrong += sub_group_scan_exclusive_add(own) != before;
    wrong += sub_group_scan_inclusive_add(own) != before + own;
    wrong += sub_group_scan_exclusive_min(own) != low_before;
    wrong += sub_group_scan_inclusive_min(own) != min(low_before, own);
    wrong += sub_group_scan_exclusive_max(own) != high_before;
    wrong += sub_group_scan_inclusive_max(own) != max(high_before, own);
    wrong += sub_group_reduce_add((long)own << 40) != (long)sum << 40;
    wrong += sub_group_broadcast(own, n - 1) != all[first + n - 1];
    wrong += sub_group_broadcast((ulong)own, 2) != (ulong)all[first + 2];
    out[get_global_id(0)] = wrong;
}

kernel void floats(global const float *in, global int *out) {
    local float all[128];
    uint l = get_local_id(0), s = get_sub_group_local_id(), n = get_sub_group_size();
    float own = in[get_global_id(0)];
    all[l] = own;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f, low = INFINITY;
    for (uint i = 0; i < n; i++) {
        sum += all[l - s + i];
        low = fmin(low, all[l - s + i]);
    }
    int wrong = 0;
    wrong += fabs(sub_group_reduce_add(own) - sum) > 1e-4f;
    wrong += sub_group_reduce_min(own) != low;
    wrong += fabs(sub_group_scan_inclusive_add((double)own)
                  - sub_group_scan_exclusive_add((double)own) - own) > 1e-6;
    float before = sub_group_scan_exclusive_max(own);
    wrong += s == 0 && before != -INFINITY;
    out[get_global_id(0)] = wrong;
}

kernel void votes(global const int *in, global int *out) {
    int v = in[get_global_id(0)];
    uint last = get_sub_group_local_id() == get_sub_group_size() - 1;
    int wrong = 0;
    wrong += sub_group_all(v >= 0) == 0;
    wrong += sub_group_all(!last) != 0;
    wrong += sub_group_any(last) == 0;
    wrong += sub_group_any(v < 0) != 0;
    out[get_global_id(0)] = wrong;
}

// Lanes part and meet again before the function; those of one side go through
// a loop of a length of their own.
kernel void after_a_divergent_branch(global int *out) {
    int l = get_local_id(0);
    int sum = 0;
    if (l & 1) {
        for (int i = 0; i < l; i++)
            sum += i;
    } else {
        sum = -l;
    }
    out[get_global_id(0)] = sub_group_reduce_add(sum) != 0 ? sub_group_reduce_max(l) % 32 : -1;
}
