//! The saved form, read back.

use tilewise_report::json::{JsonError, Samples, from_json, to_json};
use tilewise_report::{Command, SCHEMA};

use crate::samples;

#[test]
fn one_run_is_one_object() {
    let run = samples::full();
    let text = to_json(std::slice::from_ref(&run), Samples::Kept).expect("a run");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["schema"], SCHEMA);
    assert_eq!(
        value["profile"]["counters"]["global_load_sectors"],
        7_340_030
    );
    assert_eq!(from_json(&text).expect("a run"), [run]);
}

#[test]
fn several_runs_are_listed() {
    let runs = [samples::full(), samples::alone()];
    let text = to_json(&runs, Samples::Kept).expect("runs");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["schema"], SCHEMA);
    assert_eq!(value["runs"].as_array().map(Vec::len), Some(2));
    assert_eq!(from_json(&text).expect("runs"), runs);
}

#[test]
fn samples_can_be_dropped() {
    let text = to_json(&[samples::full()], Samples::Dropped).expect("a run");
    let run = &from_json(&text).expect("a run")[0];
    let own = run.measured.as_ref().expect("measured");
    let other = run.candidates[0].measured.as_ref().expect("measured");
    assert!(own.samples.is_empty() && other.samples.is_empty());
    assert_eq!(
        own.median_ns,
        samples::full().measured.expect("measured").median_ns
    );
}

#[test]
fn what_is_no_number_survives_as_nan() {
    let text = to_json(&[samples::degenerate(Command::Bench)], Samples::Kept).expect("a run");
    let run = &from_json(&text).expect("a run")[0];
    let measured = run.measured.as_ref().expect("measured");
    assert!(measured.median_ns.is_nan());
    assert!(measured.samples[0].is_nan() && measured.samples[2] == 3.0);
    assert!(measured.interval.expect("an interval")[0].is_nan());
}

#[test]
fn unknown_keys_are_skipped() {
    let text = to_json(&[samples::alone()], Samples::Kept).expect("a run");
    let text = text.replacen('{', "{\"of_a_later_version\": [1],", 1);
    assert_eq!(from_json(&text).expect("a run"), [samples::alone()]);
}

#[test]
fn what_is_no_run_is_named() {
    assert!(matches!(to_json(&[], Samples::Kept), Err(JsonError::Empty)));
    assert!(matches!(from_json("{"), Err(JsonError::Syntax(_))));
    assert!(matches!(from_json(""), Err(JsonError::Syntax(_))));
    for text in ["[]", "3", "null", "{}", "{\"runs\": []}"] {
        assert!(
            matches!(from_json(text), Err(JsonError::NoSchema)),
            "{text}"
        );
    }
    let other = from_json("{\"schema\": \"tilewise-run/9\"}").expect_err("another version");
    assert!(matches!(&other, JsonError::Schema { found, .. } if found == "tilewise-run/9"));
    assert!(matches!(
        from_json("{\"schema\": 1}"),
        Err(JsonError::Schema { .. })
    ));
    let text = to_json(&[samples::alone()], Samples::Kept)
        .expect("a run")
        .replace("\"kernel\": \"blur_naive\"", "\"kernel\": 7");
    let damaged = from_json(&text).expect_err("a damaged run").to_string();
    assert!(damaged.contains("line 5"), "{damaged}");
}
