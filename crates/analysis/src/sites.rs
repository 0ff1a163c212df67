//! The source sites of a kernel that access memory, numbered for tables.

use tilewise_ir::{InstId, Kernel, Op, SiteId};
use tilewise_sim::AccessKind;

/// No row.
const NONE: u32 = u32::MAX;

/// A source site that accesses memory in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessSite {
    /// The site.
    pub site: SiteId,
    /// What it does.
    pub kind: AccessKind,
    /// Instructions that come from it: more than one where the compiler has
    /// copied the code.
    pub insts: Vec<InstId>,
}

/// All sites of a kernel that access memory, in the order of the code.
#[derive(Clone, Debug)]
pub struct AccessSites {
    sites: Vec<AccessSite>,
    /// Site of each instruction; of a copy, the reading and the writing one.
    of: Vec<[u32; 2]>,
}

impl AccessSites {
    /// The sites of this kernel.
    pub fn new(kernel: &Kernel) -> Self {
        let numbering = kernel.numbering();
        let mut sites: Vec<AccessSite> = Vec::new();
        let mut of = vec![[NONE; 2]; numbering.len()];
        let mut add = |site: SiteId, kind: AccessKind, inst: InstId| {
            let at = sites.iter().position(|s| s.site == site && s.kind == kind);
            let at = at.unwrap_or_else(|| {
                sites.push(AccessSite {
                    site,
                    kind,
                    insts: Vec::new(),
                });
                sites.len() - 1
            });
            sites[at].insts.push(inst);
            at as u32
        };
        for block in kernel.block_ids() {
            for (i, inst) in kernel.block(block).insts.iter().enumerate() {
                let id = numbering.id(block, i);
                let of = &mut of[id.index()];
                match inst.op {
                    Op::Load { .. } | Op::ImageRead { .. } => {
                        of[0] = add(inst.site, AccessKind::Load, id);
                    }
                    Op::Store { .. } | Op::ImageWrite { .. } => {
                        of[1] = add(inst.site, AccessKind::Store, id);
                    }
                    Op::Atomic { .. } => *of = [add(inst.site, AccessKind::Atomic, id); 2],
                    Op::Copy { .. } | Op::AsyncCopy { .. } => {
                        of[0] = add(inst.site, AccessKind::Load, id);
                        of[1] = add(inst.site, AccessKind::Store, id);
                    }
                    _ => {}
                }
            }
        }
        Self { sites, of }
    }

    /// Number of sites.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether the kernel accesses no memory.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// The sites, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, AccessSite> {
        self.sites.iter()
    }

    /// Number of the site that an access belongs to; `None` where the
    /// instruction is not one that accesses memory.
    pub fn number(&self, inst: InstId, kind: AccessKind) -> Option<usize> {
        let of = self.of.get(inst.index())?;
        let number = of[usize::from(kind == AccessKind::Store)];
        (number != NONE).then_some(number as usize)
    }
}
