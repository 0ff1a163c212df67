/*
[[launch]]
kernel = "factorial"
global = 8
local = 4
args = { out = "[8]:zero" }

[expect]
refused = ["refused_recursion.cl:12:", "the recursive call of `f`"]
*/

int f(int n) { return n < 2 ? 1 : n * f(n - 1); }

kernel void factorial(global int *out) { out[get_global_id(0)] = f(get_global_id(0)); }
