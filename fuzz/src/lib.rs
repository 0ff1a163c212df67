//! What the fuzz targets run, one function per target, and how inputs are
//! changed.
//!
//! Each function takes any bytes and panics where a rule is broken; refusing an
//! input is fine. The targets in `fuzz_targets/` hand libFuzzer's inputs to
//! them. The front end's tests include this module, and run the committed
//! corpora and seeded changes of them through the same functions.

pub mod ast;
pub mod expression;
pub mod instructions;
pub mod launch_file;
pub mod random;
pub mod spirv;
