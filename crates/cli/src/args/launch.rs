//! Flags that describe the launch, and how they become
//! [`tilewise::KernelInput`]s: one for the first kernel, one for each other.

use std::path::{Path, PathBuf};

use clap::Args;
use tilewise::KernelInput;
use tilewise_launch::{ArgSetting, LaunchSpec, Text, shell_quote};

use crate::failure::Failure;

/// The launch. Names and types come from the kernel's signature.
#[derive(Args)]
#[command(next_help_heading = "Launch")]
pub struct LaunchArgs {
    /// Kernel of the first file, the same as K.cl::KERNEL
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// An argument by name or index: n=1024, 'in=[n]:random(0,1)', 'tile=local:[258]'
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = ArgSetting::from_flag)]
    pub args: Vec<ArgSetting>,
    /// Global size: 4096x4096, 'roundup(W,16),H'
    #[arg(long, value_name = "SIZE")]
    pub global: Option<String>,
    /// Work-group size: 256, 16x16
    #[arg(long, value_name = "SIZE")]
    pub local: Option<String>,
    /// Global offset
    #[arg(long, value_name = "SIZE")]
    pub offset: Option<String>,
    /// Define a macro
    #[arg(short = 'D', value_name = "MACRO[=VALUE]")]
    pub define: Vec<String>,
    /// Look for included files in this folder too
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// Further options of clBuildProgram: '-cl-std=CL2.0 -cl-mad-enable'
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub build_options: Option<String>,
    /// A source that the host puts before the kernel's
    #[arg(long, value_name = "FILE")]
    pub prepend: Vec<PathBuf>,
    /// Launch file [default: K.toml beside K.cl, if it exists]
    #[arg(long, value_name = "FILE")]
    pub launch: Option<PathBuf>,
    /// Which [[launch]] of the file, where it holds several for the kernel
    #[arg(long, value_name = "NAME")]
    pub launch_name: Option<String>,
    /// An argument that is a size, though nothing shows it; K%16 where it is always
    /// a multiple of 16
    #[arg(long = "size", value_name = "NAME[%STEP]")]
    pub sizes: Vec<String>,
    /// Seed of the random fills
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// What differs in the launch of the second kernel.
#[derive(Args, Default)]
#[command(next_help_heading = "Second kernel")]
pub struct SecondKernelArgs {
    /// An argument of the second kernel, where it differs or the first has none
    #[arg(id = "arg@2", long = "arg@2", value_name = "NAME=VALUE", value_parser = ArgSetting::from_flag)]
    pub args: Vec<ArgSetting>,
    /// Global size of the second kernel
    #[arg(id = "global@2", long = "global@2", value_name = "SIZE")]
    pub global: Option<String>,
    /// Work-group size of the second kernel
    #[arg(id = "local@2", long = "local@2", value_name = "SIZE")]
    pub local: Option<String>,
}

impl LaunchArgs {
    /// The first kernel: `FILE` or `FILE::KERNEL`, and all that the flags say.
    pub fn first(&self, text: &str) -> Result<KernelInput, Failure> {
        let named = KernelInput::parse(text);
        let kernel = match (named.kernel, &self.kernel) {
            (Some(of_path), Some(of_flag)) if of_path != *of_flag => {
                return Err(Failure::Usage(format!(
                    "{text} names kernel {of_path}, --kernel names {of_flag}; remove one"
                )));
            }
            (of_path, of_flag) => of_path.or_else(|| of_flag.clone()),
        };
        Ok(KernelInput {
            path: named.path,
            kernel,
            flags: self.spec(),
            launch_file: self.launch.clone(),
            launch_name: self.launch_name.clone(),
        })
    }

    /// A further kernel: `FILE`, `FILE::KERNEL`, or `::KERNEL` of the first
    /// one's file. The same flags hold for it, but for `--kernel`.
    pub fn further(&self, text: &str, first: &KernelInput) -> Result<KernelInput, Failure> {
        let named = match text.strip_prefix("::") {
            Some(kernel) if !kernel.is_empty() => KernelInput {
                path: first.path.clone(),
                kernel: Some(kernel.to_owned()),
                ..KernelInput::default()
            },
            _ => KernelInput::parse(text),
        };
        if looks_like_a_kernel(text, &named.path) {
            return Err(Failure::Usage(format!(
                "there is no file {text}; for kernel {text} of {} write {}",
                first.path.display(),
                shell_quote(&format!("::{text}"))
            )));
        }
        Ok(KernelInput {
            flags: self.spec(),
            launch_file: self.launch.clone(),
            launch_name: self.launch_name.clone(),
            ..named
        })
    }

    /// The second kernel: as [`Self::further`], with its own flags on top.
    pub fn second(
        &self,
        text: &str,
        first: &KernelInput,
        own: &SecondKernelArgs,
    ) -> Result<KernelInput, Failure> {
        let further = self.further(text, first)?;
        Ok(KernelInput {
            flags: further.flags.overridden_by(own.spec()),
            ..further
        })
    }

    fn spec(&self) -> LaunchSpec {
        LaunchSpec {
            // Both travel beside the flags, in the `KernelInput`.
            name: None,
            kernel: None,
            global: self.global.as_deref().map(Text::flag),
            local: self.local.as_deref().map(Text::flag),
            offset: self.offset.as_deref().map(Text::flag),
            args: self.args.clone(),
            defines: self.define.clone(),
            include: self.include.clone(),
            build_options: self.build_options.clone(),
            prepend: self.prepend.clone(),
            seed: self.seed,
            sizes: self.sizes.clone(),
        }
    }
}

impl SecondKernelArgs {
    /// Without a second kernel none of these flags may be given; `how` says how
    /// to name it.
    pub fn need_a_second(&self, how: &str) -> Result<(), Failure> {
        let given = match self {
            Self { args, .. } if !args.is_empty() => "--arg@2",
            Self {
                global: Some(_), ..
            } => "--global@2",
            Self { local: Some(_), .. } => "--local@2",
            _ => return Ok(()),
        };
        Err(Failure::Usage(format!(
            "{given} is about a second kernel, but there is none; {how}"
        )))
    }

    fn spec(&self) -> LaunchSpec {
        LaunchSpec {
            args: self.args.clone(),
            global: self.global.as_deref().map(Text::flag),
            local: self.local.as_deref().map(Text::flag),
            ..LaunchSpec::default()
        }
    }
}

/// A plain C name that is no file: most likely a kernel's name without `::`.
fn looks_like_a_kernel(text: &str, path: &Path) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(name) && !path.exists()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        launch: LaunchArgs,
        #[command(flatten)]
        second: SecondKernelArgs,
    }

    fn flags(words: &[&str]) -> Flags {
        Flags::try_parse_from([&["tilewise"], words].concat()).expect("flags that parse")
    }

    fn args(input: &KernelInput) -> Vec<String> {
        let shown = |arg: &ArgSetting| format!("{}={}", arg.key, arg.value.text);
        input.flags.args.iter().map(shown).collect()
    }

    #[test]
    fn flags_of_the_second_kernel_go_over_the_shared_ones() {
        let Flags { launch, second } = flags(&[
            "--arg",
            "n=1024",
            "--arg",
            "in=[n]",
            "--global",
            "1024",
            "--local",
            "256",
            "--local@2",
            "32x8",
            "--arg@2",
            "n=64",
            "--arg@2=tile=local:[258]",
        ]);
        let a = launch.first("k.cl::naive").expect("a first kernel");
        let b = launch
            .second("::tiled", &a, &second)
            .expect("a second kernel");
        assert_eq!(
            (a.path.clone(), a.kernel.as_deref()),
            ("k.cl".into(), Some("naive"))
        );
        assert_eq!(
            (b.path.clone(), b.kernel.as_deref()),
            ("k.cl".into(), Some("tiled"))
        );
        assert_eq!(args(&a), ["n=1024", "in=[n]"]);
        assert_eq!(args(&b), ["in=[n]", "n=64", "tile=local:[258]"]);
        assert_eq!(a.flags.local, Some(Text::flag("256")));
        assert_eq!(b.flags.local, Some(Text::flag("32x8")));
        assert_eq!(b.flags.global, Some(Text::flag("1024")));
    }

    #[test]
    fn a_kernel_is_named_once() {
        let Flags { launch, .. } = flags(&["--kernel", "naive"]);
        let kernel = |text: &str| launch.first(text).map(|input| input.kernel);
        assert_eq!(kernel("k.cl").ok().flatten().as_deref(), Some("naive"));
        assert_eq!(
            kernel("k.cl::naive").ok().flatten().as_deref(),
            Some("naive")
        );
        assert!(matches!(kernel("k.cl::tiled"), Err(Failure::Usage(_))));
    }

    #[test]
    fn a_bare_kernel_name_is_told_from_a_file() {
        let Flags { launch, .. } = flags(&[]);
        let a = launch.first("k.cl").expect("a first kernel");
        let Err(Failure::Usage(message)) = launch.further("no_such_kernel", &a) else {
            panic!("a name that is no file must not pass");
        };
        assert!(message.ends_with("write ::no_such_kernel"), "{message}");
    }

    #[test]
    fn build_options_begin_with_a_hyphen() {
        let Flags { launch, .. } = flags(&[
            "--build-options",
            "-cl-mad-enable -w",
            "-DN=16",
            "-D",
            "FAST",
            "-Iinclude",
        ]);
        let a = launch.first("k.cl").expect("a first kernel");
        assert_eq!(a.flags.build_options.as_deref(), Some("-cl-mad-enable -w"));
        assert_eq!(a.flags.defines, ["N=16", "FAST"]);
        assert_eq!(a.flags.include, [PathBuf::from("include")]);
    }
}
