//! What the tests on a real device share.

use tilewise_device::{OpenCl, Queue};
use tilewise_launch::{Arg, ArgValue, Buffer, ElemType, Fill, Launch, NdRange, Scalar, ValueType};

/// A queue on the first device, or `None` (with the reason printed) where the
/// machine has no OpenCL and `TILEWISE_REQUIRE_OPENCL` is not set.
pub fn queue() -> Option<Queue> {
    let opened = OpenCl::load()
        .and_then(|opencl| opencl.devices())
        .and_then(|devices| Queue::new(&devices.all()[0]));
    match opened {
        Ok(queue) => Some(queue),
        Err(error) if std::env::var_os("TILEWISE_REQUIRE_OPENCL").is_none() => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("TILEWISE_REQUIRE_OPENCL is set, and: {error}"),
    }
}

/// A buffer of `len` elements.
pub fn buffer(name: &str, scalar: Scalar, len: Option<u64>) -> Arg {
    let value = ArgValue::Buffer(Buffer {
        elem: ValueType::Elem(ElemType::scalar(scalar)),
        len,
        fill: Fill::Iota,
        generated: true,
    });
    Arg {
        name: name.to_owned(),
        value,
    }
}

/// An `int` by value.
pub fn int(name: &str, value: i32) -> Arg {
    Arg {
        name: name.to_owned(),
        value: ArgValue::Bytes(value.to_le_bytes().to_vec()),
    }
}

/// Local memory of so many bytes.
pub fn local(name: &str, bytes: u64) -> Arg {
    Arg {
        name: name.to_owned(),
        value: ArgValue::Local { bytes },
    }
}

/// The same memory as another argument's.
pub fn alias(name: &str, of: usize) -> Arg {
    Arg {
        name: name.to_owned(),
        value: ArgValue::Alias { of },
    }
}

/// A one-dimensional launch.
pub fn launch(kernel: &str, global: u64, local: u64, args: Vec<Arg>) -> Launch {
    Launch {
        kernel: kernel.to_owned(),
        range: NdRange {
            dims: 1,
            global: [global, 1, 1],
            offset: [0; 3],
            local: [local, 1, 1],
        },
        args,
        seed: 1,
    }
}

/// Fills 4-byte elements with 0, 1, 2, … as `f32`.
pub fn iota_f32(_arg: usize, first: u64, bytes: &mut [u8]) {
    for (i, element) in (first / 4..).zip(bytes.chunks_exact_mut(4)) {
        element.copy_from_slice(&(i as f32).to_le_bytes());
    }
}

/// Bytes as `f32`.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect()
}
