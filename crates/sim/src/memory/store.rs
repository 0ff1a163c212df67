//! The global and constant memory of one launch.

use std::sync::Arc;

use tilewise_ir::Kernel;
use tilewise_ir::pointer::Region;
use tilewise_launch::Launch;

use super::paged::{Contents, PAGE_BYTES, Paged};
use super::regions::{RegionKind, Regions, UNKNOWN_LENGTH};
use crate::error::SimError;

/// Largest buffer: its table of pages takes some hundred megabytes.
const MOST_BYTES: u64 = 1 << 42;

/// The buffers and program-scope variables of one launch. It lives from the
/// start of a launch to the reading of its results, and holds only pages that
/// were touched.
pub struct Memory {
    regions: Regions,
    /// By region number less one: global and constant memory comes first.
    paged: Vec<Paged>,
}

/// The first place where two buffers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Byte offset of the first byte that differs.
    pub byte: u64,
}

impl Memory {
    /// The memory of a launch before it runs.
    ///
    /// # Errors
    /// Where the arguments don't fit the kernel's parameters.
    pub fn new(kernel: &Kernel, launch: &Launch) -> Result<Self, SimError> {
        let regions = Regions::new(kernel, launch)?;
        let mut paged = Vec::new();
        for info in &regions.all()[1..] {
            let bytes = info.bytes.unwrap_or(UNKNOWN_LENGTH);
            if bytes > MOST_BYTES {
                return Err(SimError::Range(format!(
                    "`{}` has {bytes} bytes; the simulator holds buffers of up to {MOST_BYTES}",
                    info.name
                )));
            }
            let contents = match info.kind {
                RegionKind::Buffer { arg } => match launch.args[arg].value.memory() {
                    Some(buffer) => Contents::Fill {
                        buffer: buffer.clone(),
                        seed: launch.seed,
                        stream: launch.stream(arg),
                    },
                    // Only an argument with a buffer makes such a region.
                    None => Contents::Bytes(Arc::from([])),
                },
                RegionKind::Program { var } => {
                    let variable = &kernel.vars[var.index()];
                    Contents::Bytes(regions.initial_bytes(variable).into())
                }
                _ => break,
            };
            paged.push(Paged::new(bytes, contents));
        }
        Ok(Self { regions, paged })
    }

    /// Which region is which.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// A region of global or constant memory.
    #[inline]
    pub(crate) fn region(&self, region: Region) -> Option<&Paged> {
        self.paged.get(usize::from(region.0).wrapping_sub(1))
    }

    fn buffer(&self, arg: usize) -> Option<&Paged> {
        self.region(self.regions.of_arg(arg)?)
    }

    /// Copies bytes of an argument's buffer; false where the argument is no
    /// buffer. Bytes beyond its end are 0 or what its fill goes on with.
    pub fn read(&self, arg: usize, first_byte: u64, out: &mut [u8]) -> bool {
        match self.buffer(arg) {
            Some(memory) => {
                memory.read(first_byte, out);
                true
            }
            None => false,
        }
    }

    /// Byte ranges of an argument's buffer that hold everything the kernel has
    /// written, in order, in whole pages.
    pub fn written_pages(&self, arg: usize) -> Vec<std::ops::Range<u64>> {
        let end = self
            .regions
            .of_arg(arg)
            .and_then(|r| self.regions.get(r).bytes)
            .unwrap_or(u64::MAX);
        let mut ranges: Vec<std::ops::Range<u64>> = Vec::new();
        let pages = self.buffer(arg).into_iter().flat_map(Paged::pages);
        for (number, _) in pages.filter(|(_, written)| *written) {
            let first = number * PAGE_BYTES;
            let last = (first + PAGE_BYTES).min(end);
            match ranges.last_mut() {
                Some(range) if range.end == first => range.end = last,
                _ => ranges.push(first..last),
            }
        }
        ranges
    }

    /// The first byte that differs between an argument's buffer here and one
    /// of another launch, looking at what either has written; `None` where
    /// they agree. Both must have started with the same contents.
    pub fn first_difference(
        &self,
        arg: usize,
        other: &Memory,
        other_arg: usize,
    ) -> Option<Difference> {
        let mut ranges = self.written_pages(arg);
        ranges.extend(other.written_pages(other_arg));
        ranges.sort_by_key(|r| r.start);
        let (mut a, mut b) = (vec![0; PAGE_BYTES as usize], vec![0; PAGE_BYTES as usize]);
        for range in ranges {
            let mut at = range.start;
            while at < range.end {
                let n = (range.end - at).min(PAGE_BYTES) as usize;
                self.read(arg, at, &mut a[..n]);
                other.read(other_arg, at, &mut b[..n]);
                if let Some(i) = (0..n).find(|&i| a[i] != b[i]) {
                    return Some(Difference {
                        byte: at + i as u64,
                    });
                }
                at += n as u64;
            }
        }
        None
    }

    /// Bytes of memory in use.
    pub fn resident_bytes(&self) -> u64 {
        let pages: usize = self.paged.iter().map(|p| p.pages().count()).sum();
        pages as u64 * PAGE_BYTES
    }
}
