//! The demo, and whether its embedded kernels are still those of the source.

use std::path::Path;

use tilewise::commands::{demo::demo, export::export};
use tilewise_frontend::{Artifacts, Compiled, lower};
use tilewise_ir::Program;

use crate::common::{example, example_file, have_clang, one, simulated};

/// The bundle that is embedded.
fn embedded() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/demo"))
}

#[test]
fn ends_with_a_verdict() {
    let run = one(demo(&simulated()).expect("the demo runs").runs);
    assert_eq!(run.findings, []);
    let [candidate] = &run.candidates[..] else {
        panic!("{:?}", run.candidates);
    };
    let verified = candidate.verified.as_ref().expect("compared");
    assert!(verified.equal, "{verified:?}");
    let reference = verified
        .trials
        .iter()
        .filter(|t| t.how.contains("reference"));
    assert!(reference.count() > 0, "{verified:?}");
    let verdict = run.verdict.expect("a verdict");
    assert_eq!(verdict.basis, "predicted");
    assert!(verdict.speedup.is_some_and(|s| s < 1.0), "{verdict:?}");
}

/// The kernels that a bundle holds.
fn kernels(folder: &Path) -> Compiled {
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a file of the bundle");
    let manifest: serde_json::Value =
        serde_json::from_slice(&read("bundle.json")).expect("a manifest");
    let mut artifacts: Artifacts =
        serde_json::from_value(manifest["artifacts"].clone()).expect("artifacts");
    artifacts.as_written = read("as_written.spv");
    artifacts.as_compiled = Some(read("as_compiled.spv"));
    lower(&artifacts).expect("lowered")
}

/// Kernels and the places of their instructions, without names of files.
fn text(program: &Program) -> String {
    let mut text = String::new();
    for kernel in &program.kernels {
        text += &format!("{kernel}\n");
        for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
            let at = program.sites.get(inst.site).position;
            text += &format!("{:?} at {}:{}\n", inst.op, at.line, at.column);
        }
    }
    text
}

/// Where this fails, export `examples/blur/blur.cl::blur_naive` for
/// `sim:h200` to `crates/tilewise/demo` again.
#[test]
fn embedded_kernels_are_those_of_the_source() {
    let source = std::fs::read_to_string(example_file("blur")).expect("the example");
    let kept = std::fs::read_to_string(embedded().join("kernel.cl")).expect("the bundle");
    assert_eq!(kept, source);
    if !have_clang() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let fresh = folder.path().join("blur");
    export(&simulated(), &example("blur", "blur_naive", None), &fresh).expect("exported");
    let (kept, fresh) = (kernels(embedded()), kernels(&fresh));
    assert_eq!(kept.signatures, fresh.signatures);
    assert_eq!(text(&kept.as_written), text(&fresh.as_written));
    assert_eq!(text(&kept.as_compiled), text(&fresh.as_compiled));
}
