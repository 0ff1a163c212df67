/*
[[launch]]
kernel = "fallthrough"
global = 64
local = 32
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "jumps_into_a_loop"
global = 64
local = 32
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "jumps_out_of_nested_loops"
global = 64
local = 32
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "two_headed_loop"
global = 64
local = 32
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "duffs_device"
global = 64
local = 32
args = { in = "[600]:iota", out = "[64]:zero" }

[[launch]]
kernel = "two_entries_and_more_exits"
global = 64
local = 32
args = { in = "[600]:iota", out = "[64]:zero" }

[[launch]]
kernel = "do_while"
global = 64
local = 32
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "machine"
global = 64
local = 32
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "short_circuits"
global = 64
local = 32
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "barriers_in_uniform_loops"
global = 64
local = 32
args = { in = "[64]:iota", out = "[64]:zero", n = 5 }

[expect]
*/

kernel void fallthrough(global const int *in, global int *out) {
    int i = get_global_id(0), r = 0;
    switch (in[i] % 9) {
    case 0:
        r += 1;
    case 3:
        r += 10;
    case 4:
        r += 100;
        break;
    case 7: {
        for (int k = 0; k < i; k++) {
            if (k == 5)
                break;
            if (k & 1)
                continue;
            r += k;
        }
    }
    default:
        r += 1000;
    case 8:
        r += 5;
    }
    switch (in[i] * 1000000007L) {
    case 3000000021L:
        r += 7;
        break;
    case -1L:
        r = 0;
    }
    out[i] = r;
}

kernel void jumps_into_a_loop(global const int *in, global int *out) {
    int i = get_global_id(0), k = 0, r = in[i];
    if (i % 3 == 0)
        goto middle;
    for (k = 0; k < 6; k++) {
        r += k;
    middle:
        r = r * 3 % 1009;
        if (r > 900)
            goto done;
    }
done:
    out[i] = r * 10 + k;
}

kernel void jumps_out_of_nested_loops(global const int *in, global int *out) {
    int i = get_global_id(0), r = 0;
    for (int a = 0; a < 8; a++) {
        for (int b = 0; b < 8; b++) {
            r += a ^ b;
            if (a * b == in[i] % 30)
                goto found;
        }
    }
    r = -r;
found:
    out[i] = r;
}

// Neither block of the loop dominates the other.
kernel void two_headed_loop(global const int *in, global int *out) {
    int i = get_global_id(0), n = 0, r = in[i];
    if (i & 1)
        goto second;
first:
    r = r * 5 + 1;
    if (++n > 9)
        goto end;
    if (r % 7 == 0)
        goto first;
second:
    r = r / 2 + 3;
    if (++n > 7)
        goto end;
    if (r % 3 != 0)
        goto first;
    goto second;
end:
    out[i] = r * 16 + n;
}

kernel void do_while(global const int *in, global int *out) {
    int i = get_global_id(0), n = in[i] + 1, steps = 0;
    do {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        steps++;
    } while (n != 1 && steps < 200);
    out[i] = steps;
}

kernel void machine(global const int *in, global int *out) {
    int i = get_global_id(0), state = in[i] % 4, r = 0;
    for (int step = 0; step < 12; step++) {
        switch (state) {
        case 0: r += 1; state = r & 1 ? 2 : 1; break;
        case 1: r += 3; state = 3; continue;
        case 2: r *= 2; state = r > 40 ? 4 : 0; break;
        case 3: r -= 1; state = (r + i) % 3; break;
        default: step = 12;
        }
        r ^= step;
    }
    out[i] = r;
}

int touch(global int *out, int i, int value) {
    out[i] += value;
    return value & 1;
}

kernel void short_circuits(global const int *in, global int *out) {
    int i = get_global_id(0);
    int r = in[i] % 2 && touch(out, i, 3) || touch(out, i, 4) && touch(out, i, 16);
    r += in[i] > 5 ? touch(out, i, 101) : touch(out, i, 64);
    out[i] = out[i] * 8 + r;
}

kernel void barriers_in_uniform_loops(global const int *in, global int *out, int n) {
    local int shared[32];
    int l = get_local_id(0), i = get_global_id(0);
    shared[l] = in[i];
    for (int k = 1; k <= n; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = shared[(l + k) & 31];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (other & 1)
            shared[l] += other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[31 - l];
}

kernel void duffs_device(global const uint *in, global uint *out)
{
    uint gid = get_global_id(0), n = (gid * 7) % 23 + 1, sum = 0;
    uint rounds = (n + 3) / 4, p = gid;
    switch (n % 4) {
    case 0: do { sum += in[p++];
    case 3:      sum ^= in[p++];
    case 2:      sum = sum * 3 + in[p++];
    case 1:      sum -= in[p++];
            } while (--rounds > 0);
    }
    out[gid] = sum * 1000 + p;
}

kernel void two_entries_and_more_exits(global const uint *in, global uint *out)
{
    uint gid = get_global_id(0), sum = 0, p = gid, rounds = (gid >> 1) + 1;
    uint last = 0;
    if (gid & 1)
        goto middle;
    for (;;) {
        last = in[p] * 5;
        sum += in[p++];
        if (sum > 900)
            break;
middle:
        last ^= in[p + 1];
        sum -= in[p++] * 7;
        if (--rounds == 0)
            break;
    }
    out[gid] = sum * 1000 + last;
}
