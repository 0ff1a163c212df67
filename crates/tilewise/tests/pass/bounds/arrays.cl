/*
[[launch]]
global = 128
local = 64
args = { in = "[128]", out = "[128]:zero", table = "[8]", picture = "image[64,2]:r32f" }
*/

constant float weights[4] = { 1, 2, 3, 4 };

kernel void past_the_end(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] + (gid < 127 ? in[gid + 1] : 0.0f);
}

kernel void before_the_start(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] + in[max(gid - 2, 0)];
}

kernel void wraps_round(global const float *in, global float *out)
{
    uint gid = get_global_id(0);
    uint left = gid - 1;
    out[gid] = gid > 0 ? in[left] : 0.0f;
}

kernel void local_halo(global const float *in, global float *out)
{
    local float tile[65];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    if (lid == 0)
        tile[64] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid];
}

kernel void constant_table(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] * weights[gid & 3];
}

kernel void constant_argument(constant float *table, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = table[gid / 16];
}

kernel void private_array(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float window[3] = { in[gid], 1, 2 };
    float sum = 0;
    for (int k = 0; k < 3; k++)
        sum += window[k];
    out[gid] = sum;
}

kernel void last_vector(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float4 v = vload4(0, in + min(gid, 124));
    out[gid] = v.x + v.w;
}

kernel void wide_store(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    if (2 * gid < 128)
        out[2 * gid] = in[gid];
}

kernel void outside_image(read_only image2d_t picture, global float *out)
{
    int gid = get_global_id(0);
    float4 v = read_imagef(picture, (int2)(gid & 63, gid / 64));
    out[gid] = v.x;
}

kernel void outside_written(global const float *in, write_only image2d_t picture)
{
    int gid = get_global_id(0);
    write_imagef(picture, (int2)(gid & 63, gid / 64), (float4)(in[gid]));
}

// The guard stands in front of the load, and nothing may move it behind.
kernel void guarded_load(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float sum = 0;
    for (int k = -3; k <= 3; k++)
        if (gid + k >= 0 && gid + k < 128)
            sum += in[gid + k];
    out[gid] = sum;
}

// A selection of which both sides could be read, and one is.
kernel void selected(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    float right = lid < 63 ? tile[lid + 1] : gid < 127 ? in[gid + 1] : 0.0f;
    out[gid] = tile[lid] + right;
}
