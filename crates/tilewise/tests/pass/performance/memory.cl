/*
[[launch]]
global = "64,64"
local = "32,8"
args = { in = "[64*64]", out = "[64*64]:zero", pairs = "[64*64*4]", table = "[256]", idx = "[64*64]:random(0,256)" }

[[launch]]
kernel = "transposed"
global = "64,16"
local = "32,8"
args = { in = "[64*64]", out = "[64*64]:zero" }

[[launch]]
kernel = "columns"
global = "64,16"
local = "32,8"
args = { in = "[64*64]", out = "[64*64]:zero" }

[[launch]]
kernel = "wide"
global = 256
local = 64
args = { in = "[4096]", out = "[4096]:zero" }

[[launch]]
kernel = "narrow"
global = "61,67"
local = "8,4"
build_options = "-cl-std=CL2.0"
args = { in = "[63*69]", out = "[61*67]:zero" }
*/

kernel void transposed(global const float *in, global float *out)
{
    local float tile[32][33];
    int x0 = get_group_id(0) * 32, y0 = get_group_id(1) * 32;
    int lx = get_local_id(0), ly = get_local_id(1);
    for (int j = ly; j < 32; j += 8)
        tile[j][lx] = in[(y0 + j) * 64 + x0 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = ly; j < 32; j += 8)
        out[(x0 + j) * 64 + y0 + lx] = tile[lx][j];
}

kernel void member(global const float *pairs, global float *out)
{
    int i = get_global_id(1) * 64 + get_global_id(0);
    out[i] = pairs[2 * 64 * 64 + i];
}

kernel void columns(global const float *in, global float *out)
{
    local float tile[32][33];
    int x0 = get_group_id(0) * 32, y0 = get_group_id(1) * 32;
    int lx = get_local_id(0), ly = get_local_id(1);
    for (int j = ly; j < 32; j += 8)
        tile[j][lx] = in[(y0 + j) * 64 + x0 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = ly; j < 32; j += 8)
        out[(x0 + j) * 64 + y0 + lx] = tile[lx][j];
}

kernel void wide(global const float *in, global float *out)
{
    local float tile[64 * 9];
    int lid = get_local_id(0), first = get_group_id(0) * 512;
    for (int k = 0; k < 8; k++) {
        int i = k * 64 + lid;
        tile[i / 8 * 9 + i % 8] = in[first + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < 8; k++)
        out[first + k * 64 + lid] = tile[lid * 9 + k] - tile[lid * 9 + k - 1];
}

// A narrow work-group whose rows begin anywhere.
kernel void narrow(global const float *in, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 61 + x] = in[y * 63 + x] + in[(y + 2) * 63 + x + 1];
}

// The data says which elements are read.
kernel void gather(global const float *table, global const int *idx, global float *out)
{
    int i = get_global_id(1) * 64 + get_global_id(0);
    out[i] = table[idx[i]];
}

// All work-items read one element.
kernel void uniform_read(global const float *table, global float *out)
{
    int i = get_global_id(1) * 64 + get_global_id(0);
    out[i] = table[get_group_id(0)] + table[200];
}

// Whole vectors.
kernel void vectors(global const float4 *pairs, global float *out)
{
    int i = get_global_id(1) * 64 + get_global_id(0);
    float4 v = pairs[i];
    out[i] = v.x + v.y + v.z + v.w;
}
