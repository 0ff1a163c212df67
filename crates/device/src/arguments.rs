//! A launch's arguments, checked against the kernel and the device and laid out
//! as what `clSetKernelArg` takes.

use tilewise_launch::{Arg, ArgValue, Buffer, Image, Launch, Sampler, ValueType};

use crate::error::DeviceError;
use crate::kernel::{Kernel, ParamClass};
use crate::queue::Queue;

/// What the kernel does with a buffer. Decides what happens to it before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferRole {
    /// Only read: uploaded once.
    Input,
    /// Never read before it is written: poisoned before a run, so that what the
    /// run leaves unwritten shows.
    Output,
    /// Read and written: set back to its first contents before a run.
    InOut,
}

impl BufferRole {
    /// The role of memory that two arguments reach.
    fn and(self, other: BufferRole) -> BufferRole {
        if self == other {
            self
        } else {
            BufferRole::InOut
        }
    }
}

/// The byte that outputs of this element type are filled with before a run: all
/// ones where the components are floating-point (a NaN in each format), else
/// 0xA5 (-1 would be a likely result).
pub fn poison_byte(elem: &ValueType) -> u8 {
    match elem {
        ValueType::Elem(e) if e.scalar.is_float() => 0xff,
        _ => 0xa5,
    }
}

/// An argument as it is set.
pub(crate) enum Slot {
    Value(Vec<u8>),
    Local(usize),
    /// Position in a set.
    Buffer(usize),
    Sampler(Sampler),
    /// No buffer.
    Null,
}

/// A buffer or image of a set.
pub(crate) struct BufferSpec {
    /// Index of its argument.
    pub(crate) arg: usize,
    /// Length in bytes.
    pub(crate) len: usize,
    pub(crate) role: BufferRole,
    pub(crate) poison: u8,
    /// What kind of image, if it is one.
    pub(crate) image: Option<Image>,
}

/// Turns arguments into slots, and the buffers among them into a set's plan.
pub(crate) fn plan(
    args: &[Arg],
    roles: &[BufferRole],
) -> Result<(Vec<Slot>, Vec<BufferSpec>), DeviceError> {
    let mut specs: Vec<BufferSpec> = Vec::new();
    for (index, (arg, &role)) in args.iter().zip(roles).enumerate() {
        if let Some(buffer) = arg.value.memory() {
            specs.push(BufferSpec {
                arg: index,
                len: buffer_len(&arg.name, index, buffer)?,
                role,
                poison: poison_byte(&buffer.elem),
                image: match &arg.value {
                    ArgValue::Image(image) => Some(image.clone()),
                    _ => None,
                },
            });
        }
    }
    let mut slots = Vec::new();
    let mut next_buffer = 0;
    for (index, (arg, &role)) in args.iter().zip(roles).enumerate() {
        slots.push(match &arg.value {
            ArgValue::Bytes(bytes) => Slot::Value(bytes.clone()),
            ArgValue::Local { bytes } => Slot::Local(host_size("local memory", *bytes)?),
            ArgValue::Null => Slot::Null,
            ArgValue::Sampler(sampler) => Slot::Sampler(*sampler),
            ArgValue::Buffer(_) | ArgValue::Image(_) => {
                next_buffer += 1;
                Slot::Buffer(next_buffer - 1)
            }
            ArgValue::Alias { of } => {
                let root = alias_root(args, *of);
                let Some(at) = specs.iter().position(|s| s.arg == root) else {
                    return Err(DeviceError::AliasOfNoBuffer {
                        name: arg.name.clone(),
                        index,
                        of: *of,
                    });
                };
                specs[at].role = specs[at].role.and(role);
                Slot::Buffer(at)
            }
        });
    }
    Ok((slots, specs))
}

fn buffer_len(name: &str, index: usize, buffer: &Buffer) -> Result<usize, DeviceError> {
    let Some(len) = buffer.len else {
        return Err(DeviceError::LengthUnknown {
            name: name.to_owned(),
            index,
        });
    };
    match buffer.bytes() {
        Some(0) => Err(DeviceError::EmptyBuffer {
            name: name.to_owned(),
            index,
        }),
        Some(bytes) => host_size("a buffer", bytes),
        None => Err(DeviceError::TooLargeForHost {
            what: "a buffer",
            value: len,
        }),
    }
}

/// The argument at the end of a chain of aliases; any argument of a ring.
fn alias_root(args: &[Arg], of: usize) -> usize {
    let mut root = of;
    for _ in args {
        match args.get(root).map(|a| &a.value) {
            Some(ArgValue::Alias { of }) => root = *of,
            _ => break,
        }
    }
    root
}

pub(crate) fn check_count(kernel: &Kernel, given: usize) -> Result<(), DeviceError> {
    let takes = kernel.params().len();
    if given == takes {
        return Ok(());
    }
    Err(DeviceError::ArgumentCount {
        kernel: kernel.name().to_owned(),
        takes,
        given,
    })
}

/// A value handed to a buffer parameter would be taken for a memory object's
/// address by the driver, so the kinds must agree before anything is set.
pub(crate) fn check_kinds(kernel: &Kernel, args: &[Arg]) -> Result<(), DeviceError> {
    for (index, (param, arg)) in kernel.params().iter().zip(args).enumerate() {
        let (given, fits) = match &arg.value {
            ArgValue::Bytes(_) => ("a value", *param == ParamClass::Value),
            ArgValue::Buffer(_) => ("a buffer", *param == ParamClass::Buffer),
            ArgValue::Image(_) => ("an image", *param == ParamClass::Image),
            ArgValue::Null => ("a null pointer", *param == ParamClass::Buffer),
            ArgValue::Sampler(_) => ("a sampler", *param == ParamClass::Sampler),
            ArgValue::Alias { of } => {
                match args.get(alias_root(args, *of)).map(|root| &root.value) {
                    Some(ArgValue::Image(_)) => ("an image", *param == ParamClass::Image),
                    _ => ("a buffer", *param == ParamClass::Buffer),
                }
            }
            ArgValue::Local { .. } => ("local memory", *param == ParamClass::Local),
        };
        if fits || *param == ParamClass::Unknown {
            continue;
        }
        let takes = match param {
            ParamClass::Buffer => "a pointer to global or constant memory".to_owned(),
            ParamClass::Local => "a pointer to local memory".to_owned(),
            ParamClass::Image => "an image".to_owned(),
            ParamClass::Sampler => "a sampler".to_owned(),
            ParamClass::Object(ty) => format!("of type {ty}, which tilewise does not launch yet"),
            ParamClass::Value | ParamClass::Unknown => "a value".to_owned(),
        };
        return Err(DeviceError::ArgumentKind {
            kernel: kernel.name().to_owned(),
            index,
            name: arg.name.clone(),
            takes,
            given,
        });
    }
    Ok(())
}

/// Refuses buffers that the device cannot hold.
pub(crate) fn check_memory(
    queue: &Queue,
    launch: &Launch,
    specs: &[BufferSpec],
) -> Result<(), DeviceError> {
    let info = queue.info();
    let mut sum = 0u64;
    for spec in specs {
        let bytes = spec.len as u64;
        if bytes > info.max_buffer {
            return Err(DeviceError::BufferTooLarge {
                name: launch.args[spec.arg].name.clone(),
                bytes,
                device: info.name.clone(),
                limit: info.max_buffer,
            });
        }
        let copies = if spec.role == BufferRole::InOut { 2 } else { 1 };
        sum = sum.saturating_add(bytes.saturating_mul(copies));
    }
    if sum > info.global_memory {
        return Err(DeviceError::MemoryExceeded {
            bytes: sum,
            device: info.name.clone(),
            limit: info.global_memory,
        });
    }
    Ok(())
}

/// `value` as the host's `size_t`.
pub(crate) fn host_size(what: &'static str, value: u64) -> Result<usize, DeviceError> {
    usize::try_from(value).map_err(|_| DeviceError::TooLargeForHost { what, value })
}
