//! A value with the source that vouches for it.
//!
//! In TOML: `per_unit = { value = 233472, unit = "B", source = "…" }`. A figure
//! without a source is not accepted: an unsourced number can't be judged.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::units::{Magnitude, Unit};

/// A number in the unit `U`, and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure<U: Unit> {
    value: U::Value,
    source: String,
}

impl<U: Unit> Figure<U> {
    /// A figure made in code, by a calibration for example.
    pub fn new(value: U::Value, source: impl Into<String>) -> Self {
        Self {
            value,
            source: source.into(),
        }
    }

    /// The number, in the unit `U`.
    pub fn value(&self) -> U::Value {
        self.value
    }

    /// The document or measurement that the number is from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the source itself says that the number is a guess.
    pub fn is_estimate(&self) -> bool {
        is_estimate(&self.source)
    }
}

/// A value that is no number (a list, a name, a yes or no) and its source.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated<T> {
    /// The value.
    pub value: T,
    /// The document or measurement that the value is from.
    pub source: String,
}

impl<T> Stated<T> {
    /// Whether the source itself says that the value is a guess.
    pub fn is_estimate(&self) -> bool {
        is_estimate(&self.source)
    }
}

fn is_estimate(source: &str) -> bool {
    source.contains("estimate")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<V> {
    value: V,
    #[serde(default)]
    unit: String,
    source: String,
}

impl<'de, U: Unit> Deserialize<'de> for Figure<U> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::<U::Value>::deserialize(deserializer)?;
        if written.unit != U::SYMBOL {
            return Err(D::Error::custom(if U::SYMBOL.is_empty() {
                format!(
                    "this figure is a plain number: remove the unit `{}`",
                    written.unit
                )
            } else {
                format!(
                    "the unit is `{}`, it must be `{}`: convert the value",
                    written.unit,
                    U::SYMBOL
                )
            }));
        }
        if !written.value.is_sound() {
            return Err(D::Error::custom(format!(
                "the value is {}, it must be finite and not negative",
                written.value
            )));
        }
        if written.source.trim().is_empty() {
            return Err(D::Error::custom(
                "the source is empty: name the document or the measurement",
            ));
        }
        Ok(Self {
            value: written.value,
            source: written.source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::units::{Bytes, Cycles, Ratio};

    #[derive(Debug, Deserialize)]
    #[serde(bound = "")]
    struct Holder<U: Unit> {
        f: Figure<U>,
    }

    fn error<U: Unit>(text: &str) -> String {
        toml::from_str::<Holder<U>>(text)
            .expect_err("must be refused")
            .message()
            .to_owned()
    }

    #[test]
    fn a_figure_keeps_value_and_source() {
        let h: Holder<Bytes> =
            toml::from_str(r#"f = { value = 64, unit = "B", source = "datasheet" }"#)
                .expect("valid");
        assert_eq!((h.f.value(), h.f.source()), (64, "datasheet"));
        assert!(!h.f.is_estimate());
    }

    #[test]
    fn whole_numbers_are_rates_too() {
        let h: Holder<Cycles> =
            toml::from_str(r#"f = { value = 4, unit = "cycles", source = "estimate: x" }"#)
                .expect("valid");
        assert_eq!(h.f.value(), 4.0);
        assert!(h.f.is_estimate());
    }

    #[test]
    fn wrong_units_and_missing_sources_are_refused() {
        assert!(
            error::<Bytes>(r#"f = { value = 64, unit = "KiB", source = "s" }"#)
                .contains("must be `B`")
        );
        assert!(
            error::<Ratio>(r#"f = { value = 64, unit = "B", source = "s" }"#)
                .contains("plain number")
        );
        assert!(
            error::<Bytes>(r#"f = { value = 64, unit = "B", source = " " }"#).contains("source")
        );
        assert!(error::<Bytes>(r#"f = { value = 64, unit = "B" }"#).contains("source"));
        assert!(
            error::<Cycles>(r#"f = { value = nan, unit = "cycles", source = "s" }"#)
                .contains("finite")
        );
        assert!(error::<Bytes>(r#"f = { value = -1, unit = "B", source = "s" }"#).contains("-1"));
    }
}
