// One value of each type in a single block, for `examples/neighbours.rs`: the module
// beside it is made of this text.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

__kernel void values(__global int *i32, __global long *i64, __global char *i8, __global short *i16,
                     __global float *f32, __global double *f64, __global half *f16,
                     __global int4 *v4, __global float4 *f4, __global float3 *f3, __global uchar16 *c16,
                     __local int *tile, read_only image2d_t image, write_only image2d_t target, sampler_t sampler)
{
    size_t gid = get_global_id(0);
    int a = i32[gid];
    long b = i64[gid];
    char c = i8[gid];
    short s = i16[gid];
    float x = f32[gid];
    double d = f64[gid];
    half h = f16[gid];
    int4 v = v4[gid];
    float4 w = f4[gid];
    float3 t = f3[gid];
    uchar16 bytes = c16[gid];
    int less = a < 3;
    int k = atomic_add(&tile[0], a);
    float4 texel = read_imagef(image, sampler, (float2)(x, x));
    write_imagef(target, (int2)(a, a), texel + w);
    barrier(CLK_LOCAL_MEM_FENCE);
    i32[gid] = a + k + (less ? clz(a) : 7);
    i64[gid] = b * 2;
    i8[gid] = c + bytes.s3;
    i16[gid] = s - 1;
    f32[gid] = fma(x, x, t.z);
    f64[gid] = d + 0.5;
    f16[gid] = h * h;
    v4[gid] = v + v.wzyx;
    f4[gid] = convert_float4(v);
    f3[gid] = t;
    c16[gid] = bytes;
}
