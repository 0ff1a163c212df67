//! Tests on a real OpenCL device. They are skipped, with the reason printed,
//! where there is none and `TILEWISE_REQUIRE_OPENCL` is not set.

mod common;
mod launch;
mod measure;
