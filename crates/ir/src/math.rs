//! The mathematical and integer builtins that are one operation of the IR.
//!
//! Names are those of the `OpenCL.std` extended instruction set. A builtin of
//! a vector is one operation per component, except for the geometric ones,
//! which take all components of their vectors in order.

/// A builtin function over scalars of one type.
///
/// Functions with a second result (`fract`, `modf`, `sincos`, `frexp`,
/// `remquo`, `lgamma_r`) return it as a second value; whoever lowers the call
/// stores it through the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum MathFn {
    // One floating-point argument.
    Acos,
    Acosh,
    Acospi,
    Asin,
    Asinh,
    Asinpi,
    Atan,
    Atanh,
    Atanpi,
    Cbrt,
    Ceil,
    Cos,
    Cosh,
    Cospi,
    Degrees,
    Erf,
    Erfc,
    Exp,
    Exp10,
    Exp2,
    Expm1,
    Fabs,
    Floor,
    Lgamma,
    Log,
    Log10,
    Log1p,
    Log2,
    Logb,
    Nan,
    Radians,
    Rint,
    Round,
    Rsqrt,
    Sign,
    Sin,
    Sinh,
    Sinpi,
    Sqrt,
    Tan,
    Tanh,
    Tanpi,
    Tgamma,
    Trunc,
    // Two.
    Atan2,
    Atan2pi,
    Copysign,
    Fdim,
    Fmax,
    Fmin,
    Fmod,
    Hypot,
    Maxmag,
    Minmag,
    Nextafter,
    Pow,
    Powr,
    Remainder,
    Step,
    // A float and an integer.
    Ilogb,
    Ldexp,
    Pown,
    Rootn,
    // Three.
    Fclamp,
    Fma,
    Mad,
    Mix,
    Smoothstep,
    // Two results.
    Fract,
    Frexp,
    LgammaR,
    Modf,
    Remquo,
    Sincos,
    // Geometric: the components of the vectors, one vector after another.
    Distance,
    Dot,
    Length,
    /// One component over the length of a vector: the component, then all of
    /// the vector's.
    Normalize,
    // Integers; `S` signed, `U` unsigned.
    SAbs,
    SAbsDiff,
    UAbsDiff,
    SAddSat,
    UAddSat,
    SClamp,
    UClamp,
    Clz,
    Ctz,
    SHadd,
    UHadd,
    SRhadd,
    URhadd,
    SMadHi,
    UMadHi,
    SMadSat,
    UMadSat,
    SMax,
    UMax,
    SMin,
    UMin,
    SMulHi,
    UMulHi,
    Popcount,
    Rotate,
    SSubSat,
    USubSat,
    SMul24,
    UMul24,
    SMad24,
    UMad24,
    Bitselect,
}

/// What a function costs on a GPU, for the instruction mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathCost {
    /// One ordinary instruction.
    Simple,
    /// One or two instructions of the special-function unit.
    Special,
    /// A subroutine of tens of instructions.
    Library,
}

impl MathFn {
    /// Number of results: 1 or 2.
    pub const fn results(self) -> usize {
        match self {
            MathFn::Fract
            | MathFn::Frexp
            | MathFn::LgammaR
            | MathFn::Modf
            | MathFn::Remquo
            | MathFn::Sincos => 2,
            _ => 1,
        }
    }

    /// What it costs. `native_` and `half_` forms and those that have one
    /// instruction on every GPU of the last fifteen years are special; the
    /// precise forms of the others are a subroutine.
    pub const fn cost(self) -> MathCost {
        use MathFn::*;
        match self {
            Ceil | Degrees | Fabs | Floor | Radians | Rint | Round | Trunc | Copysign | Fdim
            | Fmax | Fmin | Step | Fclamp | Fma | Mad | Mix | Fract | SAbs | SAbsDiff
            | UAbsDiff | SAddSat | UAddSat | SClamp | UClamp | Clz | Ctz | SHadd | UHadd
            | SRhadd | URhadd | SMadHi | UMadHi | SMadSat | UMadSat | SMax | UMax | SMin | UMin
            | SMulHi | UMulHi | Popcount | Rotate | SSubSat | USubSat | SMul24 | UMul24
            | SMad24 | UMad24 | Bitselect | Dot | Normalize | Maxmag | Minmag | Nan | Sign
            | Modf => MathCost::Simple,
            Sqrt | Rsqrt | Exp2 | Log2 | Length | Distance | Smoothstep | Exp | Log | Sin | Cos
            | Sincos => MathCost::Special,
            _ => MathCost::Library,
        }
    }
}
