//! The `tilewise` binary.
fn main() {}
