// Kernels whose arguments have types of every kind. The module beside it is
// made of this text (see README.md); the trees in corpus/ast declare it.
typedef struct { int a; float4 v; } Pair;
struct Nested { char c; struct { short s[3]; double d; } inner; Pair pairs[2]; };
typedef union { uint bits; float value; uchar4 bytes; } Bits;
typedef struct __attribute__((packed)) { char tag; long at; } Packed;
typedef enum { FIRST, SECOND } Choice;
typedef float Row[4];
typedef __global float *Out;

__kernel void values(Pair pair, struct Nested nested, Bits bits, Packed packed,
                     Choice choice, uint n, float3 h, unsigned long pitch) {}

__kernel void memory(__global const Pair *restrict in, Out out, __constant Row *table,
                     __local struct Nested *tile, volatile __global ulong8 *flags,
                     __global Bits *bits, read_only image2d_t image, sampler_t sampler) {}
