/*
[[launch]]
global = 128
local = 64
args = { a = "[130]", in = "[130]", out = "[130]:zero", n = 128, count = "[1]:zero", sums = "[2]:zero" }

[[launch]]
kernel = "columns"
global = "100,6"
local = "10,2"
args = { img = "[90*6]:zero", w = 90 }
*/

// An in-place stencil: neighbours may be old or new.
kernel void in_place(global float *a)
{
    int gid = get_global_id(0);
    a[gid + 1] = 0.5f * (a[gid] + a[gid + 2]); //~ TW102 nothing orders within a launch
}

// Within one group a barrier with the global flag is missing.
kernel void handed_on(global const float *in, global float *out)
{
    int gid = get_global_id(0), lid = get_local_id(0);
    out[gid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    float other = out[gid - lid + 63 - lid]; //~ TW102 the flag CLK_GLOBAL_MEM_FENCE
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[gid] = other;
}

// A barrier does not order groups.
kernel void across(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[127 - gid] += 1; //~ TW102
}

// A sum over all groups without an atomic.
kernel void total(global const int *in, global int *count)
{
    count[0] += in[get_global_id(0)]; //~ TW102
}

// One element per group, indexed by the wrong id.
kernel void wrong_index(global const float *in, global float *sums)
{
    local float s;
    if (get_local_id(0) == 0) {
        s = in[get_group_id(0)];
        sums[get_local_id(0)] = s; //~ TW102 let each group write elements of its own
    }
}

// Some add atomically, one sets plainly.
kernel void reset(global const int *in, global int *count)
{
    if (get_global_id(0) == 0)
        count[0] = 5;
    atomic_add(count, in[get_global_id(0)]); //~ TW102
}

// A picture narrower than the range: its rows run into each other.
kernel void columns(global int *img, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (y < 5)
        img[y * w + x] = x; //~ TW102
}
