/* Kernels for the benchmark of the simulator that examples/ has no need of:
 * lanes that part ways, atomics, and an exchange through local memory. */

/* Escape times of the Mandelbrot set: neighbours leave the loop at different
 * iterations. */
__kernel void mandelbrot(__global int *restrict steps, int W, int H, int limit)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x >= W || y >= H)
        return;

    float cx = -2.0f + 3.0f * x / W;
    float cy = -1.5f + 3.0f * y / H;
    float zx = 0.0f;
    float zy = 0.0f;
    int n = 0;
    while (n < limit && zx * zx + zy * zy < 4.0f) {
        float next = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = next;
        n++;
    }
    steps[y * W + x] = n;
}

/* Length of the Collatz sequence: an integer loop with a branch that no two
 * lanes agree on. */
__kernel void collatz(__global int *restrict length, int n)
{
    int gid = get_global_id(0);

    if (gid >= n)
        return;

    uint v = gid + 1;
    int steps = 0;
    while (v != 1 && steps < 256) {
        if (v & 1)
            v = 3 * v + 1;
        else
            v = v / 2;
        steps++;
    }
    length[gid] = steps;
}

/* An integer hash with branches that most lanes take together. */
__kernel void branchy(__global const uint *restrict in, __global uint *restrict out, int n)
{
    int gid = get_global_id(0);

    if (gid >= n)
        return;

    uint h = in[gid];
    for (int round = 0; round < 64; round++) {
        h ^= h >> 13;
        if ((round & 3) == 0)
            h *= 0x5bd1e995u;
        else if ((round & 3) == 1)
            h += 0x9e3779b9u;
        if (h == 0)
            h = round;
    }
    out[gid] = h;
}

/* 256 counters in local memory, then added to global ones. */
__kernel void histogram(__global const uchar *restrict in, __global uint *restrict bins, int n)
{
    __local uint counts[256];
    int lid = get_local_id(0);

    counts[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[lid], counts[lid]);
}

__constant uchar reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

/* A Fourier transform of 256 points per work-group, radix 2, in local memory. */
__kernel void fft256(__global float2 *data)
{
    __local float2 work[256];
    int lid = get_local_id(0);
    int base = get_group_id(0) * 256;

    /* Bit-reversed order. By table: Oclgrind has no llvm.bitreverse, which
     * clang makes of shifts and masks. */
    uint from = reversed[lid & 15] << 4 | reversed[lid >> 4];
    work[lid] = data[base + from];
    /* Another work-item writes data[base + from] at the end. */
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

    for (int half_size = 1; half_size < 256; half_size *= 2) {
        int within = lid & (half_size - 1);
        int low = lid & ~half_size;
        int high = lid | half_size;
        float angle = -3.14159265f * within / half_size;
        float c = native_cos(angle);
        float s = native_sin(angle);
        float2 a = work[low];
        float2 b = work[high];
        float2 turned = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
        barrier(CLK_LOCAL_MEM_FENCE);
        work[lid] = (lid & half_size) ? a - turned : a + turned;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    data[base + lid] = work[lid];
}
