//! The device's copy ceiling: how fast a plain copy kernel moves memory.
//!
//! Bandwidth figures of other kernels stand against it. Three copies are tried
//! (one float, one float4, four float4 per work-item), since the fastest form
//! differs: on an NVIDIA H200 one float per work-item stays well below what
//! wider loads reach.

use tilewise_launch::{Arg, ArgValue, Buffer, ElemType, Fill, Launch, NdRange, Scalar, ValueType};

use crate::arguments::BufferRole;
use crate::bound::{BoundLaunch, Clearance};
use crate::error::DeviceError;
use crate::info::DeviceKind;
use crate::program::Program;
use crate::queue::Queue;

const SOURCE: &str = "
kernel void copy_float(global const float *in, global float *out) {
    size_t i = get_global_id(0);
    out[i] = in[i];
}
kernel void copy_float4(global const float4 *in, global float4 *out) {
    size_t i = get_global_id(0);
    out[i] = in[i];
}
kernel void copy_4_float4(global const float4 *in, global float4 *out) {
    size_t n = get_global_size(0);
    size_t i = get_global_id(0);
    float4 a = in[i], b = in[i + n], c = in[i + 2 * n], d = in[i + 3 * n];
    out[i] = a;
    out[i + n] = b;
    out[i + 2 * n] = c;
    out[i + 3 * n] = d;
}
";

/// Name of a copy kernel and the floats that one work-item moves.
const KERNELS: [(&str, u64); 3] = [("copy_float", 1), ("copy_float4", 4), ("copy_4_float4", 16)];

const REPEATS: usize = 20;
const WARM_UPS: usize = 3;

/// The rate of one copy kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyRate {
    /// Name of the kernel.
    pub kernel: String,
    /// Bytes read and written per ns, which is GB/s, at the median time.
    pub gb_per_s: f64,
    /// Time of each launch in ns.
    pub ns: Vec<u64>,
}

/// The measured copy rates of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyCeiling {
    /// Bytes that a launch reads, and as many that it writes.
    pub bytes: u64,
    /// By kernel.
    pub rates: Vec<CopyRate>,
}

impl CopyCeiling {
    /// The highest rate in GB/s (10^9 bytes read and written a second).
    pub fn gb_per_s(&self) -> f64 {
        self.rates.iter().map(|r| r.gb_per_s).fold(0.0, f64::max)
    }
}

/// Measures the copy ceiling: 2^26 floats (2^24 on CPUs), or as many as fit a
/// quarter of the memory and the largest buffer.
///
/// # Errors
/// Whatever a build or a launch can fail with.
pub fn copy_ceiling(queue: &Queue) -> Result<CopyCeiling, DeviceError> {
    let info = queue.info();
    let wanted: u64 = if info.kind == DeviceKind::Cpu {
        1 << 24
    } else {
        1 << 26
    };
    // Two buffers in a quarter of the memory: an eighth each.
    let fitting = (info.global_memory / 8).min(info.max_buffer) / 4;
    let group = info.max_group_size.clamp(1, 256);
    let most_per_group = group * 16;
    let floats = (wanted.min(fitting) / most_per_group).max(1) * most_per_group;

    let program = Program::build(queue, SOURCE, "")?;
    let mut rates = Vec::new();
    for (name, per_item) in KERNELS {
        let launch = copy_launch(name, floats, per_item, group);
        let bound = BoundLaunch::new(
            program.kernel(name)?,
            &launch,
            &[BufferRole::Input, BufferRole::Output],
            &mut |_, first, bytes| scramble(first, bytes),
            Clearance::OwnKernel,
        )?;
        for _ in 0..WARM_UPS {
            bound.enqueue()?.wait()?;
        }
        let ns = (0..REPEATS)
            .map(|_| bound.enqueue()?.times().map(|t| t.duration_ns()))
            .collect::<Result<Vec<_>, DeviceError>>()?;
        let mut sorted = ns.clone();
        sorted.sort_unstable();
        let median = sorted[REPEATS / 2].max(1);
        let gb_per_s = (2 * 4 * floats) as f64 / median as f64;
        rates.push(CopyRate {
            kernel: name.to_owned(),
            gb_per_s,
            ns,
        });
    }
    Ok(CopyCeiling {
        bytes: 4 * floats,
        rates,
    })
}

/// Bytes that no memory compression shortens (a multiplicative hash of the
/// position); their values don't matter to a copy.
fn scramble(first: u64, bytes: &mut [u8]) {
    for (i, chunk) in (first / 8..).zip(bytes.chunks_mut(8)) {
        let word = (i ^ (i >> 15))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29);
        let word = word.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        chunk.copy_from_slice(&word.to_ne_bytes()[..chunk.len()]);
    }
}

fn copy_launch(kernel: &str, floats: u64, per_item: u64, group: u64) -> Launch {
    let buffer = |name: &str| Arg {
        name: name.to_owned(),
        value: ArgValue::Buffer(Buffer {
            elem: ValueType::Elem(ElemType::scalar(Scalar::F32)),
            len: Some(floats),
            fill: Fill::Zero,
            generated: true,
        }),
    };
    Launch {
        kernel: kernel.to_owned(),
        range: NdRange {
            dims: 1,
            global: [floats / per_item, 1, 1],
            offset: [0; 3],
            local: [group, 1, 1],
        },
        args: vec![buffer("in"), buffer("out")],
        seed: 0,
    }
}
