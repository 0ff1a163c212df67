/*
[[launch]]
global = "64,64"
local = "32,8"
args = { in = "[64*64]", out = "[64*64]:zero", pairs = "[64*64*4]" }

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
*/

// Neighbouring work-items store a row apart.
kernel void transposed(global const float *in, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * 64 + y] = in[y * 64 + x]; //~ TW202 32.0 sectors per request, where 4.0
}

// One member of a structure of four.
struct item { float a, b, c, d; };
kernel void member(global const struct item *pairs, global float *out)
{
    int i = get_global_id(1) * 64 + get_global_id(0);
    out[i] = pairs[i].c; //~ TW202 16.0 sectors
}

// The columns of a tile lie in one bank.
kernel void columns(global const float *in, global float *out)
{
    local float tile[32][32];
    int x0 = get_group_id(0) * 32, y0 = get_group_id(1) * 32;
    int lx = get_local_id(0), ly = get_local_id(1);
    for (int j = ly; j < 32; j += 8)
        tile[j][lx] = in[(y0 + j) * 64 + x0 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = ly; j < 32; j += 8)
        out[(x0 + j) * 64 + y0 + lx] = tile[lx][j]; //~ TW203 rows of 33 elements of 4 B in place of 32
}

// Eight floats for each work-item, one after the other.
kernel void wide(global const float *in, global float *out)
{
    local float tile[64 * 8];
    int lid = get_local_id(0), first = get_group_id(0) * 512;
    for (int k = 0; k < 8; k++)
        tile[k * 64 + lid] = in[first + k * 64 + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < 8; k++)
        out[first + k * 64 + lid] = tile[lid * 8 + k] - tile[lid * 8 + k - 1]; //~ TW203 rows of 9
}
