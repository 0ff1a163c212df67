/*
 * Three-tap blur: out[i] = (in[i-1] + in[i] + in[i+1]) / 3, zero beyond both ends.
 *
 * Each element is read by three neighbouring work-items. The tiled kernel reads
 * it once per work-group into `tile` (local size + 2 floats), halo included.
 * The pair differs in nothing else, so neither kernel uses `restrict`.
 *
 * Launch over n rounded up to the local size. blur_tiled tests the upper bound
 * only where it loads in[gid] and in[gid + 1]: with a whole group of padding or
 * more, the first work-item of a padding group would read in[gid - 1] beyond n.
 */

__kernel void blur_naive(__global const float* in,
                         __global float* out,
                         int n)
{
    int gid = get_global_id(0);

    if (gid < n) {
        float left = (gid > 0) ? in[gid - 1] : 0.0f;
        float right = (gid + 1 < n) ? in[gid + 1] : 0.0f;

        out[gid] = (left + in[gid] + right) / 3.0f;
    }
}

__kernel void blur_tiled(__global const float* in,
                         __global float* out,
                         int n,
                         __local float* tile)
{
    int lid = get_local_id(0);
    int gid = get_global_id(0);
    int lsz = get_local_size(0);

    // Main body: one global load per work-item
    tile[lid + 1] = (gid < n) ? in[gid] : 0.0f;

    // Halo: first and last work-item fetch the edges
    if (lid == 0)
        tile[0] = (gid > 0) ? in[gid - 1] : 0.0f;
    if (lid == lsz - 1)
        tile[lsz + 1] = (gid + 1 < n) ? in[gid + 1] : 0.0f;

    barrier(CLK_LOCAL_MEM_FENCE);

    if (gid < n)
        out[gid] = (tile[lid] + tile[lid + 1] + tile[lid + 2]) / 3.0f;
}
