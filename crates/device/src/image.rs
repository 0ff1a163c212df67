//! Images and samplers in the device's memory.

use opencl_sys as cl;
use tilewise_launch::image::{Addressing, ImageDims, ImageFormat};
use tilewise_launch::{Image, Sampler};

use crate::arguments::{BufferRole, host_size};
use crate::buffer::DeviceBuffer;
use crate::error::DeviceError;
use crate::handle::Handle;
use crate::queue::Queue;

/// Bytes moved per call, as far as whole rows are not longer.
const PIECE: usize = 16 << 20;

/// An image (`cl_mem`).
pub(crate) struct DeviceImage {
    handle: Handle,
    queue: Queue,
    /// The buffer that holds the texels of an `image1d_buffer_t`.
    buffer: Option<DeviceBuffer>,
    /// Width, rows of a slice and slices, as `region` counts them.
    extent: [usize; 3],
    texel_bytes: usize,
    what: Image,
    name: String,
    role: BufferRole,
}

impl DeviceImage {
    /// An image of undefined contents for the argument `name`, which the kernel
    /// uses as `role` says.
    ///
    /// # Errors
    /// [`DeviceError::ImageFormat`] where the device lacks the format,
    /// [`DeviceError::ImageSize`] where the image is too large, else
    /// [`DeviceError::Call`].
    pub(crate) fn new(
        queue: &Queue,
        image: &Image,
        name: &str,
        role: BufferRole,
    ) -> Result<DeviceImage, DeviceError> {
        let flags = match role {
            BufferRole::Input => cl::CL_MEM_READ_ONLY,
            BufferRole::Output => cl::CL_MEM_WRITE_ONLY,
            BufferRole::InOut => cl::CL_MEM_READ_WRITE,
        };
        check_format(queue, image, name, flags)?;
        let size = |n: u64| host_size("an image", n);
        let [width, height, depth] = image.size;
        let rows = match image.dims {
            ImageDims::D1Array => [image.layers, 1],
            ImageDims::D2Array => [height, image.layers],
            _ => [height, depth],
        };
        let extent = [size(width)?, size(rows[0])?, size(rows[1])?];
        let texel_bytes = size(image.format.texel().size())?;
        let buffer = match image.dims {
            ImageDims::Buffer => Some(DeviceBuffer::new(queue, extent[0] * texel_bytes)?),
            _ => None,
        };
        let format = cl::cl_image_format {
            image_channel_order: image.format.order.opencl(),
            image_channel_data_type: image.format.channel.opencl(),
        };
        let has = |d: u8, n: u64| {
            if image.dims.dimensions() >= d {
                size(n)
            } else {
                Ok(0)
            }
        };
        let description = cl::cl_image_desc {
            image_type: object_type(image.dims),
            image_width: extent[0],
            image_height: has(2, height)?,
            image_depth: has(3, depth)?,
            image_array_size: if image.dims.is_array() {
                size(image.layers)?
            } else {
                0
            },
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: buffer
                .as_ref()
                .map_or(std::ptr::null_mut(), DeviceBuffer::raw),
        };
        let api = queue.api();
        let mut status = 0;
        // SAFETY: a live context, a format and a description that live over the
        // call, and no host memory; the buffer that the description names is
        // live and as large as the image.
        let raw = unsafe {
            (api.create_image)(
                queue.context(),
                flags,
                &raw const format,
                &raw const description,
                std::ptr::null_mut(),
                &mut status,
            )
        };
        if matches!(
            status,
            cl::CL_INVALID_IMAGE_SIZE | cl::CL_INVALID_IMAGE_DESCRIPTOR
        ) {
            return Err(DeviceError::ImageSize {
                name: name.to_owned(),
                extent: image.extent(),
                device: queue.info().name.clone(),
            });
        }
        Ok(DeviceImage {
            handle: Handle::new("clCreateImage", raw, status, api.release_mem_object)?,
            queue: queue.clone(),
            buffer,
            extent,
            texel_bytes,
            what: image.clone(),
            name: name.to_owned(),
            role,
        })
    }

    /// Fills the image from `contents(first_byte, piece)`, row by row.
    ///
    /// # Errors
    /// [`DeviceError::Call`].
    pub(crate) fn write_with(
        &self,
        mut contents: impl FnMut(u64, &mut [u8]),
    ) -> Result<(), DeviceError> {
        if let Some(buffer) = &self.buffer {
            return buffer.write_with(contents);
        }
        self.pieces(|first, origin, region, bytes| {
            let mut piece = vec![0u8; bytes];
            contents(first, &mut piece);
            // SAFETY: the region lies inside the image, the source holds as
            // many bytes without padding, and the call returns when it has
            // read them.
            unsafe {
                (self.queue.api().enqueue_write_image)(
                    self.queue.raw(),
                    self.raw(),
                    cl::CL_TRUE,
                    origin.as_ptr(),
                    region.as_ptr(),
                    0,
                    0,
                    piece.as_ptr().cast(),
                    0,
                    std::ptr::null(),
                    std::ptr::null_mut(),
                )
            }
        })
    }

    /// The texels, one behind the other.
    ///
    /// # Errors
    /// [`DeviceError::Call`].
    pub(crate) fn read_all(&self) -> Result<Vec<u8>, DeviceError> {
        if let Some(buffer) = &self.buffer {
            return buffer.read_all();
        }
        let [width, rows, slices] = self.extent;
        let mut all = vec![0u8; width * rows * slices * self.texel_bytes];
        self.pieces(|first, origin, region, bytes| {
            let first = first as usize;
            let part = &mut all[first..first + bytes];
            // SAFETY: the region lies inside the image, the target holds as
            // many bytes without padding, and the call returns when it has
            // written them.
            unsafe {
                (self.queue.api().enqueue_read_image)(
                    self.queue.raw(),
                    self.raw(),
                    cl::CL_TRUE,
                    origin.as_ptr(),
                    region.as_ptr(),
                    0,
                    0,
                    part.as_mut_ptr().cast(),
                    0,
                    std::ptr::null(),
                    std::ptr::null_mut(),
                )
            }
        })?;
        Ok(all)
    }

    /// Sets every byte to `value`.
    ///
    /// # Errors
    /// [`DeviceError::Call`].
    pub(crate) fn fill(&self, value: u8) -> Result<(), DeviceError> {
        match &self.buffer {
            Some(buffer) => buffer.fill(value),
            // A fill by colour would go through the format's conversion.
            None => self.write_with(|_, piece| piece.fill(value)),
        }
    }

    /// A new image of the same contents.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if the device has no room.
    pub(crate) fn duplicate(&self) -> Result<DeviceImage, DeviceError> {
        let copy = DeviceImage::new(&self.queue, &self.what, &self.name, self.role)?;
        copy.copy_from(self)?;
        Ok(copy)
    }

    /// Copies an image of the same size and format over this one, on the
    /// device. Returns before the device has done it.
    ///
    /// # Errors
    /// [`DeviceError::Call`].
    pub(crate) fn copy_from(&self, source: &DeviceImage) -> Result<(), DeviceError> {
        if let (Some(to), Some(from)) = (&self.buffer, &source.buffer) {
            return to.copy_from(from);
        }
        let origin = [0usize; 3];
        // SAFETY: both images are live; a driver refuses a region that is not
        // inside of both.
        let status = unsafe {
            (self.queue.api().enqueue_copy_image)(
                self.queue.raw(),
                source.raw(),
                self.raw(),
                origin.as_ptr(),
                origin.as_ptr(),
                self.extent.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            )
        };
        DeviceError::check("clEnqueueCopyImage", status)
    }

    pub(crate) fn raw(&self) -> cl::cl_mem {
        self.handle.raw()
    }

    /// Calls `f(first byte, origin, region, bytes)` for pieces of whole rows, in
    /// order.
    fn pieces(
        &self,
        mut f: impl FnMut(u64, [usize; 3], [usize; 3], usize) -> i32,
    ) -> Result<(), DeviceError> {
        let [width, rows, slices] = self.extent;
        let row = width * self.texel_bytes;
        let at_once = (PIECE / row.max(1)).max(1);
        for slice in 0..slices {
            let mut first = 0;
            while first < rows {
                let count = at_once.min(rows - first);
                let byte = ((slice * rows + first) * row) as u64;
                let status = f(byte, [0, first, slice], [width, count, 1], count * row);
                DeviceError::check("clEnqueueReadImage or clEnqueueWriteImage", status)?;
                first += count;
            }
        }
        Ok(())
    }
}

fn object_type(dims: ImageDims) -> cl::cl_mem_object_type {
    match dims {
        ImageDims::D1 => cl::CL_MEM_OBJECT_IMAGE1D,
        ImageDims::Buffer => cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
        ImageDims::D1Array => cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
        ImageDims::D2 => cl::CL_MEM_OBJECT_IMAGE2D,
        ImageDims::D2Array => cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
        ImageDims::D3 => cl::CL_MEM_OBJECT_IMAGE3D,
    }
}

/// Refuses a format that the device does not have for such images and uses.
fn check_format(
    queue: &Queue,
    image: &Image,
    name: &str,
    flags: cl::cl_mem_flags,
) -> Result<(), DeviceError> {
    const CALL: &str = "clGetSupportedImageFormats";
    let get = queue.api().get_supported_image_formats;
    let kind = object_type(image.dims);
    let mut count = 0;
    // SAFETY: a live context; only the number is asked for.
    let status = unsafe {
        get(
            queue.context(),
            flags,
            kind,
            0,
            std::ptr::null_mut(),
            &mut count,
        )
    };
    DeviceError::check(CALL, status)?;
    let nothing = cl::cl_image_format {
        image_channel_order: 0,
        image_channel_data_type: 0,
    };
    let mut formats = vec![nothing; count as usize];
    if count > 0 {
        // SAFETY: a live context, and room for as many formats as are named.
        let status = unsafe {
            get(
                queue.context(),
                flags,
                kind,
                count,
                formats.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        DeviceError::check(CALL, status)?;
    }
    let has = |format: ImageFormat| {
        formats.iter().any(|f| {
            f.image_channel_order == format.order.opencl()
                && f.image_channel_data_type == format.channel.opencl()
        })
    };
    if has(image.format) {
        return Ok(());
    }
    Err(DeviceError::ImageFormat {
        name: name.to_owned(),
        format: image.format.to_string(),
        device: queue.info().name.clone(),
        supported: ImageFormat::all()
            .filter(|f| has(*f))
            .map(|f| f.to_string())
            .collect(),
    })
}

/// A sampler object.
pub(crate) struct DeviceSampler {
    handle: Handle,
}

impl DeviceSampler {
    /// The sampler on the queue's context.
    ///
    /// # Errors
    /// [`DeviceError::Call`] where the device has no such sampler.
    pub(crate) fn new(queue: &Queue, sampler: Sampler) -> Result<DeviceSampler, DeviceError> {
        let api = queue.api();
        let addressing = match sampler.addressing {
            Addressing::None => cl::CL_ADDRESS_NONE,
            Addressing::ClampToEdge => cl::CL_ADDRESS_CLAMP_TO_EDGE,
            Addressing::Clamp => cl::CL_ADDRESS_CLAMP,
            Addressing::Repeat => cl::CL_ADDRESS_REPEAT,
            Addressing::MirroredRepeat => cl::CL_ADDRESS_MIRRORED_REPEAT,
        };
        let filter = if sampler.linear {
            cl::CL_FILTER_LINEAR
        } else {
            cl::CL_FILTER_NEAREST
        };
        let normalized = if sampler.normalized {
            cl::CL_TRUE
        } else {
            cl::CL_FALSE
        };
        let mut status = 0;
        // SAFETY: a live context and a place for the status.
        let raw = unsafe {
            (api.create_sampler)(queue.context(), normalized, addressing, filter, &mut status)
        };
        Ok(DeviceSampler {
            handle: Handle::new("clCreateSampler", raw, status, api.release_sampler)?,
        })
    }

    pub(crate) fn raw(&self) -> cl::cl_sampler {
        self.handle.raw()
    }
}
