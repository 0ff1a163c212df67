/*
[[launch]]
global = 128
local = 64
args = { in = "[256]", out = "[256]:zero" }
*/

kernel void barrier_only(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    out[gid] = tile[63 - lid];
}

kernel void source_changes(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 64 * get_group_id(0), tile, 64, 0);
    // Reading the source meanwhile does no harm.
    float mine = tile[63 - lid];
    wait_group_events(1, &e);
    tile[lid] = mine;
}

kernel void never(global const float *in, global float *out)
{
    local float tile[64];
    tile[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 64 * get_group_id(0), tile, 64, 0);
    wait_group_events(1, &e);
}

kernel void own_address(global const float *in, global float *out)
{
    local float tile[64];
    int gid = get_global_id(0);
    event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    out[gid] = tile[0];
}

kernel void some_only(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    out[gid] = tile[lid];
}

// Every second element, and two copies under way at once.
kernel void strided(global const float *in, global float *out)
{
    local float a[64], b[32];
    int lid = get_local_id(0), gid = get_global_id(0);
    event_t e = async_work_group_copy(a, in, 64, 0);
    e = async_work_group_strided_copy(b, in + 1, 32, 2, e);
    wait_group_events(1, &e);
    out[gid] = a[63 - lid] + b[lid / 2];
}

kernel void set_before(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    out[gid] = tile[lid];
}
