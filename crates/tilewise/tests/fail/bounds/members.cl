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

// The loop's last iteration reads the member behind the array.
kernel void one_too_many(global const int *in, global int *out)
{
    struct Table t;
    int gid = get_global_id(0), sum = 0;
    t.count = in[gid];
    t.rest = 7;
    for (int i = 0; i < 4; i++)
        t.values[i] = gid + i;
    for (int i = 0; i <= 4; i++)
        sum += t.values[i]; //~ TW104 reads element 4 of an array of 4 within a structure of t, 1 element past its end
    out[gid] = sum + t.count + t.rest;
}

// A write in front of the array hits the member there.
kernel void before(global const int *in, global int *out)
{
    local struct Table t;
    int lid = get_local_id(0);
    if (lid == 0) {
        t.count = 0;
        for (int i = -1; i < 3; i++)
            t.values[i] = i; //~ TW104 writes element -1 of an array of 4 within a structure of t, 1 element before its start
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[lid] = t.count;
}

// In a buffer of structures.
kernel void in_buffer(global const int *in, global struct Table *tables, global int *out)
{
    int gid = get_global_id(0);
    if (gid < 15)
        out[gid] = tables[gid].values[in[gid] & 7]; //~ TW104 within a structure of tables
}

// A column beyond its row is within the whole.
kernel void column(global const int *in, global int *out, int n)
{
    struct Grid g;
    int gid = get_global_id(0), sum = 0;
    g.end = 0;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 5; x++)
            g.cell[y][x] = in[gid];
    for (int y = 0; y < 2; y++)
        for (int x = 0; x <= n; x++)
            sum += g.cell[y][x]; //~ TW104 element 5 of an array of 5
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
    out[lid] = s.sums[lid & 1].part[n - 3] > 0; //~ TW104 element 2 of an array of 2
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        s.sums[n - 2].part[0] = 1; //~ TW104 writes element 3 of an array of 3
}

// A constant index, too.
kernel void constant_index(global const int *in, global int *out)
{
    struct Table t = { 0, { 1, 2, 3, 4 }, 0 };
    int gid = get_global_id(0);
    if (in[gid] > 3)
        t.values[4] = in[gid]; //~ TW104 element 4 of an array of 4
    out[gid] = t.values[1] + t.rest;
}

// What leaves the structure as a whole is told once.
kernel void far_away(global const int *in, global int *out)
{
    struct Table t = { 0, { 1, 2, 3, 4 }, 0 };
    int gid = get_global_id(0);
    out[gid] = t.values[in[gid] + 60]; //~ TW104 past its end
}

// The host leaves out an optional argument.
kernel void no_mask(global const int *in, global const int *mask, global int *out)
{
    int gid = get_global_id(0);
    if (mask[gid] == 0) //~ TW104 reads through mask, which is a null pointer in this launch
        out[gid] = in[gid];
}

kernel void no_mask_to_write(global const int *in, global int *mask, global int *out)
{
    int gid = get_global_id(0);
    global int *to = in[gid] > 8 ? mask : out;
    to[gid] = 1; //~ TW104 writes through mask, which is a null pointer
}
