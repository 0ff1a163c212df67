//! Comments for pull requests.

use tilewise_report::{Command, markdown};

use crate::samples;

#[test]
fn advise() {
    insta::assert_snapshot!(markdown::render(&[samples::advise()]));
}

#[test]
fn one_kernel_alone() {
    insta::assert_snapshot!(markdown::render(&[samples::alone()]));
}

#[test]
fn markup_of_the_user_is_escaped() {
    let shown = markdown::render(&[samples::hostile()]);
    insta::assert_snapshot!(shown);
    // Names stand in code spans, fenced by two backticks since they hold one.
    for line in shown.lines() {
        let outside: String = line.split("``").step_by(2).collect();
        assert!(!outside.contains("<script>"), "{line}");
    }
}

#[test]
fn degenerate_runs_render() {
    for run in [
        samples::degenerate(Command::Advise),
        samples::bare(Command::Profile),
    ] {
        let shown = markdown::render(&[run]);
        assert!(!shown.contains("NaN") && !shown.contains("inf"), "{shown}");
    }
    assert_eq!(markdown::render(&[]), "");
}
