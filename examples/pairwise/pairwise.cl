/*
 * Squared distances between all pairs of n points of D coordinates each, point
 * after point in memory; dist is n x n, dimension 0 runs along its rows.
 *
 * Like a matrix product with its second factor transposed: the naive kernel's
 * neighbouring work-items read points D floats apart. The tiled kernel stages
 * TILE coordinates of TILE points on either side, read along memory. The pitch
 * of TILE + 1 keeps the walk down b_tile's columns free of bank conflicts.
 */

#ifndef TILE
#define TILE 16
#endif

__kernel void pairwise_naive(__global const float *restrict points,
                             __global float *restrict dist,
                             int n,
                             int D)
{
    int j = get_global_id(0);
    int i = get_global_id(1);

    if (i >= n || j >= n)
        return;

    float sum = 0.0f;

    for (int d = 0; d < D; ++d) {
        float diff = points[i * D + d] - points[j * D + d];

        sum += diff * diff;
    }
    dist[i * n + j] = sum;
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void pairwise_tiled(__global const float *restrict points,
                    __global float *restrict dist,
                    int n,
                    int D)
{
    __local float a_tile[TILE][TILE];
    __local float b_tile[TILE][TILE + 1];

    int j = get_global_id(0);
    int i = get_global_id(1);
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int b_point = j - lx + ly; /* point whose coordinates this work-item stages */
    float sum = 0.0f;

    for (int d0 = 0; d0 < D; d0 += TILE) {
        int d = d0 + lx;

        /* Zeros on both sides beyond D add nothing to the sum. */
        a_tile[ly][lx] = (i < n && d < D) ? points[i * D + d] : 0.0f;
        b_tile[ly][lx] = (b_point < n && d < D) ? points[b_point * D + d] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TILE; ++k) {
            float diff = a_tile[ly][k] - b_tile[lx][k];

            sum += diff * diff;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i < n && j < n)
        dist[i * n + j] = sum;
}
