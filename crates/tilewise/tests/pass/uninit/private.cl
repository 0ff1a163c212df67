/*
[[launch]]
global = 128
local = 64
args = { in = "[200]", out = "[130]:zero", pairs = "[128]", n = 4 }
*/

kernel void one_path(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float best;
    bool found = in[gid] > 0.5f;
    if (found)
        best = in[gid];
    // Set where it is used, though not on every path.
    if (found)
        out[gid] = best;
}

kernel void no_start(global const float *in, global float *out, int n)
{
    int gid = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[gid + i];
    out[gid] = sum;
}

kernel void array_end(global const float *in, global float *out, int n)
{
    int gid = get_global_id(0);
    float window[5];
    for (int i = 0; i < n; i++)
        window[i] = in[gid + i];
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += window[i];
    out[gid] = sum;
}

kernel void may_not_run(global const float *in, global float *out)
{
    int gid = get_global_id(0), last;
    for (int i = 0; i < gid; i++)
        last = i;
    if (gid > 0 && last == 3)
        out[gid] = 1;
}

struct point { float x, y; };
kernel void member(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    struct point p, q;
    p.x = in[gid];
    q = p;
    q.y = 1;
    out[gid] = q.x + q.y;
}

kernel void component(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float4 v;
    v.x = in[gid];
    v.z = in[gid + 1];
    float4 w = v;
    out[gid] = w.x + w.z;
}

kernel void index(global const float *in, global float *out)
{
    int gid = get_global_id(0), i;
    if (gid < 100)
        i = gid + 1;
    if (gid < 100)
        out[gid] = in[i];
}

void find(float v, float *result)
{
    *result = v > 0.5f ? v : 0;
}
kernel void by_helper(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float result;
    find(in[gid], &result);
    out[gid] = result;
}

kernel void cases(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float w;
    switch (gid & 3) {
    case 0: w = 1; break;
    case 1: w = 2; break;
    case 2: w = 3; break;
    default: w = 4;
    }
    out[gid] = w * in[gid];
}

// A variable of a loop's body is new in each turn, and set in each.
kernel void in_the_body(global const float *in, global float *out, int n)
{
    int gid = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        float part[2];
        part[i & 1] = in[gid + i];
        sum += part[i & 1];
    }
    out[gid] = sum;
}
