/*
 * Gravitational acceleration of n bodies, all pairs. A body is a float4: its
 * position and, in w, its mass. eps2 is the square of the softening length; it
 * must be positive, since a body is also paired with itself.
 *
 * Every work-item reads every body. The tiled kernel stages them in chunks of
 * one body per work-item (local size float4).
 */

/* Adds to acc the pull of `other` on a body at `here`. */
static float3 add_pull(float3 acc, float4 here, float4 other, float eps2)
{
    float3 d = other.xyz - here.xyz;
    float inv = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + eps2);

    return acc + d * (other.w * inv * inv * inv);
}

__kernel void nbody_naive(__global const float4 *restrict body,
                          __global float4 *restrict acceleration,
                          int n,
                          float eps2)
{
    int gid = get_global_id(0);

    if (gid < n) {
        float4 here = body[gid];
        float3 acc = (float3)(0.0f);

        for (int j = 0; j < n; ++j)
            acc = add_pull(acc, here, body[j], eps2);

        acceleration[gid] = (float4)(acc, 0.0f);
    }
}

__kernel void nbody_tiled(__global const float4 *restrict body,
                          __global float4 *restrict acceleration,
                          int n,
                          float eps2,
                          __local float4 *tile)
{
    int gid = get_global_id(0);
    int lid = get_local_id(0);
    int lsz = get_local_size(0);
    float4 here = (gid < n) ? body[gid] : (float4)(0.0f);
    float3 acc = (float3)(0.0f);

    for (int base = 0; base < n; base += lsz) {
        int chunk = min(lsz, n - base); /* the last chunk may be short */

        if (lid < chunk)
            tile[lid] = body[base + lid];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int j = 0; j < chunk; ++j)
            acc = add_pull(acc, here, tile[j], eps2);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (gid < n)
        acceleration[gid] = (float4)(acc, 0.0f);
}
