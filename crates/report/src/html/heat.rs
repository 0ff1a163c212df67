//! Source lines coloured by what one request of a sub-group costs: 32-byte
//! sectors in global memory, passes in local memory.

use crate::number;
use crate::phrase;
use crate::run::{LineProfile, Profile};

/// One access of one source line.
pub(super) struct HeatRow {
    /// File; set where it differs from the row above.
    pub file: Option<String>,
    /// Line number; empty where the row above shows the same line.
    pub line: String,
    /// Lines between this one and the row above have no access.
    pub gap: bool,
    pub text: String,
    pub access: String,
    pub cost: String,
    pub requests: String,
    /// 0 (cheapest) to 6, the step of the colour.
    pub step: u8,
}

/// The accesses in the order of the source.
pub(super) fn heat(profile: &Profile) -> Vec<HeatRow> {
    let mut before: Option<&LineProfile> = None;
    let mut rows = Vec::with_capacity(profile.lines.len());
    for line in &profile.lines {
        let same_file = before.is_some_and(|b| b.file == line.file);
        let same_line = same_file && before.is_some_and(|b| b.line == line.line);
        let gap = same_file && before.is_some_and(|b| line.line > b.line.saturating_add(1));
        rows.push(HeatRow {
            file: (!same_file).then(|| phrase::printable(&line.file)),
            line: if same_line {
                String::new()
            } else {
                line.line.to_string()
            },
            gap,
            text: if same_line {
                String::new()
            } else {
                phrase::printable(&line.text)
            },
            access: format!("{} {}", line.kind, line.buffer),
            cost: cost(line),
            requests: number::count(line.requests),
            step: step(line.per_request),
        });
        before = Some(line);
    }
    rows
}

fn cost(line: &LineProfile) -> String {
    let unit = match (line.sectors, line.passes) {
        (0, 1..) => "passes",
        (1.., _) => "sectors",
        (0, 0) => return "-".to_owned(),
    };
    format!("{} {unit}", number::fixed(line.per_request, 2))
}

/// Doubling the cost is one step: 1 sector is the least, 32 the most that a
/// sub-group of 32 can need.
fn step(per_request: f64) -> u8 {
    if per_request.is_nan() || per_request <= 1.0 {
        return 0;
    }
    // Between 0 and 6 after the clamp, so the cast is exact.
    per_request.log2().ceil().clamp(0.0, 6.0) as u8
}

#[cfg(test)]
mod tests {
    use super::step;

    #[test]
    fn the_colour_follows_the_cost() {
        let steps = [0.0, 1.0, 2.0, 4.0, 4.67, 32.0, 1e9, f64::NAN, f64::INFINITY].map(step);
        assert_eq!(steps, [0, 0, 1, 2, 3, 5, 6, 0, 6]);
    }
}
