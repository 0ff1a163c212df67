/*
[[launch]]
global = 256
local = 64
args = { in = "[256]", out = "[256]:zero" }

[check]
off_chip = true
*/

kernel void tiled(global const float *in, global float *out)
{
    int lid = get_local_id(0), gid = get_global_id(0);
    out[gid] = in[gid] + in[gid - lid + 63 - lid];
}
