//! Where a command runs or what it simulates: `--device` resolved.

use std::borrow::Cow;

use tilewise_device::{Device, DeviceError, DeviceKind, Devices, OpenCl};
use tilewise_launch::resolve::Limits;
use tilewise_model::profile::DeviceProfile;
use tilewise_report::DeviceInfo;

use crate::error::Error;
use crate::session::{DeviceChoice, Session};

/// The profile that stands in where no other fits: the device of which most
/// figures are known.
const FALLBACK_PROFILE: &str = "h200";

/// A profile to simulate, and the device to measure on, if there is one.
#[derive(Clone)]
pub struct Target {
    /// Counts, occupancy and predictions follow this profile.
    pub profile: Cow<'static, DeviceProfile>,
    /// The profile describes the device, so that the model speaks of it. Else
    /// another device's stands in, for the counts.
    pub modelled: bool,
    /// Launches run here.
    pub device: Option<Device>,
    /// What selects it: `sim:h200`, `cl:0`.
    pub id: String,
    /// What to know about the choice.
    pub notes: Vec<String>,
    /// `__local` arguments beyond the device's limit are let through, since the
    /// command reports them as a finding and launches nothing.
    pub lets_large_tiles_through: bool,
}

/// What a command needs of `--device auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A profile; a device is not used.
    Profile,
    /// A device if there is one, else a profile (`advise`, `verify`).
    PreferDevice,
    /// A device (`bench`).
    Device,
}

impl Target {
    /// The targets that `--device` names, at least one.
    ///
    /// # Errors
    /// An unknown profile or device; no device where one is needed.
    pub fn resolve(session: &Session, need: Need) -> Result<Vec<Self>, Error> {
        match &session.device {
            DeviceChoice::Simulated(name) => Ok(vec![Self::builtin(name)?]),
            DeviceChoice::ProfileFile(path) => {
                let profile = DeviceProfile::load(path).map_err(|e| Error::Input(e.to_string()))?;
                Ok(vec![Self {
                    id: format!("sim:{}", path.display()),
                    profile: Cow::Owned(profile),
                    modelled: true,
                    device: None,
                    notes: Vec::new(),
                    lets_large_tiles_through: false,
                }])
            }
            DeviceChoice::OpenCl(which) => {
                let devices = OpenCl::load()?.devices()?;
                Ok(vec![Self::on(devices.select(which)?, need)])
            }
            DeviceChoice::All => {
                let devices = OpenCl::load()?.devices()?;
                let mut targets: Vec<Self> =
                    devices.all().iter().map(|d| Self::on(d, need)).collect();
                if need != Need::Device {
                    targets.push(Self::builtin(FALLBACK_PROFILE)?);
                }
                Ok(targets)
            }
            DeviceChoice::Auto => Self::auto(need),
        }
    }

    fn auto(need: Need) -> Result<Vec<Self>, Error> {
        let devices = match OpenCl::load().and_then(|cl| cl.devices()) {
            Ok(devices) => devices,
            Err(error) if need == Need::Device => return Err(error.into()),
            Err(error) => {
                let mut target = Self::builtin(FALLBACK_PROFILE)?;
                if need == Need::PreferDevice {
                    target.notes.push(format!(
                        "no OpenCL device to measure on ({}): figures are for {}, predicted",
                        first_line(&error),
                        target.profile.title
                    ));
                }
                return Ok(vec![target]);
            }
        };
        match need {
            Need::Profile => Ok(vec![Self::profile_of(&devices)?]),
            Need::Device => Ok(vec![Self::on(devices.preferred(), need)]),
            Need::PreferDevice => {
                let device = devices.preferred();
                let mut first = Self::on(device, need);
                if device.info().kind == DeviceKind::Gpu {
                    return Ok(vec![first]);
                }
                first.notes.push(format!(
                    "no GPU found: run on {} ({}), which says little about one; sim:{FALLBACK_PROFILE} follows",
                    device.info().name.trim(),
                    device.info().kind,
                ));
                Ok(vec![first, Self::builtin(FALLBACK_PROFILE)?])
            }
        }
    }

    /// The profile that matches the first GPU, else the fallback.
    fn profile_of(devices: &Devices) -> Result<Self, Error> {
        let matching = devices
            .all()
            .iter()
            .filter(|d| d.info().kind == DeviceKind::Gpu)
            .find_map(|d| DeviceProfile::matching(&d.info().name));
        match matching {
            Some(profile) => Self::builtin(&profile.name),
            None => Self::builtin(FALLBACK_PROFILE),
        }
    }

    /// A built-in profile.
    ///
    /// # Errors
    /// No profile has this name.
    pub fn builtin(name: &str) -> Result<Self, Error> {
        let Some(profile) = DeviceProfile::builtin(name) else {
            let known: Vec<String> = DeviceProfile::all()
                .iter()
                .map(|p| format!("sim:{} ({})", p.name, p.title))
                .collect();
            return Err(Error::Input(format!(
                "unknown device sim:{name}; there are {}, and sim:FILE.toml for a profile of your own",
                known.join(", ")
            )));
        };
        Ok(Self {
            id: format!("sim:{}", profile.name),
            profile: Cow::Borrowed(profile),
            modelled: true,
            device: None,
            notes: Vec::new(),
            lets_large_tiles_through: false,
        })
    }

    /// An OpenCL device with the profile that fits it.
    fn on(device: &Device, need: Need) -> Self {
        let name = device.info().name.trim().to_owned();
        let mut notes = Vec::new();
        let matching = DeviceProfile::matching(&name);
        let profile = matching.unwrap_or_else(|| {
            let fallback = DeviceProfile::builtin(FALLBACK_PROFILE)
                .expect("the fallback profile is built in");
            if need != Need::Profile {
                notes.push(format!(
                    "no profile describes {name}: simulated counts, occupancy and predictions are those of {}",
                    fallback.title
                ));
            }
            fallback
        });
        Self {
            profile: Cow::Borrowed(profile),
            modelled: matching.is_some(),
            device: Some(device.clone()),
            id: format!("cl:{}", device.index()),
            notes,
            lets_large_tiles_through: false,
        }
    }

    /// The device's name, or the profile's.
    pub fn name(&self) -> String {
        match &self.device {
            Some(device) => device.info().name.trim().to_owned(),
            None => self.profile.title.clone(),
        }
    }

    /// Local memory that one work-group may have, in bytes: `CL_DEVICE_LOCAL_MEM_SIZE`.
    pub fn local_limit(&self) -> u64 {
        match &self.device {
            Some(device) => device.info().local_memory,
            None => self.profile.local_memory.per_group.value(),
        }
    }

    /// What a launch has to keep to. `non_uniform_groups`: the
    /// program's last groups may be smaller.
    pub fn limits(&self, non_uniform_groups: bool) -> Limits {
        let execution = &self.profile.execution;
        let (group, items) = match &self.device {
            Some(device) => {
                let info = device.info();
                let mut items = [1; 3];
                for (to, from) in items.iter_mut().zip(&info.max_item_sizes) {
                    *to = *from;
                }
                (info.max_group_size, items)
            }
            None => (
                execution.max_group_size.value(),
                execution.max_group_sizes.value,
            ),
        };
        let local = self.local_limit();
        Limits {
            device: self.name(),
            max_group_size: group,
            max_item_sizes: items,
            max_local_bytes: (!self.lets_large_tiles_through).then_some(local),
            non_uniform_groups,
        }
    }

    /// The device as a report shows it.
    pub fn info(&self) -> DeviceInfo {
        DeviceInfo {
            name: self.name(),
            id: self.id.clone(),
            simulated: self.device.is_none(),
            local_mem_bytes: self.local_limit(),
            driver: self
                .device
                .as_ref()
                .map(|d| d.info().driver_version.clone()),
        }
    }
}

fn first_line(error: &DeviceError) -> String {
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}
