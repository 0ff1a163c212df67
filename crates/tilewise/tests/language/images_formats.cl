/*
[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:r8", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:r8:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:r16", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:r16:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:r8snorm", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:r8snorm:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:r16snorm", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:r16snorm:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:r32f", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:r32f:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a8", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a8:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a16", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a16:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a8snorm", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a8snorm:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a16snorm", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a16snorm:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_signed"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a8i", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_signed"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a8i:zero", in = "[128]:random(-70000,70000)" }

[[launch]]
kernel = "read_signed"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a16i", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_signed"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a16i:zero", in = "[128]:random(-70000,70000)" }

[[launch]]
kernel = "read_signed"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a32i", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_signed"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a32i:zero", in = "[128]:random(-70000,70000)" }

[[launch]]
kernel = "read_unsigned"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a8ui", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_unsigned"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a8ui:zero", in = "[128]:random(0,70000)" }

[[launch]]
kernel = "read_unsigned"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a16ui", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_unsigned"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a16ui:zero", in = "[128]:random(0,70000)" }

[[launch]]
kernel = "read_unsigned"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a32ui", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_unsigned"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a32ui:zero", in = "[128]:random(0,70000)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:a32f", by = "0", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:a32f:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba8", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba8:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba16", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba16:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba8snorm", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba8snorm:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba16snorm", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba16snorm:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_signed"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba8i", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_signed"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba8i:zero", in = "[128]:random(-70000,70000)" }

[[launch]]
kernel = "read_signed"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba16i", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_signed"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba16i:zero", in = "[128]:random(-70000,70000)" }

[[launch]]
kernel = "read_signed"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba32i", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_signed"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba32i:zero", in = "[128]:random(-70000,70000)" }

[[launch]]
kernel = "read_unsigned"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba8ui", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_unsigned"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba8ui:zero", in = "[128]:random(0,70000)" }

[[launch]]
kernel = "read_unsigned"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba16ui", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_unsigned"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba16ui:zero", in = "[128]:random(0,70000)" }

[[launch]]
kernel = "read_unsigned"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba32ui", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_unsigned"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba32ui:zero", in = "[128]:random(0,70000)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba16f", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba16f:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:rgba32f", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:rgba32f:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:bgra8", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:bgra8:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:bgra8snorm", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:bgra8snorm:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_signed"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:bgra8i", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_signed"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:bgra8i:zero", in = "[128]:random(-70000,70000)" }

[[launch]]
kernel = "read_unsigned"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:bgra8ui", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_unsigned"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:bgra8ui:zero", in = "[128]:random(0,70000)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:argb8", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:argb8:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_floats"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:argb8snorm", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_floats"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:argb8snorm:zero", in = "[128]:random(-1.25,1.25)" }

[[launch]]
kernel = "read_signed"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:argb8i", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_signed"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:argb8i:zero", in = "[128]:random(-70000,70000)" }

[[launch]]
kernel = "read_unsigned"
global = "16,8"
local = "16,4"
args = { src = "image[16,8]:argb8ui", by = "1", out = "[256]:zero" }

[[launch]]
kernel = "write_unsigned"
global = "16,8"
local = "16,4"
args = { dst = "image[16,8]:argb8ui:zero", in = "[128]:random(0,70000)" }

[expect]
ulps = 2
*/

// Texels read with and without a sampler, and written, in every format.

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void read_floats(read_only image2d_t src, int by, global float4 *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    out[2 * (y * w + x)] = read_imagef(src, (int2)(x, y));
    // Shifted by one, the last row and column are the border.
    out[2 * (y * w + x) + 1] = read_imagef(src, nearest, (int2)(x + by, y + by));
}

kernel void write_floats(write_only image2d_t dst, global const float4 *in) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    write_imagef(dst, (int2)(x, y), in[y * w + x]);
}

kernel void read_signed(read_only image2d_t src, int by, global int4 *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    out[2 * (y * w + x)] = read_imagei(src, (int2)(x, y));
    out[2 * (y * w + x) + 1] = read_imagei(src, nearest, (int2)(x + by, y + by));
}

kernel void write_signed(write_only image2d_t dst, global const int4 *in) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    write_imagei(dst, (int2)(x, y), in[y * w + x]);
}

kernel void read_unsigned(read_only image2d_t src, int by, global uint4 *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    out[2 * (y * w + x)] = read_imageui(src, (int2)(x, y));
    out[2 * (y * w + x) + 1] = read_imageui(src, nearest, (int2)(x + by, y + by));
}

kernel void write_unsigned(write_only image2d_t dst, global const uint4 *in) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    write_imageui(dst, (int2)(x, y), in[y * w + x]);
}
