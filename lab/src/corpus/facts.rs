//! What is known of a corpus beside its sources: build options that its hosts
//! give, sources that are no programs of their own, results that no two devices
//! agree on. `docs/corpus.toml` shows the format.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;

use super::headers;

/// All rules of a corpus.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// In order; every rule whose pattern fits counts.
    #[serde(default, rename = "rule")]
    rules: Vec<Rule>,
}

/// What is known of the sources that a pattern fits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Path below the corpus, with `*`, `?` and `**`.
    files: String,
    /// Options as for `clBuildProgram`; those of several rules are joined.
    options: Option<String>,
    /// Folders below the corpus that hosts pass with `-I`.
    #[serde(default)]
    include: Vec<PathBuf>,
    /// Sources below the corpus that hosts put in front.
    #[serde(default)]
    prepend: Vec<PathBuf>,
    /// The source is left out, with the reason.
    exclude: Option<String>,
    /// Kernels that the rule's `exclude` or `device` is about; empty: all.
    #[serde(default)]
    kernels: Vec<String>,
    /// The results are not compared with a device's, with the reason.
    device: Option<String>,
}

/// How one source is surveyed.
#[derive(Debug, Default)]
pub struct Plan {
    /// Options as for `clBuildProgram`.
    pub options: String,
    /// Folders as after `-I`.
    pub include: Vec<PathBuf>,
    /// Sources that the host puts in front.
    pub prepend: Vec<PathBuf>,
    /// Why the source is left out, if it is.
    pub exclude: Option<String>,
    /// Kernels that are left out, with the reason.
    pub skip: Vec<(String, String)>,
    /// Kernels (`*`: all) whose results are not compared with a device's, with
    /// the reason.
    pub not_on_device: Vec<(String, String)>,
}

impl Facts {
    /// Reads the rules.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
        let facts: Self = toml::from_str(&text).with_context(|| format!("{}", path.display()))?;
        for rule in &facts.rules {
            pattern(&rule.files).with_context(|| format!("{}", path.display()))?;
            if rule.exclude.is_some() && rule.device.is_some() {
                bail!(
                    "{}: the rule for {} has both `exclude` and `device`; what is left out is compared with nothing",
                    path.display(),
                    rule.files
                );
            }
        }
        Ok(facts)
    }

    /// How the source at `path`, below `dir`, is surveyed.
    pub fn plan(&self, dir: &Path, path: &Path) -> anyhow::Result<Plan> {
        let mut plan = Plan::default();
        for rule in &self.rules {
            if !pattern(&rule.files)?.matches_path(path) {
                continue;
            }
            if let Some(options) = &rule.options {
                plan.options.push(' ');
                plan.options.push_str(options);
            }
            plan.include
                .extend(rule.include.iter().map(|p| dir.join(p)));
            plan.prepend
                .extend(rule.prepend.iter().map(|p| dir.join(p)));
            let named = |why: &String| -> Vec<(String, String)> {
                let all = ["*".to_owned()];
                let kernels = if rule.kernels.is_empty() {
                    &all[..]
                } else {
                    &rule.kernels
                };
                kernels.iter().map(|k| (k.clone(), why.clone())).collect()
            };
            match &rule.exclude {
                Some(why) if rule.kernels.is_empty() => plan.exclude = Some(why.clone()),
                Some(why) => plan.skip.extend(named(why)),
                None => {}
            }
            plan.not_on_device
                .extend(rule.device.iter().flat_map(named));
        }
        plan.options = plan.options.trim().to_owned();
        if let Some(suite) = path.components().next() {
            let found = headers::folders(&dir.join(path), &dir.join(suite))?;
            for folder in found {
                if !plan.include.contains(&folder) {
                    plan.include.push(folder);
                }
            }
        }
        Ok(plan)
    }
}

fn pattern(text: &str) -> anyhow::Result<glob::Pattern> {
    glob::Pattern::new(text).with_context(|| format!("`{text}` is no pattern of paths"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = include_str!("../../../docs/corpus.toml");

    #[test]
    fn the_documented_sample_is_read() -> anyhow::Result<()> {
        let facts: Facts = toml::from_str(SAMPLE)?;
        let dir = tempfile::tempdir()?;
        let folder = dir.path().join("suite/histogram");
        std::fs::create_dir_all(&folder)?;
        let plan = |name: &str| facts.plan(dir.path(), &Path::new("suite/histogram").join(name));
        let main = plan("main.cl")?;
        assert_eq!(main.options, "-cl-std=CL2.0 -DBINS=256");
        assert_eq!(main.include, [dir.path().join("suite/common")]);
        assert_eq!(main.exclude, None);
        assert_eq!(main.not_on_device[0].0, "count_racy");
        let fragment = plan("bins_body.cl")?;
        assert!(fragment.exclude.is_some_and(|why| why.contains("fragment")));
        Ok(())
    }

    #[test]
    fn a_misspelt_key_is_named() {
        let error = toml::from_str::<Facts>("[[rule]]\nfiles = \"a\"\noption = \"-w\"\n");
        let text = error.expect_err("unknown key").to_string();
        assert!(text.contains("option"), "{text}");
    }
}
