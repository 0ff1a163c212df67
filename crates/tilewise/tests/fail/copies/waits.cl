/*
[[launch]]
global = 128
local = 64
args = { in = "[256]", out = "[256]:zero" }
*/

// A barrier does not wait for a copy.
kernel void barrier_only(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[63 - lid]; //~ TW110 may still be writing it
    wait_group_events(1, &e);
}

// The tile is written again while it is copied out.
kernel void source_changes(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 64 * get_group_id(0), tile, 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lid] = 0; //~ TW110 may still be reading it
    wait_group_events(1, &e);
}

// Nobody waits.
kernel void never(global const float *in, global float *out)
{
    local float tile[64];
    tile[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    async_work_group_copy(out + 64 * get_group_id(0), tile, 64, 0); //~ TW110 the kernel ends
}

// Each work-item names its own element.
kernel void own_address(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    event_t e = async_work_group_copy(tile + lid, in + gid, 64, 0); //~ TW110 must not depend
    wait_group_events(1, &e);
    out[gid] = tile[0];
}

// Only the first sub-group makes the copy.
kernel void some_only(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    event_t e = 0;
    tile[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 32)
        e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, e); //~ TW110 out of the branch
    wait_group_events(1, &e);
    out[gid] = tile[lid];
}

// Each work-item sets the element that the copy then writes: nothing says who
// makes the copy.
kernel void set_before(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = 0;
    event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0); //~ TW101 the asynchronous copy writes
    wait_group_events(1, &e);
    out[gid] = tile[lid];
}
