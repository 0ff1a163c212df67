//! The page.

use tilewise_report::{Command, html};

use crate::samples;

#[test]
fn the_page_has_every_part() {
    let page = html::render(&[samples::full()]).expect("a page");
    for part in [
        "Does staging pay?",
        "0.83x",
        "keep blur_naive as it is",
        "re-reads within a group?",
        "7,340,030",
        "Measured time",
        "Predicted time",
        "Occupancy",
        "Results compared",
        "TW104",
        "in[gid - 1]",
        "class=\"scale loses\"",
        "class=\"strip\"",
        "class=\"curve\"",
        "heat heat3",
    ] {
        assert!(page.contains(part), "{part} is missing");
    }
}

#[test]
fn the_page_needs_nothing_else() {
    let page = html::render(&[samples::full()]).expect("a page");
    for link in [
        "<script", "<link", "<img", "@import", "url(", "src=", "href=",
    ] {
        assert!(!page.contains(link), "{link}");
    }
}

#[test]
fn markup_of_the_user_is_escaped() {
    let page = html::render(&[samples::hostile()]).expect("a page");
    assert!(!page.contains("<script"));
    assert!(!page.contains("\"q\""));
    assert!(!page.contains("' &"));
    assert!(!page.contains('\u{1b}'), "control characters stay out");
}

#[test]
fn degenerate_runs_render() {
    for run in [
        samples::degenerate(Command::Advise),
        samples::bare(Command::Profile),
        samples::alone(),
    ] {
        let page = html::render(&[run]).expect("a page");
        assert!(!page.contains("NaN"), "{page}");
        assert!(!page.contains(">inf"), "{page}");
    }
    html::render(&[]).expect("a page");
}
