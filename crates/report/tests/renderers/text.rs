//! Terminal text.

use tilewise_report::text::{self, DeviceRow};
use tilewise_report::{Command, Run, Style};

use crate::samples;

fn plain(run: &Run) -> String {
    text::render(std::slice::from_ref(run), Style::plain())
}

fn of(command: Command, run: Run) -> Run {
    Run { command, ..run }
}

#[test]
fn advise_of_a_measured_pair() {
    insta::assert_snapshot!(plain(&samples::advise()));
}

#[test]
fn advise_ends_with_the_verdict_line() {
    let shown = plain(&samples::advise());
    assert_eq!(
        shown.lines().last(),
        Some(
            "verdict: loses 0.83x (95% CI 0.82-0.84) | blur_naive, staged: in | \
             global 16777216 local 256 | NVIDIA H200 | measured"
        )
    );
}

#[test]
fn advise_of_one_kernel_alone() {
    insta::assert_snapshot!(plain(&samples::alone()));
}

#[test]
fn advise_of_a_predicted_pair() {
    let shown = plain(&samples::predicted_pair());
    assert_eq!(
        shown.lines().last(),
        Some(
            "verdict: loses 0.86x (80% model interval 0.77-0.96, unsure) | \
             blur_naive, staged: in | global 16777216 local 256 | NVIDIA H200 | predicted"
        )
    );
}

#[test]
fn several_runs_end_with_all_verdicts() {
    let runs = [samples::advise(), samples::predicted_pair()];
    let shown = text::render(&runs, Style::plain());
    let last: Vec<&str> = shown.lines().rev().take(2).collect();
    assert!(last[1].contains("| measured"), "{shown}");
    assert!(last[0].contains("| predicted"), "{shown}");
}

#[test]
fn profile() {
    insta::assert_snapshot!(plain(&of(Command::Profile, samples::advise())));
}

#[test]
fn verify_that_differs() {
    insta::assert_snapshot!(plain(&of(Command::Verify, samples::full())));
}

#[test]
fn bench() {
    insta::assert_snapshot!(plain(&of(Command::Bench, samples::advise())));
}

#[test]
fn check() {
    insta::assert_snapshot!(plain(&of(Command::Check, samples::full())));
}

#[test]
fn check_that_finds_nothing() {
    insta::assert_snapshot!(plain(&samples::bare(Command::Check)));
}

#[test]
fn demo() {
    insta::assert_snapshot!(plain(&of(Command::Demo, samples::advise())));
}

#[test]
fn devices() {
    let rows = [
        DeviceRow {
            id: "cl:0".to_owned(),
            name: "NVIDIA H200".to_owned(),
            kind: "GPU".to_owned(),
            compute_units: Some(132),
            sub_group: Some(32),
            max_group: Some(1024),
            local_mem_bytes: Some(49_152),
            local_mem_type: "on chip".to_owned(),
            global_mem_bytes: Some(150_754_820_096),
            source: "OpenCL 3.0, driver 580.159.04".to_owned(),
        },
        DeviceRow {
            id: "sim:h200".to_owned(),
            name: "NVIDIA H200".to_owned(),
            kind: "simulated".to_owned(),
            source: "profiles/h200.toml".to_owned(),
            ..DeviceRow::default()
        },
    ];
    let notes =
        ["no OpenCL driver found: install one with apt-get install pocl-opencl-icd".to_owned()];
    insta::assert_snapshot!(text::devices(&rows, &notes, Style::plain()));
}

#[test]
fn colours_change_nothing_but_colours() {
    for command in [
        Command::Advise,
        Command::Profile,
        Command::Verify,
        Command::Bench,
        Command::Demo,
    ] {
        let run = of(command, samples::full());
        let coloured = text::render(std::slice::from_ref(&run), Style::colour());
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(without_escapes(&coloured), plain(&run), "{command:?}");
    }
}

#[test]
fn nothing_in_a_run_reaches_the_terminal_as_an_escape() {
    for command in [
        Command::Advise,
        Command::Profile,
        Command::Verify,
        Command::Bench,
        Command::Check,
        Command::Demo,
    ] {
        let shown = plain(&of(command, samples::hostile()));
        assert!(!shown.contains('\u{1b}'), "{command:?}: {shown}");
    }
}

/// What a compiler said keeps its lines, and nothing else of it gets through.
#[test]
fn notes_of_several_lines_stay_readable() {
    let mut run = samples::bare(Command::Advise);
    run.warnings =
        vec!["can't be run:\nk.cl:3:5: error: one\u{1b}[31m\n\n    a[0] = one;\n".to_owned()];
    let shown = plain(&run);
    let expected =
        "note: can't be run:\n      k.cl:3:5: error: one\u{fffd}[31m\n\n          a[0] = one;\n";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn degenerate_runs_render() {
    for command in [
        Command::Advise,
        Command::Profile,
        Command::Verify,
        Command::Bench,
        Command::Check,
        Command::Demo,
    ] {
        for run in [samples::degenerate(command), samples::bare(command)] {
            let shown = plain(&run);
            assert!(!shown.contains("NaN") && !shown.contains("inf"), "{shown}");
            assert!(shown.ends_with('\n'));
        }
    }
    assert_eq!(text::render(&[], Style::plain()), "");
}

fn without_escapes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('\u{1b}') {
        out.push_str(&rest[..start]);
        let end = rest[start..].find('m').expect("a colour ends with m");
        rest = &rest[start + end + 1..];
    }
    out + rest
}
