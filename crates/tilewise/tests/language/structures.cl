/*
[[launch]]
kernel = "unions"
global = 8
local = 4
args = { in = "[8]:iota", out = "[16]:zero" }

[[launch]]
kernel = "nested"
global = 8
local = 4
args = { in = "[8]:random(0,1000)", out = "[8]:zero" }

[[launch]]
kernel = "by_value"
global = 8
local = 4
args = { in = "[8]:random(0,1000)", out = "[8]:zero" }

[[launch]]
kernel = "packed"
global = 8
local = 4
args = { in = "[8]:random(0,1000)", out = "[8]:zero", bytes = "[56]:zero" }

[expect]
*/

union word {
    float f;
    uint u;
    uchar b[4];
    struct {
        ushort low, high;
    } halves;
};

kernel void unions(global const int *in, global uint *out) {
    size_t i = get_global_id(0);
    union word w;
    w.f = (float)in[i] * 0.75f;
    uint bits = w.u;
    w.b[in[i] & 3] = 0x5a;
    out[2 * i] = bits;
    out[2 * i + 1] = w.halves.low * 3u + w.halves.high;
}

typedef struct {
    int2 position;
    struct {
        char tag;
        short sizes[3];
        struct {
            float3 colour;
            double weight;
        } inner[2];
    } parts[2];
} thing;

kernel void nested(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    thing t[2];
    for (int k = 0; k < 2; k++) {
        t[k].position = (int2)(in[i], k);
        for (int p = 0; p < 2; p++) {
            t[k].parts[p].tag = (char)(in[i] + p);
            for (int s = 0; s < 3; s++)
                t[k].parts[p].sizes[s] = (short)(in[(i + s) & 7] * (k + 1));
            for (int n = 0; n < 2; n++) {
                t[k].parts[p].inner[n].colour = (float3)(n, p, k) + (float)in[i];
                t[k].parts[p].inner[n].weight = n * 0.5 + p;
            }
        }
    }
    thing copy = t[in[i] & 1];
    int k = in[i] & 1, p = in[(i + 1) & 7] & 1, n = in[(i + 2) & 7] & 1;
    out[i] = copy.position.x + 2 * copy.position.y + copy.parts[p].tag
        + copy.parts[p].sizes[in[i] % 3] + (int)copy.parts[n].inner[n].colour.z
        + (int)(4.0 * t[k].parts[p].inner[n].weight);
}

struct pair {
    int key;
    float weights[3];
};

struct pair swap(struct pair a, int n) {
    float first = a.weights[0];
    a.weights[0] = a.weights[n % 3];
    a.weights[n % 3] = first;
    a.key += n;
    return a;
}

kernel void by_value(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    struct pair p = {in[i], {1.0f, 2.0f, 4.0f}};
    struct pair q = swap(p, in[i]);
    struct pair r = in[i] & 1 ? swap(q, 2) : p;
    out[i] = r.key * 100 + (int)(r.weights[0] * 10 + r.weights[2]) + p.key;
}

struct __attribute__((packed)) record {
    uchar kind;
    int value;
    short rest;
};

kernel void packed(global const int *in, global int *out, global uchar *bytes) {
    size_t i = get_global_id(0);
    global struct record *records = (global struct record *)bytes;
    records[i].kind = (uchar)i;
    records[i].value = in[i];
    records[i].rest = (short)(in[i] + 1);
    out[i] = records[i].value + records[i].rest + (int)sizeof(struct record);
}
