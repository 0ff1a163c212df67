/*
[[launch]]
global = 128
local = 64
build_options = "-cl-std=CL2.0"
args = { in = "[256]", out = "[128]:zero", n = 100 }
*/

// Those beyond the end never come.
kernel void in_a_branch(global const float *in, global float *out, int n)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (gid < n) {
        tile[lid] = in[gid];
        barrier(CLK_LOCAL_MEM_FENCE); //~ TW103 only 36 of 64 work-items
        out[gid] = tile[lid];
    }
}

// Those beyond the end have returned.
kernel void early_return(global const float *in, global float *out, int n)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (gid >= n)
        return;
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE); //~ TW103 28 work-items of the group have returned
    out[gid] = tile[lid];
}

// Each work-item goes round so often.
kernel void turns_differ(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    for (int k = 0; k < lid; k++)
        barrier(CLK_LOCAL_MEM_FENCE); //~ TW103
    out[gid] = tile[lid];
}

// Two barriers do not meet.
kernel void two_barriers(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    if (lid < 20) {
        barrier(CLK_LOCAL_MEM_FENCE); //~ TW103 wait here instead
        out[gid] = tile[lid];
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[gid] = -tile[lid];
    }
}

// Each runs three barriers, none of them together.
kernel void left_out_in_turn(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        if (k == (lid & 3))
            continue;
        sum += tile[lid];
        barrier(CLK_LOCAL_MEM_FENCE); //~ TW103 in different iterations
    }
    out[gid] = sum;
}

// A loop that some leave.
kernel void some_leave(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        tile[lid] = in[gid] + k;
        if (k == 2 && lid > 50)
            break;
        barrier(CLK_LOCAL_MEM_FENCE); //~ TW103
    }
    out[gid] = tile[lid];
}

// In a function that not all call.
void wait_for_all(void)
{
    barrier(CLK_LOCAL_MEM_FENCE); //~ TW103 called from here
}
kernel void in_a_function(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    if (lid != 7)
        wait_for_all();
    out[gid] = tile[lid];
}

// A function of the group is one, too.
kernel void group_function(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float v = in[gid], sum = 0;
    if (get_local_id(0) < 40)
        sum = work_group_reduce_add(v); //~ TW103 reach this work-group function
    out[gid] = sum;
}
