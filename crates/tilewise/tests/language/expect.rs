//! The header of a test file: its launches and what is expected of them.

use std::collections::BTreeMap;
use std::path::Path;

use tilewise_launch::{LaunchFile, LaunchSpec};
use toml::{Table, Value};

/// What a test file expects.
#[derive(Debug, Default)]
pub struct Expect {
    /// Contents of buffers at the end: kernel (empty for all), argument,
    /// numbers.
    pub values: BTreeMap<(String, String), Vec<Value>>,
    /// How far values of floating-point type may be apart.
    pub ulps: u64,
    /// What the kernels print.
    pub printf: String,
    /// The fault that every launch must have.
    pub fault: Option<String>,
    /// Texts of the message with which the file is refused.
    pub refused: Vec<String>,
    /// Why the device is left alone.
    pub simulator_only: Option<String>,
    /// Extensions without which the device is left alone.
    pub needs: Vec<String>,
    /// Widths of sub-groups.
    pub widths: Vec<u32>,
    /// The extensions that clang sees; `None` for all.
    pub extensions: Option<Vec<String>>,
}

/// The launches of a test file and its expectations.
pub fn header(text: &str) -> Result<(Vec<LaunchSpec>, Expect), String> {
    let inner = text
        .strip_prefix("/*")
        .and_then(|rest| rest.split_once("*/"))
        .map(|(inner, _)| inner)
        .ok_or("the file does not start with a block comment that holds its launches")?;
    let (launches, expect) = match inner.split_once("\n[expect]\n") {
        Some((launches, expect)) => (launches, expect),
        None => (inner, ""),
    };
    // Messages of the launch file's reader count lines from here.
    let launches = LaunchFile::parse(launches, Path::new("header")).map_err(|e| e.to_string())?;
    Ok((launches.launches, read(expect)?))
}

fn read(text: &str) -> Result<Expect, String> {
    let table: Table = text.parse().map_err(|e| format!("[expect]: {e}"))?;
    let mut expect = Expect {
        widths: vec![32, 64],
        ..Expect::default()
    };
    for (key, value) in table {
        match (key.as_str(), value) {
            ("values", Value::Table(values)) => expect.values = all_values(values)?,
            ("ulps", Value::Integer(n)) => expect.ulps = unsigned(n)?,
            ("printf", Value::String(text)) => expect.printf = text,
            ("fault", Value::String(kind)) => expect.fault = Some(kind),
            ("refused", value) => expect.refused = strings(value)?,
            ("simulator_only", Value::String(why)) => expect.simulator_only = Some(why),
            ("needs", value) => expect.needs = strings(value)?,
            ("extensions", value) => expect.extensions = Some(strings(value)?),
            ("widths", Value::Array(widths)) => {
                expect.widths = widths
                    .into_iter()
                    .map(|w| w.as_integer().and_then(|w| u32::try_from(w).ok()))
                    .collect::<Option<_>>()
                    .ok_or("[expect]: a width is a small number")?;
            }
            (key, value) => {
                return Err(format!(
                    "[expect]: `{key}` is unknown, or not written as {}",
                    value.type_str()
                ));
            }
        }
    }
    Ok(expect)
}

fn all_values(values: Table) -> Result<BTreeMap<(String, String), Vec<Value>>, String> {
    let mut all = BTreeMap::new();
    for (name, value) in values {
        match value {
            Value::Array(numbers) => {
                all.insert((String::new(), name), numbers);
            }
            Value::Table(of_kernel) => {
                for (arg, value) in of_kernel {
                    let Value::Array(numbers) = value else {
                        return Err(format!("values.{name}.{arg} is no array"));
                    };
                    all.insert((name.clone(), arg), numbers);
                }
            }
            _ => return Err(format!("values.{name} is no array")),
        }
    }
    Ok(all)
}

fn unsigned(n: i64) -> Result<u64, String> {
    u64::try_from(n).map_err(|_| format!("[expect]: {n} is negative"))
}

fn strings(value: Value) -> Result<Vec<String>, String> {
    let one = |v: Value| match v {
        Value::String(s) => Ok(s),
        other => Err(format!("[expect]: {other} is no string")),
    };
    match value {
        Value::Array(values) => values.into_iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}
