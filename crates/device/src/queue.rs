//! A context with one device, and its command-queue.

use std::rc::Rc;

use opencl_sys as cl;

use crate::api::Api;
use crate::error::DeviceError;
use crate::handle::Handle;
use crate::info::DeviceInfo;
use crate::list::Device;

/// An in-order command-queue with profiling on one device, with its context.
/// Cheap to clone; programs, kernels and buffers keep it alive.
#[derive(Clone)]
pub struct Queue {
    inner: Rc<Inner>,
}

struct Inner {
    // Dropped in this order: the queue before its context.
    queue: Handle,
    context: Handle,
    device: Device,
}

impl Queue {
    /// Opens the device.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if the device can't be had.
    pub fn new(device: &Device) -> Result<Queue, DeviceError> {
        let api = device.api;
        let mut status = 0;
        // SAFETY: one live device, no properties, no callback.
        let raw = unsafe {
            (api.create_context)(
                std::ptr::null(),
                1,
                &device.id,
                None,
                std::ptr::null_mut(),
                &mut status,
            )
        };
        let context = Handle::new("clCreateContext", raw, status, api.release_context)?;
        // SAFETY: the device belongs to the context.
        let raw = unsafe {
            (api.create_command_queue)(
                context.raw(),
                device.id,
                cl::CL_QUEUE_PROFILING_ENABLE,
                &mut status,
            )
        };
        let queue = Handle::new(
            "clCreateCommandQueue",
            raw,
            status,
            api.release_command_queue,
        )?;
        Ok(Queue {
            inner: Rc::new(Inner {
                queue,
                context,
                device: device.clone(),
            }),
        })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Waits until all commands have run.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if the device was lost.
    pub fn finish(&self) -> Result<(), DeviceError> {
        // SAFETY: the queue is live.
        DeviceError::check("clFinish", unsafe { (self.api().finish)(self.raw()) })
    }

    /// Hands the commands so far to the device without waiting.
    pub(crate) fn flush(&self) -> Result<(), DeviceError> {
        // SAFETY: the queue is live.
        DeviceError::check("clFlush", unsafe { (self.api().flush)(self.raw()) })
    }

    pub(crate) fn api(&self) -> &'static Api {
        self.inner.device.api
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        self.inner.device.info()
    }

    pub(crate) fn raw(&self) -> cl::cl_command_queue {
        self.inner.queue.raw()
    }

    pub(crate) fn context(&self) -> cl::cl_context {
        self.inner.context.raw()
    }
}
