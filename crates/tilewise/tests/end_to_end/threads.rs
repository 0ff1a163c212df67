//! Results do not depend on the number of threads, nor on the simulator's short
//! cuts.

use tilewise::commands::{advise::advise, check::check, profile::profile, verify::verify};
use tilewise::{Error, Session};
use tilewise_report::Run;

use crate::common::{
    example, example_file, examples, have_clang, simulated, with_range, without_timings,
};

/// Runs a command with one thread and with four, and compares all it says.
fn same(command: impl Fn(&Session) -> Result<Vec<Run>, Error>) {
    let with = |threads| {
        let session = Session {
            threads: Some(threads),
            ..simulated()
        };
        without_timings(command(&session).expect("a run"))
    };
    let (one, four) = (with(1), with(4));
    assert!(!one.is_empty());
    assert_eq!(one, four);
}

#[test]
fn one_and_four_give_the_same() {
    if !have_clang() {
        return;
    }
    let pair = |topic: &str, launch| {
        ["naive", "tiled"].map(|form| example(topic, &format!("{topic}_{form}"), launch))
    };
    let [naive, tiled] = pair("conv2d", None);
    same(|session| profile(session, &tiled));
    same(|session| advise(session, &naive, Some(&tiled), None));
    let [naive, tiled] = pair("rowsum", Some("small"));
    same(|session| verify(session, &naive, &tiled));
    // A launch with a finding.
    let [_, blur] = pair("blur", Some("small"));
    let blur = with_range(blur, "roundup(n,64)+256", "64");
    same(|session| check(session, &blur));
}

/// Every kernel of the examples, with and without the simulator's short cuts:
/// all counters and all checks.
#[test]
fn short_cuts_change_nothing() {
    if !have_clang() {
        return;
    }
    // Each file is compiled once.
    let kept = tempfile::tempdir().expect("a folder");
    let mut compared = 0;
    for topic in std::fs::read_dir(examples()).expect("the examples") {
        let topic = topic.expect("an entry").file_name();
        let topic = topic.to_str().expect("a name").to_owned();
        let file = example_file(&topic).with_extension("toml");
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let launches: toml::Table = text.parse().expect("a launch file");
        let launches = launches["launch"].as_array().expect("launches");
        for launch in launches {
            if launch.get("name").and_then(|n| n.as_str()) != Some("tiny") {
                continue;
            }
            let kernel = launch["kernel"].as_str().expect("a kernel");
            let input = example(&topic, kernel, Some("tiny"));
            let with = |reference| {
                let session = Session {
                    reference,
                    threads: Some(1),
                    cache: Some(kept.path().to_owned()),
                    ..simulated()
                };
                let checked = check(&session, &input).expect("checked");
                let profiled = profile(&session, &input).expect("profiled");
                [checked, profiled].map(without_timings)
            };
            assert_eq!(with(false), with(true), "{kernel}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} kernels");
}
