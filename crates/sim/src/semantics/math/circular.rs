//! Sine and cosine of arguments that come from `half` or `float`.
//!
//! The argument less the nearest multiple of pi/2 (Cody and Waite, "Software Manual
//! for the Elementary Functions", 1980, with pi/2 in two parts) goes through the
//! minimax polynomials of fdlibm (Sun Microsystems, 1993: `__kernel_sin`,
//! `__kernel_cos`). There is no branch on the way, so that a loop over lanes becomes
//! vector instructions. The error stays below 2^-50 of the result, apart from results
//! next to zero, where it is below 2^-65: rounded to `float` that is as good as the
//! host's library. Larger arguments are left to that.

/// Largest argument for which a multiple of the first part of pi/2 is exact.
const LARGEST: f64 = 1_048_576.0;

const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// The first 33 bits of pi/2, and the rest.
const HALF_PI: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];
/// Added to a small number it leaves the nearest whole one in the lowest bits.
const WHOLE: f64 = 6_755_399_441_055_744.0;

const SIN: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
const COS: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// Whether [`sin_near`] and [`cos_near`] are for this argument.
#[inline(always)]
pub(crate) fn is_near(x: f64) -> bool {
    x.abs() <= LARGEST
}

/// `sin(x)`.
pub(crate) fn sin(x: f64) -> f64 {
    if is_near(x) { sin_near(x) } else { x.sin() }
}

/// `cos(x)`.
pub(crate) fn cos(x: f64) -> f64 {
    if is_near(x) { cos_near(x) } else { x.cos() }
}

/// `sin(x)` where [`is_near`].
#[inline(always)]
pub(crate) fn sin_near(x: f64) -> f64 {
    quarter(x, 0)
}

/// `cos(x)` where [`is_near`].
#[inline(always)]
pub(crate) fn cos_near(x: f64) -> f64 {
    quarter(x, 1)
}

/// The sine of `x` and so many quarters of a turn.
#[inline(always)]
fn quarter(x: f64, quarters: u64) -> f64 {
    let shifted = x * TWO_OVER_PI + WHOLE;
    let turns = shifted - WHOLE;
    let r = (x - turns * HALF_PI[0]) - turns * HALF_PI[1];
    let z = r * r;
    let power = |c: [f64; 6]| c[0] + z * (c[1] + z * (c[2] + z * (c[3] + z * (c[4] + z * c[5]))));
    // A product, since a sum would lose the sign of a zero.
    let sine = r * (1.0 + z * power(SIN));
    let cosine = 1.0 - (0.5 * z - z * z * power(COS));
    let at = shifted.to_bits().wrapping_add(quarters);
    let odd = 0u64.wrapping_sub(at & 1);
    let chosen = (cosine.to_bits() & odd) | (sine.to_bits() & !odd);
    f64::from_bits(chosen ^ (at & 2) << 62)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_round_as_the_hosts_functions_do() {
        // Steps through all binades up to the limit, and around multiples of pi/2.
        let mut arguments: Vec<f32> = Vec::new();
        let mut x = 1e-30f32;
        while f64::from(x) < LARGEST {
            arguments.push(x);
            x *= 1.000_37;
        }
        for k in 0..20_000 {
            let near = (f64::from(k) * std::f64::consts::FRAC_PI_2) as f32;
            arguments.extend([near.next_down(), near, near.next_up()]);
        }
        let mut differ = 0;
        for x in arguments.iter().flat_map(|&x| [x, -x]).map(f64::from) {
            for (ours, hosts) in [(sin(x), x.sin()), (cos(x), x.cos())] {
                let error = (ours - hosts).abs();
                assert!(
                    error <= hosts.abs() * 2f64.powi(-50) + 2f64.powi(-65),
                    "{x}"
                );
                differ += u32::from(ours as f32 != hosts as f32);
            }
        }
        assert_eq!(differ, 0);
        assert!(sin(-0.0).is_sign_negative());
        assert_eq!(cos(0.0), 1.0);
        assert!(sin(f64::INFINITY).is_nan() && cos(f64::NAN).is_nan());
    }
}
