//! Expressions, argument values and NDRanges, as flags have them.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};

use tilewise_launch::expr::{Env, Expr, Num};
use tilewise_launch::parse::{ArgText, parse_arg, split_dims};
use tilewise_launch::{ArgSetting, ElemType, ImageFormat, Sampler};

/// Reads the text as each thing that a flag may hold. What can be printed is
/// read again as the same, and what can be computed is.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Some(expr) = round_trip(text, Expr::parse) {
        evaluate(&expr);
    }
    if let Some(ArgText::Words(words)) = round_trip(text, parse_arg) {
        let sampler = Sampler::from_words(words.iter().map(String::as_str));
        if let Ok(sampler) = sampler {
            assert_eq!(Sampler::from_bits(sampler.bits()), Ok(sampler));
        }
    }
    match split_dims(text) {
        Ok(dims) => {
            assert!((1..=3).contains(&dims.len()));
            dims.iter().for_each(evaluate);
            let printed: Vec<String> = dims.iter().map(Expr::to_string).collect();
            let printed = printed.join(",");
            let again = split_dims(&printed);
            assert_eq!(again.as_ref(), Ok(&dims), "printed as {printed}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    match ArgSetting::from_flag(text) {
        Ok(setting) => {
            let again = ArgSetting::from_flag(&format!("{}={}", setting.key, setting.value.text));
            assert!(again.is_ok_and(|again| again == setting));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(elem) = text.parse::<ElemType>() {
        assert_eq!(elem.to_string().parse(), Ok(elem));
    }
    if let Ok(format) = text.parse::<ImageFormat>() {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
}

/// Reads a text; what it says prints as a text that says the same.
fn round_trip<T, E>(text: &str, read: impl Fn(&str) -> Result<T, E>) -> Option<T>
where
    T: Display + Debug + PartialEq,
    E: Display,
{
    let value = match read(text) {
        Ok(value) => value,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let printed = value.to_string();
    match read(&printed) {
        Ok(again) => assert_eq!(again, value, "printed as {printed}"),
        Err(error) => panic!("{text:?}, printed as {printed:?}, is not read again: {error}"),
    }
    Some(value)
}

/// Computes an expression, each of its names being a number.
fn evaluate(expr: &Expr) {
    let values = [
        Num::Int(17),
        Num::Int(-1),
        Num::Float(0.5),
        Num::Int(1 << 62),
    ];
    let names: BTreeMap<String, Num> = expr
        .names()
        .into_iter()
        .map(str::to_owned)
        .zip(values.into_iter().cycle())
        .collect();
    let env = Env {
        names,
        local: Some([16, 4, 1]),
        range: None,
    };
    let value = expr.eval(&env);
    let size = expr.eval_size(&env);
    match (value, size) {
        (Ok(value), Ok(size)) => assert_eq!(value.as_int(), Some(size.into())),
        (_, Err(error)) => assert!(!error.to_string().is_empty()),
        (Err(error), Ok(size)) => panic!("the size {size} has no value: {error}"),
    }
}
