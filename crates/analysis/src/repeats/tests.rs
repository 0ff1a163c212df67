use std::sync::Arc;

use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{Kernel, MemAccess, Space, Ty};
use tilewise_sim::AccessKind::{Load, Store};
use tilewise_sim::Observer;

use super::Repeats;
use crate::banks::BankAnalysis;
use crate::estimate::SamplePlan;
use crate::region::{RegionInfo, RegionTable};
use crate::shape::MemoryShape;
use crate::test_machine::{Item, Running, TestMachine};
use crate::traffic::TrafficAnalysis;

const GLOBAL: MemAccess = MemAccess::scalar(Space::Global, Ty::F32);
const LOCAL: MemAccess = MemAccess::scalar(Space::Local, Ty::F32);

/// A load and a store of a buffer, a load of local memory.
fn kernel() -> Kernel {
    let mut b = KernelBuilder::new("k");
    let buffer = b.pointer_param("in", Space::Global);
    let tile = b.pointer_param("tile", Space::Local);
    let entry = b.new_block();
    b.at(entry);
    let zero = b.f32(0.0);
    b.load(buffer, Space::Global, Ty::F32);
    b.store(buffer, zero, Space::Global);
    b.load(tile, Space::Local, Ty::F32);
    b.ret();
    b.finish()
}

fn regions() -> Arc<RegionTable> {
    let region = |name: &str, space| RegionInfo {
        name: name.to_owned(),
        space,
        granule_bytes: 4,
        base: 0,
        param: None,
        image: false,
    };
    Arc::new(RegionTable::new([
        region("in", Space::Global),
        region("tile", Space::Local),
    ]))
}

/// What a group does.
trait Body {
    fn run<O: Observer>(&self, group: &mut Running<'_, O>);
}

/// Runs all groups watched and compared; both must count the same. Returns how many
/// groups were an earlier one's repetitions.
fn repeated(machine: TestMachine, body: &impl Body) -> u64 {
    let kernel = kernel();
    let plan = Arc::new(SamplePlan::all(machine.groups.iter().product()));
    let analyses = || {
        let shape = MemoryShape::NVIDIA;
        (
            TrafficAnalysis::new(&kernel, regions(), shape, plan.clone()),
            BankAnalysis::new(&kernel, regions(), shape, plan.clone()),
        )
    };
    let mut watched = analyses();
    machine.run_all(&mut watched, |group| body.run(group));
    let mut repeats = Repeats::new(analyses(), &MemoryShape::NVIDIA, true);
    machine.run_all(&mut repeats, |group| body.run(group));
    let (again, anew) = repeats.counts();
    assert_eq!(again + anew, machine.groups.iter().product());
    let compared = &repeats.analysis;
    let figures = |(traffic, banks): &(TrafficAnalysis, BankAnalysis)| {
        format!("{:?} {:?}", traffic.result(), banks.result())
    };
    assert_eq!(figures(compared), figures(&watched));
    again
}

/// Every work-item accesses the element of its index, given its id.
struct Indexed<F>(F);

impl<F: Fn(Item) -> Option<i64>> Body for Indexed<F> {
    fn run<O: Observer>(&self, group: &mut Running<'_, O>) {
        let element = |item: Item| Some((1, 4 * (self.0)(item)?));
        group.access(0, Load, GLOBAL, element);
        group.barrier(3);
        group.access(2, Load, LOCAL, |item| Some((2, 4 * item.local[0])));
        group.access(1, Store, GLOBAL, element);
    }
}

#[test]
fn groups_that_shift_by_whole_lines_repeat() {
    let machine = TestMachine::linear(64, 40);
    let again = repeated(machine, &Indexed(|i: Item| Some(i.global[0])));
    assert_eq!(again, 39);
    let scattered = |i: Item| Some(i.global[0] - i.local[0] + (i.local[0] * 29) % 64);
    assert_eq!(repeated(machine, &Indexed(scattered)), 39);
}

#[test]
fn alignment_tells_groups_apart() {
    // 16 elements are half a line: two kinds of groups.
    let machine = TestMachine::linear(16, 40);
    let again = repeated(machine, &Indexed(|i: Item| Some(i.global[0])));
    assert_eq!(again, 38);
    // 33 elements: a line's 32 elements are so many kinds.
    let machine = TestMachine::linear(33, 80);
    let again = repeated(machine, &Indexed(|i: Item| Some(i.global[0])));
    assert!(again < 48, "{again}");
}

#[test]
fn what_differs_late_is_watched_from_the_start() {
    // Groups 0 and 30 to 39 lack lanes; 7 stores elsewhere.
    let machine = TestMachine::linear(64, 40);
    let bounded = |i: Item| (i.global[0] > 0 && i.global[0] < 1950).then_some(i.global[0]);
    // Group 0 is another from its first event on, group 30 from its second.
    assert_eq!(repeated(machine, &Indexed(bounded)), 28 + 8);

    struct LateStore;
    impl Body for LateStore {
        fn run<O: Observer>(&self, group: &mut Running<'_, O>) {
            let odd = group.info.linear % 8 == 7;
            group.access(0, Load, GLOBAL, |i| Some((1, 4 * i.global[0])));
            if group.info.linear.is_multiple_of(5) {
                return;
            }
            group.access(1, Store, GLOBAL, |i| {
                Some((1, 4 * i.global[0] + if odd { 4 } else { 0 }))
            });
        }
    }
    // Three kinds: without the store, with it, and with that of the odd ones.
    assert_eq!(repeated(machine, &LateStore), 37);
}

#[test]
fn data_gives_up_the_comparison() {
    let machine = TestMachine::linear(64, 100);
    let hashed = |i: Item| Some((i.global[0] * 2_654_435_761) & 0xFFFF);
    assert_eq!(repeated(machine, &Indexed(hashed)), 0);
}

#[test]
fn an_access_of_two_regions_is_watched() {
    struct TwoRegions;
    impl Body for TwoRegions {
        fn run<O: Observer>(&self, group: &mut Running<'_, O>) {
            group.access(0, Load, GLOBAL, |i| {
                Some((1 + (i.local[0] % 2) as u16, 4 * i.local[0]))
            });
        }
    }
    assert_eq!(repeated(TestMachine::linear(64, 10), &TwoRegions), 0);
}
