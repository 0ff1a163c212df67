//! The library from kernel files to runs: every example, the figures that an
//! H200's hardware counters gave, the article's statements, bundles, the demo.
//!
//! Tests that compile kernels are skipped where there is no clang, those that
//! launch them where there is no OpenCL, unless `TILEWISE_REQUIRE_CLANG` or
//! `TILEWISE_REQUIRE_OPENCL` is set.

mod article;
mod builtins;
mod bundles;
mod common;
mod counters;
mod demo;
mod examples;
mod guessed;
mod memory;
mod multiples;
mod selected;
mod several;
mod threads;
