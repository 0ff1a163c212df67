/*
[[launch]]
kernel = "drain"
global = 8
local = 4
build_options = "-cl-std=CL2.0"
args = { out = "[8]:zero" }

[expect]
refused = ["drain", "pipe"]
*/

kernel void drain(read_only pipe int from, global int *out) {
    int packet = 0;
    read_pipe(from, &packet);
    out[get_global_id(0)] = packet;
}
