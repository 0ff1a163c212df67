//! The OpenCL devices of this machine.

use std::sync::{Mutex, PoisonError};

use opencl_sys as cl;
use opencl_sys::{cl_device_id, cl_platform_id};

use crate::api::{Api, INSTALL, OpenCl};
use crate::error::DeviceError;
use crate::info::DeviceInfo;
use crate::query;
use crate::status::Status;

/// One OpenCL device.
#[derive(Clone)]
pub struct Device {
    pub(crate) api: &'static Api,
    pub(crate) id: cl_device_id,
    index: usize,
    info: DeviceInfo,
}

impl Device {
    /// Number of the device: the `N` of `cl:N`.
    pub fn index(&self) -> usize {
        self.index
    }

    /// What the device says of itself.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// One line for a person: number, name, kind, platform.
    pub fn line(&self) -> String {
        let info = &self.info;
        let board = info
            .board
            .as_ref()
            .map(|b| format!(" [{b}]"))
            .unwrap_or_default();
        format!(
            "cl:{}  {}{board} ({}, {}, {})",
            self.index, info.name, info.kind, info.platform, info.version
        )
    }
}

/// The OpenCL devices, in the order of their platforms.
pub struct Devices {
    devices: Vec<Device>,
    problems: Vec<DeviceError>,
}

impl Devices {
    /// All devices that can be used. Never empty.
    pub fn all(&self) -> &[Device] {
        &self.devices
    }

    /// What failed while other platforms or devices were asked. They are left
    /// out of the list; a warning should name them.
    pub fn problems(&self) -> &[DeviceError] {
        &self.problems
    }
}

impl OpenCl {
    /// Lists the devices of all platforms.
    ///
    /// # Errors
    /// [`DeviceError::NoPlatform`] without a driver, [`DeviceError::NoDevice`]
    /// if no driver has a device. A driver that fails beside one that works is
    /// no error: see [`Devices::problems`].
    pub fn devices(&self) -> Result<Devices, DeviceError> {
        // The first call sets the driver up, and in PoCL 3.1 a second thread
        // that asks meanwhile is told of a platform without devices.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);

        let mut devices = Vec::new();
        let mut problems = Vec::new();
        let mut names = Vec::new();
        for platform in self.platforms()? {
            let found = platform_name(self.api, platform).and_then(|name| {
                names.push(name.clone());
                Ok((device_ids(self.api, platform)?, name))
            });
            let (ids, name) = match found {
                Ok(found) => found,
                Err(error) => {
                    problems.push(error);
                    continue;
                }
            };
            for id in ids {
                match DeviceInfo::read(self.api, id, &name) {
                    Ok(info) => {
                        let index = devices.len();
                        devices.push(Device {
                            api: self.api,
                            id,
                            index,
                            info,
                        });
                    }
                    Err(error) => problems.push(error),
                }
            }
        }
        if devices.is_empty() {
            return Err(DeviceError::NoDevice {
                platforms: names,
                problems: problems.iter().map(ToString::to_string).collect(),
            });
        }
        Ok(Devices { devices, problems })
    }

    fn platforms(&self) -> Result<Vec<cl_platform_id>, DeviceError> {
        let no_platform = || DeviceError::NoPlatform {
            library: self.api.library.clone(),
            install: INSTALL,
        };
        let mut count = 0;
        // SAFETY: no array is given, so the call only counts.
        let status = unsafe { (self.api.get_platform_ids)(0, std::ptr::null_mut(), &mut count) };
        if Status(status) == Status::PLATFORM_NOT_FOUND || (status == cl::CL_SUCCESS && count == 0)
        {
            return Err(no_platform());
        }
        DeviceError::check("clGetPlatformIDs", status)?;
        let mut ids = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: the array holds `count` ids.
        let status =
            unsafe { (self.api.get_platform_ids)(count, ids.as_mut_ptr(), std::ptr::null_mut()) };
        DeviceError::check("clGetPlatformIDs", status)?;
        Ok(ids)
    }
}

fn platform_name(api: &Api, platform: cl_platform_id) -> Result<String, DeviceError> {
    // SAFETY: the platform is live (platforms are never released), and `query`
    // passes a buffer of the size that it names.
    query::text("clGetPlatformInfo", |size, value, returned| unsafe {
        (api.get_platform_info)(platform, cl::CL_PLATFORM_NAME, size, value, returned)
    })
}

/// The platform's devices; none is no error.
fn device_ids(api: &Api, platform: cl_platform_id) -> Result<Vec<cl_device_id>, DeviceError> {
    const CALL: &str = "clGetDeviceIDs";
    let all = cl::CL_DEVICE_TYPE_ALL;
    let mut count = 0;
    // SAFETY: no array is given, so the call only counts.
    let status =
        unsafe { (api.get_device_ids)(platform, all, 0, std::ptr::null_mut(), &mut count) };
    if status == cl::CL_DEVICE_NOT_FOUND {
        return Ok(Vec::new());
    }
    DeviceError::check(CALL, status)?;
    let mut ids = vec![std::ptr::null_mut(); count as usize];
    if count > 0 {
        // SAFETY: the array holds `count` ids.
        let status = unsafe {
            (api.get_device_ids)(platform, all, count, ids.as_mut_ptr(), std::ptr::null_mut())
        };
        DeviceError::check(CALL, status)?;
    }
    Ok(ids)
}
