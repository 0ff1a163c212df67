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

kernel void same_target(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0), first = 64 * get_group_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(tile, in + first, 64, 0);
    e[1] = async_work_group_copy(tile + 64, in + first + 64, 64, 0);
    wait_group_events(2, e);
    out[gid] = tile[63 - lid] + tile[64 + lid];
}

kernel void some_elements(global const float *in, global float *out)
{
    local float tile[104];
    int lid = get_local_id(0), gid = get_global_id(0), first = 64 * get_group_id(0);
    event_t e = async_work_group_copy(tile, in + first, 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(tile + 64, in + first, 40, 2, e);
    wait_group_events(1, &e);
    out[gid] = tile[63 - lid];
}

kernel void filled_anew(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0), first = 64 * get_group_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + first, tile, 64, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(tile, in + first + 64, 64, 0);
    wait_group_events(1, &e);
    out[gid] += tile[63 - lid];
}

kernel void each_iteration(global const float *in, global float *out)
{
    local float tile[192];
    int lid = get_local_id(0), gid = get_global_id(0);
    event_t e = 0;
    for (int i = 0; i < 3; i++)
        e = async_work_group_copy(tile + 64 * i, in + 64 * i, 64, e);
    wait_group_events(1, &e);
    out[gid] = tile[63 - lid];
}

// Two copies out of one tile only read it; even and odd elements are apart.
kernel void same_result(global const float *in, global float *out)
{
    local float tile[64];
    int gid = get_global_id(0), first = 64 * get_group_id(0);
    tile[get_local_id(0)] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out + 2 * first, tile, 64, 2, 0);
    e = async_work_group_strided_copy(out + 2 * first + 1, tile, 64, 2, e);
    wait_group_events(1, &e);
}
