/*
 * FIR filter of runtime radius: out[i] = sum over k of coef[k + R] * in[i + k],
 * k from -R to R, the first and last sample repeated beyond the ends.
 *
 * Each sample is read by up to 2R + 1 work-items. The tiled kernel stages the
 * group's samples and R more on either side (local size + 2R floats).
 */

__kernel void fir_naive(__global const float *restrict in,
                        __constant float *coef,
                        __global float *restrict out,
                        int n,
                        int R)
{
    int gid = get_global_id(0);

    if (gid < n) {
        float sum = 0.0f;

        for (int k = -R; k <= R; ++k)
            sum += coef[k + R] * in[clamp(gid + k, 0, n - 1)];

        out[gid] = sum;
    }
}

__kernel void fir_tiled(__global const float *restrict in,
                        __constant float *coef,
                        __global float *restrict out,
                        int n,
                        int R,
                        __local float *tile)
{
    int gid = get_global_id(0);
    int lid = get_local_id(0);
    int lsz = get_local_size(0);
    int first = gid - lid - R; /* sample that tile[0] holds */

    for (int t = lid; t < lsz + 2 * R; t += lsz)
        tile[t] = in[clamp(first + t, 0, n - 1)];

    barrier(CLK_LOCAL_MEM_FENCE);

    if (gid < n) {
        float sum = 0.0f;

        for (int k = -R; k <= R; ++k)
            sum += coef[k + R] * tile[lid + R + k];

        out[gid] = sum;
    }
}
