/*
[[launch]]
kernel = "half_of_the_sub_group"
global = 128
local = 128
build_options = "-cl-std=CL2.0"
args = { out = "[128]:zero" }

[[launch]]
kernel = "some_returned"
global = 128
local = 128
build_options = "-cl-std=CL2.0"
args = { out = "[128]:zero" }

[[launch]]
kernel = "sub_group_barrier_in_a_branch"
global = 128
local = 128
build_options = "-cl-std=CL2.0"
args = { out = "[128]:zero" }

[[launch]]
kernel = "two_places"
global = 128
local = 128
build_options = "-cl-std=CL2.0"
args = { out = "[128]:zero" }

[expect]
fault = "SubGroupDivergence"
*/

kernel void half_of_the_sub_group(global int *out) {
    int sum = 0;
    if (get_local_id(0) % 2)
        sum = sub_group_reduce_add(1);
    out[get_global_id(0)] = sum;
}

kernel void some_returned(global int *out) {
    if (get_local_id(0) % 8 == 5)
        return;
    out[get_global_id(0)] = sub_group_any(get_local_id(0) == 3);
}

kernel void sub_group_barrier_in_a_branch(global int *out) {
    out[get_global_id(0)] = 1;
    if (get_local_id(0) % 4 == 0)
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] += 1;
}

kernel void two_places(global int *out) {
    int sum;
    if (get_local_id(0) % 2)
        sum = sub_group_reduce_add(1);
    else
        sum = sub_group_reduce_add(2) + 1;
    out[get_global_id(0)] = sum;
}
