/*
[[launch]]
kernel = "asked_about"
global = "4x2x2"
local = "2x2x1"
offset = "3,4,5"
args = { d = 3, out = "[16]:zero" }

[expect]
simulator_only = "PoCL 3.1 gives 0 for sizes in dimensions that there are not, where OpenCL C says 1"
values.out = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0]
*/

kernel void asked_about(uint d, global int *out) {
    if (get_local_id(0) + get_local_id(1) + get_group_id(0) + get_group_id(1) + get_group_id(2))
        return;
    out[0] = get_global_id(3);
    out[1] = get_local_size(5);
    out[2] = get_num_groups(4);
    out[3] = get_group_id(3);
    out[4] = get_global_size(3);
    out[5] = get_global_offset(3);
    // Known only at run time.
    out[6] = get_global_id(d);
    out[7] = get_local_size(d);
    out[8] = get_num_groups(d);
    out[9] = get_local_id(d + 1);
    out[10] = get_global_size(d);
    out[11] = get_global_offset(d);
}
