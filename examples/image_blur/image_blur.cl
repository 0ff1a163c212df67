/*
 * Mean over a square of side 2R + 1 around each pixel of an image. Beyond the
 * image the sampler gives the nearest edge pixel.
 *
 * Each pixel is read by up to (2R + 1)^2 work-items, every time through the
 * texture unit. The tiled kernel reads the group's pixels with a frame of R
 * around them once: (local size 0 + 2R) x (local size 1 + 2R) pixels of four
 * floats.
 */

__constant sampler_t edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void image_blur_naive(__read_only image2d_t in,
                               __write_only image2d_t out,
                               int W,
                               int H,
                               int R)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x >= W || y >= H)
        return;

    float4 sum = (float4)(0.0f);

    for (int dy = -R; dy <= R; ++dy)
        for (int dx = -R; dx <= R; ++dx)
            sum += read_imagef(in, edge, (int2)(x + dx, y + dy));

    write_imagef(out, (int2)(x, y), sum / (float)((2 * R + 1) * (2 * R + 1)));
}

__kernel void image_blur_tiled(__read_only image2d_t in,
                               __write_only image2d_t out,
                               int W,
                               int H,
                               int R,
                               __local float4 *tile)
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

    for (int ty = ly; ty < th; ty += lsy)
        for (int tx = lx; tx < tw; tx += lsx)
            tile[ty * tw + tx] = read_imagef(in, edge, (int2)(x0 + tx, y0 + ty));

    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < W && y < H) {
        float4 sum = (float4)(0.0f);

        for (int dy = 0; dy <= 2 * R; ++dy)
            for (int dx = 0; dx <= 2 * R; ++dx)
                sum += tile[(ly + dy) * tw + lx + dx];

        write_imagef(out, (int2)(x, y), sum / (float)((2 * R + 1) * (2 * R + 1)));
    }
}
