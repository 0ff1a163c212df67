//! Source snippets with carets.

use tilewise_report::{Diagnostic, Severity, Style, findings};

use crate::samples;

fn plain(findings: &[Diagnostic]) -> String {
    findings::render(findings, Style::plain())
}

#[test]
fn with_everything() {
    insta::assert_snapshot!(plain(&[samples::finding()]));
}

#[test]
fn without_a_column_the_line_is_marked() {
    let finding = Diagnostic {
        column: 0,
        labels: Vec::new(),
        count: 1,
        ..samples::finding()
    };
    insta::assert_snapshot!(plain(&[finding]));
}

#[test]
fn without_a_line_the_file_is_named() {
    let finding = Diagnostic {
        line: 0,
        column: 0,
        labels: Vec::new(),
        ..samples::finding()
    };
    insta::assert_snapshot!(plain(&[finding]));
}

#[test]
fn without_a_snippet_the_place_is_named() {
    let finding = Diagnostic {
        snippet: None,
        ..samples::finding()
    };
    insta::assert_snapshot!(plain(&[finding]));
}

#[test]
fn positions_outside_the_snippet_do_no_harm() {
    for (line, column) in [
        (1, 1),
        (24, 9999),
        (22, 0),
        (22, 5),
        (9999, 1),
        (u32::MAX, u32::MAX),
    ] {
        let mut finding = samples::finding();
        finding.line = line;
        finding.column = column;
        finding.labels[0].line = column;
        assert!(plain(&[finding]).contains("TW104"));
    }
    let mut finding = samples::finding();
    if let Some(snippet) = &mut finding.snippet {
        snippet.first_line = 0;
        snippet.lines.clear();
    }
    assert!(plain(&[finding]).contains("blur.cl:24:34"));
}

#[test]
fn findings_at_one_place_are_counted() {
    let shown = plain(&[samples::finding(), samples::finding()]);
    assert_eq!(shown.matches("TW104").count(), 1);
    assert!(shown.contains("… 511 more at this line"), "{shown}");
}

#[test]
fn the_worst_comes_first() {
    let warning = Diagnostic {
        code: "TW202".to_owned(),
        severity: Severity::Warning,
        ..samples::finding()
    };
    let shown = plain(&[warning, samples::finding()]);
    assert!(shown.find("TW104") < shown.find("TW202"), "{shown}");
}

#[test]
fn long_lists_are_cut() {
    let many: Vec<Diagnostic> = (0..100)
        .map(|i| Diagnostic {
            line: 1000 + i,
            ..samples::finding()
        })
        .collect();
    let shown = plain(&many);
    assert_eq!(shown.matches("error[TW104]").count(), 40);
    assert!(shown.contains("… 60 places not shown"), "{shown}");
}
