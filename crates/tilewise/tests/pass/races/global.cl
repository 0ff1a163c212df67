/*
[[launch]]
global = 128
local = 64
args = { a = "[130]", in = "[130]", out = "[130]:zero", n = 128, count = "[1]:zero", sums = "[3]:zero", done = "[1]:zero" }

[[launch]]
kernel = "columns"
global = "100,6"
local = "10,2"
args = { img = "[90*6]:zero", w = 90 }
*/

kernel void in_place(global float *a, global float *out)
{
    int gid = get_global_id(0);
    out[gid + 1] = 0.5f * (a[gid] + a[gid + 2]);
}

kernel void handed_on(global const float *in, global float *out)
{
    int gid = get_global_id(0), lid = get_local_id(0);
    out[gid] = in[gid];
    barrier(CLK_GLOBAL_MEM_FENCE);
    float other = out[gid - lid + 63 - lid];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[gid] = other;
}

kernel void across(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] + 1;
}

kernel void total(global const int *in, global int *count)
{
    atomic_add(count, in[get_global_id(0)]);
}

kernel void wrong_index(global const float *in, global float *sums)
{
    local float s;
    if (get_local_id(0) == 0) {
        s = in[get_group_id(0)];
        sums[get_group_id(0)] = s;
    }
}

kernel void reset(global const int *in, global int *count)
{
    if (get_global_id(0) == 0)
        atomic_add(count, 5);
    atomic_add(count, in[get_global_id(0)]);
}

kernel void columns(global int *img, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < 5)
        img[y * w + x] = x;
}

// Each work-item reads and writes its own element in place.
kernel void own(global float *a)
{
    a[get_global_id(0)] = 2 * a[get_global_id(0)] + 1;
}

// The group that comes last adds up what the others left.
kernel void last_group(global const float *in, global float *sums, global int *done)
{
    local int last;
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = in[get_group_id(0)];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(done) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && get_local_id(0) == 0) {
        float sum = 0;
        for (int i = 0; i < get_num_groups(0); i++)
            sum += sums[i];
        sums[2] = sum;
    }
}

// A flag that any group may raise: told with --strict only.
kernel void flag(global const float *in, global int *done)
{
    if (in[get_global_id(0)] > 0.25f)
        done[0] = 1;
}

// Positions handed out by an atomic.
kernel void compact(global const float *in, global float *out, global int *count)
{
    int gid = get_global_id(0);
    if (in[gid] > 0.5f)
        out[atomic_inc(count)] = in[gid];
}
