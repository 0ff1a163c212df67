/*
[[launch]]
global = 256
local = 64
args = { in = "[256]:random(1,9)", out = "[256]:zero", n = 250, sums = "[8]:zero", total = "[1]:zero", big = "[1024]:zero", tile = "[64]", f = "[256]" }

[[launch]]
kernel = "last_group"
global = 256
local = 64
args = { in = "[256]:random(1,9)", parts = "[4]:zero", done = "[1]:zero", total = "[1]:zero" }

[[launch]]
kernel = "histogram"
global = 256
local = 64
args = { in = "[256]:random(0,16)", bins = "[16]:zero" }

[[launch]]
kernel = "group_3d"
global = [8, 8, 8]
local = [4, 4, 4]
args = { in = "[512]:random(1,9)", out = "[512]:zero" }

[[launch]]
kernel = "with_offset"
global = 128
local = 32
offset = 64
args = { in = "[256]:random(1,9)", out = "[128]:zero" }

[[launch]]
kernel = "stencil_2d"
global = [32, 32]
local = [8, 8]
args = { f = "[30*30]", g = "[30*30]:zero", w = 30, h = 30 }
*/

// In place, but across the group's elements and without a tile.
kernel void reverse_in_place(global int *out, local int *tile)
{
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = out[gid - lid + 63 - lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid]; //~ TW102
}

// The halves change places only every second time.
kernel void ping_pong(global const int *in, global int *out)
{
    local int buf[2][64];
    int lid = get_local_id(0), gid = get_global_id(0), from = 0;
    buf[0][lid] = in[gid];
    for (int d = 1; d < 64; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        buf[from][lid] = buf[from][lid] + (lid >= d ? buf[from][lid - d] : 0); //~ TW101 //~ TW105
        if (d & 2)
            from = 1 - from;
    }
    out[gid] = buf[from][lid];
}

// One barrier in an iteration is too few, since the tile is written again.
kernel void prefetch(global const int *in, global int *out)
{
    local int tile[64];
    int lid = get_local_id(0), gid = get_global_id(0), sum = 0;
    int next = in[lid];
    for (int k = 0; k < 4; k++) {
        tile[lid] = next; //~ TW101
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k + 1 < 4)
            next = in[64 * (k + 1) + lid];
        for (int i = 0; i < 64; i++)
            sum += tile[i];
    }
    out[gid] = sum;
}

// Without a fence nothing says that the parts are there.
kernel void last_group(global const int *in, global int *parts, global int *done, global int *total)
{
    local int last;
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid == 0) {
        parts[get_group_id(0)] = in[gid];
        last = atomic_inc(done) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && lid == 0) {
        int sum = 0;
        for (int i = 0; i < get_num_groups(0); i++)
            sum += parts[i]; //~ TW102 put mem_fence(CLK_GLOBAL_MEM_FENCE) between the write and the atomic
        *total = sum;
    }
}

// The bins are set to zero by those that count, without a barrier.
kernel void histogram(global const int *in, global int *bins)
{
    local int mine[16];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid < 16)
        mine[lid] = 0;
    atomic_inc(&mine[in[gid]]); //~ TW101
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 16)
        atomic_add(&bins[lid], mine[lid]);
}

kernel void guarded(global const int *in, global int *out, int n)
{
    local int tile[66];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (gid < n)
        tile[lid + 1] = in[gid];
    if (lid == 0)
        tile[0] = gid > 0 ? in[gid - 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gid < n)
        out[gid] = tile[lid] + tile[lid + 1] + tile[lid + 2]; //~ TW105
}

kernel void parts_of_vector(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    int4 v;
    v.w = in[gid];
    v.xy = (int2)(1, 2);
    if (v.w > 4)
        v.z = 3;
    out[gid] = v.x + v.y + v.z + v.w; //~ TW105
}

struct Pair {
    int key;
    float value[3];
};

kernel void part_of_struct(global const int *in, global int *out)
{
    local struct Pair pairs[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    pairs[lid].key = in[gid];
    pairs[lid].value[1] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = pairs[63 - lid].key + (int)pairs[lid].value[2]; //~ TW105
}

kernel void fall_through(global const int *in, global int *out)
{
    int gid = get_global_id(0), x;
    switch (in[gid] & 3) {
    case 0:
        x = 1;
        break;
    case 1:
    case 2:
        break;
    default:
        x = 4;
    }
    out[gid] = x; //~ TW105
}

kernel void negative(global const int *in, global int *out)
{
    local int tile[68];
    int lid = get_local_id(0), gid = get_global_id(0);
    local int *mid = tile + 1;
    mid[lid] = in[gid];
    if (lid < 2)
        mid[lid - 2] = 0; //~ TW104
    if (lid > 61)
        mid[lid + 2] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = mid[lid - 1] + mid[lid] + mid[lid + 1] + mid[lid + 2];
}

kernel void group_3d(global const int *in, global int *out)
{
    local int tile[4][4][4];
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    int i = (get_global_id(2) * 8 + get_global_id(1)) * 8 + get_global_id(0);
    tile[y][y][x] = in[i]; //~ TW101
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[x][z][y]; //~ TW105
}

kernel void with_offset(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid]; //~ TW104
}

kernel void stencil_2d(global const float *f, global float *g, int w, int h)
{
    local float t[10][10];
    int lx = get_local_id(0), ly = get_local_id(1);
    int ox = get_group_id(0) * 8 - 1, oy = get_group_id(1) * 8 - 1;
    for (int i = ly * 8 + lx; i < 100; i += 64) {
        int x = clamp(ox + i % 10, 0, w - 1), y = min(oy + i / 10, h - 1);
        t[i / 10][i % 10] = f[y * w + x]; //~ TW104
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        g[y * w + x] = t[ly][lx + 1] + t[ly + 2][lx + 1] + t[ly + 1][lx] + t[ly + 1][lx + 2];
}

kernel void broadcast(global const int *in, global int *out)
{
    local int shared_value;
    int lid = get_local_id(0), gid = get_global_id(0);
    for (int i = 0; i < 4; i++) {
        if (lid == i)
            shared_value = in[gid]; //~ TW101
        barrier(CLK_LOCAL_MEM_FENCE);
        out[gid] += shared_value;
    }
}

kernel void bitonic(global const int *in, global int *out)
{
    local int v[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    v[lid] = in[gid];
    for (int k = 2; k <= 64; k <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = k >> 1; j > 0; j >>= 1) {
            int other = lid ^ j;
            if (other > lid) {
                bool up = (lid & k) == 0;
                if ((v[lid] > v[other]) == up) {
                    int t = v[lid];
                    v[lid] = v[other]; //~ TW101
                    v[other] = t; //~ TW101
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = v[lid];
}

// The barrier is for local memory alone.
kernel void through_global(global const int *in, global int *out, global int *big)
{
    int gid = get_global_id(0), lid = get_local_id(0);
    big[gid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = big[gid - lid + 63 - lid]; //~ TW102
}

kernel void vector_loads(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    if (gid < 63) {
        int4 v = *(global const int4 *)(in + 4 * gid + 1); //~ TW106
        vstore4(v + 1, gid, out);
    }
}

kernel void unaligned_vector(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    int4 v = vload4(0, in + gid); //~ TW104
    out[gid] = v.x + v.w;
}

// Some break, others come to the barrier.
kernel void all_break(global const int *in, global int *out)
{
    local int tile[64];
    int lid = get_local_id(0), gid = get_global_id(0), sum = 0;
    for (int k = 0;; k++) {
        tile[lid] = in[(gid + k) & 255];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k == 3 + (lid & 1))
            break;
        if (tile[63 - lid] > 4)
            sum += tile[lid ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE); //~ TW103 those that leave early never come to the barrier
    }
    out[gid] = sum;
}

int staged(local int *tile, int value, int lid)
{
    tile[lid] = value; //~ TW101
    barrier(CLK_LOCAL_MEM_FENCE);
    return tile[63 - lid];
}

kernel void helper(global const int *in, global int *out)
{
    local int tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    int x = staged(tile, in[gid], lid);
    out[gid] = x + staged(tile, x + lid, lid);
}

kernel void lazy(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), x;
    if (gid < n)
        x = in[gid];
    if (x > 4) //~ TW105
        out[gid] = x;
}

kernel void private_matrix(global const int *in, global int *out)
{
    int m[4][4], gid = get_global_id(0);
    for (int i = 0; i < 15; i++)
        m[i >> 2][i & 3] = in[(gid + i) & 255];
    int trace = 0;
    for (int i = 0; i < 4; i++)
        trace += m[i][i] - m[3 - i][i]; //~ TW105
    out[gid] = trace;
}

kernel void any(global const int *in, global int *total)
{
    if (in[get_global_id(0)] > 4)
        *total += 1; //~ TW102
}

kernel void grid_stride(global const int *in, global int *big)
{
    for (int i = get_global_id(0); i <= 1024; i += get_global_size(0))
        big[i] = in[i & 255]; //~ TW104
}

// A sub-group's barrier does not order the group.
kernel void double_buffer(global const int *in, global int *out)
{
    local int tile[2][64];
    int lid = get_local_id(0), gid = get_global_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(tile[0], in, 64, 0);
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        int now = k & 1;
        if (k < 3)
            e[1 - now] = async_work_group_copy(tile[1 - now], in + 64 * (k + 1), 64, 0);
        wait_group_events(1, &e[now]);
        sum += tile[now][63 - lid]; //~ TW110 between this line and the copy that follows
    }
    out[gid] = sum;
}
