use std::sync::Arc;

use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{MemAccess, Space, Ty};
use tilewise_sim::AccessKind::Load;
use tilewise_sim::{AccessEvent, AddressShape, Observer};

use super::*;
use crate::region::RegionInfo;
use crate::test_machine::{Item, Running, TestMachine};

/// A kernel with room for so many instructions.
fn kernel(insts: usize) -> Kernel {
    let mut b = KernelBuilder::new("k");
    let entry = b.new_block();
    b.at(entry);
    let p = b.pointer_param("x", Space::Global);
    for _ in 0..insts {
        b.load(p, Space::Global, Ty::F32);
    }
    b.ret();
    b.finish()
}

fn run<F>(machine: TestMachine, mut body: F) -> Footprints
where
    F: FnMut(&mut Running<'_, GroupFootprint>),
{
    let regions = Arc::new(RegionTable::new(["x", "y"].map(|name| RegionInfo {
        name: name.to_owned(),
        space: Space::Global,
        granule_bytes: 4,
        base: 0,
        param: None,
        image: false,
    })));
    let plan = SamplePlan::all(machine.groups.iter().product());
    let mut analysis = FootprintAnalysis::new(&kernel(8), regions, &plan);
    machine.run_all(&mut analysis, |g| body(g));
    analysis.result()
}

/// Loads element `index` of `x`, where there is one.
fn load<O: Observer>(g: &mut Running<'_, O>, inst: usize, index: impl Fn(Item) -> Option<i64>) {
    let access = MemAccess::scalar(Space::Global, Ty::F32);
    g.access(inst, Load, access, |i| index(i).map(|e| (1, 4 * e)));
}

fn single(found: &Footprints) -> &Footprint {
    found.buffer("x").unwrap().single().unwrap()
}

#[test]
fn a_blur_has_a_halo_of_one() {
    let n = 1024;
    let found = run(TestMachine::linear(256, 4), |g| {
        for (inst, tap) in [-1, 0, 1].into_iter().enumerate() {
            load(g, inst, |i| {
                let at = i.global[0] + tap;
                (0..n).contains(&at).then_some(at)
            });
        }
    });
    let blur = single(&found);
    assert_eq!(blur.halo, Some(vec![[1, 1]]));
    assert_eq!((blur.box_elements(), blur.distinct), (258, 258));
    assert_eq!(blur.staged_bytes(), 258 * 4);
    assert_eq!((blur.groups, blur.agreeing), (4, 2));
    assert!(found.buffer("y").is_none());
}

#[test]
fn a_staged_blur_reads_the_same_box() {
    let n = 1024;
    let found = run(TestMachine::linear(256, 4), |g| {
        load(g, 0, |i| Some(i.global[0]));
        load(g, 1, |i| {
            (i.local[0] == 0 && i.global[0] > 0).then_some(i.global[0] - 1)
        });
        load(g, 2, |i| {
            (i.local[0] == 255 && i.global[0] + 1 < n).then_some(i.global[0] + 1)
        });
    });
    assert_eq!(single(&found).halo, Some(vec![[1, 1]]));
    assert_eq!(single(&found).box_elements(), 258);
}

#[test]
fn a_convolution_with_clamped_borders() {
    let (w, h, r) = (128i64, 96i64, 2i64);
    let found = run(TestMachine::plane([16, 16], [8, 6]), |g| {
        for dy in -r..=r {
            for dx in -r..=r {
                load(g, 0, |i| {
                    let x = (i.global[0] + dx).clamp(0, w - 1);
                    let y = (i.global[1] + dy).clamp(0, h - 1);
                    Some(y * w + x)
                });
            }
        }
    });
    let image = single(&found);
    assert_eq!(image.strides, [1, 128, 0]);
    assert_eq!(image.halo, Some(vec![[2, 2], [2, 2]]));
    assert_eq!(image.distinct, 400);
    assert_eq!(image.over_fetch(), 1.0);
    let pitches: Vec<u64> = image.dimensions.iter().map(|d| d.pitch).collect();
    assert_eq!(pitches, [1, 128]);
}

#[test]
fn a_cross_leaves_the_corners_of_its_box_unread() {
    let (w, h) = (64i64, 64i64);
    let found = run(TestMachine::plane([16, 16], [4, 4]), |g| {
        for (inst, (dx, dy)) in [(0, -1), (-1, 0), (0, 0), (1, 0), (0, 1)]
            .into_iter()
            .enumerate()
        {
            load(g, inst, |i| {
                let (x, y) = (i.global[0] + dx, i.global[1] + dy);
                ((0..w).contains(&x) && (0..h).contains(&y)).then_some(y * w + x)
            });
        }
    });
    let cross = single(&found);
    assert_eq!(cross.halo, Some(vec![[1, 1], [1, 1]]));
    assert_eq!((cross.box_elements(), cross.distinct), (324, 320));
}

#[test]
fn a_product_reads_rows_of_one_and_columns_of_the_other() {
    let n = 64i64;
    let access = MemAccess::scalar(Space::Global, Ty::F32);
    let found = run(TestMachine::plane([16, 16], [4, 4]), |g| {
        for k in 0..n {
            g.access(0, Load, access, |i| Some((1, 4 * (i.global[1] * n + k))));
            g.access(1, Load, access, |i| Some((2, 4 * (k * n + i.global[0]))));
        }
    });
    let rows = single(&found);
    assert_eq!(rows.strides, [0, 64, 0]);
    let extents = |f: &Footprint| f.dimensions.iter().map(|d| d.extent).collect::<Vec<_>>();
    assert_eq!(extents(rows), [64, 16]);
    assert_eq!(rows.halo, Some(vec![[0, 63], [0, 0]]));
    let columns = found.buffer("y").unwrap().single().unwrap();
    assert_eq!(columns.strides, [1, 0, 0]);
    assert_eq!(extents(columns), [16, 64]);
    assert_eq!(columns.dimensions[1].pitch, 64);
}

#[test]
fn gathered_elements_have_no_footprint() {
    let found = run(TestMachine::linear(64, 4), |g| {
        load(g, 0, |i| Some(i.global[0] * i.global[0] % 251));
    });
    let gathered = found.buffer("x").unwrap();
    assert!(gathered.patterns.is_empty() && gathered.single().is_none());
}

#[test]
fn a_volume_has_three_dimensions() {
    let (w, h) = (64i64, 48i64);
    let machine = TestMachine {
        width: 32,
        local: [8, 8, 4],
        groups: [8, 6, 4],
    };
    let depth = 16;
    let found = run(machine, |g| {
        for (inst, (dx, dy, dz)) in [
            (0, 0, -1),
            (0, -1, 0),
            (-1, 0, 0),
            (0, 0, 0),
            (1, 0, 0),
            (0, 1, 0),
            (0, 0, 1),
        ]
        .into_iter()
        .enumerate()
        {
            load(g, inst, |i| {
                let at = [i.global[0] + dx, i.global[1] + dy, i.global[2] + dz];
                let inside = (0..w).contains(&at[0])
                    && (0..h).contains(&at[1])
                    && (0..depth).contains(&at[2]);
                inside.then_some((at[2] * h + at[1]) * w + at[0])
            });
        }
    });
    let volume = single(&found);
    assert_eq!(volume.halo, Some(vec![[1, 1], [1, 1], [1, 1]]));
    assert_eq!(volume.box_elements(), 10 * 10 * 6);
    assert_eq!(volume.distinct, 256 + 2 * (64 + 32 + 32));
}

#[test]
fn a_tile_filled_by_local_ids_has_the_box_but_maybe_no_halo() {
    // 8x8 groups fill 16x16 tiles with a halo of 0: the box isn't where the
    // global ids are.
    let found = run(TestMachine::plane([8, 8], [4, 4]), |g| {
        let (gx, gy) = (g.info.id[0] as i64, g.info.id[1] as i64);
        for (dx, dy) in [(0, 0), (8, 0), (0, 8), (8, 8)] {
            load(g, 0, |i| {
                let (x, y) = (16 * gx + i.local[0] + dx, 16 * gy + i.local[1] + dy);
                Some(y * 64 + x)
            });
        }
    });
    let tile = single(&found);
    assert_eq!((tile.box_elements(), tile.distinct), (256, 256));
    assert_eq!(tile.halo, None);
}

/// Hides from the analysis what the machine knows of the addresses.
struct Blind(FootprintAnalysis);

struct BlindGroup(GroupFootprint);

impl Analysis for Blind {
    type Group = BlindGroup;

    fn begin(&self, group: &GroupInfo) -> BlindGroup {
        BlindGroup(self.0.begin(group))
    }

    fn finish(&mut self, group: &GroupInfo, state: BlindGroup) {
        self.0.finish(group, state.0);
    }
}

impl Observer for BlindGroup {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.0.access(&AccessEvent {
            shape: AddressShape::Scattered,
            ..*event
        });
    }
}

#[test]
fn progressions_are_entered_as_their_lanes_would_be() {
    let regions = || {
        Arc::new(RegionTable::new([RegionInfo {
            name: "x".to_owned(),
            space: Space::Global,
            granule_bytes: 4,
            base: 0,
            param: None,
            image: false,
        }]))
    };
    let indices: [fn(Item) -> Option<i64>; 6] = [
        |i| Some(i.global[0] + 100 * i.global[1]),
        |i| Some(i.global[1]),
        |_| Some(7),
        |i| Some(5000 - 3 * i.global[0]),
        |i| (i.local[0] % 3 == 1).then_some(i.global[0] + 100 * i.global[1]),
        |i| (i.local[0] == i.local[1]).then_some(2 * i.global[0]),
    ];
    for local in [[256, 1], [16, 16], [12, 5], [1, 64]] {
        let machine = TestMachine::plane(local, [2, 2]);
        let plan = SamplePlan::all(4);
        for index in indices {
            let mut seeing = FootprintAnalysis::new(&kernel(1), regions(), &plan);
            machine.run_all(&mut seeing, |g| load(g, 0, index));
            let mut blind = Blind(FootprintAnalysis::new(&kernel(1), regions(), &plan));
            machine.run_all(&mut blind, |g| load(g, 0, index));
            assert_eq!(seeing.result(), blind.0.result(), "{local:?}");
        }
    }
}
