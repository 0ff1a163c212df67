//! OpenCL devices: listing, building, launching and measuring.
//!
//! The OpenCL library is opened at run time ([`OpenCl::load`]), so that a
//! machine without OpenCL runs everything that needs no device; types and
//! constants come from `opencl-sys`, whose own (linking) declarations of the
//! entry points are switched off. Every OpenCL object is released when its
//! owner is dropped. Objects hold raw pointers and so stay on one thread.
//!
//! What it misses: mipmapped and multi-sampled images, sub-buffers, shared virtual memory,
//! several devices in one context, out-of-order queues.
//!
//! ```no_run
//! use tilewise_device::{OpenCl, Queue, Program};
//! # fn main() -> Result<(), tilewise_device::DeviceError> {
//! let devices = OpenCl::load()?.devices()?;
//! let queue = Queue::new(devices.select("gpu")?)?;
//! let program = Program::build(&queue, "kernel void k(global int *a) { a[0] = 1; }", "")?;
//! println!("{:?}", program.kernel("k")?.work_group_info()?);
//! # Ok(())
//! # }
//! ```

// Calling a C library is this crate's purpose; the other crates deny `unsafe`.
#![allow(unsafe_code)]

mod api;
mod arguments;
mod bound;
mod buffer;
mod ceiling;
mod error;
mod event;
mod handle;
mod image;
mod info;
mod kernel;
mod list;
pub mod measure;
mod memory;
mod printed;
mod program;
mod query;
mod queue;
mod select;
mod status;

pub use api::OpenCl;
pub use arguments::{BufferRole, poison_byte};
pub use bound::{BoundLaunch, Clearance, Contents};
pub use buffer::DeviceBuffer;
pub use ceiling::{CopyCeiling, CopyRate, copy_ceiling};
pub use error::DeviceError;
pub use event::{Event, EventTimes};
pub use info::{DeviceInfo, DeviceKind, LocalMemoryKind};
pub use kernel::{Kernel, WorkGroupInfo};
pub use list::{Device, Devices};
pub use printed::HiddenPrintf;
pub use program::Program;
pub use queue::Queue;
pub use status::Status;
