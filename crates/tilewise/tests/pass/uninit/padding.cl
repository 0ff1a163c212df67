/*
[[launch]]
global = 32
local = 16
args = { out = "[32]:zero" }
*/

typedef struct { short a; int b; } padded;
typedef struct { float key; uchar id; } entry;
typedef struct { short x[7]; int length; } list;

int less(entry a, entry b) { return a.key < b.key; }
int first(list l) { return l.x[l.length & 3]; }

kernel void copied_twice(global int *out)
{
    int gid = get_global_id(0);
    padded x, y, z;
    x.a = gid;
    x.b = 1;
    y = x;
    z = y;
    out[gid] = z.a + z.b;
}

kernel void swapped(global int *out)
{
    int gid = get_global_id(0);
    entry q[2];
    q[0].key = gid;
    q[0].id = 1;
    q[1].key = 2;
    q[1].id = gid;
    if (q[0].key < q[1].key) {
        entry t = q[0];
        q[0] = q[1];
        q[1] = t;
    }
    out[gid] = q[0].id * 256 + q[1].id;
}

kernel void by_value(global int *out)
{
    int gid = get_global_id(0), lid = get_local_id(0);
    local entry tile[16];
    entry mine;
    mine.key = gid;
    mine.id = gid;
    tile[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    entry other = tile[15 - lid];
    list l;
    l.length = lid;
    for (int i = 0; i < 4; i++)
        l.x[i] = gid;
    out[gid] = less(mine, other) + first(l);
}
