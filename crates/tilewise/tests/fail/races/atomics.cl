/*
[[launch]]
global = 128
local = 64
args = { in = "[128]", sum = "[1]:zero" }
*/

// A float is added by comparing, from a first value that is read plainly.
kernel void add_float(global const float *in, volatile global float *sum)
{
    union { float f; int i; } old, new;
    do {
        old.f = *sum;
        new.f = old.f + in[get_global_id(0)];
    } while (atomic_cmpxchg((volatile global int *)sum, old.i, new.i) != old.i); //~ TW102 read with atomic_load, or
}
