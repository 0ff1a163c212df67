/*
[[launch]]
kernel = "conversions"
global = 2
local = 1

[[launch]]
kernel = "vectors"
global = 1
local = 1

[[launch]]
kernel = "from_lanes"
global = 8
local = 4
args = { in = "[8]:iota" }

[expect]
printf = """
hello 0 100%
   42|42   |00042|+42| 42|2a|0X2A|52|-1|4294967295
44 4464 -1 1099511627776
1.500000 1.500000e+00 1.5 -0.25 2 0x1.8p+0 1234.568
A text tex    right|left   |
hello 1 100%
   42|42   |00042|+42| 42|2a|0X2A|52|-1|4294967295
44 4464 -1 1099511627776
1.500000 1.500000e+00 1.5 -0.25 2 0x1.8p+0 1234.568
A text tex    right|left   |
1,-2,3,-4
1.00,2.50,-3.00
0xfa,0xfb
5,6,7,8,1,2,3,4
lane 0: 0.0
lane 2: 4.0
lane 4: 8.0
lane 6: 12.0
"""
*/

kernel void conversions(void) {
    int i = get_global_id(0);
    int v = 42;
    printf("hello %d 100%%\n", i);
    printf("%5d|%-5d|%05d|%+d|% d|%x|%#X|%o|%i|%u\n", v, v, v, v, v, v, v, v, -1, -1);
    printf("%hhd %hd %d %ld\n", 300, 70000, -1, 1L << 40);
    printf("%f %e %g %g %.0f %a %.3f\n", 1.5f, 1.5f, 1.5f, -0.25f, 2.0f, 1.5f, 1234.5678f);
    printf("%c %s %.3s %8s|%-7s|\n", 'A', "text", "text", "right", "left");
}

kernel void vectors(void) {
    printf("%v4hld\n", (int4)(1, -2, 3, -4));
    printf("%.2v3hlf\n", (float3)(1.0f, 2.5f, -3.0f));
    printf("%#v2hhx\n", (uchar2)(0xfa, 0xfb));
    printf("%v8hu\n", (ushort8)(5, 6, 7, 8, 1, 2, 3, 4));
}

kernel void from_lanes(global const int *in) {
    int i = in[get_global_id(0)];
    if (i % 2 == 0)
        printf("lane %d: %.1f\n", i, i * 2.0f);
}
