//! Statements of the article on local memory about its own example.

use tilewise::commands::check::check;
use tilewise::commands::profile::profile;
use tilewise_report::Diagnostic;

use crate::common::{example, have_clang, one, simulated, with_args, with_range};

/// What `check` finds in the tiled blur of 100 elements.
fn findings(global: &str) -> Vec<Diagnostic> {
    let input = with_args(example("blur", "blur_tiled", None), &["n=100"]);
    let input = with_range(input, global, "64");
    one(check(&simulated(), &input).expect("checked")).findings
}

/// The first work-item of a whole group of padding reads its left neighbour,
/// which lies beyond the buffer: 128 and 192 of 256.
#[test]
fn a_group_of_padding_reads_out_of_bounds() {
    if !have_clang() {
        return;
    }
    for (global, accesses) in [("192", 1), ("256", 2)] {
        let found = findings(global);
        let [finding] = &found[..] else {
            panic!("one place, with a count: {found:?}");
        };
        assert_eq!(finding.code, "TW104");
        assert_eq!(finding.count, accesses);
        assert!(
            finding
                .message
                .starts_with("reads in[127], 28 elements past its end"),
            "{}",
            finding.message
        );
        assert!(
            finding.notes.iter().any(|n| n.contains("work-item 128 ")),
            "{:?}",
            finding.notes
        );
        let snippet = finding.snippet.as_ref().expect("the source is at hand");
        let line = &snippet.lines[(finding.line - snippet.first_line) as usize];
        let column = finding.column as usize - 1;
        assert!(line[column..].starts_with("in[gid - 1]"), "{line}");
    }
}

#[test]
fn padding_of_less_than_a_group_is_harmless() {
    if !have_clang() {
        return;
    }
    assert_eq!(findings("128"), []);
}

/// "A kernel where each element is read exactly once gains nothing."
#[test]
fn the_map_has_no_reuse() {
    if !have_clang() {
        return;
    }
    let run = one(profile(&simulated(), &example("map", "map_naive", None)).expect("a profile"));
    let buffers = run.profile.expect("a profile").buffers;
    let input = buffers.iter().find(|b| b.name == "in").expect("in");
    assert_eq!(input.reuse, Some(1.0));
}
