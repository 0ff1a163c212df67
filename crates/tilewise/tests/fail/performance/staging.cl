/*
[[launch]]
global = 512
local = 128
args = { in = "[1024]", out = "[512]:zero", n = 4 }
*/

// Each work-item reads back the element that it has staged.
kernel void own_element(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid]; //~ TW201 each element of tile is read once
    barrier(CLK_LOCAL_MEM_FENCE); //~ TW207 orders nothing
    out[gid] = 2 * tile[lid];
}

// The same in a loop, with zeros beyond the end.
kernel void own_in_a_loop(global const float *in, global float *out, int n)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++) {
        int i = gid + 128 * k;
        tile[lid] = i < 1000 ? in[i] : 0.0f; //~ TW201
        barrier(CLK_LOCAL_MEM_FENCE); //~ TW207
        sum += tile[lid];
        barrier(CLK_LOCAL_MEM_FENCE); //~ TW207
    }
    out[gid] = sum;
}

// Two barriers in a row.
kernel void twice(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE); //~ TW207
    out[gid] = tile[lid] + tile[127 - lid];
}

// Nothing comes behind it.
kernel void at_the_end(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[127 - lid];
    barrier(CLK_LOCAL_MEM_FENCE); //~ TW207
}

// A tile is only read between the two.
kernel void between_reads(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    float v = tile[127 - lid];
    barrier(CLK_LOCAL_MEM_FENCE); //~ TW207
    out[gid] = v + tile[lid ^ 1];
}
