/*
 * Matrix product C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
 * Dimension 0 runs over the columns of C, dimension 1 over its rows.
 *
 * A work-group of TILE x TILE reads each element of its part of A and of B TILE
 * times. The tiled kernel walks along K in steps of TILE and stages one block of
 * each matrix per step. Build with -DTILE=... for another tile.
 */

#ifndef TILE
#define TILE 16
#endif

__kernel void matmul_naive(__global const float *restrict A,
                           __global const float *restrict B,
                           __global float *restrict C,
                           int M,
                           int N,
                           int K)
{
    int col = get_global_id(0);
    int row = get_global_id(1);

    if (row >= M || col >= N)
        return;

    float sum = 0.0f;

    for (int k = 0; k < K; ++k)
        sum += A[row * K + k] * B[k * N + col];

    C[row * N + col] = sum;
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_tiled(__global const float *restrict A,
                  __global const float *restrict B,
                  __global float *restrict C,
                  int M,
                  int N,
                  int K)
{
    __local float a_tile[TILE][TILE];
    __local float b_tile[TILE][TILE];

    int col = get_global_id(0);
    int row = get_global_id(1);
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        int a_col = k0 + lx;
        int b_row = k0 + ly;

        /* Zeros beyond the matrices add nothing to the sum. */
        a_tile[ly][lx] = (row < M && a_col < K) ? A[row * K + a_col] : 0.0f;
        b_tile[ly][lx] = (b_row < K && col < N) ? B[b_row * N + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TILE; ++k)
            sum += a_tile[ly][k] * b_tile[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}
