/*
 * Look-up table: out[i] = table[x[i]], with one byte as index and 256 entries.
 *
 * The index is data, so no footprint can be told from it, but the table is small
 * enough to be staged whole. Each group pays 256 loads for that; a work-item
 * that looks up one element repays less than one that looks up many. Both
 * kernels stride over x by the global size, so the launch decides which it is.
 */

#define TABLE_SIZE 256

__kernel void lut_naive(__global const uchar *restrict x,
                        __global const float *restrict table,
                        __global float *restrict out,
                        uint n)
{
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        out[i] = table[x[i]];
}

__kernel void lut_tiled(__global const uchar *restrict x,
                        __global const float *restrict table,
                        __global float *restrict out,
                        uint n)
{
    __local float tile[TABLE_SIZE];

    for (size_t t = get_local_id(0); t < TABLE_SIZE; t += get_local_size(0))
        tile[t] = table[t];

    barrier(CLK_LOCAL_MEM_FENCE);

    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        out[i] = tile[x[i]];
}
