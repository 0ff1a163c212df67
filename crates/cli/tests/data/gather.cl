/* Reads a table at places that another buffer names. */
__kernel void gather(__global const int *idx, __global const float *table,
                     __global float *out)
{
    int i = get_global_id(0);
    out[i] = table[idx[i]];
}
