/*
[[launch]]
global = "16,8"
local = "8,4"
build_options = "-cl-std=CL2.0"
args = { in = "[16*8]", out = "[16*8]:zero", picture = "image[16,8]:r32f", bytes = "image[16,8]:rgba8" }
*/

// All groups write the first row.
kernel void one_row(global const float *in, write_only image2d_t picture)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(picture, (int2)(x, 0), (float4)(in[y * 16 + x])); //~ TW102 let each group write elements of its own
}

// A picture that is read and written in place: the neighbour is old or new.
kernel void in_place(read_write image2d_t picture)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 v = read_imagef(picture, (int2)(min(x + 1, 15), y));
    write_imagef(picture, (int2)(x, y), 0.5f * v); //~ TW102 nothing orders within a launch
}

// The same for texels of four bytes.
kernel void in_place_bytes(read_write image2d_t bytes)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 v = read_imagef(bytes, (int2)(x ^ 1, y));
    write_imagef(bytes, (int2)(x, y), 0.5f * v); //~ TW102
}

// The barrier orders local memory only.
kernel void handed_on(global const float *in, read_write image2d_t picture, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(picture, (int2)(x, y), (float4)(in[y * 16 + x]));
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = read_imagef(picture, (int2)(x ^ 1, y)); //~ TW102
    out[y * 16 + x] = v.x;
}
