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
