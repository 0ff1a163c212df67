/*
[[launch]]
kernel = "copy_row"
global = 13
local = 13
args = { src = "image[13]:rgba32f:random(0,1)", dst = "image[13]:rgba32f:zero" }

[[launch]]
kernel = "copy_buffer"
global = 13
local = 13
args = { src = "image[13]:rgba32ui:random(0,1000)", dst = "image[13]:rgba32ui:zero" }

[[launch]]
kernel = "copy_rows"
global = "13,5"
local = "13,1"
args = { src = "image[13,5]:rgba16i:random(-100,100)", dst = "image[13,5]:rgba32i:zero" }

[[launch]]
kernel = "copy_plane"
global = "13,5"
local = "13,1"
args = { src = "image[13,5]:rgba8:random", dst = "image[13,5]:bgra8:zero" }

[[launch]]
kernel = "copy_planes"
global = "13,5,3"
local = "13,1,1"
args = { src = "image[13,5,3]:rgba16f:random(0,1)", dst = "image[13,5,3]:rgba32f:zero" }

[[launch]]
kernel = "copy_space"
global = "13,5,3"
local = "13,1,1"
args = { src = "image[13,5,3]:rgba32f:iota", dst = "image[13,5,3]:rgba32f:zero" }

[[launch]]
kernel = "same_image"
global = "13,5"
local = "13,1"
args = { src = "image[13,5]:rgba32f:random(0,1)", dst = "same:src" }

[[launch]]
kernel = "queries"
global = 1
local = 1
args = { a = "image[13]:rgba8", b = "image[13,5]:r32f", c = "image[13,7]:bgra8", d = "image[13,7,3]:rgba16ui", e = "image[9,8,7]:rgba32i", f = "image[31]:a8", out = "[40]:zero" }

[[launch]]
kernel = "samplers"
global = "16,16"
local = "16,2"
args = { src = "image[8,8]:rgba32f:random(0,1)", given = "repeat,nearest,normalized", number = "0x14", out = "[256]:zero" }

[[launch]]
kernel = "either"
global = "16,4"
local = "16,1"
args = { a = "image[16,4]:rgba32f:random(0,1)", b = "image[16,4]:rgba32f:random(5,6)", out = "[64]:zero" }

[[launch]]
kernel = "uniform"
global = 64
local = 64
args = { src = "image[4,2]:rgba32f:random(0,1)", n = "5", out = "[64]:zero" }

[expect]
*/

// Every image type read and written without a sampler, what can be asked about
// an image, and samplers from every place that one can come from.

#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

kernel void copy_row(read_only image1d_t src, write_only image1d_t dst) {
    int x = get_global_id(0);
    write_imagef(dst, x, read_imagef(src, get_image_width(src) - 1 - x) * 2.0f);
}

kernel void copy_buffer(read_only image1d_buffer_t src, write_only image1d_buffer_t dst) {
    // PoCL has no get_image_width of such an image.
    int x = get_global_id(0), last = get_global_size(0) - 1;
    write_imageui(dst, x, read_imageui(src, last - x) + 1u);
}

kernel void copy_rows(read_only image1d_array_t src, write_only image1d_array_t dst) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    int2 from = (int2)(at.x, (int)get_image_array_size(src) - 1 - at.y);
    write_imagei(dst, at, read_imagei(src, from) - 1);
}

kernel void copy_plane(read_only image2d_t src, write_only image2d_t dst) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    int2 from = get_image_dim(src) - 1 - at;
    write_imagef(dst, at, read_imagef(src, from).zyxw);
}

kernel void copy_planes(read_only image2d_array_t src, write_only image2d_array_t dst) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    int4 from = at;
    from.z = (int)get_image_array_size(src) - 1 - at.z;
    write_imagef(dst, at, read_imagef(src, from));
}

kernel void copy_space(read_only image3d_t src, write_only image3d_t dst) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    int4 from = get_image_dim(src) - 1 - at;
    write_imagef(dst, at, read_imagef(src, from));
}

// Each work-item reads and writes one texel, through two arguments.
kernel void same_image(read_only image2d_t src, write_only image2d_t dst) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(dst, at, read_imagef(src, at) + 1.0f);
}

kernel void queries(read_only image1d_t a, read_only image1d_array_t b, read_only image2d_t c,
                    read_only image2d_array_t d, read_only image3d_t e, write_only image1d_t f,
                    global int *out) {
    *out++ = get_image_width(a);
    *out++ = get_image_channel_order(a);
    *out++ = get_image_channel_data_type(a);
    *out++ = get_image_width(b);
    *out++ = (int)get_image_array_size(b);
    *out++ = get_image_channel_data_type(b) == CLK_FLOAT;
    *out++ = get_image_width(c);
    *out++ = get_image_height(c);
    int2 both = get_image_dim(c);
    *out++ = both.x;
    *out++ = both.y;
    *out++ = get_image_channel_order(c) == CLK_BGRA;
    *out++ = get_image_width(d);
    *out++ = get_image_height(d);
    *out++ = (int)get_image_array_size(d);
    *out++ = get_image_channel_data_type(d) == CLK_UNSIGNED_INT16;
    *out++ = get_image_depth(e);
    int4 all = get_image_dim(e);
    *out++ = all.x;
    *out++ = all.y;
    *out++ = all.z;
    *out++ = all.w;
    *out++ = get_image_width(f);
    *out++ = get_image_channel_order(f) == CLK_A;
}

constant sampler_t of_program =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

float4 helper(read_only image2d_t src, sampler_t s, float2 at) {
    return read_imagef(src, s, at);
}

kernel void samplers(read_only image2d_t src, sampler_t given, sampler_t number,
                     global float4 *out) {
    const sampler_t own = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    float2 at = (float2)(x, y) - 3.75f;
    float4 sum = helper(src, of_program, at);
    sum += helper(src, own, at * 0.125f) * 10.0f;
    sum += helper(src, given, at * -0.125f) * 100.0f;
    sum += helper(src, number, at + 2.0f) * 1000.0f;
    sum += read_imagef(src, of_program, (int2)(x - 4, y - 4)) * 10000.0f;
    out[y * 16 + x] = sum;
}

// A compiler may join the two reads into one of either image.
kernel void either(read_only image2d_t a, read_only image2d_t b, global float4 *out) {
    int x = get_global_id(0), y = get_global_id(1);
    float4 texel;
    if (((x >> 1) + y) & 1) {
        texel = read_imagef(a, of_program, (int2)(x, y));
    } else {
        texel = read_imagef(b, of_program, (int2)(x, y));
    }
    out[y * 16 + x] = texel;
}

// Reads that are the same for the whole sub-group, in a loop and in a branch.
kernel void uniform(read_only image2d_t src, int n, global float4 *out) {
    int x = get_global_id(0);
    float4 sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += read_imagef(src, of_program, (int2)(i, i & 1));
        if (x % 3 == 0) sum += read_imagef(src, of_program, (int2)(n - i, 0)).wzyx;
    }
    out[x] = sum;
}
