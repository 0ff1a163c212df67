//! Runs Oclgrind's side of the benchmark, through its `oclgrind-kernel`.
//!
//! The kernel, its NDRange and its arguments go into a simulator file; buffers
//! hold the very bytes that tilewise's fills give. Beside the kernel stands an
//! empty one with the same parameters: a run of it is what loading, compiling
//! and setting up cost.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use tempfile::TempDir;
use tilewise_frontend::{Options, Source, Toolchain, compile};
use tilewise_launch::{ArgValue, Buffer, Fill, Launch, LaunchFile, Limits, Signature, resolve};

use super::cases::{Case, LAUNCHES};
use super::process::timed;

const EMPTY: &str = "nothing_at_all";

/// The installed program.
pub struct Oclgrind {
    /// What it says of its version.
    pub version: String,
}

/// A problem, written out.
pub struct Problem {
    folder: TempDir,
}

impl Oclgrind {
    /// Finds it.
    pub fn find() -> anyhow::Result<Self> {
        let output = Command::new("oclgrind-kernel")
            .arg("--version")
            .output()
            .context("oclgrind-kernel not found (Debian: apt-get install oclgrind)")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().find(|l| l.contains("Oclgrind")).unwrap_or("");
        Ok(Self {
            version: version.trim().to_owned(),
        })
    }

    /// Writes a case's launch as two simulator files.
    pub fn problem(&self, root: &Path, case: &Case, name: Option<&str>) -> anyhow::Result<Problem> {
        let folder = tempfile::tempdir()?;
        let path = root.join(case.file);
        let source = Source::read(&path).with_context(|| format!("{}", path.display()))?;
        let compiled = compile(&Toolchain::find()?, &source, &Options::default())?;
        let signature = compiled
            .signatures
            .iter()
            .find(|s| s.kernel == case.kernel)
            .with_context(|| format!("{} has no kernel {}", case.file, case.kernel))?;
        let launch = launch(&root.join(LAUNCHES), signature, name)?;
        let file = folder.path().join("kernels.cl");
        let text = source.text + &empty_kernel(signature);
        std::fs::write(&file, text)?;
        for (to, kernel) in [("run.sim", case.kernel), ("empty.sim", EMPTY)] {
            std::fs::write(folder.path().join(to), simulator_file(kernel, &launch)?)?;
        }
        Ok(Problem { folder })
    }

    /// CPU seconds of a whole run.
    pub fn run(&self, problem: &Problem, flags: &[&str]) -> anyhow::Result<f64> {
        Self::time(&problem.folder.path().join("run.sim"), flags)
    }

    /// CPU seconds of a run of the empty kernel.
    pub fn empty(&self, problem: &Problem, flags: &[&str]) -> anyhow::Result<f64> {
        Self::time(&problem.folder.path().join("empty.sim"), flags)
    }

    fn time(file: &PathBuf, flags: &[&str]) -> anyhow::Result<f64> {
        let mut command = Command::new("oclgrind-kernel");
        command.args(["--num-threads", "1"]).args(flags).arg(file);
        if let Some(folder) = file.parent() {
            command.current_dir(folder);
        }
        let (output, seconds) = timed(&mut command)?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !said.trim().is_empty() {
            bail!("oclgrind-kernel {}: {said}", file.display());
        }
        Ok(seconds)
    }
}

/// The launch of a kernel, resolved.
fn launch(file: &Path, signature: &Signature, name: Option<&str>) -> anyhow::Result<Launch> {
    let file = LaunchFile::read(file)?;
    let spec = file.select(name, Some(&signature.kernel))?;
    let limits = Limits {
        device: "Oclgrind".to_owned(),
        max_group_size: 1024,
        max_item_sizes: [1024; 3],
        max_local_bytes: None,
        non_uniform_groups: false,
    };
    Ok(resolve(spec, signature, &limits)?.launch)
}

/// A kernel with the same parameters that does nothing.
fn empty_kernel(signature: &Signature) -> String {
    let params: Vec<String> = signature
        .params
        .iter()
        .map(|p| format!("{} {}", p.spelling, p.name))
        .collect();
    format!("\n__kernel void {EMPTY}({}) {{}}\n", params.join(", "))
}

fn simulator_file(kernel: &str, launch: &Launch) -> anyhow::Result<String> {
    let range = &launch.range;
    if range.offset != [0; 3] {
        bail!("{}: a simulator file has no global offset", launch.kernel);
    }
    let row = |v: [u64; 3]| format!("{} {} {}", v[0], v[1], v[2]);
    let mut text = format!(
        "kernels.cl\n{kernel}\n{}\n{}\n\n",
        row(range.global),
        row(range.local)
    );
    for (index, arg) in launch.args.iter().enumerate() {
        match &arg.value {
            ArgValue::Bytes(bytes) => literal(&mut text, bytes)?,
            ArgValue::Local { bytes } => writeln!(text, "<size={bytes}>")?,
            ArgValue::Buffer(buffer) => contents(&mut text, launch, index, buffer)?,
            _ => bail!("{}: not an argument for a simulator file", arg.name),
        }
    }
    Ok(text)
}

fn contents(
    text: &mut String,
    launch: &Launch,
    index: usize,
    buffer: &Buffer,
) -> anyhow::Result<()> {
    let bytes = buffer.bytes().context("a buffer without a length")?;
    if buffer.fill == Fill::Zero {
        writeln!(text, "<size={bytes} fill=0>")?;
        return Ok(());
    }
    let mut held = vec![0; usize::try_from(bytes)?];
    launch.contents(index, 0, &mut held);
    literal(text, &held)
}

/// Bytes as hexadecimal words.
fn literal(text: &mut String, bytes: &[u8]) -> anyhow::Result<()> {
    let (words, rest) = bytes.as_chunks::<4>();
    if rest.is_empty() {
        writeln!(text, "<size={} uint hex>", bytes.len())?;
        for word in words {
            writeln!(text, "{:x}", u32::from_le_bytes(*word))?;
        }
    } else {
        writeln!(text, "<size={} uchar hex>", bytes.len())?;
        for byte in bytes {
            writeln!(text, "{byte:x}")?;
        }
    }
    Ok(())
}
