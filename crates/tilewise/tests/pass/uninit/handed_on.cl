/*
[[launch]]
global = 128
local = 64
build_options = "-cl-std=CL2.0"
args = { in = "[200]", out = "[130]:zero", picture = "image[128,1]:r32f" }
*/

kernel void to_image(global const float *in, write_only image2d_t picture)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    write_imagef(picture, (int2)(gid, 0), (float4)(tile[63 - lid]));
}

kernel void place_in_image(global const float *in, write_only image2d_t picture)
{
    int gid = get_global_id(0), x = 0;
    if (gid < 100)
        x = gid;
    if (gid < 100)
        write_imagef(picture, (int2)(x, 0), (float4)(in[gid]));
}

kernel void summed(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float v = 0;
    if (gid < 100)
        v = in[gid];
    float sum = work_group_reduce_add(v);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}

kernel void voted(global const float *in, global float *out)
{
    local float limit;
    int gid = get_global_id(0);
    if (get_local_id(0) == 0)
        limit = in[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (work_group_any(in[gid] > limit))
        out[gid] = 1;
}

// Only the work-item that gives the value has it.
kernel void broadcast(global const float *in, global float *out)
{
    float v;
    if (get_local_id(0) == 5)
        v = in[get_global_id(0)];
    out[get_global_id(0)] = work_group_broadcast(v, 5);
}
