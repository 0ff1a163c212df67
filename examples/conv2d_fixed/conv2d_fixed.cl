/*
 * 2D convolution of constant radius over a padded image: `in` is
 * (W + 2R) x (H + 2R), so that no tap needs a border test.
 *
 * The compiler unrolls both loops and folds the addresses, which leaves the
 * naive kernel little but loads and multiply-adds. The tile (a frame of R
 * around the group) then saves loads alone. Build with -DR=... for another
 * radius.
 */

#ifndef R
#define R 3
#endif

#define TAPS (2 * R + 1)

__kernel void conv2d_fixed_naive(__global const float *restrict in,
                                 __global const float *restrict coef,
                                 __global float *restrict out,
                                 int W,
                                 int H)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int pitch = W + 2 * R;

    if (x >= W || y >= H)
        return;

    float sum = 0.0f;

    for (int j = 0; j < TAPS; ++j)
        for (int i = 0; i < TAPS; ++i)
            sum += coef[j * TAPS + i] * in[(y + j) * pitch + x + i];

    out[y * W + x] = sum;
}

__kernel void conv2d_fixed_tiled(__global const float *restrict in,
                                 __global const float *restrict coef,
                                 __global float *restrict out,
                                 int W,
                                 int H,
                                 __local float *tile)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int lsx = get_local_size(0);
    int lsy = get_local_size(1);
    int pitch = W + 2 * R;
    int tw = lsx + 2 * R; /* width of the tile */
    int x0 = x - lx; /* padded pixel that tile[0] holds */
    int y0 = y - ly;

    /* The last groups' tiles reach beyond the padded image: stop at its edge. */
    int cols = min(tw, pitch - x0);
    int rows = min(lsy + 2 * R, H + 2 * R - y0);

    for (int ty = ly; ty < rows; ty += lsy)
        for (int tx = lx; tx < cols; tx += lsx)
            tile[ty * tw + tx] = in[(y0 + ty) * pitch + x0 + tx];

    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < W && y < H) {
        float sum = 0.0f;

        for (int j = 0; j < TAPS; ++j)
            for (int i = 0; i < TAPS; ++i)
                sum += coef[j * TAPS + i] * tile[(ly + j) * tw + lx + i];

        out[y * W + x] = sum;
    }
}
