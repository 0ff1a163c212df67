//! One function per command.
//!
//! `--device auto` means: `bench`, `verify` and `advise` take the first OpenCL
//! GPU; if only a CPU device exists they use it and add the verdict for
//! `sim:h200`; without OpenCL `verify` and `advise` use `sim:h200`. `profile`
//! and `check` take the profile that matches the first GPU, else `sim:h200`.

pub mod advise;
pub mod bench;
pub mod check;
pub mod demo;
pub mod devices;
pub mod explain;
pub mod export;
pub mod init;
pub mod profile;
pub mod report;
pub mod stage;
pub mod verify;
