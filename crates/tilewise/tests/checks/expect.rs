//! A test file: its launches, and what its comments expect.

use std::ops::Range;
use std::path::Path;

use tilewise_launch::{ArgKey, LaunchFile, LaunchSpec};
use toml::{Table, Value};

/// A finding that a comment names.
#[derive(Clone, Debug)]
pub struct Expected {
    pub line: u32,
    pub code: String,
    /// Part of what the finding says.
    pub text: String,
}

/// A test file, read.
#[derive(Debug)]
pub struct TestFile {
    /// Each kernel with its launch, in the order of the file.
    pub launches: Vec<(String, LaunchSpec)>,
    pub expected: Vec<Expected>,
    pub strict: bool,
    pub allow: Vec<String>,
    pub loop_budget: Option<u64>,
    /// The simulated device; `h200` unless it is named.
    pub device: String,
    /// The simulated device has no local memory of its own, as most CPUs.
    pub off_chip: bool,
    /// Lines of each kernel, with what stands in front of it.
    lines: Vec<Range<u32>>,
}

/// A kernel in a source text.
struct Kernel {
    name: String,
    /// What stands between the parentheses.
    params: String,
    /// Line of the brace that closes it.
    last_line: u32,
}

impl TestFile {
    /// Reads a file's text.
    pub fn read(text: &str) -> Result<Self, String> {
        let header = text
            .strip_prefix("/*")
            .and_then(|rest| rest.split_once("*/"))
            .map(|(header, _)| header)
            .ok_or("the file does not start with a comment that holds its launch")?;
        let (launches, options) = match header.split_once("\n[check]\n") {
            Some((launches, options)) => (launches, options),
            None => (header, ""),
        };
        let specs = LaunchFile::parse(launches, Path::new("header"))
            .map_err(|e| e.to_string())?
            .launches;
        let kernels = kernels(text);
        if kernels.is_empty() {
            return Err("the file holds no kernel".to_owned());
        }
        let mut file = Self {
            launches: Vec::new(),
            expected: expectations(text)?,
            strict: false,
            allow: Vec::new(),
            loop_budget: None,
            device: "h200".to_owned(),
            off_chip: false,
            lines: Vec::new(),
        };
        let mut first = 1;
        for kernel in &kernels {
            file.launches
                .push((kernel.name.clone(), launch(&specs, kernel)?));
            file.lines.push(first..kernel.last_line + 1);
            first = kernel.last_line + 1;
        }
        let options: Table = options.parse().map_err(|e| format!("[check]: {e}"))?;
        for (key, value) in options {
            match (key.as_str(), value) {
                ("strict", Value::Boolean(strict)) => file.strict = strict,
                ("allow", Value::Array(codes)) => {
                    let codes = codes.iter().filter_map(Value::as_str);
                    file.allow = codes.map(str::to_owned).collect();
                }
                ("loop_budget", Value::Integer(n)) if n > 0 => {
                    file.loop_budget = Some(n.unsigned_abs());
                }
                ("device", Value::String(device)) => file.device = device,
                ("off_chip", Value::Boolean(off_chip)) => file.off_chip = off_chip,
                (key, _) => return Err(format!("[check]: `{key}` is unknown")),
            }
        }
        Ok(file)
    }

    /// Name and lines of each kernel.
    pub fn kernels(&self) -> impl Iterator<Item = (&str, &Range<u32>)> {
        let names = self.launches.iter().map(|(name, _)| name.as_str());
        names.zip(&self.lines)
    }
}

/// The kernel's own launch, or the one for all with the arguments it takes.
fn launch(specs: &[LaunchSpec], kernel: &Kernel) -> Result<LaunchSpec, String> {
    let own = |s: &&LaunchSpec| s.kernel.as_deref() == Some(kernel.name.as_str());
    if let Some(own) = specs.iter().find(own) {
        return Ok(own.clone());
    }
    let common = specs.iter().find(|s| s.kernel.is_none());
    let mut spec = common
        .cloned()
        .ok_or_else(|| format!("no launch for {}", kernel.name))?;
    let names: Vec<&str> = kernel
        .params
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    spec.args.retain(|arg| match &arg.key {
        ArgKey::Name(name) => names.contains(&name.as_str()),
        ArgKey::Index(_) => true,
    });
    spec.kernel = Some(kernel.name.clone());
    Ok(spec)
}

fn kernels(text: &str) -> Vec<Kernel> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("kernel void ") {
        let rest = &text[at + "kernel void ".len()..];
        let Some((name, rest)) = rest.split_once('(') else {
            continue;
        };
        let params = rest.split_once(')').map_or("", |(params, _)| params);
        found.push(Kernel {
            name: name.trim().to_owned(),
            params: params.to_owned(),
            last_line: 1 + lines_in(&text[..at + text[at..].find("\n}").map_or(0, |end| end + 1)]),
        });
    }
    found
}

fn lines_in(text: &str) -> u32 {
    text.matches('\n').count() as u32
}

fn expectations(text: &str) -> Result<Vec<Expected>, String> {
    let mut all = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let number = i as u32 + 1;
        for part in line.split("//~").skip(1) {
            let rest = part.trim_start_matches('^');
            let up = (part.len() - rest.len()) as u32;
            let (code, text) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
            if !code.starts_with("TW") {
                return Err(format!("line {number}: `{code}` is no code"));
            }
            all.push(Expected {
                line: number - up,
                code: code.to_owned(),
                text: text.trim().to_owned(),
            });
        }
    }
    Ok(all)
}
