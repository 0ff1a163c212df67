//! A launch bound to a device: the kernel with all its arguments in place.
//!
//! Buffers and images come in one or more *sets*. Each set holds every buffer of the
//! launch, so that a measurement can go round several sets and find none of
//! them in the cache.

use opencl_sys as cl;
use tilewise_launch::{Launch, NdRange};

use crate::arguments::{
    self, BufferRole, BufferSpec, Slot, check_count, check_kinds, check_memory, host_size,
};
use crate::error::DeviceError;
use crate::event::{Event, EventTimes};
use crate::image::DeviceSampler;
use crate::kernel::Kernel;
use crate::memory::DeviceMemory;
use crate::queue::Queue;
use crate::status::Status;

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
    sets: Vec<Vec<DeviceMemory>>,
    /// First contents of the in-out buffers, by position in a set.
    pristine: Vec<Option<DeviceMemory>>,
    /// Samplers by argument index.
    samplers: Vec<(usize, DeviceSampler)>,
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
        let (slots, specs) = arguments::plan(&launch.args, roles)?;
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
            samplers: Vec::new(),
            kernel,
        };
        let mut set = Vec::new();
        for (index, slot) in bound.slots.iter().enumerate() {
            if let Slot::Sampler(sampler) = slot {
                let sampler = DeviceSampler::new(bound.kernel.queue(), *sampler)?;
                bound.samplers.push((index, sampler));
            }
        }
        for spec in &bound.specs {
            let buffer = DeviceMemory::new(bound.kernel.queue(), spec, &bound.names[spec.arg])?;
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
            let set = self.sets[0].iter().map(DeviceMemory::duplicate);
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
                Slot::Null => self.kernel.set_null(index),
                Slot::Sampler(_) => match self.samplers.iter().find(|(at, _)| *at == index) {
                    Some((_, sampler)) => self.kernel.set_sampler(index, sampler.raw()),
                    None => Err(cl::CL_INVALID_SAMPLER),
                },
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
        // A kernel that requires this very size was compiled for it, whatever
        // the driver says of kernels in general.
        if group.required_local.is_none() && range.group_size() > group.max_group_size {
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
