/*
[[launch]]
kernel = "parent"
global = 8
local = 4
build_options = "-cl-std=CL2.0"
args = { out = "[8]:zero" }

[expect]
refused = ["refused_device_enqueue.cl:", "device-side enqueue"]
*/

kernel void parent(global int *out) {
    queue_t queue = get_default_queue();
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{ out[get_global_id(0)] = 1; });
}
