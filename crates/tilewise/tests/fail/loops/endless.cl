/*
[[launch]]
global = 64
local = 32
args = { in = "[64]", out = "[64]:zero", n = 5 }

[check]
loop_budget = 20000
*/

// An unsigned counter is never below 0.
kernel void unsigned_counter(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), sum = 0;
    for (uint i = n; i >= 0; --i) //~ TW108 a sub-group ran 20000 instructions
        sum += in[i & 63];
    out[gid] = sum;
}

// The step jumps over the end.
kernel void past_the_end(global int *out, int n)
{
    int i = 0;
    while (i != n) //~ TW108 look at the loop's condition
        i += 2;
    out[get_global_id(0)] = i;
}

// The loop inside ends each time; it is the one around it that does not.
kernel void outer(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), width = 1, sum = 0;
    while (width < 64) { //~ TW108 the loops inside of it ended
        for (int i = 0; i < n; i++)
            sum += in[(gid + i) & 63];
    }
    out[gid] = sum;
}

kernel void inner(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; i++) //~ TW108
            sum += in[(gid + i) & 63];
    out[gid] = sum;
}

kernel void at_the_end(global int *out, int n)
{
    int s = 0;
    do {
        if (s > n)
            out[get_global_id(0)] = s;
    } while (s < n); //~ TW108
}

// Of one work-item, since its stride is 0.
kernel void stride_of_none(global const int *in, global int *out)
{
    int gid = get_global_id(0), sum = 0;
    for (int i = gid; i < 64; i += gid) { //~ TW108 work-item 0
        if (in[i] == 7)
            continue;
        sum += in[i];
    }
    out[gid] = sum;
}

kernel void without_condition(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), i = 0;
    for (;;) { //~ TW108
        if (i > 64 * n && in[0] == i)
            break;
        if (gid > 3)
            continue;
        i = max(i, 3);
    }
    out[gid] = i;
}

// All work-items meet at the barrier, again and again.
kernel void with_barrier(global int *out, int n)
{
    local int flags[32];
    int lid = get_local_id(0);
    flags[lid] = 0;
    while (flags[lid] < n) { //~ TW108
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = flags[(lid + 1) & 31];
        barrier(CLK_LOCAL_MEM_FENCE);
        flags[lid] = next;
    }
    out[get_global_id(0)] = lid;
}

// A list whose end leads to its middle.
kernel void circle(global int *out)
{
    int next[8] = {1, 2, 3, 4, 5, 6, 7, 4};
    int at = 0, steps = 0;
    while (at >= 0) { //~ TW108
        at = next[at];
        steps++;
    }
    out[get_global_id(0)] = steps;
}
