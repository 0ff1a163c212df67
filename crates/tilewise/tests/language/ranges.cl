/*
[[launch]]
kernel = "ids"
global = "6x4x6"
local = "3x2x2"
offset = "5,7,11"
args = { out = "[1440]:zero" }

[[launch]]
kernel = "ids"
global = "24x10"
local = "8x5"
offset = "100,3"
args = { out = "[2400]:zero" }

[[launch]]
kernel = "ids"
global = 60
local = 12
offset = 1
args = { out = "[600]:zero" }

[[launch]]
kernel = "required"
global = 32
local = 16
args = { out = "[32]:zero" }

[expect]
*/

kernel void ids(global int *out) {
    size_t n = 0, stride = 1;
    for (uint d = 0; d < 3; d++) {
        n += (get_global_id(d) - get_global_offset(d)) * stride;
        stride *= get_global_size(d);
    }
    global int *o = out + 10 * n;
    for (uint d = 0; d < 3; d++) {
        o[d] = (int)(get_global_id(d) * 100 + get_local_id(d));
        o[3 + d] = (int)(get_group_id(d) * 100 + get_num_groups(d) * 10 + get_local_size(d));
        o[6 + d] = (int)(get_global_size(d) * 100 + get_global_offset(d));
    }
    o[9] = (int)get_work_dim();
}

kernel __attribute__((reqd_work_group_size(16, 1, 1))) void required(global int *out) {
    out[get_global_id(0)] = get_local_size(0);
}
