/*
[[launch]]
global = 64
local = 32
args = { in = "[64]", out = "[64]:zero", n = 5 }

[check]
loop_budget = 20000
*/

kernel void unsigned_counter(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), sum = 0;
    for (uint i = n + 1; i-- > 0;)
        sum += in[i & 63];
    out[gid] = sum;
}

kernel void past_the_end(global int *out, int n)
{
    int i = 0;
    while (i < n)
        i += 2;
    out[get_global_id(0)] = i;
}

kernel void outer(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), width = 1, sum = 0;
    while (width < 64) {
        for (int i = 0; i < n; i++)
            sum += in[(gid + i) & 63];
        width *= 2;
    }
    out[gid] = sum;
}

kernel void inner(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += in[(gid + i) & 63];
    out[gid] = sum;
}

kernel void at_the_end(global int *out, int n)
{
    int s = 0;
    do {
        if (s++ > n)
            out[get_global_id(0)] = s;
    } while (s < n);
}

kernel void stride_of_none(global const int *in, global int *out)
{
    int gid = get_global_id(0), sum = 0;
    for (int i = gid; i < 64; i += gid + 1) {
        if (in[i] == 7)
            continue;
        sum += in[i];
    }
    out[gid] = sum;
}

kernel void without_condition(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), i = 0;
    for (;;) {
        if (i++ > 64 * n)
            break;
        if (gid > 3)
            continue;
        i = max(i, 3);
    }
    out[gid] = i;
}

kernel void with_barrier(global int *out, int n)
{
    local int flags[32];
    int lid = get_local_id(0);
    flags[lid] = 0;
    while (flags[lid] < n) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = flags[(lid + 1) & 31];
        barrier(CLK_LOCAL_MEM_FENCE);
        flags[lid] = next + 1;
    }
    out[get_global_id(0)] = lid;
}

kernel void circle(global int *out)
{
    int next[8] = {1, 2, 3, 4, 5, 6, 7, -1};
    int at = 0, steps = 0;
    while (at >= 0) {
        at = next[at];
        steps++;
    }
    out[get_global_id(0)] = steps;
}

// Long, but within the budget.
kernel void long_loop(global int *out)
{
    int at = 0;
    for (int i = 0; i < 1000; i++)
        at ^= i;
    out[get_global_id(0)] = at;
}
