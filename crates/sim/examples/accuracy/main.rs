//! The error of every floating-point builtin, in half, float and double,
//! against a multiprecision reference.
//!
//! `cargo run -p tilewise-sim --release --example accuracy -- [INPUTS] [SEED] [FUNCTION]`
//! prints function, type, number of inputs, the largest error in ulp, the bound
//! of the specification and the input with that error, and ends with 1 where a
//! bound is broken. INPUTS is the number of random inputs beside the special
//! values.

mod format;
mod inputs;
mod measure;
mod reference;

use std::process::ExitCode;

use tilewise_ir::accuracy::{Bound, functions};

use format::FORMATS;
use inputs::Random;
use measure::{Measured, is_measured, measure};
use reference::Reference;
#[cfg(test)]
use {
    reference::shown,
    tilewise_ir::{MathFn, Ty},
};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize, default: u64| args.get(n).map_or(Ok(default), |a| a.parse());
    let (Ok(count), Ok(seed)) = (number(0, 2000), number(1, 1)) else {
        eprintln!("usage: accuracy [INPUTS] [SEED] [FUNCTION]");
        return ExitCode::from(2);
    };
    let only = args.get(2);
    println!(
        "{:<12} {:<7} {:>7} {:>10} {:>10}  worst input",
        "function", "type", "inputs", "worst ulp", "bound"
    );
    let mut reference = Reference::new();
    let mut broken = 0;
    for fun in functions().filter(|f| is_measured(*f)) {
        if only.is_some_and(|name| *name != format!("{fun:?}").to_lowercase()) {
            continue;
        }
        for format in FORMATS {
            let mut random = Random::new(seed);
            let measured = measure(&mut reference, fun, format, count as usize, &mut random);
            print(&measured);
            broken += usize::from(!measured.failures.is_empty());
        }
    }
    println!("{broken} functions break their bound");
    if broken == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn print(m: &Measured) {
    let bound = match m.bound {
        Bound::Exact => "0".to_owned(),
        Bound::Rounded => "rounded".to_owned(),
        Bound::Ulps(n) => n.to_string(),
        Bound::VectorUlps {
            base,
            per_component,
        } => format!("{base}+{per_component}n"),
        Bound::DotProduct => "dot".to_owned(),
        Bound::Absolute(n) => format!("abs {n:e}"),
        Bound::Unspecified => "-".to_owned(),
    };
    println!(
        "{:<12} {:<7} {:>7} {:>10.3} {:>10}  {}",
        format!("{:?}", m.fun).to_lowercase(),
        m.format.name,
        m.inputs,
        m.worst,
        bound,
        m.worst_input
    );
    for failure in m.failures.iter().take(5) {
        println!("    OUTSIDE {failure}");
    }
    if m.failures.len() > 5 {
        println!("    and {} more", m.failures.len() - 5);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function over the special values and a few random inputs.
    #[test]
    fn every_function_keeps_its_bound() {
        let mut reference = Reference::new();
        for fun in functions().filter(|f| is_measured(*f)) {
            for format in FORMATS {
                let mut random = Random::new(7);
                let measured = measure(&mut reference, fun, format, 60, &mut random);
                let what = format!("{fun:?} of {}", format.name);
                assert!(measured.inputs >= 50, "{what}: {} inputs", measured.inputs);
                assert_eq!(measured.failures, Vec::<String>::new(), "{what}");
                // Half and float are computed in double and rounded once.
                let once = measured.bound.ulps(4).is_some_and(|most| most >= 1.0);
                if once && format.ty != Ty::F64 {
                    assert!(measured.worst <= 0.502, "{what}: {}", measured.worst);
                }
            }
        }
    }

    /// The reference itself, where the values are known.
    #[test]
    fn the_reference_knows_tabled_values() {
        let mut reference = Reference::new();
        let mut value = |fun, args: &[f64]| {
            let exact = reference.exact(fun, args, 0, 0.5).expect("a number");
            shown(&exact.first)
        };
        // Abramowitz and Stegun, tables 7.1 and 6.1; DLMF 5.4.
        for (fun, args, digits) in [
            (
                MathFn::Erf,
                &[1.0][..],
                "8.4270079294971486934122063508260925929606699796630290845993",
            ),
            (
                MathFn::Erfc,
                &[3.0],
                "2.2090496998585441372776129582320379849070729991963",
            ),
            (
                MathFn::Lgamma,
                &[0.5],
                "5.7236494292470008707171367567652935582364740645765578575681",
            ),
            (
                MathFn::Tgamma,
                &[-0.5],
                "-3.544907701811032054596334966682290365595098912244774256",
            ),
            (MathFn::Tgamma, &[10.0], "3.6288"),
            (
                MathFn::Sinpi,
                &[0.25],
                "7.0710678118654752440084436210484903928483593768847403658",
            ),
            (MathFn::Fmod, &[1e300, 11.0], "7.e+0"),
        ] {
            let got = value(fun, args);
            let common = digits.len().min(30).min(got.len());
            assert_eq!(got[..common], digits[..common], "{fun:?}{args:?} = {got}");
        }
    }
}
