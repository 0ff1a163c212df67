/*
[[launch]]
kernel = "shuffles"
global = 128
local = 128
build_options = "-cl-std=CL3.0"
args = { in = "[128]:random(0,1000)", out = "[128]:zero" }

[[launch]]
kernel = "votes"
global = 128
local = 128
build_options = "-cl-std=CL3.0"
args = { out = "[128]:zero" }

[[launch]]
kernel = "non_uniform_arithmetic"
global = 128
local = 128
build_options = "-cl-std=CL3.0"
args = { in = "[128]:random(1,9)", out = "[128]:zero" }

[[launch]]
kernel = "clusters"
global = 128
local = 128
build_options = "-cl-std=CL3.0"
args = { in = "[128]:random(1,9)", out = "[128]:zero" }

[[launch]]
kernel = "ballots"
global = 100
local = 100
build_options = "-cl-std=CL3.0"
args = { out = "[100]:zero" }

[[launch]]
kernel = "in_a_branch"
global = 64
local = 64
build_options = "-cl-std=CL3.0"
args = { out = "[64]:zero" }

[[launch]]
kernel = "extended_types"
global = 64
local = 64
build_options = "-cl-std=CL3.0"
args = { out = "[64]:zero" }

[expect]
needs = ["cl_khr_subgroup_shuffle", "cl_khr_subgroup_ballot", "cl_khr_subgroup_clustered_reduce"]
# Each kernel counts where a function differs from a loop.
values.shuffles.out = [0, 0, 0, 0, 0, 0, 0, 0]
values.votes.out = [0, 0, 0, 0, 0, 0, 0, 0]
values.non_uniform_arithmetic.out = [0, 0, 0, 0, 0, 0, 0, 0]
values.clusters.out = [0, 0, 0, 0, 0, 0, 0, 0]
values.ballots.out = [0, 0, 0, 0, 0, 0, 0, 0]
values.extended_types.out = [0, 0, 0, 0, 0, 0, 0, 0]
*/

kernel void shuffles(global const int *in, global int *out) {
    local int all[128];
    uint l = get_local_id(0), s = get_sub_group_local_id(), n = get_sub_group_size();
    uint first = l - s;
    all[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    int own = in[l], wrong = 0;
    uint other = (s * 7 + 3) % n;
    wrong += sub_group_shuffle(own, other) != all[first + other];
    wrong += sub_group_shuffle_xor(own, 5) != all[first + (s ^ 5)];
    int up = sub_group_shuffle_up(own, 3), down = sub_group_shuffle_down(own, 2);
    wrong += s >= 3 && up != all[l - 3];
    wrong += s + 2 < n && down != all[l + 2];
    wrong += sub_group_shuffle((double)own, 1) != (double)all[first + 1];
    wrong += sub_group_shuffle((char)own, 1) != (char)all[first + 1];
    out[l] = wrong;
}

kernel void votes(global int *out) {
    uint l = get_local_id(0), s = get_sub_group_local_id();
    int wrong = 0;
    if (s % 3 == 1) {
        wrong += (sub_group_elect() != 0) != (s == 1);
        wrong += !sub_group_non_uniform_all(s % 3 == 1);
        wrong += !sub_group_non_uniform_any(s == 4);
        wrong += sub_group_non_uniform_any(s == 3) != 0;
        wrong += !sub_group_non_uniform_all_equal(s % 3);
        wrong += sub_group_non_uniform_all_equal(s) != 0;
        wrong += sub_group_broadcast_first(s) != 1;
        wrong += sub_group_non_uniform_broadcast(s, 7) != 7;
    }
    out[l] = wrong;
}

kernel void non_uniform_arithmetic(global const int *in, global int *out) {
    local int all[128];
    uint l = get_local_id(0), s = get_sub_group_local_id(), n = get_sub_group_size();
    all[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    int own = in[l], wrong = 0;
    if (s % 4 != 2) {
        int sum = 0, before = 0, bits = 0, all_bits = ~0;
        long product = 1;
        for (uint i = 0; i < n; i++) {
            if (i % 4 == 2)
                continue;
            int v = all[l - s + i];
            before = i == s ? sum : before;
            sum += v;
            product *= v;
            bits ^= v;
            all_bits &= v | 8;
        }
        wrong += sub_group_non_uniform_reduce_add(own) != sum;
        wrong += sub_group_non_uniform_scan_exclusive_add(own) != before;
        wrong += sub_group_non_uniform_scan_inclusive_add(own) != before + own;
        wrong += sub_group_non_uniform_reduce_mul((long)own) != product;
        wrong += sub_group_non_uniform_reduce_xor(own) != bits;
        wrong += sub_group_non_uniform_reduce_and(own | 8) != all_bits;
        wrong += sub_group_non_uniform_reduce_or(s == 5 ? 64 : 0) != 64;
        wrong += sub_group_non_uniform_reduce_logical_and(own > 0) != 1;
        wrong += sub_group_non_uniform_reduce_logical_or(own > 100) != 0;
        wrong += sub_group_non_uniform_reduce_max((float)own)
            != (float)sub_group_non_uniform_reduce_max(own);
    }
    out[l] = wrong;
}

kernel void clusters(global const int *in, global int *out) {
    local int all[128];
    uint l = get_local_id(0);
    all[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    int own = in[l], wrong = 0, sum = 0, product = 1;
    for (uint i = 0; i < 4; i++)
        sum += all[l / 4 * 4 + i];
    for (uint i = 0; i < 8; i++)
        product *= all[l / 8 * 8 + i];
    wrong += sub_group_clustered_reduce_add(own, 4) != sum;
    wrong += sub_group_clustered_reduce_mul(own, 8) != product;
    wrong += sub_group_clustered_reduce_max(own, 1) != own;
    out[l] = wrong;
}

kernel void ballots(global int *out) {
    uint l = get_local_id(0), s = get_sub_group_local_id(), n = get_sub_group_size();
    int wrong = 0;
    uint4 votes = sub_group_ballot(s % 3 == 0);
    uint count = 0, before = 0, last = 0;
    for (uint i = 0; i < n; i++) {
        if (i % 3 == 0) {
            count++;
            before += i < s;
            last = i;
        }
    }
    wrong += (votes.x & 0xf) != 9;
    wrong += (sub_group_inverse_ballot(votes) != 0) != (s % 3 == 0);
    wrong += sub_group_ballot_bit_extract(votes, 3) == 0;
    wrong += sub_group_ballot_bit_extract(votes, 2) != 0;
    wrong += sub_group_ballot_bit_count(votes) != count;
    wrong += sub_group_ballot_exclusive_scan(votes) != before;
    wrong += sub_group_ballot_inclusive_scan(votes) != before + (s % 3 == 0);
    wrong += sub_group_ballot_find_lsb(votes) != 0;
    wrong += sub_group_ballot_find_msb(votes) != last;
    wrong += sub_group_ballot_bit_count(get_sub_group_eq_mask()) != 1;
    wrong += sub_group_ballot_find_lsb(get_sub_group_eq_mask()) != s;
    wrong += sub_group_ballot_bit_count(get_sub_group_ge_mask()) != n - s;
    wrong += sub_group_ballot_bit_count(get_sub_group_gt_mask()) != n - s - 1;
    wrong += sub_group_ballot_bit_count(get_sub_group_le_mask()) != s + 1;
    wrong += sub_group_ballot_bit_count(get_sub_group_lt_mask()) != s;
    wrong += (get_sub_group_gt_mask().w | get_sub_group_ge_mask().z) != 0;
    out[l] = wrong;
}

// The lanes of each side see each other only.
kernel void in_a_branch(global int *out) {
    uint s = get_sub_group_local_id(), l = get_local_id(0);
    uint n;
    if (s % 4 == 0)
        n = sub_group_non_uniform_reduce_add(1u);
    else
        n = 1000 + sub_group_non_uniform_reduce_add(1u) % 8;
    out[l] = n == get_sub_group_size() / 4 || n == 1000 + get_sub_group_size() * 3 / 4 % 8;
}

kernel void extended_types(global int *out) {
    uint s = get_sub_group_local_id(), l = get_local_id(0);
    int wrong = 0;
    short4 v = (short4)(s, s + 1, s + 2, s + 3);
    short4 w = sub_group_non_uniform_broadcast(v, 3);
    wrong += any(w != (short4)(3, 4, 5, 6));
    wrong += sub_group_shuffle_xor((ushort)s, 1) != (s ^ 1);
    out[l] = wrong;
}
