/*
[[launch]]
global = 128
local = 64
build_options = "-cl-std=CL2.0"
args = { in = "[256]", out = "[128]:zero", n = 100 }
*/

kernel void in_a_branch(global const float *in, global float *out, int n)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (gid < n)
        tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gid < n)
        out[gid] = tile[lid];
}

kernel void early_return(global const float *in, global float *out, int n)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gid >= n)
        return;
    out[gid] = tile[lid];
}

kernel void turns_differ(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    for (int k = 0; k < 64; k++)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid];
}

kernel void two_barriers(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = lid < 20 ? tile[lid] : -tile[lid];
}

kernel void left_out_in_turn(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        if (k != (lid & 3))
            sum += tile[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = sum;
}

kernel void some_leave(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        if (k <= 2 || lid <= 50)
            tile[lid] = in[gid] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = tile[lid];
}

void wait_for_all(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void in_a_function(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    wait_for_all();
    out[gid] = tile[lid];
}

kernel void group_function(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float v = get_local_id(0) < 40 ? in[gid] : 0.0f;
    float sum = work_group_reduce_add(v);
    out[gid] = sum;
}

// The whole group goes one way.
kernel void by_group(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    if (get_group_id(0) == 0)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        return;
    out[gid] = tile[63 - lid];
}
