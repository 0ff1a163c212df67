//! The device of a survey: builds a kernel, runs it once on the inputs that
//! the simulator had, and compares every buffer.

use tilewise_device::{
    BoundLaunch, BufferRole, Clearance, Device, DeviceError, OpenCl, Program, Queue,
};
use tilewise_sim::{Memory, RunSummary};

use super::OnDevice;
use crate::compare::{Tolerance, compare};
use crate::error::Error;
use crate::load::Loaded;
use crate::measure::{operations_per_work_item, touched, with_lengths};

/// The device to compare with, if there is one.
pub(super) struct Subject {
    device: Option<Device>,
}

impl Subject {
    /// The device with this in its name.
    pub(super) fn find(wanted: Option<&str>) -> Result<Self, Error> {
        let device = match wanted {
            Some(wanted) => Some(OpenCl::load()?.devices()?.select(wanted)?.clone()),
            None => None,
        };
        Ok(Self { device })
    }

    /// Runs a launch that was clean on the simulator, and compares.
    pub(super) fn compare(
        &self,
        loaded: &Loaded,
        summary: &RunSummary,
        memory: &Memory,
    ) -> OnDevice {
        let Some(device) = &self.device else {
            return OnDevice::NotRun {
                why: "no device was asked for".to_owned(),
            };
        };
        match run(device, loaded, summary, memory) {
            Ok(outcome) => outcome,
            Err(error) => OnDevice::Failed {
                message: error.to_string(),
            },
        }
    }
}

fn run(
    device: &Device,
    loaded: &Loaded,
    summary: &RunSummary,
    memory: &Memory,
) -> Result<OnDevice, DeviceError> {
    let Some(source) = &loaded.unit.source else {
        return Ok(OnDevice::NotRun {
            why: "SPIR-V: a device is given OpenCL C source".to_owned(),
        });
    };
    let queue = Queue::new(device)?;
    let launch = &loaded.resolved.launch;
    let launch = &with_lengths(launch, &touched(launch, summary, memory.regions()));
    let program = Program::build(&queue, source, &loaded.unit.build_options)?;
    let kernel = program.kernel(&loaded.signature.kernel)?;
    // What a kernel leaves alone must be equal, too: every buffer starts with
    // the simulator's contents.
    let roles = vec![BufferRole::InOut; launch.args.len()];
    let mut contents = |arg: usize, first: u64, out: &mut [u8]| launch.contents(arg, first, out);
    let bound = BoundLaunch::new(kernel, launch, &roles, &mut contents, Clearance::Simulated)?;
    bound.run()?;
    let mut how = Tolerance::Exact;
    let mut difference = None;
    let budget = Tolerance::for_operations(operations_per_work_item(summary));
    bound.read_outputs(|arg, device| {
        let Some(buffer) = launch.args[arg].value.memory() else {
            return;
        };
        let mut simulated = vec![0; device.len()];
        memory.read(arg, 0, &mut simulated);
        if simulated == device || difference.is_some() {
            return;
        }
        how = budget;
        let whose = ["on the simulator", "on the device"];
        difference = compare(&buffer.elem, &simulated, device, budget)
            .map(|d| d.describe(&launch.args[arg].name, whose));
    })?;
    Ok(match difference {
        Some(difference) => OnDevice::Differs { difference },
        None => OnDevice::Agrees {
            how: how.to_string(),
        },
    })
}
