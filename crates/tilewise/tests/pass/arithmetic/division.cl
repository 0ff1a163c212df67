/*
[[launch]]
global = 64
local = 64
args = { in = "[64]:random(1,9)", out = "[64]:zero", rows = 0 }
*/

kernel void by_zero(global const int *in, global int *out, int rows)
{
    int gid = get_global_id(0);
    out[gid] = rows != 0 ? in[gid] / rows : 0;
}

kernel void remainder_by_zero(global const int *in, global int *out)
{
    int gid = get_global_id(0), lid = get_local_id(0);
    out[gid] = in[gid] % (lid + 1);
}

kernel void unsigned_by_zero(global const int *in, global int *out)
{
    uint gid = get_global_id(0);
    out[gid] = in[gid] / ((gid & 3u) | 4u);
}

kernel void vector_by_zero(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    int2 v = (int2)(in[gid], 5) / (int2)(1, gid + 1);
    out[gid] = v.x + v.y;
}

// Division of floating-point numbers by zero has a value.
kernel void floating(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] / (float)gid > 1.0f;
}
