//! What other programs read: GitHub's annotations and SARIF.

use tilewise_report::sarif::Rule;
use tilewise_report::{Command, Diagnostic, Severity, github, sarif};

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
    // Code scanning refuses a place without a line.
    let place = &run["results"][1]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 1);
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

/// The published schema is not part of this repository: `TILEWISE_SARIF_SCHEMA` names
/// a copy of <https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json>.
#[test]
fn sarif_is_valid_by_the_published_schema() {
    let Some(path) = std::env::var_os("TILEWISE_SARIF_SCHEMA") else {
        eprintln!("skipped: TILEWISE_SARIF_SCHEMA is not set");
        return;
    };
    let schema = std::fs::read_to_string(path).expect("the schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    // The draft is the one that the schema names.
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    for run in [
        samples::full(),
        samples::hostile(),
        samples::bare(Command::Check),
    ] {
        for rules in [rules(), Vec::new()] {
            let text = sarif::render(std::slice::from_ref(&run), &rules).expect("JSON");
            let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let errors: Vec<String> = schema
                .iter_errors(&log)
                .map(|e| format!("{}: {e}", e.instance_path))
                .collect();
            assert!(errors.is_empty(), "{errors:#?}");
        }
    }
}

/// What GitHub's code scanning asks for beyond the schema.
#[test]
fn sarif_has_what_code_scanning_needs() {
    let mut run = samples::full();
    for (file, line) in [
        ("./k.cl", 7),
        ("/home/me/k.cl", 7),
        ("C:\\k.cl", 7),
        ("k.cl", 0),
    ] {
        run.findings.push(Diagnostic {
            file: file.to_owned(),
            line,
            code: "TW203".to_owned(),
            ..samples::finding()
        });
    }
    let text = sarif::render(&[run], &rules()).expect("JSON");
    let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let run = &log["runs"][0];
    let filled = |value: &serde_json::Value| value.as_str().is_some_and(|s| !s.is_empty());
    for rule in run["tool"]["driver"]["rules"].as_array().expect("rules") {
        assert!(filled(&rule["id"]), "{rule}");
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(filled(&rule[text]["text"]), "{text} of {rule}");
        }
    }
    let results = run["results"].as_array().expect("results");
    for result in results {
        assert!(filled(&result["message"]["text"]), "{result}");
        let hash = &result["partialFingerprints"]["primaryLocationLineHash"];
        assert!(filled(hash), "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["region"]["startLine"].as_u64() > Some(0), "{result}");
    }
    let place = |n: usize| {
        let place = &results[results.len() - n]["locations"][0]["physicalLocation"];
        place["artifactLocation"].clone()
    };
    let below_root = serde_json::json!({ "uri": "k.cl", "uriBaseId": "%SRCROOT%" });
    assert_eq!((place(4), place(1)), (below_root.clone(), below_root));
    assert_eq!(place(3)["uri"], "file:///home/me/k.cl");
    assert_eq!(place(2)["uri"], "file:///C:/k.cl");
}

#[test]
fn sarif_knows_a_finding_again_where_lines_move() {
    let hash = |run: &tilewise_report::Run| {
        let text = sarif::render(std::slice::from_ref(run), &[]).expect("JSON");
        let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        log["runs"][0]["results"][0]["partialFingerprints"].clone()
    };
    let run = samples::full();
    let mut moved = run.clone();
    moved.findings[0].line += 10;
    if let Some(snippet) = &mut moved.findings[0].snippet {
        snippet.first_line += 10;
        for line in &mut snippet.lines {
            line.insert_str(0, "    ");
        }
    }
    assert_eq!(hash(&run), hash(&moved));
    moved.findings[0].kernel.push('2');
    assert_ne!(hash(&run), hash(&moved));
}
