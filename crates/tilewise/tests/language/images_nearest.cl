/*
[[launch]]
kernel = "row"
global = "16"
local = "16"
args = { src = "image[8]:rgba32f:random(0,1)", s = "none,nearest", scale = "(1,1,1,1)", from = "0", out = "[16]:zero" }

[[launch]]
kernel = "rows"
global = "16,6"
local = "16,2"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "none,nearest", scale = "(1,1,1,1)", from = "0", out = "[96]:zero" }

[[launch]]
kernel = "plane"
global = "16,8"
local = "8,8"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "none,nearest", scale = "(1,1,1,1)", from = "0", out = "[128]:zero" }

[[launch]]
kernel = "planes"
global = "16,8,4"
local = "8,8,1"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "none,nearest", scale = "(1,1,1,1)", from = "0", out = "[512]:zero" }

[[launch]]
kernel = "space"
global = "16,8,4"
local = "8,8,2"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "none,nearest", scale = "(1,1,1,1)", from = "0", out = "[512]:zero" }

[[launch]]
kernel = "row"
global = "48"
local = "16"
args = { src = "image[8]:rgba32f:random(0,1)", s = "clamp_to_edge,nearest", scale = "(1,1,1,1)", from = "12", out = "[48]:zero" }

[[launch]]
kernel = "rows"
global = "48,6"
local = "16,2"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "clamp_to_edge,nearest", scale = "(1,1,1,1)", from = "12", out = "[288]:zero" }

[[launch]]
kernel = "plane"
global = "40,24"
local = "8,8"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "clamp_to_edge,nearest", scale = "(1,1,1,1)", from = "5", out = "[960]:zero" }

[[launch]]
kernel = "planes"
global = "40,24,4"
local = "8,8,1"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "clamp_to_edge,nearest", scale = "(1,1,1,1)", from = "5", out = "[3840]:zero" }

[[launch]]
kernel = "space"
global = "40,24,16"
local = "8,8,2"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "clamp_to_edge,nearest", scale = "(1,1,1,1)", from = "5", out = "[15360]:zero" }

[[launch]]
kernel = "row"
global = "48"
local = "16"
args = { src = "image[8]:rgba32f:random(0,1)", s = "clamp,nearest", scale = "(1,1,1,1)", from = "12", out = "[48]:zero" }

[[launch]]
kernel = "rows"
global = "48,6"
local = "16,2"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "clamp,nearest", scale = "(1,1,1,1)", from = "12", out = "[288]:zero" }

[[launch]]
kernel = "plane"
global = "40,24"
local = "8,8"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "clamp,nearest", scale = "(1,1,1,1)", from = "5", out = "[960]:zero" }

[[launch]]
kernel = "planes"
global = "40,24,4"
local = "8,8,1"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "clamp,nearest", scale = "(1,1,1,1)", from = "5", out = "[3840]:zero" }

[[launch]]
kernel = "space"
global = "40,24,16"
local = "8,8,2"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "clamp,nearest", scale = "(1,1,1,1)", from = "5", out = "[15360]:zero" }

[[launch]]
kernel = "row"
global = "48"
local = "16"
args = { src = "image[8]:rgba32f:random(0,1)", s = "clamp_to_edge,nearest,normalized", scale = "(0.125,0.25,0.5,1)", from = "12", out = "[48]:zero" }

[[launch]]
kernel = "plane"
global = "40,24"
local = "8,8"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "clamp_to_edge,nearest,normalized", scale = "(0.125,0.25,0.5,1)", from = "5", out = "[960]:zero" }

[[launch]]
kernel = "space"
global = "40,24,16"
local = "8,8,2"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "clamp_to_edge,nearest,normalized", scale = "(0.125,0.25,0.5,1)", from = "5", out = "[15360]:zero" }

[[launch]]
kernel = "row"
global = "48"
local = "16"
args = { src = "image[8]:rgba32f:random(0,1)", s = "clamp,nearest,normalized", scale = "(0.125,0.25,0.5,1)", from = "12", out = "[48]:zero" }

[[launch]]
kernel = "plane"
global = "40,24"
local = "8,8"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "clamp,nearest,normalized", scale = "(0.125,0.25,0.5,1)", from = "5", out = "[960]:zero" }

[[launch]]
kernel = "space"
global = "40,24,16"
local = "8,8,2"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "clamp,nearest,normalized", scale = "(0.125,0.25,0.5,1)", from = "5", out = "[15360]:zero" }

[[launch]]
kernel = "row"
global = "48"
local = "16"
args = { src = "image[8]:rgba32f:random(0,1)", s = "repeat,nearest", scale = "(0.125,0.25,0.5,1)", from = "12", out = "[48]:zero" }

[[launch]]
kernel = "plane"
global = "40,24"
local = "8,8"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "repeat,nearest", scale = "(0.125,0.25,0.5,1)", from = "5", out = "[960]:zero" }

[[launch]]
kernel = "space"
global = "40,24,16"
local = "8,8,2"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "repeat,nearest", scale = "(0.125,0.25,0.5,1)", from = "5", out = "[15360]:zero" }

[[launch]]
kernel = "row"
global = "48"
local = "16"
args = { src = "image[8]:rgba32f:random(0,1)", s = "mirrored_repeat,nearest", scale = "(0.125,0.25,0.5,1)", from = "12", out = "[48]:zero" }

[[launch]]
kernel = "plane"
global = "40,24"
local = "8,8"
args = { src = "image[8,4]:rgba32f:random(0,1)", s = "mirrored_repeat,nearest", scale = "(0.125,0.25,0.5,1)", from = "5", out = "[960]:zero" }

[[launch]]
kernel = "space"
global = "40,24,16"
local = "8,8,2"
args = { src = "image[8,4,2]:rgba32f:random(0,1)", s = "mirrored_repeat,nearest", scale = "(0.125,0.25,0.5,1)", from = "5", out = "[15360]:zero" }

[expect]
*/

// Coordinates from well outside on one side to well outside on the other; the
// sizes are powers of two, so that normalised ones are exact.

kernel void row(read_only image1d_t src, sampler_t s, float4 scale, float from, global float4 *out) {
    int x = get_global_id(0);
    float c = (x * 0.5f - from + 0.125f) * scale.x;
    out[x] = read_imagef(src, s, c);
}

kernel void rows(read_only image1d_array_t src, sampler_t s, float4 scale, float from, global float4 *out) {
    int x = get_global_id(0), y = get_global_id(1);
    float2 c = (float2)((x * 0.5f - from + 0.125f) * scale.x, y * 0.75f - 0.9f);
    out[y * get_global_size(0) + x] = read_imagef(src, s, c);
}

kernel void plane(read_only image2d_t src, sampler_t s, float4 scale, float from, global float4 *out) {
    int x = get_global_id(0), y = get_global_id(1);
    float2 c = ((float2)(x, y) * 0.5f - from + 0.125f) * scale.xy;
    out[y * get_global_size(0) + x] = read_imagef(src, s, c);
}

kernel void planes(read_only image2d_array_t src, sampler_t s, float4 scale, float from, global float4 *out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    float2 c = ((float2)(x, y) * 0.5f - from + 0.125f) * scale.xy;
    out[(z * get_global_size(1) + y) * get_global_size(0) + x] =
        read_imagef(src, s, (float4)(c, z * 0.75f - 0.9f, 0.0f));
}

kernel void space(read_only image3d_t src, sampler_t s, float4 scale, float from, global float4 *out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    float4 c = ((float4)(x, y, z, 0) * 0.5f - from + 0.125f) * scale;
    out[(z * get_global_size(1) + y) * get_global_size(0) + x] = read_imagef(src, s, c);
}
