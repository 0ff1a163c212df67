/*
[[launch]]
global = 256
local = 64
args = { in = "[256]", out = "[256]:zero" }

[check]
off_chip = true
*/

kernel void tiled(global const float *in, global float *out) //~ TW206 staging 256 B there saves no access
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[63 - lid];
}
