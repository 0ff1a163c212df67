//! A command under way, and its profiling times.

use opencl_sys as cl;

use crate::error::DeviceError;
use crate::handle::Handle;
use crate::query;
use crate::queue::Queue;
use crate::status::Status;

/// When a command was queued, submitted, started and ended, in ns of the
/// device's clock (its zero is arbitrary).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTimes {
    /// The host called the enqueue function.
    pub queued: u64,
    /// The host handed the command to the device.
    pub submit: u64,
    /// The device started it.
    pub start: u64,
    /// The device ended it.
    pub end: u64,
}

impl EventTimes {
    /// Time that the device took, in ns.
    pub fn duration_ns(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// The launch of a kernel.
pub struct Event {
    handle: Handle,
    queue: Queue,
    kernel: String,
}

impl Event {
    pub(crate) fn new(
        queue: &Queue,
        raw: cl::cl_event,
        kernel: &str,
    ) -> Result<Event, DeviceError> {
        let handle = Handle::new(
            "clEnqueueNDRangeKernel",
            raw,
            cl::CL_SUCCESS,
            queue.api().release_event,
        )?;
        Ok(Event {
            handle,
            queue: queue.clone(),
            kernel: kernel.to_owned(),
        })
    }

    /// Waits until the launch has ended.
    ///
    /// # Errors
    /// [`DeviceError::DeviceLost`] with the launch's own status if it failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        let event = self.handle.raw();
        // SAFETY: one live event.
        let mut status = unsafe { (self.queue.api().wait_for_events)(1, &event) };
        if status == cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {
            // The launch's own status says more, where it can still be had.
            status = self.execution_status().unwrap_or(status);
        }
        match status {
            cl::CL_SUCCESS => Ok(()),
            _ => Err(DeviceError::DeviceLost {
                kernel: self.kernel.clone(),
                device: self.queue.info().name.clone(),
                status: Status(status),
            }),
        }
    }

    /// Waits, and reads the profiling times.
    ///
    /// # Errors
    /// As [`Event::wait`]; [`DeviceError::BadTimes`] if the end lies before
    /// the start.
    pub fn times(&self) -> Result<EventTimes, DeviceError> {
        self.wait()?;
        let times = EventTimes {
            queued: self.profiling(cl::CL_PROFILING_COMMAND_QUEUED)?,
            submit: self.profiling(cl::CL_PROFILING_COMMAND_SUBMIT)?,
            start: self.profiling(cl::CL_PROFILING_COMMAND_START)?,
            end: self.profiling(cl::CL_PROFILING_COMMAND_END)?,
        };
        if times.end < times.start {
            return Err(DeviceError::BadTimes {
                device: self.queue.info().name.clone(),
                start: times.start,
                end: times.end,
            });
        }
        Ok(times)
    }

    fn profiling(&self, what: cl::cl_profiling_info) -> Result<u64, DeviceError> {
        let (get, event) = (self.queue.api().get_event_profiling_info, self.handle.raw());
        // SAFETY: a live event; `query` passes a buffer of the size that it names.
        query::unsigned("clGetEventProfilingInfo", |size, value, returned| unsafe {
            get(event, what, size, value, returned)
        })
    }

    /// The negative status with which the launch ended, if it did.
    fn execution_status(&self) -> Option<i32> {
        let mut status: i32 = 0;
        // SAFETY: a live event and room for one `cl_int`.
        let answer = unsafe {
            (self.queue.api().get_event_info)(
                self.handle.raw(),
                cl::CL_EVENT_COMMAND_EXECUTION_STATUS,
                size_of::<i32>(),
                (&raw mut status).cast(),
                std::ptr::null_mut(),
            )
        };
        (answer == cl::CL_SUCCESS && status < 0).then_some(status)
    }
}
