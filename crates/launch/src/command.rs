//! A launch as one command line, as a user would type it.

use std::path::Path;

use crate::quote::shell_quote;
use crate::spec::LaunchSpec;

/// `tilewise COMMAND FILE.cl::KERNEL` for the working folder, with all flags of `spec`, quoted for a
/// shell. A shell that runs it passes exactly the texts of `spec`.
pub fn shell_command(command: &str, kernel_file: &Path, spec: &LaunchSpec) -> String {
    let mut target = kernel_file.to_string_lossy().into_owned();
    if let Some(kernel) = &spec.kernel {
        target = format!("{target}::{kernel}");
    }
    let mut words = vec!["tilewise".to_owned(), command.to_owned(), target];
    let mut flag = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
    for (name, text) in [
        ("--global", &spec.global),
        ("--local", &spec.local),
        ("--offset", &spec.offset),
    ] {
        if let Some(text) = text {
            flag(name, &text.text);
        }
    }
    for arg in &spec.args {
        flag(
            "--arg",
            &format!("{}={}", arg.key, arg.value.relative_to(Path::new(""))),
        );
    }
    for define in &spec.defines {
        flag("-D", define);
    }
    for folder in &spec.include {
        flag("-I", &folder.to_string_lossy());
    }
    if let Some(options) = &spec.build_options {
        flag("--build-options", options);
    }
    for file in &spec.prepend {
        flag("--prepend", &file.to_string_lossy());
    }
    if let Some(seed) = spec.seed {
        flag("--seed", &seed.to_string());
    }
    for size in &spec.sizes {
        flag("--size", size);
    }
    words
        .iter()
        .map(|word| shell_quote(word).into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::guess::Guess;
    use crate::samples::convolution;
    use crate::spec::Text;

    #[test]
    fn a_shell_passes_the_texts_unchanged() {
        let mut spec = Guess::new(&convolution()).spec().clone();
        spec.defines.push("MSG=it's".into());
        spec.offset = Some(Text::flag("8,8"));
        spec.seed = Some(4);
        let command = shell_command("profile", Path::new("my kernels/conv.cl"), &spec);
        assert!(command.starts_with("tilewise profile 'my kernels/conv.cl::conv' --global "));

        // Run by a shell in which `tilewise` prints its arguments.
        let script = format!("tilewise() {{ printf '%s\\0' \"$@\"; }}; {command}");
        let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let words: Vec<&str> = text.split_terminator('\0').collect();
        assert_eq!(words[..2], ["profile", "my kernels/conv.cl::conv"]);
        let after = |flag: &str| {
            let values = words.windows(2).filter(|w| w[0] == flag);
            values.map(|w| w[1].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            after("--global"),
            [spec.global.as_ref().unwrap().text.clone()]
        );
        assert_eq!(after("-D"), ["MSG=it's"]);
        assert_eq!(after("--seed"), ["4"]);
        let args: Vec<String> = spec
            .args
            .iter()
            .map(|a| format!("{}={}", a.key, a.value.text))
            .collect();
        assert_eq!(after("--arg"), args);
    }
}
