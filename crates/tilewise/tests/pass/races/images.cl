/*
[[launch]]
global = "16,8"
local = "8,4"
build_options = "-cl-std=CL2.0"
args = { in = "[16*8]", out = "[16*8]:zero", picture = "image[16,8]:r32f", bytes = "image[16,8]:rgba8", from = "image[16,8]:r32f", s = "clamp_to_edge,linear" }
*/

kernel void one_row(global const float *in, write_only image2d_t picture)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(picture, (int2)(x, y), (float4)(in[y * 16 + x]));
}

kernel void in_place(read_write image2d_t picture)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 v = read_imagef(picture, (int2)(x, y));
    write_imagef(picture, (int2)(x, y), 0.5f * v);
}

kernel void in_place_bytes(read_write image2d_t bytes)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 v = read_imagef(bytes, (int2)(x, y));
    write_imagef(bytes, (int2)(x, y), 0.5f * v);
}

kernel void handed_on(global const float *in, read_write image2d_t picture, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(picture, (int2)(x, y), (float4)(in[y * 16 + x]));
    barrier(CLK_IMAGE_MEM_FENCE);
    float4 v = read_imagef(picture, (int2)(x ^ 1, y));
    out[y * 16 + x] = v.x;
}

// From one picture to another, through a filter that reads four texels.
kernel void filtered(read_only image2d_t from, sampler_t s, write_only image2d_t picture)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 v = read_imagef(from, s, (float2)(x + 0.3f, y + 0.6f));
    write_imagef(picture, (int2)(x, y), v);
}
