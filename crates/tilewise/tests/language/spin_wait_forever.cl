/*
[[launch]]
kernel = "later_group"
global = 64
local = 32
args = { ready = "[2]:zero" }

[[launch]]
kernel = "lock_never_freed"
global = 64
local = 64
args = { ready = "[1]:zero" }

[expect]
fault = "SpinWait"
*/

// The first group waits for the last one, which starts when it is done.
kernel void later_group(global volatile int *ready) {
    if (get_group_id(0) == 0)
        while (ready[1] == 0)
            ;
    else
        ready[1] = 1;
}

kernel void lock_never_freed(global int *ready) {
    while (atomic_cmpxchg(ready, 0, 1) != 0)
        ;
}
