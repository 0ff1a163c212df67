//! A kernel made ready for one launch.

use tilewise_ir::loops::Loops;
use tilewise_ir::verify::verify;
use tilewise_ir::{Kernel, Space, Ty, WorkItemQuery};
use tilewise_launch::{Launch, NdRange};

use super::emit;
use super::step::{At, Step};
use crate::affine::{AffineCompare, AffineValue, ClassKey};
use crate::alu::{AluInst, Call};
use crate::error::SimError;
use crate::memory::{Place, Regions};
use crate::registers::BankSizes;

/// A kernel decoded for one launch and one width of sub-groups.
pub struct Prepared {
    pub(crate) regions: Regions,
    /// Length of each region in bytes.
    pub(crate) lengths: Vec<u64>,
    pub(crate) places: Vec<Place>,
    pub(crate) spaces: Vec<Space>,
    pub(crate) range: NdRange,
    pub(crate) width: u32,
    pub(crate) steps: Vec<Step>,
    pub(crate) code: Vec<AluInst>,
    pub(crate) calls: Vec<Call>,
    pub(crate) affine: Vec<AffineValue>,
    /// What the lanes add to affine values.
    pub(crate) classes: Vec<ClassKey>,
    pub(crate) compares: Vec<AffineCompare>,
    pub(crate) scalar_sizes: BankSizes,
    pub(crate) vector_sizes: BankSizes,
    /// Constants: type, register, bits.
    pub(crate) scalar_constants: Vec<(Ty, u32, u64)>,
    pub(crate) vector_constants: Vec<(Ty, u32, u64)>,
    pub(crate) queries: Vec<QueryHome>,
    /// Private variables that start as given bytes: first word, words.
    pub(crate) private_init: Vec<(usize, Vec<u32>)>,
    /// Number of loops whose iterations are counted.
    pub(crate) counted_loops: usize,
    /// The result depends on the order in which groups run.
    pub(crate) serial: bool,
    /// First step of each block.
    pub(crate) starts: Vec<u32>,
    pub(crate) loops: Loops,
    /// By loop: its place in the source.
    pub(crate) loop_sites: Vec<At>,
    /// Nothing is done for several lanes at once.
    pub(crate) reference: bool,
}

/// How a kernel is decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodeOptions {
    /// Do without short cuts: each lane computes everything by itself, without
    /// vector instructions, and the addresses of an access count as scattered, for
    /// the machine and for who watches it. Results are the same; tests see to it.
    pub reference: bool,
    /// Find counts of shifts that are not below the number of bits
    /// ([`FaultKind::ShiftCount`](crate::FaultKind::ShiftCount)). OpenCL C defines
    /// such a shift, so this is for those who want to know. Only in the form as
    /// written: an optimiser takes the place of the count away.
    pub shift_counts: bool,
    /// Leave out what neither control flow nor an address depends on, for runs that
    /// count accesses and instructions and read no results. Observers are told the
    /// same, apart from [`AccessEvent::values`](crate::AccessEvent::values), and
    /// faults are the same; the launch's memory is without meaning afterwards. With
    /// [`Self::shift_counts`] nothing is left out.
    pub without_results: bool,
    /// Find accesses that leave an array within a structure though not the variable
    /// around it ([`FaultKind::OutsideMember`](crate::FaultKind::OutsideMember)). Only
    /// in the form as written: an optimiser computes addresses that nothing accesses.
    pub member_arrays: bool,
}

/// The registers of a work-item function's value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryHome {
    pub query: WorkItemQuery,
    pub dim: usize,
    pub ty: Ty,
    pub scalar: Option<u32>,
    pub vector: Option<u32>,
}

impl Prepared {
    /// Decodes a kernel. `width` is the number of lanes of a sub-group: 1 to 64.
    ///
    /// # Errors
    /// Where the kernel is malformed or uses what the simulator lacks, where
    /// an argument does not fit its parameter, and where the NDRange is empty
    /// or its group too large to number.
    pub fn new(kernel: &Kernel, launch: &Launch, width: u32) -> Result<Self, SimError> {
        Self::with(kernel, launch, width, DecodeOptions::default())
    }

    /// As [`Prepared::new`], but without short cuts ([`DecodeOptions::reference`]).
    ///
    /// # Errors
    /// As [`Prepared::new`].
    pub fn reference(kernel: &Kernel, launch: &Launch, width: u32) -> Result<Self, SimError> {
        let options = DecodeOptions {
            reference: true,
            ..DecodeOptions::default()
        };
        Self::with(kernel, launch, width, options)
    }

    /// As [`Prepared::new`], with options.
    ///
    /// # Errors
    /// As [`Prepared::new`].
    pub fn with(
        kernel: &Kernel,
        launch: &Launch,
        width: u32,
        options: DecodeOptions,
    ) -> Result<Self, SimError> {
        verify(kernel).map_err(|e| SimError::Malformed(e.to_string()))?;
        check_range(&launch.range, width)?;
        let regions = Regions::new(kernel, launch)?;
        emit::prepare(kernel, launch, width, regions, options)
    }

    /// Which region is which.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// Lanes of a sub-group.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Whether groups run one after another, since the kernel uses the results
    /// of atomics on global memory.
    pub fn is_serial(&self) -> bool {
        self.serial
    }
}

fn check_range(range: &NdRange, width: u32) -> Result<(), SimError> {
    let fail = |why: String| Err(SimError::Range(why));
    if width == 0 || width > 64 {
        return fail(format!(
            "sub-groups of {width} lanes; the simulator has 1 to 64"
        ));
    }
    for (sizes, what) in [(range.global, "global"), (range.local, "local")] {
        if sizes.contains(&0) {
            return fail(format!("the {what} size {sizes:?} has no work-items"));
        }
    }
    for d in 0..3 {
        if range.offset[d].checked_add(range.global[d]).is_none() {
            return fail(format!(
                "global offset {} and size {} go beyond 64 bits",
                range.offset[d], range.global[d]
            ));
        }
    }
    let group = range.local.iter().try_fold(1u64, |n, &s| n.checked_mul(s));
    if group.is_none_or(|n| n > 1 << 20) {
        return fail(format!(
            "a work-group of {:?} work-items; the simulator runs up to 2^20",
            range.local
        ));
    }
    let groups = range.groups();
    if groups
        .iter()
        .try_fold(1u64, |n, &s| n.checked_mul(s))
        .is_none()
    {
        return fail(format!("{groups:?} work-groups are too many to number"));
    }
    Ok(())
}
