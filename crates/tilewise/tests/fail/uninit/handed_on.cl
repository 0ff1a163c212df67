/*
[[launch]]
global = 128
local = 64
build_options = "-cl-std=CL2.0"
args = { in = "[200]", out = "[130]:zero", picture = "image[128,1]:r32f" }
*/

// Into an image.
kernel void to_image(global const float *in, write_only image2d_t picture)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid < 60)
        tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    write_imagef(picture, (int2)(gid, 0), (float4)(tile[63 - lid])); //~ TW105 tile[63]
}

// As the place in an image.
kernel void place_in_image(global const float *in, write_only image2d_t picture)
{
    int gid = get_global_id(0), x;
    if (gid < 100)
        x = gid;
    write_imagef(picture, (int2)(x, 0), (float4)(in[gid])); //~ TW105 in an address
}

// Into a sum of the whole group.
kernel void summed(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float v;
    if (gid < 100)
        v = in[gid];
    float sum = work_group_reduce_add(v); //~ TW105 by a function of the group
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}

// Into a vote.
kernel void voted(global const float *in, global float *out)
{
    local float limit;
    int gid = get_global_id(0);
    if (work_group_any(in[gid] > limit)) //~ TW105 limit
        out[gid] = 1;
}
