//! Results do not depend on the number of threads.

use tilewise::commands::{advise::advise, check::check, profile::profile, verify::verify};
use tilewise::{Error, Session};
use tilewise_report::Run;

use crate::common::{example, have_clang, simulated, with_range, without_timings};

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
