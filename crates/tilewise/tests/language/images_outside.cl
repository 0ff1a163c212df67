/*
[[launch]]
kernel = "reads"
global = "9,4"
local = "9,1"
args = { src = "image[8,4]:rgba8", out = "[36]:zero" }

[[launch]]
kernel = "promises"
global = "9,4"
local = "9,1"
args = { src = "image[8,4]:rgba8", out = "[36]:zero" }

[[launch]]
kernel = "writes"
global = "8,4"
local = "8,1"
args = { dst = "image[8,4]:rgba8" }

[[launch]]
kernel = "layers"
global = "8,4"
local = "8,1"
args = { src = "image[8,3]:rgba8", out = "[32]:zero" }

[expect]
fault = "OutsideImage"
*/

// Coordinates outside of an image where nothing says what is there.

kernel void reads(read_only image2d_t src, global float4 *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 9 + x] = read_imagef(src, (int2)(x, y));
}

kernel void promises(read_only image2d_t src, global float4 *out) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 9 + x] = read_imagef(src, s, (int2)(x, y));
}

kernel void writes(write_only image2d_t dst) {
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(dst, (int2)(x, y - 1), (float4)(1.0f));
}

kernel void layers(read_only image1d_array_t src, global float4 *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 8 + x] = read_imagef(src, (int2)(x, y));
}
