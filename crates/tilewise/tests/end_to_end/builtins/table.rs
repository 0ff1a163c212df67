//! Every builtin function with the types that it takes (OpenCL C 3.0, sections
//! 6.4 and 6.15).
//!
//! A call is an expression over these variables, of `N` components each:
//! `a`, `b`, `c` of the type in question; `u` and `v` the bits of `b` and `c`
//! as unsigned integers, `z` those of `c` as signed ones; `n` of `int`. `s` and
//! `t` are scalars of the type, `k` is an `int`. `p` and `q` take second
//! results: of the type, and of `int`. `$N` stands for the length.

use tilewise_ir::accuracy::Bound;
use tilewise_ir::{MathFn, accuracy};

use super::types::{Elem, Kind, of};

/// Type of a result, for an element type and a length.
#[derive(Clone, Copy, PartialEq)]
pub enum Res {
    /// The type itself.
    Same,
    /// One element, however long the arguments are.
    Scalar,
    /// Two elements.
    Pair,
    /// The unsigned integer of the same size.
    Unsigned,
    /// `int` of the same length.
    Int,
    /// One `int`.
    OneInt,
    /// What a comparison gives: `int`, or -1 and 0 in components of the same size.
    Truth,
    /// An integer of twice the size.
    Wide,
    /// Another type.
    Of(Elem),
}

/// Arguments of one element, for deciding whether a call is defined.
pub struct Args {
    /// `a`, `b`, `c` as numbers.
    pub values: [f64; 3],
}

/// One function as it is called.
pub struct Call {
    /// The expression.
    pub text: String,
    /// Its type.
    pub result: Res,
    /// Lengths of the vectors.
    pub lengths: Vec<u32>,
    /// Components of vectors are what the scalar form gives.
    pub by_component: bool,
    /// Function of the accuracy tables; `None` where the result is exact.
    pub fun: Option<MathFn>,
    /// How far two implementations may be apart.
    pub tolerance: Bound,
    /// Whether the specification leaves the result open.
    pub undefined: Box<dyn Fn(&Args) -> bool>,
}

/// All lengths.
pub const LENGTHS: [u32; 6] = [1, 2, 3, 4, 8, 16];

fn call(text: &str, result: Res) -> Call {
    Call {
        text: text.to_owned(),
        result,
        lengths: LENGTHS.to_vec(),
        by_component: true,
        fun: None,
        tolerance: Bound::Exact,
        undefined: Box::new(|_| false),
    }
}

impl Call {
    fn accurate_as(mut self, fun: MathFn, elem: Elem) -> Self {
        self.fun = Some(fun);
        self.tolerance = accuracy::bound(fun, elem.ty);
        self
    }

    fn whole(mut self, lengths: &[u32]) -> Self {
        self.by_component = false;
        self.lengths = lengths.to_vec();
        self
    }

    fn undefined(mut self, when: impl Fn(&Args) -> bool + 'static) -> Self {
        self.undefined = Box::new(when);
        self
    }
}

fn any_nan(args: &Args) -> bool {
    args.values.iter().any(|v| v.is_nan())
}

/// Floating-point functions, and relational ones.
pub fn float_calls(elem: Elem) -> Vec<Call> {
    use MathFn as M;
    let mut calls = Vec::new();
    for (name, fun) in [
        ("acos", M::Acos),
        ("acosh", M::Acosh),
        ("acospi", M::Acospi),
        ("asin", M::Asin),
        ("asinh", M::Asinh),
        ("asinpi", M::Asinpi),
        ("atan", M::Atan),
        ("atanh", M::Atanh),
        ("atanpi", M::Atanpi),
        ("cbrt", M::Cbrt),
        ("ceil", M::Ceil),
        ("cos", M::Cos),
        ("cosh", M::Cosh),
        ("cospi", M::Cospi),
        ("degrees", M::Degrees),
        ("erf", M::Erf),
        ("erfc", M::Erfc),
        ("exp", M::Exp),
        ("exp2", M::Exp2),
        ("exp10", M::Exp10),
        ("expm1", M::Expm1),
        ("fabs", M::Fabs),
        ("floor", M::Floor),
        ("lgamma", M::Lgamma),
        ("log", M::Log),
        ("log2", M::Log2),
        ("log10", M::Log10),
        ("log1p", M::Log1p),
        ("logb", M::Logb),
        ("radians", M::Radians),
        ("rint", M::Rint),
        ("round", M::Round),
        ("rsqrt", M::Rsqrt),
        ("sign", M::Sign),
        ("sin", M::Sin),
        ("sinh", M::Sinh),
        ("sinpi", M::Sinpi),
        ("sqrt", M::Sqrt),
        ("tan", M::Tan),
        ("tanh", M::Tanh),
        ("tanpi", M::Tanpi),
        ("tgamma", M::Tgamma),
        ("trunc", M::Trunc),
    ] {
        calls.push(call(&format!("{name}(a)"), Res::Same).accurate_as(fun, elem));
    }
    for (name, fun) in [
        ("atan2", M::Atan2),
        ("atan2pi", M::Atan2pi),
        ("copysign", M::Copysign),
        ("fdim", M::Fdim),
        ("fmax", M::Fmax),
        ("fmin", M::Fmin),
        ("fmod", M::Fmod),
        ("hypot", M::Hypot),
        ("maxmag", M::Maxmag),
        ("minmag", M::Minmag),
        ("nextafter", M::Nextafter),
        ("pow", M::Pow),
        ("powr", M::Powr),
        ("remainder", M::Remainder),
        ("step", M::Step),
    ] {
        calls.push(call(&format!("{name}(a, b)"), Res::Same).accurate_as(fun, elem));
    }
    for (text, fun) in [
        ("fmax(a, s)", M::Fmax),
        ("fmin(a, s)", M::Fmin),
        ("step(s, a)", M::Step),
        ("ldexp(a, n)", M::Ldexp),
        ("ldexp(a, k)", M::Ldexp),
        ("pown(a, n)", M::Pown),
        ("rootn(a, n)", M::Rootn),
        ("fma(a, b, c)", M::Fma),
        ("mad(a, b, c)", M::Mad),
        ("nan(u)", M::Nan),
        ("fract(a, &p)", M::Fract),
        ("modf(a, &p)", M::Modf),
        ("sincos(a, &p)", M::Sincos),
        ("frexp(a, &q)", M::Frexp),
        ("lgamma_r(a, &q)", M::LgammaR),
        ("remquo(a, b, &q)", M::Remquo),
    ] {
        calls.push(call(text, Res::Same).accurate_as(fun, elem));
    }
    // Undefined for NaNs, and for bounds the wrong way round.
    for (text, fun) in [
        ("max(a, b)", M::Fmax),
        ("min(a, b)", M::Fmin),
        ("max(a, s)", M::Fmax),
        ("min(a, s)", M::Fmin),
        ("clamp(a, min(b, c), max(b, c))", M::Fclamp),
        ("clamp(a, s, t)", M::Fclamp),
    ] {
        calls.push(
            call(text, Res::Same)
                .accurate_as(fun, elem)
                .undefined(any_nan),
        );
    }
    let infinite = |args: &Args| args.values.iter().any(|v| !v.is_finite());
    for (text, fun) in [("mix(a, b, c)", M::Mix), ("mix(a, b, s)", M::Mix)] {
        calls.push(
            call(text, Res::Same)
                .accurate_as(fun, elem)
                .undefined(infinite),
        );
    }
    let smooth = call("smoothstep(a, b, c)", Res::Same).accurate_as(M::Smoothstep, elem);
    calls.push(smooth.undefined(move |args| infinite(args) || args.values[0] >= args.values[1]));
    let smooth = call("smoothstep(s, t, a)", Res::Same).accurate_as(M::Smoothstep, elem);
    calls.push(smooth.undefined(any_nan));
    calls.push(call("ilogb(a)", Res::Int).accurate_as(M::Ilogb, elem));
    for name in [
        "isequal",
        "isnotequal",
        "isgreater",
        "isgreaterequal",
        "isless",
        "islessequal",
        "islessgreater",
        "isordered",
        "isunordered",
    ] {
        calls.push(call(&format!("{name}(a, b)"), Res::Truth));
    }
    for name in ["isfinite", "isinf", "isnan", "isnormal", "signbit"] {
        calls.push(call(&format!("{name}(a)"), Res::Truth));
    }
    calls.push(call("bitselect(a, b, c)", Res::Same));
    calls.extend(choices());
    calls.extend(geometric(elem));
    if elem.name != "half" {
        calls.extend(halves(elem));
    }
    if elem.name == "float" {
        calls.extend(coarse(elem));
    }
    calls
}

/// `half_` and `native_` forms.
fn coarse(elem: Elem) -> Vec<Call> {
    use MathFn as M;
    let mut calls = Vec::new();
    for (text, fun) in [
        ("cos(a)", M::Cos),
        ("divide(a, b)", M::Mad),
        ("exp(a)", M::Exp),
        ("exp2(a)", M::Exp2),
        ("exp10(a)", M::Exp10),
        ("log(a)", M::Log),
        ("log2(a)", M::Log2),
        ("log10(a)", M::Log10),
        ("powr(a, b)", M::Powr),
        ("recip(a)", M::Mad),
        ("rsqrt(a)", M::Rsqrt),
        ("sin(a)", M::Sin),
        ("sqrt(a)", M::Sqrt),
        ("tan(a)", M::Tan),
    ] {
        for form in ["half_", "native_"] {
            let mut one = call(&format!("{form}{text}"), Res::Same).accurate_as(fun, elem);
            one.tolerance = match form {
                "half_" => Bound::Ulps(accuracy::HALF_FORM_ULPS),
                _ => Bound::Unspecified,
            };
            // Arguments beyond 2^16 are undefined for the half_ forms.
            let far = |args: &Args| args.values.iter().any(|v| v.abs() > 65536.0 || v.is_nan());
            calls.push(one.undefined(far));
        }
    }
    calls
}

fn geometric(elem: Elem) -> Vec<Call> {
    use MathFn as M;
    let mut calls = Vec::new();
    let infinite = |args: &Args| args.values.iter().any(|v| !v.is_finite());
    for (text, result, fun, lengths) in [
        ("dot(a, b)", Res::Scalar, M::Dot, &LENGTHS[..4]),
        ("length(a)", Res::Scalar, M::Length, &LENGTHS[..4]),
        ("distance(a, b)", Res::Scalar, M::Distance, &LENGTHS[..4]),
        ("normalize(a)", Res::Same, M::Normalize, &LENGTHS[..4]),
        // Each component is a difference of two products.
        ("cross(a, b)", Res::Same, M::Dot, &LENGTHS[2..4]),
        ("fast_length(a)", Res::Scalar, M::Mad, &LENGTHS[..4]),
        ("fast_distance(a, b)", Res::Scalar, M::Mad, &LENGTHS[..4]),
        ("fast_normalize(a)", Res::Same, M::Mad, &LENGTHS[..4]),
    ] {
        if text.starts_with("fast") && elem.name != "float" {
            continue;
        }
        let one = call(text, result).accurate_as(fun, elem);
        calls.push(one.whole(lengths).undefined(infinite));
    }
    calls
}

/// Functions that move or choose elements without looking at them.
fn choices() -> Vec<Call> {
    let mut calls = vec![
        // Scalars choose by zero, vectors by the highest bit.
        call("select(a, b, u)", Res::Same).whole(&LENGTHS),
        call("select(a, b, z)", Res::Same).whole(&LENGTHS),
        call("vec_step(a)", Res::OneInt).whole(&LENGTHS),
    ];
    let powers = [2, 4, 8, 16];
    for (text, result) in [
        ("shuffle(a, u)", Res::Same),
        ("shuffle2(a, b, u)", Res::Same),
        ("shuffle(a, u.s01)", Res::Pair),
        ("shuffle(a.s01, u)", Res::Same),
        ("shuffle2(a, b, u.s10)", Res::Pair),
        ("shuffle2(a.s01, b.s10, u)", Res::Same),
    ] {
        calls.push(call(text, result).whole(&powers));
    }
    calls
}

/// `vstore_half` and `vload_half` with all forms and rounding modes, the second
/// vector of an array: a private one, since its address is at hand.
fn halves(elem: Elem) -> Vec<Call> {
    let bits = Res::Of(of(Kind::Unsigned, 2));
    let mut calls = Vec::new();
    for length in LENGTHS {
        for form in ["", "a"] {
            let (vector, stride) = match (length, form) {
                (1, "a") => continue,
                (1, _) => (String::new(), 1),
                (3, "a") => ("3".to_owned(), 4),
                (n, _) => (n.to_string(), n),
            };
            let array = "ushort h[32] __attribute__((aligned(32)));";
            let read = match length {
                1 => format!("h[{stride}]"),
                _ => format!("vload{vector}(0, h + {stride})"),
            };
            for mode in ["", "_rte", "_rtz", "_rtp", "_rtn"] {
                let store = format!("vstore{form}_half{vector}{mode}(a, 1, (half *)h);");
                let text = format!("({{ {array} {store} {read}; }})");
                // A NaN's payload is open, and these are compared as bits.
                calls.push(call(&text, bits).whole(&[length]).undefined(any_nan));
            }
            if elem.name == "float" {
                let store = format!("vstore{form}_half{vector}(a, 1, (half *)h);");
                let load = format!("vload{form}_half{vector}(1, (half *)h);");
                let text = format!("({{ {array} {store} {load} }})");
                calls.push(call(&text, Res::Same).whole(&[length]));
            }
        }
    }
    calls
}

/// The bits of several elements as one, and of one as several.
fn views(elem: Elem) -> Vec<Call> {
    let to = |kind, size| Res::Of(of(kind, size));
    let (unsigned, signed) = (Kind::Unsigned, Kind::Signed);
    let cases: &[(&str, Res)] = match elem.name {
        "uchar" => &[
            ("as_int((uchar4)(a, b, c, a))", to(signed, 4)),
            (
                "as_ulong((uchar8)(a, b, c, a, c, b, a, c))",
                to(unsigned, 8),
            ),
        ],
        "short" => &[("as_float((short2)(a, b))", to(Kind::Float, 4))],
        "int" => &[
            ("as_uchar4(a).s2", to(unsigned, 1)),
            ("as_short2(a).s1", to(signed, 2)),
            ("as_double((int2)(a, b))", to(Kind::Float, 8)),
        ],
        "long" => &[
            ("as_uchar8(a).s5", to(unsigned, 1)),
            ("as_float2(a).s1", to(Kind::Float, 4)),
        ],
        _ => &[],
    };
    cases
        .iter()
        .map(|&(text, result)| call(text, result).whole(&[1]))
        .collect()
}

/// Integer functions.
pub fn integer_calls(elem: Elem) -> Vec<Call> {
    let mut calls = vec![
        call("abs(a)", Res::Unsigned),
        call("abs_diff(a, b)", Res::Unsigned),
        call("clamp(a, min(b, c), max(b, c))", Res::Same),
        call("clamp(a, min(s, t), max(s, t))", Res::Same),
        call("bitselect(a, b, c)", Res::Same),
    ];
    for text in [
        "add_sat(a, b)",
        "hadd(a, b)",
        "rhadd(a, b)",
        "clz(a)",
        "mad_hi(a, b, c)",
        "mad_sat(a, b, c)",
        "max(a, b)",
        "min(a, b)",
        "max(a, s)",
        "min(a, s)",
        "mul_hi(a, b)",
        "rotate(a, b)",
        "sub_sat(a, b)",
        "popcount(a)",
    ] {
        calls.push(call(text, Res::Same));
    }
    if elem.size < 8 {
        calls.push(call("upsample(a, u)", Res::Wide));
    }
    // The factors must fit 24 bits.
    match elem.name {
        "int" => {
            calls.push(call("mul24(a << 8 >> 8, b << 8 >> 8)", Res::Same));
            calls.push(call("mad24(a << 8 >> 8, b << 8 >> 8, c)", Res::Same));
        }
        "uint" => {
            calls.push(call("mul24(a >> 8, b >> 8)", Res::Same));
            calls.push(call("mad24(a >> 8, b >> 8, c)", Res::Same));
        }
        _ => {}
    }
    if elem.kind == Kind::Signed {
        calls.push(call("any(a & b)", Res::OneInt).whole(&LENGTHS));
        calls.push(call("all(a | b)", Res::OneInt).whole(&LENGTHS));
    }
    calls.extend(choices());
    calls.extend(views(elem));
    calls
}

/// What OpenCL C 2.0 adds or changes: `ctz`, and second results through generic
/// pointers.
pub fn newer_calls(elem: Elem) -> Vec<Call> {
    match elem.kind {
        Kind::Float => {
            let calls = float_calls(elem).into_iter();
            calls
                .filter(|c| c.text.contains('&') && c.fun.is_some())
                .collect()
        }
        _ => vec![call("ctz(a)", Res::Same)],
    }
}

/// Conversions to every type, in every mode, and views of the bits.
pub fn conversions(from: Elem, types: &[Elem]) -> Vec<Call> {
    let mut calls = Vec::new();
    for &to in types {
        for mode in ["", "_rte", "_rtz", "_rtp", "_rtn"] {
            for sat in ["", "_sat"] {
                if sat == "_sat" && to.kind == Kind::Float {
                    continue;
                }
                let text = format!("convert_{}$N{sat}{mode}(a)", to.name);
                let mut one = call(&text, Res::Of(to));
                // Scalars, and one other length in turn.
                one.lengths = vec![1, LENGTHS[1 + calls.len() % 5]];
                if from.kind == Kind::Float && to.kind != Kind::Float && sat.is_empty() {
                    let (low, high) = to.range();
                    one = one.undefined(move |args| {
                        let v = args.values[0];
                        v.is_nan()
                            || v <= low - 1.0
                            || v >= high + 1.0
                            || v.ceil() > high
                            || v.floor() < low
                    });
                }
                calls.push(one);
            }
        }
        if to.size == from.size {
            calls.push(call(&format!("as_{}$N(a)", to.name), Res::Of(to)));
        }
    }
    calls
}
