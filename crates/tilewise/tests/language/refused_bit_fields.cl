/*
[[launch]]
kernel = "bit_fields"
global = 8
local = 4
args = { out = "[8]:zero" }

[expect]
refused = ["refused_bit_fields.cl:13:", "bit-fields are not supported"]
*/

struct flags {
    uint a : 3;
};

kernel void bit_fields(global int *out) {
    struct flags f = {5};
    out[get_global_id(0)] = f.a;
}
