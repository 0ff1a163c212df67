/*
[[launch]]
kernel = "one_helper_for_all_spaces"
global = 12
local = 4
build_options = "-cl-std=CL2.0"
args = { in = "[12]:iota", out = "[12]:zero" }

[[launch]]
kernel = "casts"
global = 4
local = 4
build_options = "-cl-std=CL2.0"
args = { in = "[4]:iota", out = "[4]:zero" }

[[launch]]
kernel = "pointers_in_memory"
global = 8
local = 4
build_options = "-cl-std=CL2.0"
args = { in = "[8]:iota", out = "[8]:zero" }

[[launch]]
kernel = "alignment"
global = 8
local = 8
build_options = "-cl-std=CL2.0"
args = { in = "[64]:iota", out = "[8]:zero" }

[expect]
simulator_only = "PoCL 3.1 has no generic address space"
values.one_helper_for_all_spaces.out = [1, 102, 1003, 4, 105, 1006, 7, 108, 1009, 10, 111, 1012]
values.casts.out = [111, 222, 14, 77]
values.pointers_in_memory.out = [1, 102, 1003, 4, 105, 1006, 7, 108]
values.alignment.out = [4, 4, 4, 4, 8, 8, 8, 8]
*/

int bump(int *p) { return *p + 1; }

kernel void one_helper_for_all_spaces(global int *in, global int *out) {
    local int shared[4];
    int l = get_local_id(0), i = get_global_id(0);
    int own = in[i] + 1000;
    shared[l] = in[i] + 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = &own;
    if (i % 3 == 0)
        p = &in[i];
    else if (i % 3 == 1)
        p = &shared[l];
    out[i] = bump(p);
}

kernel void casts(global int *in, global int *out) {
    local int shared[1];
    int own = 7;
    int i = get_global_id(0);
    int *p = in + 3;
    switch (i) {
    case 0: p = in; break;
    case 1: p = shared; break;
    case 2: p = &own;
    }
    shared[0] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    global int *g = to_global(p);
    local int *s = to_local(p);
    private int *o = to_private(p);
    int sum = 0;
    if (g)
        sum += g == in ? 111 : 77;
    if (s)
        sum += *s * 111;
    if (o)
        sum += *o * 2;
    uint fence = get_fence(p);
    uint wanted = g ? CLK_GLOBAL_MEM_FENCE : s ? CLK_LOCAL_MEM_FENCE : 0;
    out[i] = fence == wanted ? sum : -1;
}

struct holder {
    int *any;
    local int *shared;
};

kernel void pointers_in_memory(global int *in, global int *out) {
    local int shared[4];
    local struct holder holders[4];
    int l = get_local_id(0), i = get_global_id(0);
    int own = in[i] + 1000;
    shared[l] = in[i] + 100;
    int *all[3];
    all[0] = &in[i];
    all[1] = &shared[l];
    all[2] = &own;
    holders[l].any = all[i % 3];
    holders[l].shared = &shared[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    // An address of a neighbour's local memory, read back from local memory.
    int neighbour = *holders[(l + 1) & 3].shared - shared[(l + 1) & 3];
    out[i] = *holders[l].any + 1 + neighbour;
}

kernel void alignment(global int *in, global int *out) {
    int i = get_global_id(0);
    uintptr_t address = (uintptr_t)(in + i + 1);
    address = (address + 15) & ~(uintptr_t)15;
    global int *aligned = (global int *)address;
    out[i] = *aligned;
}
