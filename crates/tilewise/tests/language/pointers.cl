/*
[[launch]]
kernel = "in_private_and_local_memory"
global = 16
local = 8
args = { in = "[16]:iota", out = "[16]:zero" }

[[launch]]
kernel = "casts_between_types"
global = 8
local = 8
args = { in = "[8]:random", out = "[8]:zero" }

[[launch]]
kernel = "aligned_up"
global = 8
local = 8
args = { in = "[64]:iota", out = "[8]:zero" }

[[launch]]
kernel = "local_structures"
global = 16
local = 8
args = { in = "[16]:iota", out = "[16]:zero" }

[[launch]]
kernel = "arrays_of_two_dimensions"
global = 16
local = 8
args = { in = "[16]:iota", out = "[16]:zero" }

[[launch]]
kernel = "walk"
global = 4
local = 4
args = { in = "[64]:random(0,100)", out = "[4]:zero" }

[expect]
*/

kernel void in_private_and_local_memory(global int *in, global int *out) {
    local int *local where[8];
    local int shared[8];
    int l = get_local_id(0), i = get_global_id(0);
    global int *rows[4];
    for (int k = 0; k < 4; k++)
        rows[k] = in + ((i + k) & 15);
    shared[l] = 10 * i;
    where[l] = &shared[7 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = *rows[i & 3] + *where[(l + 1) & 7];
}

kernel void casts_between_types(global const int *in, global int *out) {
    int i = get_global_id(0);
    const global uchar *bytes = (const global uchar *)in;
    const global short *halves = (const global short *)&in[i];
    float f = *(const global float *)(in + i);
    int word = 0x01020304;
    uchar *own = (uchar *)&word;
    own[i & 3] = bytes[4 * i + 1];
    out[i] = word + halves[1] + as_int(f) % 7;
}

kernel void aligned_up(global int *in, global int *out) {
    int i = get_global_id(0);
    size_t at = (size_t)(in + i);
    out[i] = *(global int *)((at + 31) & ~(size_t)31);
}

struct body {
    float3 position;
    int id;
    char tags[5];
};

float first_of(local struct body *b, int n) { return b[n].position.y + b[n].tags[n % 5]; }

kernel void local_structures(global int *in, global int *out) {
    local struct body bodies[8];
    int l = get_local_id(0), i = get_global_id(0);
    bodies[l].position = (float3)(in[i], 2 * in[i], 3 * in[i]);
    bodies[l].id = in[i];
    for (int k = 0; k < 5; k++)
        bodies[l].tags[k] = (char)(in[i] + k);
    barrier(CLK_LOCAL_MEM_FENCE);
    local struct body *next = &bodies[(l + 1) & 7];
    struct body copy = *next;
    out[i] = (int)first_of(bodies, 7 - l) + copy.id * 100 + next->tags[4];
}

kernel void arrays_of_two_dimensions(global int *in, global int *out) {
    local int grid[4][8];
    int own[3][2][2];
    int l = get_local_id(0), i = get_global_id(0);
    for (int r = 0; r < 4; r++)
        grid[r][l] = in[i] * (r + 1);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 2; b++)
            for (int c = 0; c < 2; c++)
                own[a][b][c] = a * 100 + b * 10 + c + in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int(*row)[2] = own[i % 3];
    out[i] = grid[i & 3][(l * 3) & 7] + own[i % 3][i & 1][(i >> 1) & 1] + row[1][0];
}

kernel void walk(global const int *in, global int *out) {
    int i = get_global_id(0);
    const global int *p = in + 16 * i, *end = p + 16;
    const global int *best = p;
    while (p != end) {
        if (*p > *best)
            best = p;
        ++p;
    }
    out[i] = (int)(best - in) + 1000 * (int)(end - best) + (best < end);
}
