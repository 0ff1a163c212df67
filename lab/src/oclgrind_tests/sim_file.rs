//! Reads a launch as Oclgrind's tests write it.
//!
//! Lines are: the source, the kernel's name, the global and the local size; then
//! arguments as `<size=N …>` with `fill=V`, `range=FIRST:STEP:LAST`, a type or
//! other words, or with values in the lines behind it. `#` starts a comment; one
//! with `ARGS:` holds flags of the test.

use anyhow::{Context, bail};

/// A launch.
#[derive(Debug)]
pub struct SimFile {
    /// Flags of the test.
    pub arguments: Vec<String>,
    pub kernel: String,
    pub global: [u64; 3],
    pub local: [u64; 3],
    /// By index of the argument.
    pub args: Vec<Arg>,
}

/// One argument.
#[derive(Clone, Debug, Default)]
pub struct Arg {
    /// Size in bytes; `None` for a null pointer.
    pub bytes: Option<u64>,
    /// Type of the values, where it isn't the parameter's.
    pub ty: Option<String>,
    pub contents: Contents,
}

/// What an argument holds.
#[derive(Clone, Debug, Default)]
pub enum Contents {
    /// Nothing is said.
    #[default]
    Unset,
    /// The same everywhere.
    Fill(String),
    /// From the first by steps.
    Range([String; 3]),
    Values(Vec<String>),
}

impl SimFile {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let flags = text.lines().find_map(|l| l.strip_prefix("# ARGS:"));
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        let mut lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().trim())
            .filter(|line| !line.is_empty());
        let mut next = |what: &str| lines.next().with_context(|| format!("no {what}"));
        next("source")?;
        let kernel = next("kernel")?.to_owned();
        let global = size(next("global size")?)?;
        let local = size(next("local size")?)?;
        let mut args: Vec<Arg> = Vec::new();
        for line in lines {
            if let Some(head) = line.strip_prefix('<') {
                let head = head
                    .strip_suffix('>')
                    .with_context(|| format!("`{line}` has no end"))?;
                args.push(Arg::parse(head)?);
                continue;
            }
            let arg = args.last_mut().context("values before an argument")?;
            let more: Vec<String> = words(line);
            match &mut arg.contents {
                Contents::Values(values) => values.extend(more),
                contents => *contents = Contents::Values(more),
            }
        }
        Ok(Self {
            arguments: flags.map(words).unwrap_or_default(),
            kernel,
            global,
            local,
            args,
        })
    }

    /// The build options among the test's flags.
    pub fn build_options(&self) -> Option<&str> {
        let at = self.arguments.iter().position(|a| a == "--build-options")?;
        self.arguments.get(at + 1).map(String::as_str)
    }
}

impl Arg {
    fn parse(head: &str) -> anyhow::Result<Self> {
        let mut arg = Self::default();
        for word in head.split_whitespace() {
            match word.split_once('=') {
                Some(("size", n)) => arg.bytes = Some(n.parse().context("a size")?),
                Some(("fill", value)) => arg.contents = Contents::Fill(value.to_owned()),
                Some(("range", range)) => {
                    let parts: Vec<String> = range.split(':').map(str::to_owned).collect();
                    let parts = <[String; 3]>::try_from(parts);
                    let parts = parts.map_err(|_| anyhow::anyhow!("`{word}` is no range"))?;
                    arg.contents = Contents::Range(parts);
                }
                // What Oclgrind is to print, and what the host promises.
                None if matches!(word, "dump" | "hex" | "ro" | "wo" | "noinit" | "null") => {}
                None => arg.ty = Some(word.to_owned()),
                Some(_) => bail!("`{word}` is unknown"),
            }
        }
        Ok(arg)
    }
}

fn size(line: &str) -> anyhow::Result<[u64; 3]> {
    let numbers = line.split_whitespace().map(str::parse);
    let numbers: Vec<u64> = numbers.collect::<Result<_, _>>().context("a size")?;
    <[u64; 3]>::try_from(numbers).map_err(|_| anyhow::anyhow!("`{line}` is no size"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_read() {
        let sim = SimFile::parse(
            "# ARGS: --build-options -cl-std=CL2.0\nk.cl\nk\n8 1 1\n4 1 1\n\n\
             <size=16 range=0:1:3 dump>\n# two lines\n<size=8 int hex>\n0x1\n0x2\n<null>\n<size=4 fill=-1>",
        )
        .expect("a launch");
        assert_eq!(sim.build_options(), Some("-cl-std=CL2.0"));
        assert_eq!((sim.kernel.as_str(), sim.global[0]), ("k", 8));
        let bytes: Vec<Option<u64>> = sim.args.iter().map(|a| a.bytes).collect();
        assert_eq!(bytes, [Some(16), Some(8), None, Some(4)]);
        assert!(matches!(&sim.args[1].contents, Contents::Values(v) if v.len() == 2));
        assert!(matches!(&sim.args[3].contents, Contents::Fill(v) if v == "-1"));
    }
}
