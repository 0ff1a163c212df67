//! One form of a kernel (unstaged or staged) with all that the simulator and
//! the model say about it.

use tilewise_model::time::{Prediction, Work};
use tilewise_report::{Occupancy, Profile};

use crate::error::Error;
use crate::load::Loaded;
use crate::occupancy_of::{local_bytes, occupancy_of};
use crate::predict::{predict, work_of};
use crate::profile_of::profile_of;
use crate::session::Session;
use crate::simulate::{Simulation, simulate};
use crate::target::Target;

/// A kernel form, analysed for one target.
pub struct Form<'l> {
    /// The kernel and its launch.
    pub loaded: &'l Loaded,
    /// Counts.
    pub simulation: Simulation,
    /// The access profile.
    pub profile: Profile,
    /// What the model of the profile's device says; nothing where its groups can't be
    /// as large as this launch's ([`occupancy_of`]).
    pub modelled: Option<Modelled>,
    /// Local memory of one group in bytes.
    pub local_bytes: u64,
}

/// What the model says of a launch.
pub struct Modelled {
    /// Groups per compute unit.
    pub occupancy: Occupancy,
    /// The time model's input.
    pub work: Work,
    /// Its result.
    pub prediction: Prediction,
}

impl<'l> Form<'l> {
    /// Simulates a launch and predicts its time.
    ///
    /// # Errors
    /// The kernel can't be simulated, or its group does not fit the device.
    pub fn analyse(session: &Session, target: &Target, loaded: &'l Loaded) -> Result<Self, Error> {
        let occupancy = occupancy_of(target, loaded)?;
        let simulation = simulate(session, target, loaded)?;
        let modelled = match occupancy {
            Some(occupancy) => {
                let work = work_of(target, loaded, &simulation, &occupancy);
                Some(Modelled {
                    prediction: predict(target, &work)?,
                    occupancy,
                    work,
                })
            }
            None => None,
        };
        Ok(Self {
            profile: profile_of(loaded, &simulation),
            local_bytes: local_bytes(loaded)?,
            loaded,
            simulation,
            modelled,
        })
    }

    /// Groups per compute unit.
    pub fn occupancy(&self) -> Option<&Occupancy> {
        self.modelled.as_ref().map(|m| &m.occupancy)
    }

    /// Why the model says nothing of this form, where it does not.
    pub fn unmodelled(&self, target: &Target) -> Option<String> {
        let profile = &target.profile;
        self.modelled.is_none().then(|| {
            format!(
                "{} has groups of {} work-items with {} B of local memory, {} allows {} and {} B: no occupancy and no time is predicted",
                self.name(),
                self.loaded.resolved.launch.range.group_size(),
                self.local_bytes,
                profile.title,
                profile.execution.max_group_size.value(),
                profile.local_memory.per_group.value(),
            )
        })
    }

    /// What messages call the kernel.
    pub fn name(&self) -> String {
        self.loaded.name()
    }
}

/// Which of two kernels is the staged one: the one with more local memory, or,
/// where `baseline` names the unstaged one by its position from 0, the other.
///
/// # Errors
/// Both take the same local memory and nothing says which is which.
pub fn staged_of(local_bytes: [u64; 2], baseline: Option<usize>) -> Result<usize, Error> {
    match (baseline, local_bytes[0].cmp(&local_bytes[1])) {
        (Some(unstaged), _) if unstaged < 2 => Ok(1 - unstaged),
        (Some(other), _) => Err(Error::Input(format!(
            "--baseline-kernel {} names none of the two kernels; write 1 or 2",
            other + 1
        ))),
        (None, std::cmp::Ordering::Less) => Ok(1),
        (None, std::cmp::Ordering::Greater) => Ok(0),
        (None, std::cmp::Ordering::Equal) => Err(Error::Input(format!(
            "both kernels take {} B of local memory, so it can't be seen which is the staged one; say which is not with --baseline-kernel 1 or 2",
            local_bytes[0]
        ))),
    }
}
