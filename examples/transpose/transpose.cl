/*
 * Transpose of a matrix of H rows and W columns; out has W rows and H columns.
 *
 * Every element is read once, so there is no reuse. The naive kernel reads along
 * rows but writes down columns, H floats apart. The staged kernels turn a block
 * of TILE x TILE around in local memory, so that they read and write along rows.
 *
 * transpose_tiled keeps the block at a pitch of TILE floats: reading a column of
 * it meets a single bank on hardware with 32 banks. transpose_padded has a pitch
 * of TILE + 1, which spreads the column over all banks.
 *
 * Each work-group of the staged kernels moves one block, whatever its shape;
 * 32 x 8 work-items, four elements each, is usual.
 */

#define TILE 32

__kernel void transpose_naive(__global const float *restrict in,
                              __global float *restrict out,
                              int W,
                              int H)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < W && y < H)
        out[x * H + y] = in[y * W + x];
}

__kernel void transpose_tiled(__global const float *restrict in,
                              __global float *restrict out,
                              int W,
                              int H)
{
    __local float tile[TILE][TILE];

    int x0 = get_group_id(0) * TILE; /* top left element of the block */
    int y0 = get_group_id(1) * TILE;
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int lsx = get_local_size(0);
    int lsy = get_local_size(1);

    for (int j = ly; j < TILE; j += lsy)
        for (int i = lx; i < TILE; i += lsx)
            if (x0 + i < W && y0 + j < H)
                tile[j][i] = in[(y0 + j) * W + x0 + i];

    barrier(CLK_LOCAL_MEM_FENCE);

    for (int j = ly; j < TILE; j += lsy)
        for (int i = lx; i < TILE; i += lsx)
            if (x0 + j < W && y0 + i < H)
                out[(x0 + j) * H + y0 + i] = tile[i][j];
}

__kernel void transpose_padded(__global const float *restrict in,
                               __global float *restrict out,
                               int W,
                               int H)
{
    __local float tile[TILE][TILE + 1];

    int x0 = get_group_id(0) * TILE; /* top left element of the block */
    int y0 = get_group_id(1) * TILE;
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int lsx = get_local_size(0);
    int lsy = get_local_size(1);

    for (int j = ly; j < TILE; j += lsy)
        for (int i = lx; i < TILE; i += lsx)
            if (x0 + i < W && y0 + j < H)
                tile[j][i] = in[(y0 + j) * W + x0 + i];

    barrier(CLK_LOCAL_MEM_FENCE);

    for (int j = ly; j < TILE; j += lsy)
        for (int i = lx; i < TILE; i += lsx)
            if (x0 + j < W && y0 + i < H)
                out[(x0 + j) * H + y0 + i] = tile[i][j];
}
