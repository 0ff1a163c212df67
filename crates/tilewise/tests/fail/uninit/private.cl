/*
[[launch]]
global = 128
local = 64
args = { in = "[200]", out = "[130]:zero", pairs = "[128]", n = 4 }
*/

// Set on one path only.
kernel void one_path(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float best;
    if (in[gid] > 0.5f)
        best = in[gid];
    out[gid] = best; //~ TW105 give best a value on every path
}

// A sum without a start value.
kernel void no_start(global const float *in, global float *out, int n)
{
    int gid = get_global_id(0);
    float sum;
    for (int i = 0; i < n; i++)
        sum += in[gid + i]; //~ TW105 sum
    out[gid] = sum;
}

// An array of which the last element is never set.
kernel void array_end(global const float *in, global float *out, int n)
{
    int gid = get_global_id(0);
    float window[5];
    for (int i = 0; i < n; i++)
        window[i] = in[gid + i];
    float sum = 0;
    for (int i = 0; i <= n; i++)
        sum += window[i]; //~ TW105 window[4]
    out[gid] = sum;
}

// A loop that may not run once.
kernel void may_not_run(global const float *in, global float *out)
{
    int gid = get_global_id(0), last;
    for (int i = 0; i < gid; i++)
        last = i;
    if (last == 3) //~ TW105 to decide where to go
        out[gid] = 1;
}

// A member of a structure, through a copy.
struct point { float x, y; };
kernel void member(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    struct point p, q;
    p.x = in[gid];
    q = p;
    out[gid] = q.x + q.y; //~ TW105 copied from where it is not set
}

// A component of a vector.
kernel void component(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float4 v;
    v.x = in[gid];
    v.z = in[gid + 1];
    out[gid] = v.x + v.y; //~ TW105
}

// An index that is not set for some work-items.
kernel void index(global const float *in, global float *out)
{
    int gid = get_global_id(0), i;
    if (gid < 100)
        i = gid + 1;
    out[gid] = in[i]; //~ TW105 in an address
}

// Set by a helper through a pointer, if it does.
void find(float v, float *result)
{
    if (v > 0.5f)
        *result = v;
}
kernel void by_helper(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float result;
    find(in[gid], &result);
    out[gid] = result; //~ TW105 result
}

// A switch without a default.
kernel void cases(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float w;
    switch (gid & 3) {
    case 0: w = 1; break;
    case 1: w = 2; break;
    case 2: w = 3; break;
    }
    out[gid] = w * in[gid]; //~ TW105 w
}
