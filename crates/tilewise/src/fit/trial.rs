//! One trial of a launch, and what its faults say about it.

use tilewise_launch::ArgValue;
use tilewise_launch::resolve::resolve;
use tilewise_sim::{Fault, FaultKind, RegionKind, Regions};

use super::draft::Draft;
use super::{LARGE, Subject};
use crate::error::Error;
use crate::load::Loaded;
use crate::session::Session;
use crate::written::{Written, run_trial};

/// Instructions that a sub-group may take in a trial.
const BUDGET: u64 = 1 << 21;

/// What a fault says about a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// Accesses past the end of a buffer.
    TooShort {
        /// Index of the argument.
        arg: usize,
    },
    /// Accesses in front of a buffer.
    InFront,
    /// Accesses outside a buffer, by an address from loaded data.
    NoIndices {
        /// Index of the argument whose buffer is left.
        arg: usize,
    },
    /// Accesses outside local memory that the launch sizes.
    LocalTooShort {
        /// Index of the argument.
        arg: usize,
    },
    /// Accesses outside a variable, whose size is the kernel's.
    OutsideVariable,
    /// Work-items part at a barrier.
    Barrier,
    /// A sub-group does not end soon.
    Runaway,
    /// A buffer is out of proportion to the size.
    TooLarge,
    /// A division by zero.
    Division,
    /// Anything else.
    Other,
}

/// A launch and what a run of it showed.
#[derive(Clone)]
pub(super) struct Trial {
    pub loaded: Loaded,
    /// One per fault.
    pub problems: Vec<Problem>,
    /// Instructions of sub-groups that it took.
    pub instructions: u64,
    /// By argument: end of what was touched, in bytes.
    pub touched: Vec<u64>,
    /// By argument: whether the kernel loads from it.
    pub read: Vec<bool>,
}

impl Trial {
    /// Runs a draft as written.
    pub fn run(session: &Session, subject: Subject<'_>, draft: &Draft<'_>) -> Result<Self, Error> {
        let Subject {
            target,
            path,
            unit,
            signature,
        } = subject;
        let spec = draft.guess();
        let resolved = resolve(spec.spec(), signature, &unit.limits(target))?;
        let loaded = Loaded {
            path: path.to_owned(),
            unit: unit.clone(),
            signature: signature.clone(),
            resolved,
            apart: None,
            notes: Vec::new(),
        };
        let launch = &loaded.resolved.launch;
        let Written {
            summary, memory, ..
        } = run_trial(session, target, &loaded, launch, BUDGET)?;
        let regions = memory.regions();
        let mut problems: Vec<Problem> = summary
            .faults
            .iter()
            .map(|fault| problem(fault, regions))
            .collect();
        let ends: Vec<(u64, u64)> = (0..launch.args.len())
            .map(|arg| {
                let region = regions.of_arg(arg);
                let found = summary.touched.iter().find(|t| Some(t.region) == region);
                found.map_or((0, 0), |t| (t.read_end, t.write_end))
            })
            .collect();
        let touched: Vec<u64> = ends.iter().map(|(r, w)| *r.max(w)).collect();
        let open =
            |arg: usize| matches!(&launch.args[arg].value, ArgValue::Buffer(b) if b.len.is_none());
        if (0..touched.len()).any(|arg| open(arg) && touched[arg] > LARGE) {
            problems.push(Problem::TooLarge);
        }
        Ok(Self {
            problems,
            instructions: summary.instructions,
            touched,
            read: ends.iter().map(|(read, _)| *read > 0).collect(),
            loaded,
        })
    }

    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        let args = self.loaded.resolved.launch.args.iter();
        args.filter_map(|arg| arg.value.memory()?.bytes())
            .fold(0, u64::saturating_add)
    }
}

fn problem(fault: &Fault, regions: &Regions) -> Problem {
    match &fault.kind {
        FaultKind::OutOfBounds {
            region,
            offset,
            address_from_data,
            ..
        } => match regions.get(*region).kind {
            RegionKind::Buffer { arg } if *address_from_data => Problem::NoIndices { arg },
            RegionKind::Buffer { .. } if *offset < 0 => Problem::InFront,
            RegionKind::Buffer { arg } => Problem::TooShort { arg },
            RegionKind::LocalArg { arg } => Problem::LocalTooShort { arg },
            RegionKind::LocalVar { .. }
            | RegionKind::Private { .. }
            | RegionKind::Program { .. } => Problem::OutsideVariable,
            RegionKind::Null => Problem::Other,
        },
        FaultKind::BarrierDivergence { .. } | FaultKind::SubGroupDivergence { .. } => {
            Problem::Barrier
        }
        FaultKind::Runaway { .. } | FaultKind::SpinWait => Problem::Runaway,
        FaultKind::DivisionByZero => Problem::Division,
        // An image's size is not tried out.
        FaultKind::OutsideImage { .. }
        | FaultKind::AsyncCopyDivergence { .. }
        | FaultKind::BroadcastDivergence
        | FaultKind::ConstantWrite { .. }
        | FaultKind::OutsideMember { .. }
        | FaultKind::ShiftCount { .. }
        | FaultKind::Unreachable => Problem::Other,
    }
}
