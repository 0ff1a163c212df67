//! A bundle gives what its source gives.

use tilewise::KernelInput;
use tilewise::commands::{advise::advise, export::export, profile::profile};
use tilewise_report::Run;

use crate::common::{example, have_clang, simulated, without_timings};

/// Takes out the names of the files that were given: the one thing in which a
/// bundle's runs differ.
fn without_files(runs: Vec<Run>) -> Vec<Run> {
    let mut runs = without_timings(runs);
    for run in &mut runs {
        run.file.clear();
        run.candidates.iter_mut().for_each(|c| c.file.clear());
    }
    runs
}

#[test]
fn the_same_runs_as_from_source() {
    if !have_clang() {
        return;
    }
    let session = simulated();
    let folder = tempfile::tempdir().expect("a folder");
    for (topic, launch) in [("blur", None), ("conv2d_fixed", Some("small"))] {
        let source =
            ["naive", "tiled"].map(|form| example(topic, &format!("{topic}_{form}"), launch));
        let bundle = folder.path().join(topic);
        let files = export(&session, &source[0], &bundle).expect("exported");
        assert!(files.iter().all(|f| f.is_file()), "{files:?}");
        let bundled = source.clone().map(|input| KernelInput {
            path: bundle.clone(),
            ..input
        });
        for (from_source, from_bundle) in source.iter().zip(&bundled) {
            assert_eq!(
                without_files(profile(&session, from_bundle).expect("a profile")),
                without_files(profile(&session, from_source).expect("a profile")),
            );
        }
        let advice = |[a, b]: &[KernelInput; 2]| {
            without_files(advise(&session, a, Some(b), None).expect("advice"))
        };
        assert_eq!(advice(&bundled), advice(&source));
    }
}
