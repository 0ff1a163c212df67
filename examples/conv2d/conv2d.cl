/*
 * 2D convolution of runtime radius over a W x H image, row after row in memory.
 * Beyond the image the nearest edge pixel is taken (clamp).
 *
 * Each pixel is read by up to (2R + 1)^2 work-items. The tiled kernel stages
 * the group's pixels with a frame of R around them:
 * (local size 0 + 2R) x (local size 1 + 2R) floats.
 */

__kernel void conv2d_naive(__global const float *restrict in,
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
        int sy = clamp(y + dy, 0, H - 1);

        for (int dx = -R; dx <= R; ++dx) {
            int sx = clamp(x + dx, 0, W - 1);

            sum += coef[(dy + R) * (2 * R + 1) + dx + R] * in[sy * W + sx];
        }
    }
    out[y * W + x] = sum;
}

__kernel void conv2d_tiled(__global const float *restrict in,
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
    int x0 = x - lx - R; /* pixel that tile[0] holds */
    int y0 = y - ly - R;

    for (int ty = ly; ty < th; ty += lsy) {
        int sy = clamp(y0 + ty, 0, H - 1);

        for (int tx = lx; tx < tw; tx += lsx) {
            int sx = clamp(x0 + tx, 0, W - 1);

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
