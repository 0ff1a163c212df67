/*
 * Separable Gaussian over a W x H image: a pass along the rows, then one along
 * the columns, 2R + 1 weights each. The image is mirrored about its edge pixels.
 *
 * Each pixel is read by up to 2R + 1 work-items of a group, fewer than in the
 * two-dimensional convolution of the same radius. Tiles:
 * rows    (local size 0 + 2R) x local size 1 floats,
 * columns local size 0 x (local size 1 + 2R) floats.
 */

/*
 * Index i of a row of n mirrored about its first and last element. The clamp
 * keeps the index in bounds where the radius exceeds the image.
 */
static int mirror(int i, int n)
{
    int m = abs(i);

    m = m < n ? m : 2 * n - 2 - m;
    return clamp(m, 0, n - 1);
}

__kernel void gaussian_rows_naive(__global const float *restrict in,
                                  __constant float *coef,
                                  __global float *restrict out,
                                  int W,
                                  int H,
                                  int R)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x >= W || y >= H)
        return;

    float sum = 0.0f;

    for (int k = -R; k <= R; ++k)
        sum += coef[k + R] * in[y * W + mirror(x + k, W)];

    out[y * W + x] = sum;
}

__kernel void gaussian_rows_tiled(__global const float *restrict in,
                                  __constant float *coef,
                                  __global float *restrict out,
                                  int W,
                                  int H,
                                  int R,
                                  __local float *tile)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int lsx = get_local_size(0);
    int tw = lsx + 2 * R; /* width of the tile */
    int x0 = x - lx - R; /* column that tile[0] holds */

    if (y < H)
        for (int tx = lx; tx < tw; tx += lsx)
            tile[ly * tw + tx] = in[y * W + mirror(x0 + tx, W)];

    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < W && y < H) {
        float sum = 0.0f;

        for (int k = -R; k <= R; ++k)
            sum += coef[k + R] * tile[ly * tw + lx + R + k];

        out[y * W + x] = sum;
    }
}

__kernel void gaussian_columns_naive(__global const float *restrict in,
                                     __constant float *coef,
                                     __global float *restrict out,
                                     int W,
                                     int H,
                                     int R)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x >= W || y >= H)
        return;

    float sum = 0.0f;

    for (int k = -R; k <= R; ++k)
        sum += coef[k + R] * in[mirror(y + k, H) * W + x];

    out[y * W + x] = sum;
}

__kernel void gaussian_columns_tiled(__global const float *restrict in,
                                     __constant float *coef,
                                     __global float *restrict out,
                                     int W,
                                     int H,
                                     int R,
                                     __local float *tile)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int lsx = get_local_size(0);
    int lsy = get_local_size(1);
    int y0 = y - ly - R; /* row that tile[0] holds */

    if (x < W)
        for (int ty = ly; ty < lsy + 2 * R; ty += lsy)
            tile[ty * lsx + lx] = in[mirror(y0 + ty, H) * W + x];

    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < W && y < H) {
        float sum = 0.0f;

        for (int k = -R; k <= R; ++k)
            sum += coef[k + R] * tile[(ly + R + k) * lsx + lx];

        out[y * W + x] = sum;
    }
}
