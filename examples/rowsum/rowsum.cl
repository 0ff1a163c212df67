/*
 * Sum of each row of a row-major matrix, one work-item per row.
 *
 * Every element is read once, so there is no reuse. But neighbouring work-items
 * of the naive kernel read elements one row apart, a memory transaction each.
 * The tiled kernel stages CHUNK columns of the group's rows, read along the
 * rows, and sums from there. Tile: local size x (CHUNK + 1) floats; the extra
 * column keeps neighbouring work-items in different banks.
 */

#define CHUNK 32
#define PITCH (CHUNK + 1)

__kernel void rowsum_naive(__global const float *restrict in,
                           __global float *restrict sums,
                           int rows,
                           int cols)
{
    int row = get_global_id(0);

    if (row < rows) {
        float sum = 0.0f;

        for (int c = 0; c < cols; ++c)
            sum += in[row * cols + c];

        sums[row] = sum;
    }
}

__kernel void rowsum_tiled(__global const float *restrict in,
                           __global float *restrict sums,
                           int rows,
                           int cols,
                           __local float *tile)
{
    int row = get_global_id(0);
    int lid = get_local_id(0);
    int lsz = get_local_size(0);
    int first = row - lid; /* first row of the group */
    float sum = 0.0f;

    for (int c0 = 0; c0 < cols; c0 += CHUNK) {
        for (int t = lid; t < lsz * CHUNK; t += lsz) {
            int r = t / CHUNK;
            int c = t % CHUNK;

            if (first + r < rows && c0 + c < cols)
                tile[r * PITCH + c] = in[(first + r) * cols + c0 + c];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (row < rows)
            for (int c = 0; c < min(CHUNK, cols - c0); ++c)
                sum += tile[lid * PITCH + c];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < rows)
        sums[row] = sum;
}
