//! Buffers in the device's memory.

use opencl_sys as cl;

use crate::error::DeviceError;
use crate::handle::Handle;
use crate::queue::Queue;

/// Bytes moved per call where contents are generated piece by piece, so that a
/// buffer of gigabytes needs no second copy of itself on the host.
const PIECE: usize = 16 << 20;

/// A buffer (`cl_mem`) of fixed length.
pub struct DeviceBuffer {
    handle: Handle,
    queue: Queue,
    len: usize,
}

impl DeviceBuffer {
    /// Allocates `len` bytes of undefined contents.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if the device has no room, or `len` is 0.
    pub fn new(queue: &Queue, len: usize) -> Result<DeviceBuffer, DeviceError> {
        let api = queue.api();
        let mut status = 0;
        // SAFETY: a live context and no host memory.
        let raw = unsafe {
            (api.create_buffer)(
                queue.context(),
                cl::CL_MEM_READ_WRITE,
                len,
                std::ptr::null_mut(),
                &mut status,
            )
        };
        let handle = Handle::new("clCreateBuffer", raw, status, api.release_mem_object)?;
        Ok(DeviceBuffer {
            handle,
            queue: queue.clone(),
            len,
        })
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Always false: OpenCL has no empty buffers.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies `bytes` to the buffer from byte `offset` on, and waits.
    ///
    /// # Errors
    /// [`DeviceError::OutsideBuffer`], or [`DeviceError::Call`].
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        self.inside(offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies inside the buffer, the source holds as many
        // bytes, and the call returns when it has read them.
        let status = unsafe {
            (self.queue.api().enqueue_write_buffer)(
                self.queue.raw(),
                self.raw(),
                cl::CL_TRUE,
                offset,
                bytes.len(),
                bytes.as_ptr().cast(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            )
        };
        DeviceError::check("clEnqueueWriteBuffer", status)
    }

    /// Fills the whole buffer from `contents(first_byte, piece)`.
    ///
    /// # Errors
    /// [`DeviceError::Call`].
    pub fn write_with(&self, mut contents: impl FnMut(u64, &mut [u8])) -> Result<(), DeviceError> {
        let mut piece = vec![0u8; self.len.min(PIECE)];
        let mut offset = 0;
        while offset < self.len {
            let part = &mut piece[..PIECE.min(self.len - offset)];
            contents(offset as u64, part);
            self.write(offset, part)?;
            offset += part.len();
        }
        Ok(())
    }

    /// Copies bytes from the buffer, from byte `offset` on, and waits.
    ///
    /// # Errors
    /// [`DeviceError::OutsideBuffer`], or [`DeviceError::Call`].
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.inside(offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies inside the buffer, the target holds as many
        // bytes, and the call returns when it has written them.
        let status = unsafe {
            (self.queue.api().enqueue_read_buffer)(
                self.queue.raw(),
                self.raw(),
                cl::CL_TRUE,
                offset,
                bytes.len(),
                bytes.as_mut_ptr().cast(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            )
        };
        DeviceError::check("clEnqueueReadBuffer", status)
    }

    /// The whole buffer.
    ///
    /// # Errors
    /// [`DeviceError::Call`].
    pub fn read_all(&self) -> Result<Vec<u8>, DeviceError> {
        let mut bytes = vec![0u8; self.len];
        self.read(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Sets every byte to `value`. Returns before the device has done it;
    /// later commands of the queue come after it.
    ///
    /// # Errors
    /// [`DeviceError::Call`].
    pub fn fill(&self, value: u8) -> Result<(), DeviceError> {
        // SAFETY: a pattern of one byte, which the driver copies, over exactly
        // the buffer.
        let status = unsafe {
            (self.queue.api().enqueue_fill_buffer)(
                self.queue.raw(),
                self.raw(),
                (&raw const value).cast(),
                1,
                0,
                self.len,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            )
        };
        DeviceError::check("clEnqueueFillBuffer", status)
    }

    /// A new buffer of the same contents, copied on the device.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if the device has no room.
    pub fn duplicate(&self) -> Result<DeviceBuffer, DeviceError> {
        let copy = DeviceBuffer::new(&self.queue, self.len)?;
        copy.copy_from(self)?;
        Ok(copy)
    }

    /// Copies `source`, of the same length, over this buffer, on the device.
    /// Returns before the device has done it.
    ///
    /// # Errors
    /// [`DeviceError::OutsideBuffer`] for another length, or
    /// [`DeviceError::Call`].
    pub fn copy_from(&self, source: &DeviceBuffer) -> Result<(), DeviceError> {
        source.inside(0, self.len)?;
        // SAFETY: both buffers are live and at least that long.
        let status = unsafe {
            (self.queue.api().enqueue_copy_buffer)(
                self.queue.raw(),
                source.raw(),
                self.raw(),
                0,
                0,
                self.len,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            )
        };
        DeviceError::check("clEnqueueCopyBuffer", status)
    }

    pub(crate) fn raw(&self) -> cl::cl_mem {
        self.handle.raw()
    }

    fn inside(&self, offset: usize, count: usize) -> Result<(), DeviceError> {
        match offset.checked_add(count) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(DeviceError::OutsideBuffer {
                offset,
                count,
                len: self.len,
            }),
        }
    }
}
