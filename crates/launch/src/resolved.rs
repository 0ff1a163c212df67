//! The resolved launch: what is left when expressions are evaluated, defaults
//! taken and the signature applied. The simulator and the device both run it.

use std::path::PathBuf;

use crate::element::ElemType;
use crate::image::{Image, Sampler};
use crate::signature::ValueType;

/// One launch of one kernel, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Name of the kernel function.
    pub kernel: String,
    /// The NDRange.
    pub range: NdRange,
    /// One value per parameter, in the order of the signature.
    pub args: Vec<Arg>,
    /// Seed of the random fills.
    pub seed: u64,
}

/// The index space of a launch. Dimensions that are not used are 1 (offset 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// Number of dimensions, 1 to 3.
    pub dims: u8,
    /// `global_work_size`, in work-items.
    pub global: [u64; 3],
    /// `global_work_offset`, in work-items.
    pub offset: [u64; 3],
    /// `local_work_size`, in work-items.
    pub local: [u64; 3],
}

impl Launch {
    /// Writes what an argument's buffer holds before the kernel starts, from `first_byte`
    /// on; nothing where the argument has no memory.
    pub fn contents(&self, arg: usize, first_byte: u64, out: &mut [u8]) {
        if let Some(buffer) = self.args.get(arg).and_then(|a| a.value.memory()) {
            let stream = self.stream(arg);
            buffer
                .fill
                .write(&buffer.elem, self.seed, stream, first_byte, out);
        }
    }

    /// Number of the random values that an argument's buffer is filled with. It follows
    /// from the argument's name (FNV-1a), so that two kernels which are compared find the
    /// same in `in`, wherever it stands among their parameters.
    pub fn stream(&self, arg: usize) -> u64 {
        let name = self.args.get(arg).map_or("", |a| a.name.as_str());
        name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
        })
    }
}

impl NdRange {
    /// Number of work-groups per dimension (the last one may be a remainder
    /// group where OpenCL 2.0 allows it).
    pub fn groups(&self) -> [u64; 3] {
        std::array::from_fn(|d| self.global[d].div_ceil(self.local[d].max(1)))
    }

    /// Number of work-groups.
    pub fn group_count(&self) -> u64 {
        self.groups().iter().product()
    }

    /// Number of work-items in a full work-group.
    pub fn group_size(&self) -> u64 {
        self.local.iter().product()
    }

    /// Number of work-items.
    pub fn work_items(&self) -> u64 {
        self.global.iter().product()
    }
}

/// The value of one argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// Name of the parameter.
    pub name: String,
    /// Its value.
    pub value: ArgValue,
}

/// What an argument holds.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgValue {
    /// A scalar, vector or structure by value: its bytes, little-endian, as
    /// `clSetKernelArg` takes them.
    Bytes(Vec<u8>),
    /// A buffer in global or constant memory.
    Buffer(Buffer),
    /// An image.
    Image(Image),
    /// A sampler.
    Sampler(Sampler),
    /// The same memory as another argument's buffer or image.
    Alias {
        /// Index of that argument.
        of: usize,
    },
    /// No buffer: the kernel gets a null pointer.
    Null,
    /// Local memory of so many bytes per work-group.
    Local {
        /// Size in bytes.
        bytes: u64,
    },
}

impl ArgValue {
    /// The buffer, or an image's texels: what the argument holds in global
    /// memory by itself. `None` for an alias.
    pub fn memory(&self) -> Option<&Buffer> {
        match self {
            ArgValue::Buffer(buffer) => Some(buffer),
            ArgValue::Image(image) => Some(&image.texels),
            _ => None,
        }
    }

    /// [`Self::memory`], to change it.
    pub fn memory_mut(&mut self) -> Option<&mut Buffer> {
        match self {
            ArgValue::Buffer(buffer) => Some(buffer),
            ArgValue::Image(image) => Some(&mut image.texels),
            _ => None,
        }
    }
}

/// A buffer: its length and what it holds at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Type of one element.
    pub elem: ValueType,
    /// Number of elements; `None` where the user gave no length: it is then as
    /// long as the highest element touched, and its upper bound isn't checked.
    pub len: Option<u64>,
    /// What it holds at the start.
    pub fill: Fill,
    /// The contents are generated, not given: an address computed from them
    /// that leaves its buffer is an input message, not a finding.
    pub generated: bool,
}

impl Buffer {
    /// Size in bytes where the length is known.
    pub fn bytes(&self) -> Option<u64> {
        self.len.and_then(|n| n.checked_mul(self.elem.size()))
    }
}

/// What a buffer holds at the start of the launch. See [`crate::fill`] for
/// the bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Seeded random values. Without a range: floats in [-1, 1), integers over
    /// their type's range up to 2^16.
    Random {
        /// Lower end (inclusive) and upper end (exclusive), if given.
        range: Option<(f64, f64)>,
    },
    /// All bytes zero.
    Zero,
    /// 0, 1, 2, … by element (every component of a vector alike).
    Iota,
    /// The same value everywhere.
    Constant(f64),
    /// The contents of a file, read when the launch was resolved.
    File {
        /// Where it came from, for messages.
        path: PathBuf,
        /// The bytes, shared by every copy of the launch.
        data: std::sync::Arc<[u8]>,
    },
}

/// Convenience for renderers: an element type, if the value is one.
pub fn as_elem(ty: &ValueType) -> Option<ElemType> {
    match ty {
        ValueType::Elem(e) => Some(*e),
        _ => None,
    }
}
