/*
[[launch]]
global = 128
local = 64
args = { in = "[128]", out = "[128]:zero", table = "[8]", picture = "image[64,2]:r32f" }
*/

constant float weights[4] = { 1, 2, 3, 4 };

// The right neighbour of the last element.
kernel void past_the_end(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] + in[gid + 1]; //~ TW104 in[128], 1 element past its end
}

// The left neighbour of the first one.
kernel void before_the_start(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] + in[gid - 2]; //~ TW104 in[-2], 2 elements before its start
}

// The same with an unsigned index.
kernel void wraps_round(global const float *in, global float *out)
{
    uint gid = get_global_id(0);
    uint left = gid - 1;
    out[gid] = in[left]; //~ TW104 past its end
}

// A halo for which the tile has no room.
kernel void local_halo(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    if (lid == 0)
        tile[64] = 0; //~ TW104 tile[64]
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid];
}

// A table in constant memory.
kernel void constant_table(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] * weights[gid & 7]; //~ TW104 weights[4]
}

// An argument in constant memory.
kernel void constant_argument(constant float *table, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = table[gid / 12]; //~ TW104 table[8]
}

// A private array.
kernel void private_array(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float window[3] = { in[gid], 1, 2 };
    float sum = 0;
    for (int k = 0; k <= 3; k++)
        sum += window[k]; //~ TW104 window[3]
    out[gid] = sum;
}

// A vector that reaches beyond the end.
kernel void last_vector(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float4 v = vload4(0, in + gid); //~ TW104
    out[gid] = v.x + v.w;
}

// A result beyond the end.
kernel void wide_store(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[2 * gid] = in[gid]; //~ TW104 writes out[128]
}

// A picture read without a sampler.
kernel void outside_image(read_only image2d_t picture, global float *out)
{
    int gid = get_global_id(0);
    float4 v = read_imagef(picture, (int2)(gid & 63, gid / 60)); //~ TW104 outside of the image of 64,2
    out[gid] = v.x;
}

// A place in a picture that is not there.
kernel void outside_written(global const float *in, write_only image2d_t picture)
{
    int gid = get_global_id(0);
    write_imagef(picture, (int2)(gid, 0), (float4)(in[gid])); //~ TW104 writes picture(64,0)
}
