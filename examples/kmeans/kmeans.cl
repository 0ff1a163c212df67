/*
 * Assignment step of k-means: label[i] is the number of the centroid nearest to
 * point i; of equally near ones, the first. Points lie coordinate after
 * coordinate (points[d * n + i]), so that neighbouring work-items read
 * neighbouring floats; centroids lie centroid after centroid.
 *
 * Every work-item reads all K centroids, and its own point K times. The tiled
 * kernel stages the centroids (K * D floats) and leaves the points alone: no two
 * work-items share one.
 */

__kernel void kmeans_naive(__global const float *restrict points,
                           __global const float *restrict centroids,
                           __global int *restrict label,
                           int n,
                           int K,
                           int D)
{
    int gid = get_global_id(0);

    if (gid < n) {
        float best = INFINITY;
        int nearest = 0;

        for (int k = 0; k < K; ++k) {
            float sum = 0.0f;

            for (int d = 0; d < D; ++d) {
                float diff = points[d * n + gid] - centroids[k * D + d];

                sum += diff * diff;
            }
            if (sum < best) {
                best = sum;
                nearest = k;
            }
        }
        label[gid] = nearest;
    }
}

__kernel void kmeans_tiled(__global const float *restrict points,
                           __global const float *restrict centroids,
                           __global int *restrict label,
                           int n,
                           int K,
                           int D,
                           __local float *tile)
{
    int gid = get_global_id(0);
    int lid = get_local_id(0);
    int lsz = get_local_size(0);

    for (int t = lid; t < K * D; t += lsz)
        tile[t] = centroids[t];

    barrier(CLK_LOCAL_MEM_FENCE);

    if (gid < n) {
        float best = INFINITY;
        int nearest = 0;

        for (int k = 0; k < K; ++k) {
            float sum = 0.0f;

            for (int d = 0; d < D; ++d) {
                float diff = points[d * n + gid] - tile[k * D + d];

                sum += diff * diff;
            }
            if (sum < best) {
                best = sum;
                nearest = k;
            }
        }
        label[gid] = nearest;
    }
}
