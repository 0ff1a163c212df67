/*
[[launch]]
kernel = "sums"
global = 64
local = 64
build_options = "-cl-std=CL2.0"
args = { out = "[64]:zero" }

[expect]
extensions = ["cl_khr_fp64"]
refused = ["refused_extension.cl:15:", "sub_group_reduce_add", "cl_khr_subgroups"]
*/

kernel void sums(global int *out) {
    out[get_global_id(0)] = sub_group_reduce_add(1);
}
