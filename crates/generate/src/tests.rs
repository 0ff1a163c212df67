//! The parts together: what is drawn is defined, what is taken away is noticed.

use crate::tree::{Builtin, ExprKind, Stmt};
use crate::{Program, Undefined, draw, interpret, reduce, render};

fn programs() -> impl Iterator<Item = Program> {
    (0..400).map(|seed| draw("k", seed))
}

#[test]
fn programs_are_defined_and_end() {
    let mut long = 0;
    for (seed, program) in programs().enumerate() {
        match interpret(&program) {
            Ok(outcome) => assert!(outcome.steps > 0 && !outcome.buffers.is_empty()),
            Err(Undefined::TooLong(_)) => long += 1,
            Err(why) => panic!("seed {seed}: {why}\n{}", render(&program)),
        }
    }
    assert!(long < 10, "{long} programs take too long");
}

#[test]
fn a_seed_gives_one_program() {
    for seed in [1, 77, u64::MAX] {
        assert_eq!(draw("k", seed), draw("k", seed));
        assert_ne!(draw("k", seed), draw("k", seed ^ 1));
        assert_eq!(interpret(&draw("k", seed)), interpret(&draw("k", seed)));
    }
}

/// Without its barriers a program still is what it was, or a race is found;
/// often it is.
#[test]
fn a_missing_barrier_is_a_race() {
    let (mut with_barriers, mut races) = (0, 0);
    for program in programs().take(200) {
        let mut without = program.clone();
        without.each_block(&mut |block| block.retain(|s| !matches!(s, Stmt::Barrier { .. })));
        if without == program {
            continue;
        }
        with_barriers += 1;
        match interpret(&without) {
            Err(Undefined::Race { .. }) => races += 1,
            Ok(_) | Err(Undefined::TooLong(_)) => {}
            Err(other) => panic!("{other}\n{}", render(&without)),
        }
    }
    assert!(races * 5 > with_barriers, "{races} of {with_barriers}");
}

/// A barrier that half of the work-items skip.
#[test]
fn a_divergent_barrier_is_found() {
    let mut found = 0;
    for mut program in programs().take(100) {
        if program.range.local.iter().product::<u64>() == 1 {
            continue;
        }
        let lane = crate::tree::Expr::query(crate::tree::Query::LocalId, 0);
        let zero = crate::tree::Expr::small(lane.ty, 0);
        let barrier = Stmt::Barrier {
            local: true,
            global: false,
        };
        let condition = crate::tree::Expr::compare(crate::tree::CompareOp::Eq, lane, zero);
        program
            .body
            .insert(3, Stmt::If(condition, vec![barrier], Vec::new()));
        match interpret(&program) {
            Err(Undefined::Divergence { .. }) => found += 1,
            // A group that is one work-item wide is not divided.
            other => assert!(program.range.local[0] == 1, "{other:?}"),
        }
    }
    assert!(found > 50);
}

#[test]
fn what_is_not_written_is_not_read() {
    let mut found = 0;
    for mut program in programs().take(100) {
        if program.tiles.is_empty() {
            continue;
        }
        // The first statements give tiles their values.
        program.body.drain(3..4);
        found += usize::from(matches!(
            interpret(&program),
            Err(Undefined::Uninitialised { .. })
        ));
    }
    assert!(found > 5, "{found}");
}

/// Reducing to one construct leaves little else.
#[test]
fn reduction_keeps_what_matters() {
    let uses = |program: &Program| {
        let mut found = false;
        program.clone().each_expr(&mut |e| {
            found |= matches!(e.kind, ExprKind::Call(Builtin::Rotate, _));
        });
        found
    };
    let size = |program: &Program| {
        let mut n = 0;
        program.clone().each_expr(&mut |_| n += 1);
        n
    };
    let mut tried = 0;
    for program in programs().filter(|p| uses(p)).take(5) {
        if interpret(&program).is_err() {
            continue;
        }
        let small = reduce(&program, 2000, &mut |p| uses(p));
        assert!(uses(&small) && interpret(&small).is_ok());
        assert!(size(&small) * 3 < size(&program) || size(&small) < 40);
        tried += 1;
    }
    assert!(tried > 0);
}
