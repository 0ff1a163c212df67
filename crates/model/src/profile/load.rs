//! Reading a profile and checking that its figures agree.
//!
//! TOML is read strictly: an unknown key, a missing figure, a wrong unit or a
//! missing source is an error with the line. What one figure can't show is
//! checked afterwards across figures, and named by key.

use std::path::{Path, PathBuf};

use super::units::{Magnitude, Unit};
use super::{DeviceProfile, Figure, Ratio};

/// Why a profile could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file could not be read.
    #[error("cannot read the device profile {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The text is no TOML, or lacks a figure, or has one that is malformed.
    #[error("{origin}:{line}:{column}: {message}")]
    Syntax {
        /// The file, or the built-in profile.
        origin: String,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// A figure that contradicts another, or that can't be.
    #[error("{origin}: {key} {problem}")]
    Inconsistent {
        /// The file, or the built-in profile.
        origin: String,
        /// The key, such as `local_memory.per_group`.
        key: &'static str,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
}

impl DeviceProfile {
    /// Reads the profile in the TOML file at `path`.
    ///
    /// # Errors
    /// [`ProfileError`], which names the file and, for a fault of the text,
    /// the line.
    pub fn load(path: &Path) -> Result<Self, ProfileError> {
        let text = std::fs::read_to_string(path).map_err(|source| ProfileError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Reads a profile from its TOML text; `origin` names it in messages.
    ///
    /// # Errors
    /// As [`DeviceProfile::load`], but for reading the file.
    pub fn parse(text: &str, origin: &str) -> Result<Self, ProfileError> {
        let profile: Self = toml::from_str(text).map_err(|error| {
            let (line, column) = position(text, error.span().map_or(0, |span| span.start));
            ProfileError::Syntax {
                origin: origin.to_owned(),
                line,
                column,
                message: error.message().to_owned(),
            }
        })?;
        match profile.inconsistency() {
            None => Ok(profile),
            Some((key, problem)) => Err(ProfileError::Inconsistent {
                origin: origin.to_owned(),
                key,
                problem,
            }),
        }
    }

    /// The first key whose value can't be, and why.
    fn inconsistency(&self) -> Option<(&'static str, String)> {
        self.empty_name()
            .or_else(|| self.zero_figure())
            .or_else(|| self.impossible_shape())
            .or_else(|| self.impossible_memory())
            .or_else(|| self.impossible_prediction())
    }

    fn empty_name(&self) -> Option<(&'static str, String)> {
        if self.name.is_empty() || self.name.contains(char::is_whitespace) {
            return Some(("name", "must be one word, as in `--device sim:NAME`".into()));
        }
        if self.device_names.iter().any(|part| part.trim().is_empty()) {
            return Some((
                "device_names",
                "holds an empty text, which would match every device".into(),
            ));
        }
        None
    }

    /// Figures that are divided by, or whose nought would mean no device.
    fn zero_figure(&self) -> Option<(&'static str, String)> {
        fn zero<U: Unit>(key: &'static str, figure: &Figure<U>) -> Option<&'static str> {
            figure.value().is_zero().then_some(key)
        }
        let (e, r, l) = (&self.execution, &self.residency, &self.local_memory);
        let i = &self.issue;
        [
            zero("execution.compute_units", &e.compute_units),
            zero("execution.clock", &e.clock),
            zero("execution.max_group_size", &e.max_group_size),
            zero("residency.groups", &r.groups),
            zero("residency.sub_groups", &r.sub_groups),
            zero("residency.work_items", &r.work_items),
            zero("residency.partitions", &r.partitions),
            zero("registers.per_unit", &self.registers.per_unit),
            zero("registers.granularity", &self.registers.granularity),
            zero(
                "registers.max_per_work_item",
                &self.registers.max_per_work_item,
            ),
            zero("local_memory.per_unit", &l.per_unit),
            zero("local_memory.per_group", &l.per_group),
            zero("local_memory.granularity", &l.granularity),
            zero("local_memory.banks", &l.banks),
            zero("local_memory.bank_width", &l.bank_width),
            zero("local_memory.bytes_per_pass", &l.bytes_per_pass),
            zero("local_memory.bytes_per_cycle", &l.bytes_per_cycle),
            zero("l1.line", &self.l1.line),
            zero("l1.sector", &self.l1.sector),
            zero("l1.bytes_per_cycle", &self.l1.bytes_per_cycle),
            zero("l1.lines_per_cycle", &self.l1.lines_per_cycle),
            zero("l1.store_lines_per_cycle", &self.l1.store_lines_per_cycle),
            zero("l2.bytes_per_second", &self.l2.bytes_per_second),
            zero("dram.bytes_per_second", &self.dram.bytes_per_second),
            zero("issue.instructions_per_cycle", &i.instructions_per_cycle),
            zero("issue.fp32_lanes", &i.fp32_lanes),
            zero("issue.integer_lanes", &i.integer_lanes),
            zero("issue.special_lanes", &i.special_lanes),
            zero("issue.double_lanes", &i.double_lanes),
            zero("issue.load_store_lanes", &i.load_store_lanes),
        ]
        .into_iter()
        .flatten()
        .next()
        .map(|key| (key, "is 0, it must be greater".to_owned()))
    }

    fn impossible_shape(&self) -> Option<(&'static str, String)> {
        let width = self.execution.sub_group_width.value();
        if width != 32 && width != 64 {
            return Some((
                "execution.sub_group_width",
                format!("is {width}; sub-groups of 32 and of 64 work-items are simulated"),
            ));
        }
        if self.execution.max_group_sizes.value.contains(&0) {
            return Some((
                "execution.max_group_sizes",
                "holds a 0, each must be at least 1".into(),
            ));
        }
        let (one, all) = (
            self.execution.max_group_size.value(),
            self.residency.work_items.value(),
        );
        if one > all {
            return Some((
                "execution.max_group_size",
                format!(
                    "is {one}, more than the {all} work-items that a compute unit holds \
                     (residency.work_items)"
                ),
            ));
        }
        None
    }

    fn impossible_memory(&self) -> Option<(&'static str, String)> {
        let local = &self.local_memory;
        let (group, unit) = (local.per_group.value(), local.per_unit.value());
        if group > unit {
            return Some((
                "local_memory.per_group",
                format!("is {group} B, more than the {unit} B of local_memory.per_unit"),
            ));
        }
        let pass = local.bytes_per_pass.value();
        if pass > local.banks.value() * local.bank_width.value() {
            return Some((
                "local_memory.bytes_per_pass",
                format!("is {pass} B, more than all banks are wide"),
            ));
        }
        let widths = local.lane_groups.iter().map(|rule| rule.access.value());
        if local.lane_groups.is_empty() || !widths.is_sorted_by(|a, b| a < b) {
            return Some((
                "local_memory.lane_groups",
                "must hold at least one rule, in ascending order of access".into(),
            ));
        }
        let width = self.execution.sub_group_width.value();
        for rule in &local.lane_groups {
            if let Err(problem) = rule.sets(width) {
                let bytes = rule.access.value();
                return Some((
                    "local_memory.lane_groups",
                    format!("for accesses of {bytes} B: {problem}"),
                ));
            }
        }
        let (line, sector) = (self.l1.line.value(), self.l1.sector.value());
        if !line.is_multiple_of(sector) {
            return Some((
                "l1.sector",
                format!("is {sector} B, which does not divide the line of {line} B"),
            ));
        }
        let carve_outs = &self.l1.local_carve_outs.value;
        let size = self.l1.size.value();
        if !carve_outs.is_sorted() || carve_outs.last().is_some_and(|last| *last > size) {
            return Some((
                "l1.local_carve_outs",
                format!("must ascend and end at or below l1.size ({size} B)"),
            ));
        }
        None
    }

    fn impossible_prediction(&self) -> Option<(&'static str, String)> {
        let p = &self.prediction;
        let below_one = |figure: &Figure<Ratio>| figure.value() < 1.0;
        if below_one(&p.overlap_exponent) {
            return Some((
                "prediction.overlap_exponent",
                "must be at least 1 (1 adds the terms, larger values overlap them)".into(),
            ));
        }
        let (low, high) = (p.speedup_error_low.value(), p.speedup_error_high.value());
        if !(low > 0.0 && low <= 1.0 && high >= 1.0) {
            return Some((
                "prediction.speedup_error_low",
                format!("and _high are {low} and {high}; 1 must lie between them"),
            ));
        }
        None
    }
}

/// Line and column, both from 1, of the byte at `offset`.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: &str = include_str!("../../../../profiles/h200.toml");

    fn error(from: &str, to: &str) -> String {
        assert!(H200.contains(from), "the profile no longer holds `{from}`");
        DeviceProfile::parse(&H200.replacen(from, to, 1), "p.toml")
            .expect_err("must be refused")
            .to_string()
    }

    /// The line of `key` in the section `[section]`, from 1.
    fn line_of(section: &str, key: &str) -> usize {
        let start = H200.find(&format!("[{section}]")).expect("section");
        let at = start + H200[start..].find(key).expect("key");
        H200[..at].matches('\n').count() + 1
    }

    #[test]
    fn faults_of_the_text_name_the_line() {
        let line = line_of("execution", "clock");
        let clock = r#"value = 1.98e9, unit = "Hz""#;
        let message = error(clock, r#"value = 1.98e9, unit = "GHz""#);
        assert!(message.starts_with(&format!("p.toml:{line}:")), "{message}");
        assert!(message.contains("must be `Hz`"), "{message}");

        let message = error(clock, r#"valu = 1.98e9, unit = "Hz""#);
        assert!(message.starts_with(&format!("p.toml:{line}:")), "{message}");
        assert!(message.contains("valu"), "{message}");

        let message = error("[l2]", "[l2");
        let line = line_of("l2", "[l2]");
        assert!(message.starts_with(&format!("p.toml:{line}:")), "{message}");
    }

    #[test]
    fn missing_and_unknown_keys_are_named() {
        assert!(error("compute_units =", "# compute_units =").contains("compute_units"));
        assert!(error("[l2]", "[l2]\ncolour = 1").contains("colour"));
    }

    #[test]
    fn figures_must_agree() {
        let per_group = error("value = 49152", "value = 999999");
        assert_eq!(
            per_group,
            "p.toml: local_memory.per_group is 999999 B, more than the 233472 B of \
             local_memory.per_unit"
        );
        for (from, to, key) in [
            (
                "sub_group_width = { value = 32",
                "sub_group_width = { value = 16",
                "sub_group_width",
            ),
            ("clock = { value = 1.98e9", "clock = { value = 0", "clock"),
            ("consecutive = 16", "consecutive = 10", "lane_groups"),
            (
                "sector = { value = 32",
                "sector = { value = 48",
                "l1.sector",
            ),
            ("[0, 8192, 16384", "[0, 16384, 8192", "carve_outs"),
            (
                "overlap_exponent = { value = 2.07",
                "overlap_exponent = { value = 0.5",
                "overlap_exponent",
            ),
            (
                "max_group_sizes = { value = [1024",
                "max_group_sizes = { value = [0",
                "max_group_sizes",
            ),
            (r#"name = "h200""#, r#"name = "h 200""#, "name"),
            (r#"["H200"]"#, r#"[""]"#, "device_names"),
        ] {
            let message = error(from, to);
            assert!(message.contains(key), "{to}: {message}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = DeviceProfile::load(Path::new("no/such/profile.toml")).expect_err("missing");
        assert!(error.to_string().contains("no/such/profile.toml"));
    }
}
