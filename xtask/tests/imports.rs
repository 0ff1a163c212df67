//! The rooms import each other in one direction only.

use std::collections::{BTreeMap, BTreeSet};

/// What each room may import of the others. `docs/architecture.md` says why.
const ALLOWED: [(&str, &[&str]); 12] = [
    ("tilewise-launch", &[]),
    ("tilewise-ir", &[]),
    ("tilewise-report", &[]),
    ("tilewise-frontend", &["tilewise-launch", "tilewise-ir"]),
    ("tilewise-sim", &["tilewise-launch", "tilewise-ir"]),
    (
        "tilewise-analysis",
        &["tilewise-launch", "tilewise-ir", "tilewise-sim"],
    ),
    ("tilewise-model", &["tilewise-analysis"]),
    ("tilewise-generate", &["tilewise-launch"]),
    ("tilewise-staging", &["tilewise-frontend"]),
    ("tilewise-device", &["tilewise-launch"]),
    (
        "tilewise",
        &[
            "tilewise-launch",
            "tilewise-ir",
            "tilewise-report",
            "tilewise-frontend",
            "tilewise-sim",
            "tilewise-analysis",
            "tilewise-model",
            "tilewise-staging",
            "tilewise-device",
        ],
    ),
    (
        "tilewise-cli",
        &["tilewise", "tilewise-report", "tilewise-launch"],
    ),
];

#[test]
fn imports_go_one_way() {
    let metadata = cargo_metadata::MetadataCommand::new()
        .no_deps()
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .expect("cargo metadata");
    let allowed: BTreeMap<&str, BTreeSet<&str>> = ALLOWED
        .iter()
        .map(|(room, imports)| (*room, imports.iter().copied().collect()))
        .collect();
    let mut seen = BTreeSet::new();
    for package in &metadata.packages {
        let name = package.name.as_str();
        if name == "xtask" || name == "tilewise-lab" {
            continue;
        }
        let Some(allowed) = allowed.get(name) else {
            panic!("{name} is a new room: give it a line here and in docs/architecture.md");
        };
        seen.insert(name.to_owned());
        for dependency in &package.dependencies {
            // Tests may look further; what is shipped may not.
            let ours = dependency.name.starts_with("tilewise");
            if ours && dependency.kind == cargo_metadata::DependencyKind::Normal {
                assert!(
                    allowed.contains(dependency.name.as_str()),
                    "{name} must not import {}",
                    dependency.name
                );
            }
        }
    }
    assert_eq!(seen.len(), ALLOWED.len(), "a room is gone: {seen:?}");
}

/// `unsafe` stays in the rooms that talk to C or to the processor.
#[test]
fn unsafe_stays_in_its_rooms() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut stack = vec![root.join("crates")];
    while let Some(dir) = stack.pop() {
        for entry in std::fs::read_dir(&dir).expect("readable folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).expect("readable file");
                let uses = text
                    .lines()
                    .any(|l| !l.trim_start().starts_with("//") && l.contains("unsafe {"));
                let room = path.strip_prefix(&root).expect("below the root");
                let may = room.starts_with("crates/device") || room.starts_with("crates/sim");
                assert!(!uses || may, "{} uses unsafe", room.display());
            }
        }
    }
}
