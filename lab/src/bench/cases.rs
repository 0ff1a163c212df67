//! What is benchmarked. Sizes stand in `bench/speed/launches.toml`.

/// One kernel.
pub struct Case {
    /// The kernel function, which also names the launch.
    pub kernel: &'static str,
    /// Its file, from the workspace's root.
    pub file: &'static str,
}

const fn case(kernel: &'static str, file: &'static str) -> Case {
    Case { kernel, file }
}

const SPEED: &str = "bench/speed/kernels.cl";

/// Kernels whose simulation alone is timed.
pub const CASES: &[Case] = &[
    case("blur_naive", "examples/blur/blur.cl"),
    case("blur_tiled", "examples/blur/blur.cl"),
    case("matmul_naive", "examples/matmul/matmul.cl"),
    case("matmul_tiled", "examples/matmul/matmul.cl"),
    case("conv2d_naive", "examples/conv2d/conv2d.cl"),
    case("nbody_naive", "examples/nbody/nbody.cl"),
    case("transpose_naive", "examples/transpose/transpose.cl"),
    case("branchy", SPEED),
    case("histogram", SPEED),
    case("fft256", SPEED),
    case("mandelbrot", SPEED),
    case("collatz", SPEED),
];

/// Kernels of which whole processes are timed.
pub const LONG: &[Case] = &[
    case("matmul_naive", "examples/matmul/matmul.cl"),
    case("conv2d_naive", "examples/conv2d/conv2d.cl"),
    case("nbody_naive", "examples/nbody/nbody.cl"),
];

/// Kernels that are simulated on several threads.
pub const PARALLEL: &[Case] = &[
    case("matmul_naive", "examples/matmul/matmul.cl"),
    case("conv2d_naive", "examples/conv2d/conv2d.cl"),
    case("fft256", SPEED),
    case("mandelbrot", SPEED),
];

/// The launches of all lists.
pub const LAUNCHES: &str = "bench/speed/launches.toml";
