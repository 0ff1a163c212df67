/*
 * 2D convolution of runtime radius over a W x H image that repeats in both
 * directions (periodic border).
 *
 * Wrapping an index costs a remainder. The naive kernel takes one for every tap
 * and one for every row of taps; the tiled kernel takes them once per staged
 * pixel. Tile: (local size 0 + 2R) x (local size 1 + 2R) floats.
 */

/* Index i of a row of n that repeats for ever, also for R larger than n. */
static int wrap(int i, int n)
{
    int r = i % n;

    return r < 0 ? r + n : r;
}

__kernel void conv2d_wrap_naive(__global const float *restrict in,
                                __global const float *restrict coef,
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

    for (int dy = -R; dy <= R; ++dy) {
        int sy = wrap(y + dy, H);

        for (int dx = -R; dx <= R; ++dx) {
            int sx = wrap(x + dx, W);

            sum += coef[(dy + R) * (2 * R + 1) + dx + R] * in[sy * W + sx];
        }
    }
    out[y * W + x] = sum;
}

__kernel void conv2d_wrap_tiled(__global const float *restrict in,
                                __global const float *restrict coef,
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
    int tw = lsx + 2 * R; /* width and height of the tile */
    int th = lsy + 2 * R;
    int x0 = x - lx - R; /* pixel that tile[0] holds, before wrapping */
    int y0 = y - ly - R;

    for (int ty = ly; ty < th; ty += lsy) {
        int sy = wrap(y0 + ty, H);

        for (int tx = lx; tx < tw; tx += lsx) {
            int sx = wrap(x0 + tx, W);

            tile[ty * tw + tx] = in[sy * W + sx];
        }
    }

    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < W && y < H) {
        float sum = 0.0f;

        for (int dy = -R; dy <= R; ++dy)
            for (int dx = -R; dx <= R; ++dx)
                sum += coef[(dy + R) * (2 * R + 1) + dx + R] *
                       tile[(ly + R + dy) * tw + lx + R + dx];

        out[y * W + x] = sum;
    }
}
