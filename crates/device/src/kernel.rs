//! A kernel: what the driver says of it, and its arguments one by one.

use std::ffi::c_void;

use opencl_sys as cl;

use crate::error::DeviceError;
use crate::handle::Handle;
use crate::query;
use crate::queue::Queue;

/// A kernel of a built program.
pub struct Kernel {
    handle: Handle,
    queue: Queue,
    name: String,
    params: Vec<ParamClass>,
}

/// `clGetKernelWorkGroupInfo` on the queue's device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkGroupInfo {
    /// Most work-items that a work-group of this kernel can have.
    pub max_group_size: u64,
    /// `reqd_work_group_size`, if the kernel has one.
    pub required_local: Option<[u64; 3]>,
    /// Local memory a work-group in bytes: arrays in the kernel and, on some
    /// drivers, the arguments set so far.
    pub local_memory: u64,
    /// Private memory a work-item in bytes that is not in registers. Drivers
    /// count differently: compare on one device only.
    pub private_memory: u64,
    /// The work-group's size should be a multiple of this: the sub-group's
    /// width on GPUs.
    pub preferred_multiple: u64,
}

/// Kind of a parameter as the driver knows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ParamClass {
    /// A pointer to global or constant memory.
    Buffer,
    /// A pointer to local memory.
    Local,
    /// A value.
    Value,
    /// An image.
    Image,
    /// A sampler.
    Sampler,
    /// A pipe, queue or the like; its type.
    Object(String),
    /// The driver keeps no such information.
    Unknown,
}

impl Kernel {
    pub(crate) fn new(queue: &Queue, handle: Handle, name: &str) -> Result<Kernel, DeviceError> {
        let mut kernel = Kernel {
            handle,
            queue: queue.clone(),
            name: name.to_owned(),
            params: Vec::new(),
        };
        let count = kernel.argument_count()?;
        kernel.params = (0..count)
            .map(|i| kernel.read_param(i))
            .collect::<Result<_, _>>()?;
        Ok(kernel)
    }

    /// Name of the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The queue whose device the kernel is built for.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// What the driver says of the kernel's work-groups.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if the driver refuses a query.
    pub fn work_group_info(&self) -> Result<WorkGroupInfo, DeviceError> {
        const CALL: &str = "clGetKernelWorkGroupInfo";
        let get = self.queue.api().get_kernel_work_group_info;
        let (kernel, device) = (self.raw(), self.queue.device().id);
        let ask = |what| {
            // SAFETY: a live kernel and its device; `query` passes a buffer of
            // the size that it names.
            move |size, value, returned| unsafe { get(kernel, device, what, size, value, returned) }
        };
        let required = query::sizes(CALL, ask(cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE))?;
        let required_local = match required[..] {
            [0, 0, 0] => None,
            [x, y, z] => Some([x, y, z]),
            _ => {
                return Err(DeviceError::BadAnswer {
                    call: CALL,
                    bytes: required.len() * 8,
                });
            }
        };
        Ok(WorkGroupInfo {
            max_group_size: query::unsigned(CALL, ask(cl::CL_KERNEL_WORK_GROUP_SIZE))?,
            required_local,
            local_memory: query::unsigned(CALL, ask(cl::CL_KERNEL_LOCAL_MEM_SIZE))?,
            private_memory: query::unsigned(CALL, ask(cl::CL_KERNEL_PRIVATE_MEM_SIZE))?,
            preferred_multiple: query::unsigned(
                CALL,
                ask(cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
            )?,
        })
    }

    pub(crate) fn raw(&self) -> cl::cl_kernel {
        self.handle.raw()
    }

    pub(crate) fn params(&self) -> &[ParamClass] {
        &self.params
    }

    /// Sets a by-value argument.
    pub(crate) fn set_value(&self, index: usize, bytes: &[u8]) -> Result<(), i32> {
        // SAFETY: the pointer holds as many bytes as are named.
        unsafe { self.set(index, bytes.len(), bytes.as_ptr().cast()) }
    }

    /// Sets the size of a `__local` argument.
    pub(crate) fn set_local(&self, index: usize, bytes: usize) -> Result<(), i32> {
        // SAFETY: a local argument has no pointer.
        unsafe { self.set(index, bytes, std::ptr::null()) }
    }

    /// Sets a buffer argument to none: the kernel gets a null pointer.
    pub(crate) fn set_null(&self, index: usize) -> Result<(), i32> {
        // SAFETY: OpenCL takes no value as NULL where it is a memory object's.
        unsafe { self.set(index, size_of::<cl::cl_mem>(), std::ptr::null()) }
    }

    /// Sets a buffer or image argument. The kernel does not keep it alive: the
    /// caller does until the launch has ended.
    pub(crate) fn set_buffer(&self, index: usize, buffer: cl::cl_mem) -> Result<(), i32> {
        // SAFETY: a pointer to one live memory object's id.
        unsafe { self.set(index, size_of::<cl::cl_mem>(), (&raw const buffer).cast()) }
    }

    /// Sets a sampler argument, which the caller keeps alive.
    pub(crate) fn set_sampler(&self, index: usize, sampler: cl::cl_sampler) -> Result<(), i32> {
        // SAFETY: a pointer to one live sampler's id.
        unsafe {
            self.set(
                index,
                size_of::<cl::cl_sampler>(),
                (&raw const sampler).cast(),
            )
        }
    }

    /// # Safety
    /// `value` is null or holds `size` bytes, and those are an object's
    /// id only if that object is live.
    unsafe fn set(&self, index: usize, size: usize, value: *const c_void) -> Result<(), i32> {
        let Ok(position) = u32::try_from(index) else {
            return Err(cl::CL_INVALID_ARG_INDEX);
        };
        // SAFETY: the kernel is live and on one thread; the rest is the
        // caller's promise.
        let status =
            unsafe { (self.queue.api().set_kernel_arg)(self.raw(), position, size, value) };
        match status {
            cl::CL_SUCCESS => Ok(()),
            status => Err(status),
        }
    }

    fn argument_count(&self) -> Result<u32, DeviceError> {
        const CALL: &str = "clGetKernelInfo";
        let get = self.queue.api().get_kernel_info;
        let kernel = self.raw();
        // SAFETY: a live kernel; `query` passes a buffer of the size that it names.
        let count = query::unsigned(CALL, |size, value, returned| unsafe {
            get(kernel, cl::CL_KERNEL_NUM_ARGS, size, value, returned)
        })?;
        u32::try_from(count).map_err(|_| DeviceError::BadAnswer {
            call: CALL,
            bytes: 8,
        })
    }

    fn read_param(&self, index: u32) -> Result<ParamClass, DeviceError> {
        const CALL: &str = "clGetKernelArgInfo";
        let get = self.queue.api().get_kernel_arg_info;
        let kernel = self.raw();
        let ask = |what| {
            // SAFETY: a live kernel; `query` passes a buffer of the size that
            // it names.
            move |size, value, returned| unsafe { get(kernel, index, what, size, value, returned) }
        };
        let space = match query::unsigned(CALL, ask(cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER)) {
            Ok(space) => space,
            // Not every driver keeps it, and not all say so by the code that
            // OpenCL has for it. Without it one check less is made.
            Err(DeviceError::Call { .. }) => return Ok(ParamClass::Unknown),
            Err(other) => return Err(other),
        };
        let type_name = query::text(CALL, ask(cl::CL_KERNEL_ARG_TYPE_NAME))?;
        Ok(classify(space, &type_name))
    }
}

/// Images lie in global memory and samplers in constant or private memory, so
/// the type's name decides before the address space.
fn classify(space: u64, type_name: &str) -> ParamClass {
    if !type_name.ends_with('*') {
        let is_object = ["queue_t", "clk_event_t", "reserve_id_t"].contains(&type_name)
            || type_name.starts_with("pipe");
        match type_name {
            "sampler_t" => return ParamClass::Sampler,
            image if image.starts_with("image") && image.ends_with("_t") => {
                return ParamClass::Image;
            }
            _ if is_object => return ParamClass::Object(type_name.to_owned()),
            _ => {}
        }
    }
    match u32::try_from(space) {
        Ok(cl::CL_KERNEL_ARG_ADDRESS_GLOBAL | cl::CL_KERNEL_ARG_ADDRESS_CONSTANT) => {
            ParamClass::Buffer
        }
        Ok(cl::CL_KERNEL_ARG_ADDRESS_LOCAL) => ParamClass::Local,
        Ok(cl::CL_KERNEL_ARG_ADDRESS_PRIVATE) => ParamClass::Value,
        _ => ParamClass::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let global = u64::from(cl::CL_KERNEL_ARG_ADDRESS_GLOBAL);
        let private = u64::from(cl::CL_KERNEL_ARG_ADDRESS_PRIVATE);
        assert_eq!(classify(global, "float*"), ParamClass::Buffer);
        assert_eq!(classify(global, "image2d_array_t"), ParamClass::Image);
        assert_eq!(classify(private, "sampler_t"), ParamClass::Sampler);
        assert_eq!(
            classify(private, "queue_t"),
            ParamClass::Object("queue_t".into())
        );
        assert_eq!(classify(private, "float4"), ParamClass::Value);
        assert_eq!(classify(global, "imagery*"), ParamClass::Buffer);
    }
}
