/*
 * One sweep of the weighted Jacobi iteration for Laplace's equation on a W x H
 * grid: a cell moves by omega towards the mean of its four neighbours. Cells on
 * the edge keep their value.
 *
 * A five-point stencil: each cell is read by up to five work-items. The tile
 * holds the group's cells and one more on each side:
 * (local size 0 + 2) x (local size 1 + 2) floats.
 */

__kernel void jacobi_naive(__global const float *restrict in,
                           __global float *restrict out,
                           int W,
                           int H,
                           float omega)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x >= W || y >= H)
        return;

    int i = y * W + x;
    float centre = in[i];

    if (x > 0 && x < W - 1 && y > 0 && y < H - 1) {
        float mean = 0.25f * (in[i - W] + in[i - 1] + in[i + 1] + in[i + W]);

        out[i] = centre + omega * (mean - centre);
    } else {
        out[i] = centre;
    }
}

__kernel void jacobi_tiled(__global const float *restrict in,
                           __global float *restrict out,
                           int W,
                           int H,
                           float omega,
                           __local float *tile)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int lsx = get_local_size(0);
    int lsy = get_local_size(1);
    int tw = lsx + 2; /* width and height of the tile */
    int th = lsy + 2;
    int x0 = x - lx - 1; /* cell that tile[0] holds */
    int y0 = y - ly - 1;

    for (int ty = ly; ty < th; ty += lsy)
        for (int tx = lx; tx < tw; tx += lsx) {
            int sx = x0 + tx;
            int sy = y0 + ty;
            bool inside = sx >= 0 && sx < W && sy >= 0 && sy < H;

            tile[ty * tw + tx] = inside ? in[sy * W + sx] : 0.0f;
        }

    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < W && y < H) {
        int t = (ly + 1) * tw + lx + 1;
        float centre = tile[t];

        if (x > 0 && x < W - 1 && y > 0 && y < H - 1) {
            float mean = 0.25f * (tile[t - tw] + tile[t - 1] + tile[t + 1] + tile[t + tw]);

            out[y * W + x] = centre + omega * (mean - centre);
        } else {
            out[y * W + x] = centre;
        }
    }
}
