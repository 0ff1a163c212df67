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

// The second copy belongs elsewhere in the tile.
kernel void same_target(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0), first = 64 * get_group_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(tile, in + first, 64, 0);
    e[1] = async_work_group_copy(tile, in + first + 64, 64, 0); //~ TW110 while another one (1) may still be writing it
    wait_group_events(2, e);
    out[gid] = tile[63 - lid];
}

// A barrier waits for no copy, and some elements are enough.
kernel void some_elements(global const float *in, global float *out)
{
    local float tile[96];
    int lid = get_local_id(0), gid = get_global_id(0), first = 64 * get_group_id(0);
    event_t e = async_work_group_copy(tile, in + first, 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(tile + 48, in + first, 40, 2, e); //~ TW110 in front of the second
    wait_group_events(1, &e);
    out[gid] = tile[63 - lid];
}

// The tile is filled anew before it has been copied out.
kernel void filled_anew(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0), first = 64 * get_group_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + first, tile, 64, 0);
    e = async_work_group_copy(tile, in + first + 64, 64, e); //~ TW110 may still be reading it
    wait_group_events(1, &e);
    out[gid] += tile[63 - lid];
}

// Each iteration's copy has the same target.
kernel void each_iteration(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    event_t e = 0;
    for (int i = 0; i < 3; i++)
        e = async_work_group_copy(tile, in + 64 * i, 64, e); //~ TW110 of an earlier iteration
    wait_group_events(1, &e);
    out[gid] = tile[63 - lid];
}

// Two copies out end at the same elements.
kernel void same_result(global const float *in, global float *out)
{
    local float tile[64];
    int gid = get_global_id(0), first = 64 * get_group_id(0);
    tile[get_local_id(0)] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 2 * first, tile, 64, 0);
    e = async_work_group_copy(out + 2 * first + 63, tile, 64, e); //~ TW110 out[63]
    wait_group_events(1, &e);
}
