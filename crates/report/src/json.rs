//! The saved form: one run is one object, several are `{schema, runs: […]}`.
//! `schema/run.schema.json` ([`RUN_SCHEMA`]) describes both.
//!
//! JSON has no NaN and no infinity: such a figure is written as `null` and read
//! back as NaN, so that one odd figure doesn't cost the whole run.

use serde::{Deserialize, Deserializer, Serialize};

use crate::run::{Candidate, Measured, Run, SCHEMA};

/// The JSON Schema (draft 2020-12) of the saved form.
pub const RUN_SCHEMA: &str = include_str!("../schema/run.schema.json");

/// Whether raw samples are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Samples {
    /// All of them.
    #[default]
    Kept,
    /// None: medians and intervals only (`--no-data`).
    Dropped,
}

/// Why a saved run can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// There is no run to write.
    #[error("there is no run to save")]
    Empty,
    /// A value that JSON can't hold.
    #[error("the run can't be written as JSON: {0}")]
    Write(#[source] serde_json::Error),
    /// The text is no JSON.
    #[error("this is no JSON: {0}; expected a file that tilewise wrote with --export-json")]
    Syntax(#[source] serde_json::Error),
    /// No key `schema`.
    #[error(
        "this JSON is no tilewise run: it has no \"schema\"; expected a file that tilewise \
         wrote with --export-json"
    )]
    NoSchema,
    /// Written in another form.
    #[error(
        "this run has the form \"{found}\", and this tilewise reads \"{expected}\": make the run \
         again, or read it with the tilewise that wrote it"
    )]
    Schema {
        /// What the text says.
        found: String,
        /// What can be read.
        expected: &'static str,
    },
    /// The right form by name, but not in fact.
    #[error("this run does not have the form \"{SCHEMA}\" that it says it has: {0}")]
    Shape(#[source] serde_json::Error),
}

#[derive(Serialize)]
struct Several<'a> {
    schema: &'static str,
    runs: &'a [Run],
}

#[derive(Deserialize)]
struct SeveralOwned {
    runs: Vec<Run>,
}

/// Writes runs as indented JSON with a line feed at the end.
///
/// # Errors
/// [`JsonError::Empty`] without runs.
pub fn to_json(runs: &[Run], samples: Samples) -> Result<String, JsonError> {
    let stripped: Vec<Run>;
    let runs = match samples {
        Samples::Kept => runs,
        Samples::Dropped => {
            stripped = runs.iter().cloned().map(without_samples).collect();
            &stripped
        }
    };
    let text = match runs {
        [] => return Err(JsonError::Empty),
        [run] => serde_json::to_string_pretty(run),
        runs => serde_json::to_string_pretty(&Several {
            schema: SCHEMA,
            runs,
        }),
    };
    let mut text = text.map_err(JsonError::Write)?;
    text.push('\n');
    Ok(text)
}

fn without_samples(mut run: Run) -> Run {
    let of_candidates = run
        .candidates
        .iter_mut()
        .filter_map(|c: &mut Candidate| c.measured.as_mut());
    let all: Vec<&mut Measured> = run.measured.iter_mut().chain(of_candidates).collect();
    for measured in all {
        measured.samples.clear();
    }
    run
}

/// Reads what [`to_json`] wrote: one run or several. Unknown keys are skipped,
/// so that a later version may add some.
///
/// # Errors
/// Says whether the text is no JSON, no run, a run of another version, or a
/// damaged one.
pub fn from_json(text: &str) -> Result<Vec<Run>, JsonError> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(JsonError::Syntax)?;
    match value.get("schema") {
        None => return Err(JsonError::NoSchema),
        Some(serde_json::Value::String(found)) if found == SCHEMA => {}
        Some(found) => {
            return Err(JsonError::Schema {
                found: found
                    .as_str()
                    .map_or_else(|| found.to_string(), str::to_owned),
                expected: SCHEMA,
            });
        }
    }
    // Read from the text, not from the value, so that errors carry line and column.
    let runs = if value.get("runs").is_some() {
        serde_json::from_str::<SeveralOwned>(text).map(|s| s.runs)
    } else {
        serde_json::from_str::<Run>(text).map(|run| vec![run])
    };
    runs.map_err(JsonError::Shape)
}

/// A figure; `null` is NaN.
pub(crate) fn figure<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// Figures; each `null` is NaN.
pub(crate) fn figures<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let figures = Vec::<Option<f64>>::deserialize(deserializer)?;
    Ok(figures.into_iter().map(|f| f.unwrap_or(f64::NAN)).collect())
}

/// An interval, or none; a `null` end is NaN.
pub(crate) fn interval<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<[f64; 2]>, D::Error> {
    let ends = Option::<[Option<f64>; 2]>::deserialize(deserializer)?;
    Ok(ends.map(|ends| ends.map(|end| end.unwrap_or(f64::NAN))))
}
