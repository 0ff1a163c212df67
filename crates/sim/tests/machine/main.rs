//! Kernels on the machine. One program for all of them: the machine is compiled
//! anew for each program that runs it.

mod affine;
mod control_flow;
mod induction;
mod kernels;
mod memory;
mod random_kernels;
mod support;
