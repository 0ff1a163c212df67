//! A launch bound to a device: the kernel with all its arguments in place.
//!
//! Buffers come in one or more *sets*. Each set holds every buffer of the
//! launch, so that a measurement can go round several sets and find none of
//! them in the cache.

use opencl_sys as cl;
use tilewise_launch::{Arg, ArgValue, Launch, NdRange, ValueType};

use crate::buffer::DeviceBuffer;
use crate::error::DeviceError;
use crate::event::{Event, EventTimes};
use crate::kernel::{Kernel, ParamClass};
use crate::queue::Queue;
use crate::status::Status;

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

/// Why a launch may run on a real device. A kernel that reaches outside its
/// buffers can end the process on a CPU device and hang a GPU, and no driver
/// reports it reliably.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clearance {
    /// A simulated run of this launch showed no access outside its buffers, no
    /// divergent barrier and no endless loop.
    Simulated,
    /// The user said so (`--force`).
    Forced,
    /// The kernel is one of tilewise's own.
    OwnKernel,
}

/// Gives a buffer's first contents: `(argument index, first byte, bytes to fill)`.
pub type Contents<'a> = dyn FnMut(usize, u64, &mut [u8]) + 'a;

/// The byte that outputs of this element type are filled with before a run: all
/// ones where the components are floating-point (a NaN in each format), else
/// 0xA5 (-1 would be a likely result).
pub fn poison_byte(elem: &ValueType) -> u8 {
    match elem {
        ValueType::Elem(e) if e.scalar.is_float() => 0xff,
        _ => 0xa5,
    }
}

/// A kernel with its NDRange and arguments, ready to run any number of times.
pub struct BoundLaunch {
    kernel: Kernel,
    clearance: Clearance,
    dims: u32,
    offset: [usize; 3],
    global: [usize; 3],
    local: [usize; 3],
    /// By argument index.
    slots: Vec<Slot>,
    names: Vec<String>,
    /// By position in a set.
    specs: Vec<BufferSpec>,
    sets: Vec<Vec<DeviceBuffer>>,
    /// First contents of the in-out buffers, by position in a set.
    pristine: Vec<Option<DeviceBuffer>>,
}

enum Slot {
    Value(Vec<u8>),
    Local(usize),
    /// Position in a set.
    Buffer(usize),
}

struct BufferSpec {
    arg: usize,
    len: usize,
    role: BufferRole,
    poison: u8,
}

impl BoundLaunch {
    /// Allocates and fills the buffers and checks the launch against the kernel
    /// and the device. `roles` has one entry per argument (those of arguments
    /// that are no buffers don't matter); `contents` is called for every buffer
    /// but pure outputs, piece by piece in order.
    ///
    /// # Errors
    /// A typed error for each way in which launch, kernel and device disagree;
    /// [`DeviceError::LengthUnknown`] for a buffer without a length.
    pub fn new(
        kernel: Kernel,
        launch: &Launch,
        roles: &[BufferRole],
        contents: &mut Contents<'_>,
        clearance: Clearance,
    ) -> Result<BoundLaunch, DeviceError> {
        check_count(&kernel, launch.args.len())?;
        check_count(&kernel, roles.len())?;
        if !(1..=3).contains(&launch.range.dims) {
            return Err(DeviceError::Dimensions {
                dims: launch.range.dims,
            });
        }
        check_kinds(&kernel, &launch.args)?;
        let (slots, specs) = plan_arguments(&launch.args, roles)?;
        check_memory(kernel.queue(), launch, &specs)?;
        let [offset, global, local] = host_sizes(&launch.range)?;

        let mut bound = BoundLaunch {
            clearance,
            dims: u32::from(launch.range.dims),
            offset,
            global,
            local,
            slots,
            names: launch.args.iter().map(|a| a.name.clone()).collect(),
            specs,
            sets: Vec::new(),
            pristine: Vec::new(),
            kernel,
        };
        let mut set = Vec::new();
        for spec in &bound.specs {
            let buffer = DeviceBuffer::new(bound.queue(), spec.len)?;
            if spec.role == BufferRole::Output {
                buffer.fill(spec.poison)?;
            } else {
                buffer.write_with(|first, piece| contents(spec.arg, first, piece))?;
            }
            bound.pristine.push(match spec.role {
                BufferRole::InOut => Some(buffer.duplicate()?),
                _ => None,
            });
            set.push(buffer);
        }
        bound.sets.push(set);
        bound.select_set(0)?;
        bound.check_work_group(&launch.range)?;
        Ok(bound)
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The queue that the launch runs in.
    pub fn queue(&self) -> &Queue {
        self.kernel.queue()
    }

    /// Why the launch may run.
    pub fn clearance(&self) -> Clearance {
        self.clearance
    }

    /// Bytes of all buffers of one set.
    pub fn working_set(&self) -> u64 {
        self.specs.iter().map(|s| s.len as u64).sum()
    }

    /// Number of buffer sets.
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// Brings the number of buffer sets to at least `count`. Each new set has
    /// the first contents.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if the device has no room.
    pub fn add_sets(&mut self, count: usize) -> Result<(), DeviceError> {
        self.restore(0)?;
        while self.sets.len() < count {
            let set = self.sets[0].iter().map(DeviceBuffer::duplicate);
            let set = set.collect::<Result<Vec<_>, _>>()?;
            self.sets.push(set);
        }
        self.queue().finish()
    }

    /// Poisons the outputs of a set and sets its in-out buffers back.
    ///
    /// # Errors
    /// [`DeviceError::Call`].
    ///
    /// # Panics
    /// If there is no such set.
    pub fn restore(&self, set: usize) -> Result<(), DeviceError> {
        for ((spec, buffer), pristine) in self.specs.iter().zip(&self.sets[set]).zip(&self.pristine)
        {
            match (spec.role, pristine) {
                (BufferRole::Output, _) => buffer.fill(spec.poison)?,
                (_, Some(first)) => buffer.copy_from(first)?,
                (_, None) => {}
            }
        }
        Ok(())
    }

    /// Whether a run changes what the next one reads, so that sets must be
    /// restored between runs.
    pub(crate) fn has_in_out(&self) -> bool {
        self.pristine.iter().any(Option::is_some)
    }

    /// Makes the next launches work on this set.
    ///
    /// # Errors
    /// [`DeviceError::Argument`] if the driver refuses an argument.
    ///
    /// # Panics
    /// If there is no such set.
    pub fn select_set(&self, set: usize) -> Result<(), DeviceError> {
        for (index, slot) in self.slots.iter().enumerate() {
            let done = match slot {
                Slot::Value(bytes) => self.kernel.set_value(index, bytes),
                Slot::Local(bytes) => self.kernel.set_local(index, *bytes),
                Slot::Buffer(at) => self.kernel.set_buffer(index, self.sets[set][*at].raw()),
            };
            done.map_err(|status| DeviceError::Argument {
                kernel: self.kernel.name().to_owned(),
                index,
                name: self.names[index].clone(),
                status: Status(status),
            })?;
        }
        Ok(())
    }

    /// Enqueues one launch on the selected set.
    ///
    /// # Errors
    /// [`DeviceError::NotStarted`].
    pub fn enqueue(&self) -> Result<Event, DeviceError> {
        let queue = self.queue();
        let mut event = std::ptr::null_mut();
        // SAFETY: live queue, kernel and arguments (the sets live in `self`,
        // and OpenCL keeps memory objects alive until a command that uses them
        // has ended); arrays of three sizes, of which `dims` are read. What the
        // kernel itself does is beyond any check here: `Clearance` says why it
        // is trusted.
        let status = unsafe {
            (queue.api().enqueue_nd_range_kernel)(
                queue.raw(),
                self.kernel.raw(),
                self.dims,
                self.offset.as_ptr(),
                self.global.as_ptr(),
                self.local.as_ptr(),
                0,
                std::ptr::null(),
                &mut event,
            )
        };
        if status != cl::CL_SUCCESS {
            return Err(DeviceError::NotStarted {
                kernel: self.kernel.name().to_owned(),
                device: queue.info().name.clone(),
                status: Status(status),
            });
        }
        Event::new(queue, event, self.kernel.name())
    }

    /// Restores the first set, runs the kernel once on it and waits.
    ///
    /// # Errors
    /// As [`BoundLaunch::enqueue`] and [`Event::times`].
    pub fn run(&self) -> Result<EventTimes, DeviceError> {
        self.restore(0)?;
        self.select_set(0)?;
        self.enqueue()?.times()
    }

    /// Hands out the contents of each buffer of the first set that the kernel
    /// writes: `(argument index, bytes)`.
    ///
    /// # Errors
    /// [`DeviceError::Call`].
    pub fn read_outputs(&self, mut take: impl FnMut(usize, &[u8])) -> Result<(), DeviceError> {
        for (spec, buffer) in self.specs.iter().zip(&self.sets[0]) {
            if spec.role != BufferRole::Input {
                take(spec.arg, &buffer.read_all()?);
            }
        }
        Ok(())
    }

    fn check_work_group(&self, range: &NdRange) -> Result<(), DeviceError> {
        let info = self.queue().info();
        let group = self.kernel.work_group_info()?;
        let fail = |why: String| {
            Err(DeviceError::WorkGroup {
                kernel: self.kernel.name().to_owned(),
                device: info.name.clone(),
                local: range.local,
                why,
            })
        };
        if let Some(required) = group.required_local
            && required != range.local
        {
            let [x, y, z] = required;
            return fail(format!("the kernel requires a work-group of {x}x{y}x{z}"));
        }
        for (d, (&size, &limit)) in range.local.iter().zip(&info.max_item_sizes).enumerate() {
            if size > limit {
                return fail(format!("dimension {d} has at most {limit} work-items"));
            }
        }
        if range.group_size() > group.max_group_size {
            return fail(format!(
                "this kernel has at most {} work-items",
                group.max_group_size
            ));
        }
        // A driver counts the arguments in or leaves them out: the larger of
        // its figure and theirs is a lower bound either way.
        let given: u64 = self
            .slots
            .iter()
            .map(|s| {
                if let Slot::Local(bytes) = s {
                    *bytes as u64
                } else {
                    0
                }
            })
            .sum();
        let bytes = given.max(group.local_memory);
        if bytes > info.local_memory {
            return Err(DeviceError::LocalMemoryExceeded {
                kernel: self.kernel.name().to_owned(),
                bytes,
                device: info.name.clone(),
                limit: info.local_memory,
            });
        }
        Ok(())
    }
}

fn check_count(kernel: &Kernel, given: usize) -> Result<(), DeviceError> {
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
fn check_kinds(kernel: &Kernel, args: &[Arg]) -> Result<(), DeviceError> {
    for (index, (param, arg)) in kernel.params().iter().zip(args).enumerate() {
        let (given, fits) = match &arg.value {
            ArgValue::Bytes(_) => ("a value", *param == ParamClass::Value),
            ArgValue::Buffer(_) | ArgValue::Alias { .. } => {
                ("a buffer", *param == ParamClass::Buffer)
            }
            ArgValue::Local { .. } => ("local memory", *param == ParamClass::Local),
        };
        if fits || *param == ParamClass::Unknown {
            continue;
        }
        let takes = match param {
            ParamClass::Buffer => "a pointer to global or constant memory".to_owned(),
            ParamClass::Local => "a pointer to local memory".to_owned(),
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

/// Turns arguments into slots, and the buffers among them into a set's plan.
fn plan_arguments(
    args: &[Arg],
    roles: &[BufferRole],
) -> Result<(Vec<Slot>, Vec<BufferSpec>), DeviceError> {
    let mut specs: Vec<BufferSpec> = Vec::new();
    for (index, (arg, &role)) in args.iter().zip(roles).enumerate() {
        if let ArgValue::Buffer(buffer) = &arg.value {
            let name = || arg.name.clone();
            let bytes = match (buffer.len, buffer.bytes()) {
                (None, _) => {
                    return Err(DeviceError::LengthUnknown {
                        name: name(),
                        index,
                    });
                }
                (Some(_), Some(0)) => {
                    return Err(DeviceError::EmptyBuffer {
                        name: name(),
                        index,
                    });
                }
                (Some(_), Some(bytes)) => bytes,
                (Some(len), None) => {
                    return Err(DeviceError::TooLargeForHost {
                        what: "a buffer",
                        value: len,
                    });
                }
            };
            specs.push(BufferSpec {
                arg: index,
                len: host_size("a buffer", bytes)?,
                role,
                poison: poison_byte(&buffer.elem),
            });
        }
    }
    let mut slots = Vec::new();
    for (index, (arg, &role)) in args.iter().zip(roles).enumerate() {
        slots.push(match &arg.value {
            ArgValue::Bytes(bytes) => Slot::Value(bytes.clone()),
            ArgValue::Local { bytes } => Slot::Local(host_size("local memory", *bytes)?),
            ArgValue::Buffer(_) => position(&specs, index).map(Slot::Buffer).ok_or_else(|| {
                DeviceError::EmptyBuffer {
                    name: arg.name.clone(),
                    index,
                }
            })?,
            ArgValue::Alias { of } => {
                let Some(at) = position(&specs, *of) else {
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

fn position(specs: &[BufferSpec], arg: usize) -> Option<usize> {
    specs.iter().position(|s| s.arg == arg)
}

fn check_memory(queue: &Queue, launch: &Launch, specs: &[BufferSpec]) -> Result<(), DeviceError> {
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

fn host_sizes(range: &NdRange) -> Result<[[usize; 3]; 3], DeviceError> {
    let mut sizes = [[0; 3]; 3];
    let of = [
        ("global offset", range.offset),
        ("global size", range.global),
        ("local size", range.local),
    ];
    for (size, (what, values)) in sizes.iter_mut().zip(of) {
        for (one, value) in size.iter_mut().zip(values) {
            *one = host_size(what, value)?;
        }
    }
    Ok(sizes)
}

fn host_size(what: &'static str, value: u64) -> Result<usize, DeviceError> {
    usize::try_from(value).map_err(|_| DeviceError::TooLargeForHost { what, value })
}
