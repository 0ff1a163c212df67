/*
[[launch]]
global = 256
local = 64
args = { in = "[256]:random(1,9)", out = "[256]:zero", n = 250, count = "[4]:zero", sums = "[8]:zero", total = "[1]:zero", big = "[1024]:zero", tile = "[64]", f = "[256]", g = "[256]:zero" }

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
args = { in = "[256]:random(1,9)", out = "[256]:zero" }

[[launch]]
kernel = "transpose_2d"
global = [32, 32]
local = [16, 16]
args = { in = "[1024]:random(1,9)", out = "[1024]:zero" }

[[launch]]
kernel = "histogram"
global = 256
local = 64
args = { in = "[256]:random(0,16)", bins = "[16]:zero" }

[[launch]]
kernel = "stencil_2d"
global = [32, 32]
local = [8, 8]
args = { f = "[30*30]", g = "[30*30]:zero", w = 30, h = 30 }

[[launch]]
kernel = "last_group"
global = 256
local = 64
args = { in = "[256]:random(1,9)", parts = "[4]:zero", done = "[1]:zero", total = "[1]:zero" }

[[launch]]
kernel = "exclusive_scan"
global = 64
local = 64
args = { in = "[64]:random(1,9)", out = "[64]:zero" }
*/

// In place, each work-item its own element.
kernel void in_place(global int *out)
{
    int gid = get_global_id(0);
    out[gid] = out[gid] * 2 + 1;
}

// In place within a group: read all, then write.
kernel void reverse_in_place(global int *out, local int *tile)
{
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = out[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[63 - lid];
}

// Ping-pong between two halves of a tile.
kernel void ping_pong(global const int *in, global int *out)
{
    local int buf[2][64];
    int lid = get_local_id(0), gid = get_global_id(0), from = 0;
    buf[0][lid] = in[gid];
    for (int d = 1; d < 64; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        buf[1 - from][lid] = buf[from][lid] + (lid >= d ? buf[from][lid - d] : 0);
        from = 1 - from;
    }
    out[gid] = buf[from][lid];
}

// Ping-pong with pointers that are swapped.
kernel void pointer_swap(global const int *in, global int *out)
{
    local int a[64], b[64];
    local int *src = a, *dst = b;
    int lid = get_local_id(0), gid = get_global_id(0);
    src[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 5; i++) {
        dst[lid] = src[lid] + src[(lid + 1) & 63];
        barrier(CLK_LOCAL_MEM_FENCE);
        local int *t = src;
        src = dst;
        dst = t;
    }
    out[gid] = src[lid];
}

// Double buffering of async copies, each event waited for.
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
        sum += tile[now][63 - lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = sum;
}

// Software pipeline: the next tile waits in a register.
kernel void prefetch(global const int *in, global int *out)
{
    local int tile[64];
    int lid = get_local_id(0), gid = get_global_id(0), sum = 0;
    int next = in[lid];
    for (int k = 0; k < 4; k++) {
        tile[lid] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k + 1 < 4)
            next = in[64 * (k + 1) + lid];
        for (int i = 0; i < 64; i++)
            sum += tile[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = sum;
}

// A whole group leaves early: all of its work-items alike.
kernel void idle_groups(global const int *in, global int *sums)
{
    local int tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (get_group_id(0) >= 3)
        return;
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (lid < s)
            tile[lid] += tile[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = tile[0];
}

// A reduction over a number of elements that is no power of two.
kernel void odd_reduction(global const int *in, global int *sums)
{
    local int tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 50; n > 1;) {
        int half_up = (n + 1) / 2;
        if (lid + half_up < n)
            tile[lid] += tile[lid + half_up];
        barrier(CLK_LOCAL_MEM_FENCE);
        n = half_up;
    }
    if (lid == 0)
        sums[get_group_id(0)] = tile[0];
}

// The last group to come adds up what the others left.
kernel void last_group(global const int *in, global int *parts, global int *done, global int *total)
{
    local int tile[64], last;
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++)
            sum += tile[i];
        parts[get_group_id(0)] = sum;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(done) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && lid == 0) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        int sum = 0;
        for (int i = 0; i < get_num_groups(0); i++)
            sum += parts[i];
        *total = sum;
    }
}

// Each work-item takes a place that no other has.
kernel void compact(global const int *in, global int *out, global int *total)
{
    int gid = get_global_id(0);
    if (in[gid] > 4)
        out[atomic_inc(total)] = in[gid];
}

// Privatised bins, then one atomic for each.
kernel void histogram(global const int *in, global int *bins)
{
    local int mine[16];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid < 16)
        mine[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&mine[in[gid]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 16)
        atomic_add(&bins[lid], mine[lid]);
}

// Loads and stores that are guarded, with a barrier outside of the guard.
kernel void guarded(global const int *in, global int *out, int n)
{
    local int tile[66];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid + 1] = gid < n ? in[gid] : 0;
    if (lid == 0)
        tile[0] = gid > 0 ? in[gid - 1] : 0;
    if (lid == 63)
        tile[65] = gid + 1 < n ? in[gid + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gid < n)
        out[gid] = tile[lid] + tile[lid + 1] + tile[lid + 2];
}

union Word {
    int i;
    float f;
    uchar b[4];
};

kernel void unions(global const float *f, global int *out)
{
    int gid = get_global_id(0);
    union Word w;
    w.f = f[gid];
    out[gid] = w.i ^ w.b[3];
}

struct Pair {
    int key;
    float value[3];
};

kernel void struct_copies(global const int *in, global int *out)
{
    local struct Pair pairs[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    struct Pair p = { in[gid], { 1, 2, 3 } };
    pairs[lid] = p;
    barrier(CLK_LOCAL_MEM_FENCE);
    struct Pair q = pairs[63 - lid];
    out[gid] = q.key + q.value[q.key % 3];
}

// Components that are set one by one, in any order.
kernel void parts_of_vector(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    int4 v;
    v.w = in[gid];
    v.xy = (int2)(1, 2);
    if (v.w > 4)
        v.z = 3;
    else
        v.z = 4;
    out[gid] = v.x + v.y + v.z + v.w;
}

// Only the components that are set are read.
kernel void some_parts(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    int4 v;
    v.x = in[gid];
    v.z = v.x + 1;
    out[gid] = v.x + v.z;
}

// Of a structure in local memory, only what was set is read.
kernel void part_of_struct(global const int *in, global int *out)
{
    local struct Pair pairs[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    pairs[lid].key = in[gid];
    pairs[lid].value[1] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = pairs[63 - lid].key + (int)pairs[lid].value[1];
}

kernel void prints(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    if (gid == 7)
        printf("%d %v4d\n", in[gid], (int4)(1, 2, 3, 4));
    out[gid] = in[gid];
}

kernel void fall_through(global const int *in, global int *out)
{
    int gid = get_global_id(0), x;
    switch (in[gid] & 3) {
    case 0:
        x = 1;
        break;
    case 1:
        x = 2;
    case 2:
        x = 3;
        break;
    default:
        x = 4;
    }
    out[gid] = x;
}

// Duff's device: into the middle of a loop.
kernel void duff(global const int *in, global int *out)
{
    int gid = get_global_id(0), n = (in[gid] + 3) / 4, sum = 0, i = 0;
    switch (in[gid] & 3) {
    case 0:
        do {
            sum += in[i++];
    case 3:
            sum += in[i++];
    case 2:
            sum += in[i++];
    case 1:
            sum += in[i++];
        } while (--n > 0);
    }
    out[gid] = sum;
}

// A pointer into the middle, with indices below zero.
kernel void negative(global const int *in, global int *out)
{
    local int tile[68];
    int lid = get_local_id(0), gid = get_global_id(0);
    local int *mid = tile + 2;
    mid[lid] = in[gid];
    if (lid < 2)
        mid[lid - 2] = 0;
    if (lid > 61)
        mid[lid + 2] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = mid[lid - 2] + mid[lid - 1] + mid[lid] + mid[lid + 1] + mid[lid + 2];
}

kernel void group_3d(global const int *in, global int *out)
{
    local int tile[4][4][4];
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    int i = (get_global_id(2) * 8 + get_global_id(1)) * 8 + get_global_id(0);
    tile[z][y][x] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[x][z][y];
}

kernel void with_offset(global const int *in, global int *out)
{
    local int tile[32];
    int gid = get_global_id(0), lid = get_local_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid - get_global_offset(0)] = tile[31 - lid];
}

kernel void transpose_2d(global const int *in, global int *out)
{
    local int tile[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    int gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
    tile[y][x] = in[(gy + y) * 32 + gx + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx + y) * 32 + gy + x] = tile[x][y];
}

kernel void stencil_2d(global const float *f, global float *g, int w, int h)
{
    local float t[10][10];
    int lx = get_local_id(0), ly = get_local_id(1);
    int ox = get_group_id(0) * 8 - 1, oy = get_group_id(1) * 8 - 1;
    for (int i = ly * 8 + lx; i < 100; i += 64) {
        int x = clamp(ox + i % 10, 0, w - 1), y = clamp(oy + i / 10, 0, h - 1);
        t[i / 10][i % 10] = f[y * w + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        g[y * w + x] = t[ly][lx + 1] + t[ly + 2][lx + 1] + t[ly + 1][lx] + t[ly + 1][lx + 2];
}

// One of the work-items writes for all, the barrier hands it over.
kernel void broadcast(global const int *in, global int *out)
{
    local int shared_value;
    int lid = get_local_id(0), gid = get_global_id(0);
    for (int i = 0; i < 4; i++) {
        if (lid == i)
            shared_value = in[gid];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[gid] += shared_value;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// A bitonic sort in local memory.
kernel void bitonic(global const int *in, global int *out)
{
    local int v[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    v[lid] = in[gid];
    for (int k = 2; k <= 64; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int other = lid ^ j;
            if (other > lid) {
                bool up = (lid & k) == 0;
                if ((v[lid] > v[other]) == up) {
                    int t = v[lid];
                    v[lid] = v[other];
                    v[other] = t;
                }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = v[lid];
}

// A scan by Blelloch: the up-sweep and the down-sweep.
kernel void exclusive_scan(global const int *in, global int *out)
{
    local int t[64];
    int lid = get_local_id(0), step = 1;
    t[lid] = in[lid];
    for (int d = 32; d > 0; d >>= 1, step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d)
            t[step * (2 * lid + 2) - 1] += t[step * (2 * lid + 1) - 1];
    }
    if (lid == 0)
        t[63] = 0;
    for (int d = 1; d < 64; d *= 2) {
        step >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) {
            int a = step * (2 * lid + 1) - 1, b = step * (2 * lid + 2) - 1;
            int x = t[a];
            t[a] = t[b];
            t[b] += x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[lid] = t[lid];
}

// Data handed over in global memory within a group: the barrier's fence is global.
kernel void through_global(global const int *in, global int *out, global int *big)
{
    int gid = get_global_id(0), lid = get_local_id(0);
    big[gid] = in[gid];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[gid] = big[gid - lid + 63 - lid];
}

// Vectors by pointer casts, aligned as their type.
kernel void vector_loads(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    if (gid < 64) {
        int4 v = ((global const int4 *)in)[gid];
        vstore4(v + 1, gid, out);
    }
}

// A vector at any element's address.
kernel void unaligned_vector(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    int4 v = vload4(0, in + min(gid, 252));
    out[gid] = v.x + v.w;
}

// Bytes of one word by different work-items.
kernel void neighbours_bytes(global const int *in, global int *out)
{
    local uchar bytes[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    bytes[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = bytes[lid ^ 3];
}

// A loop with continue in front of no barrier, and break by all.
kernel void all_break(global const int *in, global int *out)
{
    local int tile[64];
    int lid = get_local_id(0), gid = get_global_id(0), sum = 0;
    for (int k = 0;; k++) {
        tile[lid] = in[(gid + k) & 255];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k == 3)
            break;
        if (tile[63 - lid] > 4)
            sum += tile[lid ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = sum;
}

// Barriers in a function, called by all.
int staged(local int *tile, int value, int lid)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lid] = value;
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

// A conditional value that only the condition's side reads.
kernel void lazy(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0), x;
    if (gid < n)
        x = in[gid];
    if (gid < n && x > 4)
        out[gid] = x;
}

// A matrix in private memory, filled in a loop.
kernel void private_matrix(global const int *in, global int *out)
{
    int m[4][4], gid = get_global_id(0);
    for (int i = 0; i < 16; i++)
        m[i >> 2][i & 3] = in[(gid + i) & 255];
    int trace = 0;
    for (int i = 0; i < 4; i++)
        trace += m[i][i] - m[3 - i][i];
    out[gid] = trace;
}

// A flag that stays set: all write the same, with an atomic.
kernel void any(global const int *in, global int *total)
{
    if (in[get_global_id(0)] > 8)
        atomic_or(total, 1);
}

// The strided loop over a grid, with the rest guarded by its condition.
kernel void grid_stride(global const int *in, global int *big)
{
    for (int i = get_global_id(0); i < 1000; i += get_global_size(0))
        big[i] = in[i & 255];
}
