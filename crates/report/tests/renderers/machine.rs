//! What other programs read: GitHub's annotations and SARIF.

use tilewise_report::sarif::Rule;
use tilewise_report::{Diagnostic, Severity, github, sarif};

use crate::samples;

fn rules() -> Vec<Rule> {
    vec![Rule {
        code: "TW104".to_owned(),
        title: "access outside its buffer".to_owned(),
        help: "# TW104\n\nAn access left its buffer.".to_owned(),
        severity: Severity::Error,
    }]
}

#[test]
fn annotations() {
    insta::assert_snapshot!(github::render(&[samples::full()]));
}

#[test]
fn annotations_cannot_be_broken_out_of() {
    let shown = github::render(&[samples::hostile()]);
    assert_eq!(shown.lines().count(), 1, "{shown}");
    assert!(shown.starts_with("::error file="));
    // Properties end at the second `::`; none may end earlier.
    let (properties, message) = shown[2..].split_once("::").expect("a message");
    assert_eq!(properties.matches(',').count(), 3, "{properties}");
    assert!(message.contains("%250A"), "{message}");
}

#[test]
fn annotations_leave_out_what_is_not_known() {
    let mut run = samples::full();
    run.findings[0].line = 0;
    assert!(!github::render(std::slice::from_ref(&run)).contains("line="));
    run.findings[0].line = 3;
    run.findings[0].column = 0;
    assert!(!github::render(&[run]).contains("col="));
}

#[test]
fn sarif_of_a_finding() {
    let text = sarif::render(&[samples::full()], &rules()).expect("JSON");
    insta::assert_snapshot!(text);
}

#[test]
fn sarif_lists_a_rule_for_every_code() {
    let mut run = samples::full();
    run.findings.push(Diagnostic {
        code: "TW202".to_owned(),
        severity: Severity::Warning,
        line: 0,
        ..samples::finding()
    });
    let text = sarif::render(&[run], &rules()).expect("JSON");
    let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"][1]["id"], "TW202");
    assert_eq!(run["results"][1]["ruleIndex"], 1);
    assert!(run["results"][1]["locations"][0]["physicalLocation"]["region"].is_null());
}

#[test]
fn sarif_counts_columns_in_utf16() {
    let mut run = samples::full();
    let finding = &mut run.findings[0];
    // The two letters before the token take two bytes each.
    if let Some(snippet) = &mut finding.snippet {
        snippet.lines[2] = "/*éé*/ in[0]".to_owned();
    }
    finding.column = 10;
    let text = sarif::render(&[run], &rules()).expect("JSON");
    let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startColumn"], 8);
}

#[test]
fn sarif_without_findings() {
    let mut run = samples::full();
    run.findings.clear();
    let text = sarif::render(&[run], &[]).expect("JSON");
    let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
    let text = sarif::render(&[], &[]).expect("JSON");
    let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    // An empty one would be no URI, and code scanning would refuse the file.
    let uri = &log["runs"][0]["tool"]["driver"]["informationUri"];
    assert!(uri.as_str().is_some_and(|u| u.starts_with("https://")));
}
