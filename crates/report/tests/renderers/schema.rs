//! The schema describes what is written, no more and no less.

use std::collections::BTreeSet;

use serde_json::Value;
use tilewise_report::json::{RUN_SCHEMA, Samples, to_json};
use tilewise_report::{Command, Run};

use crate::samples;

fn schema() -> Value {
    serde_json::from_str(RUN_SCHEMA).expect("the schema is JSON")
}

fn written(runs: &[Run], samples: Samples) -> Value {
    let text = to_json(runs, samples).expect("a run");
    serde_json::from_str(&text).expect("JSON")
}

fn assert_valid(value: &Value) {
    let validator = jsonschema::draft202012::new(&schema()).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|e| format!("{}: {e}", e.instance_path))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn the_schema_is_valid() {
    jsonschema::draft202012::meta::validate(&schema()).expect("a valid schema");
}

#[test]
fn every_shape_validates() {
    let commands = [
        Command::Check,
        Command::Profile,
        Command::Verify,
        Command::Bench,
        Command::Advise,
        Command::Demo,
    ];
    for command in commands {
        assert_valid(&written(&[samples::bare(command)], Samples::Kept));
        assert_valid(&written(&[samples::degenerate(command)], Samples::Kept));
    }
    for run in [
        samples::full(),
        samples::advise(),
        samples::alone(),
        samples::predicted_pair(),
        samples::hostile(),
    ] {
        assert_valid(&written(std::slice::from_ref(&run), Samples::Kept));
        assert_valid(&written(std::slice::from_ref(&run), Samples::Dropped));
        assert_valid(&written(&[run.clone(), run], Samples::Kept));
    }
}

#[test]
fn what_is_wrong_does_not_validate() {
    let validator = jsonschema::draft202012::new(&schema()).expect("a schema");
    let mut run = written(&[samples::full()], Samples::Kept);
    run["verdict"]["kind"] = "maybe".into();
    assert!(!validator.is_valid(&run));
    let mut run = written(&[samples::full()], Samples::Kept);
    run["profile"]["buffers"][0]["accesses"] = (-1).into();
    assert!(!validator.is_valid(&run));
    let mut run = written(&[samples::full()], Samples::Kept);
    run.as_object_mut().expect("an object").remove("device");
    assert!(!validator.is_valid(&run));
}

/// Paths of all keys, with `[]` for any element of an array.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}.{key}");
                keys(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(values) => {
            for value in values {
                keys(value, &format!("{path}[]"), found);
            }
        }
        _ => {}
    }
}

/// Paths of all keys that a part of the schema names, and of those that it
/// requires.
fn named(schema: &Value, part: &Value, path: &str, all: &mut BTreeSet<String>) {
    if let Some(name) = part["$ref"].as_str() {
        let pointer = name.trim_start_matches('#');
        let target = schema
            .pointer(pointer)
            .expect("the reference leads somewhere");
        named(schema, target, path, all);
    }
    for option in part["anyOf"].as_array().into_iter().flatten() {
        named(schema, option, path, all);
    }
    if let Some(items) = part.get("items") {
        named(schema, items, &format!("{path}[]"), all);
    }
    for (key, value) in part["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        named(schema, value, &path, all);
        all.insert(path);
    }
}

#[test]
fn the_schema_names_exactly_the_keys_of_the_types() {
    let mut in_types = BTreeSet::new();
    keys(
        &written(&[samples::full()], Samples::Kept),
        "",
        &mut in_types,
    );
    let schema = schema();
    let mut in_schema = BTreeSet::new();
    named(&schema, &schema["$defs"]["run"], "", &mut in_schema);
    let lacking: Vec<_> = in_types.difference(&in_schema).collect();
    assert!(lacking.is_empty(), "the schema lacks {lacking:#?}");
    let surplus: Vec<_> = in_schema.difference(&in_types).collect();
    assert!(surplus.is_empty(), "no run has {surplus:#?}");
}

#[test]
fn the_schema_requires_exactly_the_keys_that_are_always_there() {
    let run = written(&[samples::bare(Command::Profile)], Samples::Kept);
    let always: BTreeSet<&str> = run
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    let schema = schema();
    let required: BTreeSet<&str> = schema["$defs"]["run"]["required"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(always, required);
}
