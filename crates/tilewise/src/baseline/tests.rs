//! What is known again, and what a file that is none is told.

use std::path::Path;

use tilewise_report::{
    Command, DeviceInfo, Diagnostic, LaunchInfo, Run, SCHEMA as RUN, Severity, Snippet,
};

use super::{Baseline, Compared};

fn run(file: &str, kernel: &str, lines: &[(u32, &str)]) -> Run {
    let findings = lines.iter().map(|&(line, text)| Diagnostic {
        code: "TW102".to_owned(),
        severity: Severity::Error,
        message: format!("on line {line}"),
        file: file.to_owned(),
        line,
        column: 5,
        kernel: kernel.to_owned(),
        labels: Vec::new(),
        notes: Vec::new(),
        help: Vec::new(),
        count: 1,
        snippet: Some(Snippet {
            first_line: line,
            lines: vec![text.to_owned()],
        }),
    });
    Run {
        schema: RUN.to_owned(),
        tilewise: "0".to_owned(),
        command: Command::Check,
        kernel: kernel.to_owned(),
        file: file.to_owned(),
        launch: LaunchInfo::default(),
        device: DeviceInfo::default(),
        profile: None,
        occupancy: None,
        predicted: None,
        measured: None,
        findings: findings.collect(),
        candidates: Vec::new(),
        procedure: Vec::new(),
        removal: false,
        action: None,
        verdict: None,
        warnings: Vec::new(),
        timings: Vec::new(),
    }
}

/// Through the file and back.
fn read_back(baseline: &Baseline) -> Baseline {
    let text = baseline.to_text().expect("text");
    Baseline::parse(Path::new("b.json"), &text).expect("it can be read")
}

#[test]
fn only_new_findings_stay() {
    let before = run("k.cl", "k", &[(3, "a = 1;"), (4, "b = 1;")]);
    let baseline = read_back(&Baseline::default().updated(&[before]));
    assert_eq!(baseline.len(), 2);
    // One moved, one is new, one is gone.
    let mut after = [run("./k.cl", "k", &[(30, "  a  = 1;"), (31, "c = 1;")])];
    let compared = baseline.take_out(&mut after);
    assert_eq!(after[0].findings.len(), 1);
    assert_eq!(after[0].findings[0].line, 31);
    let gone = vec!["TW102 in k: b = 1;".to_owned()];
    assert_eq!(compared, Compared { known: 1, gone });
}

#[test]
fn a_second_finding_on_an_equal_line_is_new() {
    let one = run("k.cl", "k", &[(3, "a = 1;")]);
    let baseline = Baseline::default().updated(&[one]);
    let mut two = [run("k.cl", "k", &[(3, "a = 1;"), (9, "a = 1;")])];
    assert_eq!(baseline.take_out(&mut two).known, 1);
    assert_eq!(two[0].findings[0].line, 9);
}

#[test]
fn an_update_leaves_other_kernels_alone() {
    let all = [
        run("k.cl", "k", &[(3, "a = 1;")]),
        run("k.cl", "other", &[(9, "b = 1;")]),
        run("sub/k.cl", "k", &[(3, "c = 1;")]),
    ];
    let baseline = Baseline::default().updated(&all);
    let mut clean = [run("k.cl", "k", &[])];
    let compared = baseline.take_out(&mut clean);
    assert_eq!(compared.gone, ["TW102 in k: a = 1;"]);
    let updated = baseline.updated(&clean);
    assert_eq!(updated.len(), 2);
    assert!(updated.take_out(&mut clean).gone.is_empty());
    assert_eq!(updated.clone().updated(&clean), updated);
}

#[test]
fn what_is_no_baseline_is_told() {
    let told = |text: &str| {
        let error = Baseline::parse(Path::new("b.json"), text).expect_err("it is none");
        error.to_string()
    };
    for (text, part) in [
        (
            "{",
            "b.json is no baseline: EOF while parsing an object at line 1",
        ),
        ("[]", "b.json is no baseline"),
        (r#"{"findings": []}"#, "missing field `schema`"),
        (
            r#"{"schema": "tilewise-run/1", "findings": []}"#,
            "is of the form `tilewise-run/1`, and this version reads `tilewise-baseline/1`",
        ),
        (
            r#"{"schema": "tilewise-baseline/1", "findings": [{"code": "TW101"}]}"#,
            "missing field",
        ),
        (
            r#"{"schema": "tilewise-baseline/1", "findings": [], "rest": 1}"#,
            "unknown field `rest`",
        ),
    ] {
        assert!(told(text).contains(part), "{text}: {}", told(text));
    }
}
