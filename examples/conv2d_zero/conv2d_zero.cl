/*
 * 2D convolution of runtime radius over a W x H image, zero beyond the image.
 *
 * The naive kernel tests four bounds for every tap. The tiled kernel tests them
 * once per staged pixel, and reads its frame of zeros from the tile:
 * (local size 0 + 2R) x (local size 1 + 2R) floats.
 */

__kernel void conv2d_zero_naive(__global const float *restrict in,
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
        int sy = y + dy;

        for (int dx = -R; dx <= R; ++dx) {
            int sx = x + dx;
            bool inside = sx >= 0 && sx < W && sy >= 0 && sy < H;
            float pixel = inside ? in[sy * W + sx] : 0.0f;

            sum += coef[(dy + R) * (2 * R + 1) + dx + R] * pixel;
        }
    }
    out[y * W + x] = sum;
}

__kernel void conv2d_zero_tiled(__global const float *restrict in,
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
        int sy = y0 + ty;

        for (int tx = lx; tx < tw; tx += lsx) {
            int sx = x0 + tx;
            bool inside = sx >= 0 && sx < W && sy >= 0 && sy < H;

            tile[ty * tw + tx] = inside ? in[sy * W + sx] : 0.0f;
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
