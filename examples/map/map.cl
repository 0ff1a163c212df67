/*
 * Element-wise map: out[i] = a * in[i] + b.
 *
 * Every element is read once, by one work-item, along memory. The tile (local
 * size floats) holds what its own work-item reads back: a copy and a barrier
 * that nothing repays. The example of when not to stage.
 */

__kernel void map_naive(__global const float *restrict in,
                        __global float *restrict out,
                        int n,
                        float a,
                        float b)
{
    int gid = get_global_id(0);

    if (gid < n)
        out[gid] = a * in[gid] + b;
}

__kernel void map_tiled(__global const float *restrict in,
                        __global float *restrict out,
                        int n,
                        float a,
                        float b,
                        __local float *tile)
{
    int gid = get_global_id(0);
    int lid = get_local_id(0);

    if (gid < n)
        tile[lid] = in[gid];

    barrier(CLK_LOCAL_MEM_FENCE);

    if (gid < n)
        out[gid] = a * tile[lid] + b;
}
