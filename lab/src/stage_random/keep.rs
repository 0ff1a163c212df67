//! Writes down a kernel that is staged wrongly.

use std::path::Path;

use anyhow::Context;
use tilewise_generate::naive::Naive;

/// Writes `SEED.cl`, with what is wrong and the launch as comments, and
/// `SEED.json` with the kernel's choices.
pub fn keep(folder: &Path, seed: u64, kernel: &Naive, why: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
    let text = format!(
        "// {}\n// tilewise stage {seed}.cl {}\n{}",
        why.replace('\n', "\n// "),
        kernel.shape().flags(),
        kernel.text()
    );
    let choices = serde_json::to_string_pretty(kernel)?;
    for (ending, content) in [("cl", text), ("json", choices)] {
        let file = folder.join(format!("{seed}.{ending}"));
        std::fs::write(&file, content)
            .with_context(|| format!("can't write {}", file.display()))?;
    }
    Ok(())
}
