//! Which lanes of a sub-group share one pass over local memory.
//!
//! A wide access can't be served for all lanes at once: the hardware splits
//! the sub-group into lane groups and serves one after the other. Bank
//! conflicts arise within a lane group only, so the split decides their count.
//! Some devices take consecutive lanes; others interleave (gfx942's
//! `ds_read_b128` serves lanes 0-3 together with lanes 20-23).

use serde::Deserialize;

use super::figure::Figure;
use super::units::Bytes;

/// The lanes of one pass: bit `i` is lane `i`.
pub type LaneSet = u64;

/// The rule for accesses of one width, as written in a profile: either
/// `consecutive = 8` or `lanes = ["0-3 20-23", …]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaneGroups {
    /// Bytes that one work-item reads or writes.
    pub access: Figure<Bytes>,
    #[serde(default)]
    consecutive: Option<u32>,
    #[serde(default)]
    lanes: Option<Vec<String>>,
}

impl LaneGroups {
    /// The lane groups of a sub-group of `width` lanes, in order of service.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the rule, when the groups are
    /// not a partition of the sub-group's lanes.
    pub fn sets(&self, width: u64) -> Result<Vec<LaneSet>, String> {
        let all = lanes_below(width);
        let sets = match (&self.consecutive, &self.lanes) {
            (Some(n), None) => consecutive(u64::from(*n), width)?,
            (None, Some(texts)) => texts
                .iter()
                .map(|text| parse(text))
                .collect::<Result<Vec<_>, _>>()?,
            _ => return Err("give either `consecutive` or `lanes`".to_owned()),
        };
        let mut seen = 0;
        for set in &sets {
            if set & seen != 0 {
                return Err("a lane stands in two groups".to_owned());
            }
            seen |= set;
        }
        if seen != all {
            return Err(format!(
                "the groups do not cover exactly the lanes 0 to {}",
                width.saturating_sub(1)
            ));
        }
        Ok(sets)
    }
}

fn lanes_below(n: u64) -> LaneSet {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

fn consecutive(n: u64, width: u64) -> Result<Vec<LaneSet>, String> {
    if n == 0 || !width.is_multiple_of(n) {
        return Err(format!(
            "{n} consecutive lanes do not divide a sub-group of {width}"
        ));
    }
    Ok((0..width / n)
        .map(|group| lanes_below(n) << (group * n))
        .collect())
}

/// Reads `"0-3 20-23"`.
fn parse(text: &str) -> Result<LaneSet, String> {
    let mut set = 0;
    for part in text.split_whitespace() {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let lane = |s: &str| {
            s.parse::<u64>()
                .ok()
                .filter(|lane| *lane < 64)
                .ok_or_else(|| format!("`{part}` is no lane or range of lanes below 64"))
        };
        let (first, last) = (lane(first)?, lane(last)?);
        if first > last {
            return Err(format!("the range `{part}` runs backwards"));
        }
        set |= lanes_below(last + 1) & !lanes_below(first);
    }
    if set == 0 {
        return Err("an empty lane group".to_owned());
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> LaneGroups {
        toml::from_str(&format!(
            "access = {{ value = 16, unit = \"B\", source = \"s\" }}\n{text}"
        ))
        .expect("valid")
    }

    #[test]
    fn consecutive_quarters() {
        let sets = rule("consecutive = 8").sets(32).expect("divides");
        assert_eq!(sets, [0xff, 0xff00, 0xff_0000, 0xff00_0000]);
    }

    #[test]
    fn written_ranges() {
        let sets = rule(r#"lanes = ["0-1 6", "2-5 7"]"#)
            .sets(8)
            .expect("covers");
        assert_eq!(sets, [0b0100_0011, 0b1011_1100]);
        assert_eq!(
            rule("consecutive = 64").sets(64).expect("whole"),
            [u64::MAX]
        );
    }

    #[test]
    fn groups_must_partition_the_sub_group() {
        for (text, part) in [
            ("consecutive = 12", "do not divide"),
            ("consecutive = 0", "do not divide"),
            (r#"lanes = ["0-31"]"#, "cover"),
            (r#"lanes = ["0-63"]"#, "cover"),
            (r#"lanes = ["0-7", "7-31"]"#, "two groups"),
            (r#"lanes = ["7-0"]"#, "backwards"),
            (r#"lanes = ["0-64"]"#, "no lane"),
            (r#"lanes = [""]"#, "empty"),
            ("", "either"),
        ] {
            let width = if text.contains("0-31\"") { 64 } else { 32 };
            let error = rule(text).sets(width).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
