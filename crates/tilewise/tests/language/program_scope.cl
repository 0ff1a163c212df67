/*
[[launch]]
kernel = "constants"
global = 8
local = 4
build_options = "-cl-std=CL3.0"
args = { out = "[8]:zero" }

[[launch]]
kernel = "variables"
global = 1
local = 1
build_options = "-cl-std=CL3.0 -DGLOBALS"
args = { out = "[12]:zero" }

[[launch]]
kernel = "list"
global = 1
local = 1
build_options = "-cl-std=CL3.0 -DGLOBALS"
args = { out = "[4]:zero" }

[expect]
values.variables.out = [5, 6, 3, 30, 5, 1, 2, 0, 0, 1, 99, 0]
values.list.out = [2, 3, 7, 2]
simulator_only = "PoCL 3.1 has no program-scope variables, and no addresses in constant tables"
*/

constant float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
constant float *constant rows[3] = {&weights[2], weights, &weights[1]};
constant char words[2][8] = {"one", "three"};
constant struct { int n; constant char *text; } named[2] = {{3, words[0]}, {5, words[1]}};

kernel void constants(global int *out) {
    int i = get_global_id(0);
    int sum = (int)(rows[i % 3][0] * 2) + named[i & 1].n;
    for (constant char *c = named[i & 1].text; *c; c++)
        sum += *c;
    out[i] = sum;
}

#ifdef GLOBALS
global int counter = 5;
global int table[4] = {1, 2, 3, 4};
global int *where = &table[2];
global int *global addresses[3] = {table, &counter, 0};
global int zeros[3];

struct node {
    int value;
    global struct node *next;
};
global struct node last = {7, 0};
global struct node middle = {3, &last};
global struct node first = {2, &middle};

kernel void variables(global int *out) {
    out[0] = counter;
    counter += 1;
    out[1] = counter;
    out[2] = *where;
    *where = 30;
    out[3] = table[2];
    counter = 5;
    out[4] = *addresses[1];
    out[5] = addresses[0][0];
    out[6] = addresses[0][1];
    out[7] = addresses[2] != 0;
    out[8] = zeros[1];
    where = &table[0];
    out[9] = *where;
    addresses[2] = zeros;
    addresses[2][2] = 99;
    out[10] = zeros[2];
}

kernel void list(global int *out) {
    int at = 0;
    for (global struct node *n = &first; n; n = n->next)
        out[at++] = n->value;
    last.next = &first;
    out[at] = middle.next->next->value;
}
#endif
