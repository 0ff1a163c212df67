//! What an argument holds in the device's memory: a buffer or an image.

use opencl_sys as cl;

use crate::arguments::BufferSpec;
use crate::buffer::DeviceBuffer;
use crate::error::DeviceError;
use crate::image::DeviceImage;
use crate::queue::Queue;

/// A buffer or an image.
pub(crate) enum DeviceMemory {
    Buffer(DeviceBuffer),
    Image(Box<DeviceImage>),
}

impl DeviceMemory {
    /// Allocates what a spec asks for, for the argument called `name`.
    pub(crate) fn new(
        queue: &Queue,
        spec: &BufferSpec,
        name: &str,
    ) -> Result<DeviceMemory, DeviceError> {
        Ok(match &spec.image {
            Some(image) => {
                DeviceMemory::Image(Box::new(DeviceImage::new(queue, image, name, spec.role)?))
            }
            None => DeviceMemory::Buffer(DeviceBuffer::new(queue, spec.len)?),
        })
    }

    /// Sets every byte to `value`.
    pub(crate) fn fill(&self, value: u8) -> Result<(), DeviceError> {
        match self {
            DeviceMemory::Buffer(buffer) => buffer.fill(value),
            DeviceMemory::Image(image) => image.fill(value),
        }
    }

    /// Fills it from `contents(first_byte, piece)`, in order.
    pub(crate) fn write_with(
        &self,
        contents: impl FnMut(u64, &mut [u8]),
    ) -> Result<(), DeviceError> {
        match self {
            DeviceMemory::Buffer(buffer) => buffer.write_with(contents),
            DeviceMemory::Image(image) => image.write_with(contents),
        }
    }

    /// A new one of the same contents.
    pub(crate) fn duplicate(&self) -> Result<DeviceMemory, DeviceError> {
        Ok(match self {
            DeviceMemory::Buffer(buffer) => DeviceMemory::Buffer(buffer.duplicate()?),
            DeviceMemory::Image(image) => DeviceMemory::Image(Box::new(image.duplicate()?)),
        })
    }

    /// Copies `source`, of the same kind and size, over it, on the device.
    pub(crate) fn copy_from(&self, source: &DeviceMemory) -> Result<(), DeviceError> {
        match (self, source) {
            (DeviceMemory::Buffer(to), DeviceMemory::Buffer(from)) => to.copy_from(from),
            (DeviceMemory::Image(to), DeviceMemory::Image(from)) => to.copy_from(from),
            // Copies are made of the same spec.
            _ => Err(DeviceError::OutsideBuffer {
                offset: 0,
                count: 0,
                len: 0,
            }),
        }
    }

    /// All its bytes; texels without padding.
    pub(crate) fn read_all(&self) -> Result<Vec<u8>, DeviceError> {
        match self {
            DeviceMemory::Buffer(buffer) => buffer.read_all(),
            DeviceMemory::Image(image) => image.read_all(),
        }
    }

    pub(crate) fn raw(&self) -> cl::cl_mem {
        match self {
            DeviceMemory::Buffer(buffer) => buffer.raw(),
            DeviceMemory::Image(image) => image.raw(),
        }
    }
}
