//! Which memory an instruction may access.
//!
//! A pointer is followed back through additions, conversions, selections and
//! block parameters to the arguments and variables it comes from: an
//! inclusion-based points-to analysis (L. Andersen, 1994) without a heap. A
//! pointer that is loaded from memory, made from an integer or returned by an
//! unknown operation may point anywhere in its address space.

use tilewise_ir::pointer::Region;
use tilewise_ir::{Kernel, Op, ParamBinding, Space, Ty, Value};
use tilewise_sim::{AccessKind, Regions};

/// Where a pointer may point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Target {
    /// To these regions, in ascending order.
    Known(Vec<Region>),
    /// Not known.
    Any,
    /// Not computed yet: nowhere.
    #[default]
    Nowhere,
}

impl Target {
    /// Adds what another pointer may point to; whether that was news.
    fn join(&mut self, other: &Target) -> bool {
        match (&mut *self, other) {
            (Target::Any, _) | (_, Target::Nowhere) => false,
            (_, Target::Any) | (Target::Nowhere, _) => {
                *self = other.clone();
                true
            }
            (Target::Known(all), Target::Known(new)) => {
                let before = all.len();
                all.extend(new);
                all.sort_unstable();
                all.dedup();
                all.len() != before
            }
        }
    }
}

/// One way in which an instruction accesses memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Number of the instruction ([`Kernel::numbering`]).
    pub inst: usize,
    /// What it does. A copy has two entries.
    pub kind: AccessKind,
    /// Size in bytes of the smallest piece that it reads or writes by itself.
    pub piece: u32,
    /// The regions that it may access.
    pub regions: Vec<Region>,
}

/// Everything that may access memory in a kernel, in the order of the code.
pub fn reaches(kernel: &Kernel, regions: &Regions) -> Vec<Reach> {
    let targets = targets(kernel, regions);
    let of = |ptr: Value, space: Space| -> Vec<Region> {
        match &targets[ptr.index()] {
            Target::Known(list) => list.clone(),
            Target::Any | Target::Nowhere => (1..regions.all().len())
                .map(|i| Region(i as u16))
                .filter(|&r| {
                    let there = regions.get(r).space;
                    space == Space::Generic || there == space
                })
                .collect(),
        }
    };
    let numbering = kernel.numbering();
    let mut reaches = Vec::new();
    for block in kernel.block_ids() {
        for (i, inst) in kernel.block(block).insts.iter().enumerate() {
            let mut add = |kind, piece, regions| {
                reaches.push(Reach {
                    inst: numbering.id(block, i).index(),
                    kind,
                    piece,
                    regions,
                });
            };
            match &inst.op {
                Op::Load { ptr, access, .. } => {
                    let piece = access.elem.size().min(access.align);
                    add(AccessKind::Load, piece, of(*ptr, access.space));
                }
                Op::Store { ptr, access, .. } => {
                    let piece = access.elem.size().min(access.align);
                    add(AccessKind::Store, piece, of(*ptr, access.space));
                }
                Op::Atomic { ptr, access, .. } => {
                    add(
                        AccessKind::Atomic,
                        access.elem.size(),
                        of(*ptr, access.space),
                    );
                }
                Op::Copy {
                    dst,
                    src,
                    bytes,
                    dst_space,
                    src_space,
                    align,
                } => {
                    let piece = largest_piece(*bytes, *align);
                    add(AccessKind::Load, piece, of(*src, *src_space));
                    add(AccessKind::Store, piece, of(*dst, *dst_space));
                }
                Op::AsyncCopy {
                    dst,
                    src,
                    elem_bytes,
                    dst_space,
                    src_space,
                    ..
                } => {
                    let piece = largest_piece(*elem_bytes, 16);
                    add(AccessKind::Load, piece, of(*src, *src_space));
                    add(AccessKind::Store, piece, of(*dst, *dst_space));
                }
                Op::ImageRead { image, .. } | Op::ImageWrite { image, .. } => {
                    let images: Vec<Region> = of(*image, Space::Global)
                        .into_iter()
                        .filter(|r| regions.get(*r).image.is_some())
                        .collect();
                    // A texel is read and written as a whole.
                    let texels = images.iter().map(|r| regions.get(*r).elem_bytes as u32);
                    let piece = texels.map(|bytes| largest_piece(bytes, 4)).min();
                    let kind = match inst.op {
                        Op::ImageRead { .. } => AccessKind::Load,
                        _ => AccessKind::Store,
                    };
                    add(kind, piece.unwrap_or(4), images);
                }
                _ => {}
            }
        }
    }
    reaches
}

/// The largest power of two, up to 4, that divides a size and an alignment.
fn largest_piece(bytes: u32, align: u32) -> u32 {
    1 << (bytes | align | 4).trailing_zeros()
}

/// Where each value may point.
fn targets(kernel: &Kernel, regions: &Regions) -> Vec<Target> {
    let mut targets = vec![Target::Nowhere; kernel.values.len()];
    for (index, param) in kernel.params.iter().enumerate() {
        if let ParamBinding::Pointer { value, .. } = param.binding {
            let region = regions.of_arg(index);
            targets[value.index()] = region.map_or(Target::Any, |r| Target::Known(vec![r]));
        }
    }
    loop {
        let mut changed = false;
        let mut flow = |targets: &mut Vec<Target>, to: Value, from: Value| {
            if kernel.ty(to) == Ty::Ptr {
                let from = match kernel.ty(from) {
                    Ty::Ptr => targets[from.index()].clone(),
                    _ => Target::Any,
                };
                changed |= targets[to.index()].join(&from);
            }
        };
        for block in &kernel.blocks {
            for inst in &block.insts {
                match &inst.op {
                    Op::VarAddr { dst, var } => {
                        targets[dst.index()] = Target::Known(vec![regions.of_var(*var)]);
                    }
                    Op::PtrAdd { dst, base, .. } => flow(&mut targets, *dst, *base),
                    Op::Convert { dst, a, .. } => flow(&mut targets, *dst, *a),
                    Op::Select {
                        dst,
                        if_true,
                        if_false,
                        ..
                    } => {
                        flow(&mut targets, *dst, *if_true);
                        flow(&mut targets, *dst, *if_false);
                    }
                    // An undefined pointer points nowhere that counts.
                    Op::Undef { .. } => {}
                    op => op.for_each_def(|dst| {
                        if kernel.ty(dst) == Ty::Ptr {
                            targets[dst.index()] = Target::Any;
                        }
                    }),
                }
            }
            for edge in block.term.edges() {
                for (&param, &arg) in kernel.block(edge.block).params.iter().zip(&edge.args) {
                    flow(&mut targets, param, arg);
                }
            }
        }
        if !changed {
            return targets;
        }
    }
}
