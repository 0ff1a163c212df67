/* A 3-tap blur, and a kernel that keeps a tile in local memory. */
__kernel void naive(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);
    if (i > 0 && i + 1 < n)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3.0f;
}

__kernel void tiled(__global const float *in, __global float *out, int n,
                    __local float *tile)
{
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = tile[l];
}
