/*
[[launch]]
global = 64
local = 64
args = { in = "[64]:iota", out = "[64]:zero", n = 5, tables = "[16]:zero", mask = "null", list = "[200]:zero" }
*/

struct Table {
    int count;
    int values[4];
    int rest;
};

struct Grid {
    int cell[3][5];
    int end;
};

struct Sum {
    float part[2];
};

struct Nested {
    struct Sum sums[3];
    float total;
};

kernel void one_too_many(global const int *in, global int *out)
{
    struct Table t;
    int gid = get_global_id(0), sum = 0;
    t.count = in[gid];
    t.rest = 7;
    for (int i = 0; i < 4; i++)
        t.values[i] = gid + i;
    for (int i = 0; i < 4; i++)
        sum += t.values[i];
    out[gid] = sum + t.count + t.rest;
}

kernel void before(global const int *in, global int *out)
{
    local struct Table t;
    int lid = get_local_id(0);
    if (lid == 0) {
        t.count = 0;
        for (int i = 0; i < 4; i++)
            t.values[i] = i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[lid] = t.count;
}

// In a buffer of structures.
kernel void in_buffer(global const int *in, global struct Table *tables, global int *out)
{
    int gid = get_global_id(0);
    if (gid < 15)
        out[gid] = tables[gid].values[in[gid] & 3];
}

kernel void column(global const int *in, global int *out, int n)
{
    struct Grid g;
    int gid = get_global_id(0), sum = 0;
    g.end = 0;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 5; x++)
            g.cell[y][x] = in[gid];
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < n; x++)
            sum += g.cell[y][x];
    out[gid] = sum + g.end;
}

// An array of structures within one.
kernel void nested(global const int *in, global int *out, int n)
{
    local struct Nested s;
    int lid = get_local_id(0);
    if (lid < 3) {
        s.sums[lid].part[0] = in[lid];
        s.sums[lid].part[1] = 1;
    }
    if (lid == 0)
        s.total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[lid] = s.sums[lid & 1].part[n & 1] > 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        s.sums[n - 3].part[0] = 1;
}

kernel void constant_index(global const int *in, global int *out)
{
    struct Table t = { 0, { 1, 2, 3, 4 }, 0 };
    int gid = get_global_id(0);
    if (in[gid] > 3)
        t.values[3] = in[gid];
    out[gid] = t.values[1] + t.rest;
}

kernel void far_away(global const int *in, global int *out)
{
    struct Table t = { 0, { 1, 2, 3, 4 }, 0 };
    int gid = get_global_id(0);
    out[gid] = t.values[in[gid] & 3];
}

// The host leaves out an optional argument.
kernel void no_mask(global const int *in, global const int *mask, global int *out)
{
    int gid = get_global_id(0);
    if (!mask || mask[gid] == 0)
        out[gid] = in[gid];
}

kernel void no_mask_to_write(global const int *in, global int *mask, global int *out)
{
    int gid = get_global_id(0);
    global int *to = in[gid] > 8 && mask ? mask : out;
    to[gid] = 1;
}

// As long as the program makes it.
struct List {
    int length;
    int items[1];
};

kernel void open_end(global struct List *list, global int *out)
{
    int gid = get_global_id(0);
    out[gid] = list->items[gid];
}

// The address behind the end is one; only to access it would be wrong.
kernel void end_pointer(global const int *in, global int *out, int n)
{
    struct Table t = { 0, { 1, 2, 3, 4 }, 0 };
    int sum = 0;
    for (int *p = &t.values[0], *end = &t.values[n - 1]; p < end; p++)
        sum += *p;
    out[get_global_id(0)] = sum + *(&t.values[n - 1] - 1);
}

// Two views of the same bytes.
union View {
    int whole[2];
    uchar bytes[8];
};

kernel void views(global const int *in, global int *out, int n)
{
    union View v;
    v.whole[0] = in[get_global_id(0)];
    v.whole[1] = 3;
    out[get_global_id(0)] = v.bytes[n + 2] + v.bytes[0];
}

// Null for good: neither read nor written.
kernel void optional(global const int *in, global int *mask, global int *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid];
    if (mask != 0 && in[gid] > 3)
        mask[gid] = 1;
}
