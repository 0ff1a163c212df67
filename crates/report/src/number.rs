//! Numbers as people read them: thousands separators, units that fit the size,
//! and `n/a` for what is not a finite number.

/// What stands for a figure that is not a finite number.
pub const NOT_A_FIGURE: &str = "n/a";

/// A count with thousands separators: `7,340,030`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A figure with a fixed number of decimals: `2.977`.
pub fn fixed(x: f64, decimals: usize) -> String {
    if x.is_finite() {
        format!("{x:.decimals$}")
    } else {
        NOT_A_FIGURE.to_owned()
    }
}

/// A share of 1 in percent: `73.8 %`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return NOT_A_FIGURE.to_owned();
    }
    let percent = share * 100.0;
    if (percent - percent.round()).abs() < 0.05 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// A time given in nanoseconds, to four significant digits: `52.40 us`.
pub fn duration(ns: f64) -> String {
    if !ns.is_finite() {
        return NOT_A_FIGURE.to_owned();
    }
    let (value, unit) = match ns.abs() {
        x if x < 1e3 => (ns, "ns"),
        x if x < 1e6 => (ns / 1e3, "us"),
        x if x < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    let decimals = match value.abs() {
        x if x < 10.0 => 3,
        x if x < 100.0 => 2,
        x if x < 1000.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

/// A number of bytes: exact where it can be (`1,032 B`, `48 KiB`), else with
/// one decimal (`16.5 MiB`).
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut scale = 1u64 << 10;
    let mut unit = 0;
    while unit + 1 < UNITS.len() && n >= scale << 10 {
        scale <<= 10;
        unit += 1;
    }
    if n >= scale && n.is_multiple_of(scale) {
        format!("{} {}", count(n / scale), UNITS[unit])
    } else if n < 100 << 10 {
        format!("{} B", count(n))
    } else {
        // The rounding of the conversion lies far below the decimal shown.
        format!("{:.1} {}", n as f64 / scale as f64, UNITS[unit])
    }
}

/// A rate in GB/s (10^9 bytes a second).
pub fn bandwidth(gbps: f64) -> String {
    if !gbps.is_finite() {
        return NOT_A_FIGURE.to_owned();
    }
    if gbps < 10.0 {
        format!("{gbps:.2} GB/s")
    } else if gbps < 100.0 {
        format!("{gbps:.1} GB/s")
    } else {
        format!("{} GB/s", count(gbps.round() as u64))
    }
}

/// A ratio of times: `0.83x`.
pub fn speedup(ratio: f64) -> String {
    if ratio.is_finite() {
        format!("{ratio:.2}x")
    } else {
        NOT_A_FIGURE.to_owned()
    }
}

/// `1 group`, `2 groups`: a count and its noun.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_get_separators() {
        let shown: Vec<String> = [0, 999, 1000, 7_340_030, u64::MAX].map(count).into();
        assert_eq!(
            shown,
            [
                "0",
                "999",
                "1,000",
                "7,340,030",
                "18,446,744,073,709,551,615"
            ]
        );
    }

    #[test]
    fn bytes_stay_exact_where_they_are_short() {
        let shown: Vec<String> = [
            0,
            1032,
            49_152,
            50_000,
            120_000,
            1 << 20,
            3 << 40,
            4096 << 40,
        ]
        .map(bytes)
        .into();
        assert_eq!(
            shown,
            [
                "0 B",
                "1,032 B",
                "48 KiB",
                "50,000 B",
                "117.2 KiB",
                "1 MiB",
                "3 TiB",
                "4,096 TiB"
            ]
        );
    }

    #[test]
    fn times_choose_their_unit() {
        let shown: Vec<String> = [0.0, 820.0, 52_400.0, 198_000.0, 7.07e6, 3.2e9]
            .map(duration)
            .into();
        assert_eq!(
            shown,
            [
                "0.000 ns", "820.0 ns", "52.40 us", "198.0 us", "7.070 ms", "3.200 s"
            ]
        );
    }

    #[test]
    fn what_is_no_number_is_said() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(fixed(x, 2), NOT_A_FIGURE);
            assert_eq!(percent(x), NOT_A_FIGURE);
            assert_eq!(duration(x), NOT_A_FIGURE);
            assert_eq!(bandwidth(x), NOT_A_FIGURE);
            assert_eq!(speedup(x), NOT_A_FIGURE);
        }
    }
}
