/*
 * Seven-point stencil on a W x H x D grid: out = a * centre + b * (sum of the six
 * neighbours). Cells on the edge keep their value.
 *
 * Each cell is read by up to seven work-items. The tile holds the group's cells
 * and one more on each of its six sides, so the halo is a large part of it:
 * (local size 0 + 2) x (local size 1 + 2) x (local size 2 + 2) floats.
 */

__kernel void stencil3d_naive(__global const float *restrict in,
                              __global float *restrict out,
                              int W,
                              int H,
                              int D,
                              float a,
                              float b)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);

    if (x >= W || y >= H || z >= D)
        return;

    int slice = W * H;
    int i = z * slice + y * W + x;
    float centre = in[i];

    if (x > 0 && x < W - 1 && y > 0 && y < H - 1 && z > 0 && z < D - 1) {
        float sum = in[i - slice] + in[i - W] + in[i - 1] +
                    in[i + 1] + in[i + W] + in[i + slice];

        out[i] = a * centre + b * sum;
    } else {
        out[i] = centre;
    }
}

__kernel void stencil3d_tiled(__global const float *restrict in,
                              __global float *restrict out,
                              int W,
                              int H,
                              int D,
                              float a,
                              float b,
                              __local float *tile)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int lz = get_local_id(2);
    int lsx = get_local_size(0);
    int lsy = get_local_size(1);
    int lsz = get_local_size(2);
    int tw = lsx + 2; /* width, height and depth of the tile */
    int th = lsy + 2;
    int td = lsz + 2;
    int x0 = x - lx - 1; /* cell that tile[0] holds */
    int y0 = y - ly - 1;
    int z0 = z - lz - 1;

    for (int tz = lz; tz < td; tz += lsz)
        for (int ty = ly; ty < th; ty += lsy)
            for (int tx = lx; tx < tw; tx += lsx) {
                int sx = x0 + tx;
                int sy = y0 + ty;
                int sz = z0 + tz;
                bool inside = sx >= 0 && sx < W && sy >= 0 && sy < H && sz >= 0 && sz < D;

                tile[(tz * th + ty) * tw + tx] =
                    inside ? in[(sz * H + sy) * W + sx] : 0.0f;
            }

    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < W && y < H && z < D) {
        int slice = tw * th;
        int t = (lz + 1) * slice + (ly + 1) * tw + lx + 1;
        int i = (z * H + y) * W + x;
        float centre = tile[t];

        if (x > 0 && x < W - 1 && y > 0 && y < H - 1 && z > 0 && z < D - 1) {
            float sum = tile[t - slice] + tile[t - tw] + tile[t - 1] +
                        tile[t + 1] + tile[t + tw] + tile[t + slice];

            out[i] = a * centre + b * sum;
        } else {
            out[i] = centre;
        }
    }
}
