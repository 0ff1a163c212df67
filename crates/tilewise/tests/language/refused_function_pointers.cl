/*
[[launch]]
kernel = "calls"
global = 8
local = 4
args = { out = "[8]:zero" }

[expect]
refused = ["refused_function_pointers.cl:16:", "pointers to functions are not allowed"]
*/

int one(int n) { return n + 1; }
int two(int n) { return n + 2; }

kernel void calls(global int *out) {
    int (*f)(int) = get_global_id(0) & 1 ? one : two;
    out[get_global_id(0)] = f(3);
}
