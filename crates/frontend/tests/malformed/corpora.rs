//! The short form of the fuzz targets in `fuzz/`: each input of their corpora,
//! and seeded changes of them, through the functions that the targets run.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use crate::fuzz::instructions::change_module;
use crate::fuzz::random::{Random, change_bytes};
use crate::fuzz::{ast, expression, launch_file, spirv};

/// Changed inputs per target.
const CHANGED: u64 = 3000;

type Change = fn(&mut Vec<u8>, &[u8], &mut Random);

#[test]
fn modules() {
    replay("spirv", spirv::run, |bytes, other, random| {
        match random.below(4) {
            0 => change_bytes(bytes, other, random),
            _ => change_module(bytes, other, random),
        }
    });
}

#[test]
fn syntax_trees() {
    replay("ast", ast::run, change_bytes);
}

#[test]
fn launch_files() {
    replay("launch_file", launch_file::run, change_bytes);
}

#[test]
fn expressions() {
    replay("expression", expression::run, change_bytes);
}

fn replay(target: &str, run: fn(&[u8]), change: Change) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut inputs: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder.join(target))
        .expect("the corpus is there")
        .map(|entry| {
            let path = entry.expect("readable").path();
            let bytes = std::fs::read(&path).expect("readable");
            (path.display().to_string(), bytes)
        })
        .collect();
    // The order in which a folder is listed is any.
    inputs.sort();
    assert!(inputs.len() > 20, "{} inputs only", inputs.len());
    for (path, bytes) in &inputs {
        or_say(path, || run(bytes));
    }
    for seed in 0..CHANGED {
        let mut random = Random::new(seed);
        let (path, bytes) = &inputs[random.below(inputs.len())];
        let (_, other) = &inputs[random.below(inputs.len())];
        let mut changed = bytes.clone();
        change(&mut changed, other, &mut random);
        or_say(&format!("{path} changed with seed {seed}"), || {
            run(&changed);
        });
    }
}

/// Runs, and says with which input where it panics.
fn or_say(input: &str, run: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
        eprintln!("the input was {input}");
        resume_unwind(panic);
    }
}
