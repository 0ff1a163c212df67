//! The writer of launch files: keys in a fixed order, arguments in the order
//! given, so that a file written twice is the same.

use std::path::{Path, PathBuf};

use crate::guess::{Guess, head_line};
use crate::signature::Signature;
use crate::spec::{LaunchSpec, path_from};

/// The text of a launch file with these launches, to be written into `folder`
/// (file names below it become relative to it).
pub fn to_toml(launches: &[LaunchSpec], folder: &Path) -> String {
    let texts: Vec<String> = launches
        .iter()
        .map(|spec| launch(spec, folder, &|_| None))
        .collect();
    texts.join("\n")
}

/// The text of a launch file with guessed launches, to be written into
/// `folder`. Each guess has its reason as a comment.
pub fn guessed_toml(guesses: &[(&Signature, &Guess)], folder: &Path) -> String {
    let texts: Vec<String> = guesses
        .iter()
        .map(|(signature, guess)| {
            let reason = |key: &str| guess.reason_for(key).map(str::to_owned);
            format!(
                "# {}\n# Values with a comment are guesses: check them.\n{}",
                one_line(&head_line(signature)),
                launch(guess.spec(), folder, &reason)
            )
        })
        .collect();
    texts.join("\n")
}

/// One `[[launch]]`; `comment` gives what stands behind a key's value.
fn launch(spec: &LaunchSpec, folder: &Path, comment: &dyn Fn(&str) -> Option<String>) -> String {
    let line = |key: &str, value: String| match comment(key) {
        Some(comment) => format!("{} = {value}  # {}\n", toml_key(key), one_line(&comment)),
        None => format!("{} = {value}\n", toml_key(key)),
    };
    let relative = |path: &PathBuf| path_from(path, folder).to_string_lossy().into_owned();
    let paths = |paths: &[PathBuf]| paths.iter().map(relative).collect::<Vec<_>>();

    let ranges = [
        ("global", &spec.global),
        ("local", &spec.local),
        ("offset", &spec.offset),
    ];
    let texts = [
        ("name", spec.name.as_deref()),
        ("kernel", spec.kernel.as_deref()),
    ]
    .into_iter()
    .chain(ranges.map(|(key, text)| (key, text.as_ref().map(|t| t.text.as_str()))))
    .chain([("build_options", spec.build_options.as_deref())]);
    let lists = [
        ("defines", spec.defines.clone()),
        ("include", paths(&spec.include)),
        ("prepend", paths(&spec.prepend)),
        ("sizes", spec.sizes.clone()),
    ];

    let mut out = String::from("[[launch]]\n");
    for (key, text) in texts {
        if let Some(text) = text {
            out += &line(key, string(text));
        }
    }
    for (key, items) in lists {
        if !items.is_empty() {
            out += &line(key, list(&items));
        }
    }
    if let Some(seed) = spec.seed {
        out += &line("seed", number_or_string(&seed.to_string()));
    }
    if !spec.args.is_empty() {
        out += "\n[launch.args]\n";
        for arg in &spec.args {
            out += &line(
                &arg.key.to_string(),
                number_or_string(&arg.value.relative_to(folder)),
            );
        }
    }
    out
}

/// A plain integer as TOML's, all else as a string.
fn number_or_string(text: &str) -> String {
    match text.parse::<i64>() {
        Ok(int) if int.to_string() == text => text.to_owned(),
        _ => string(text),
    }
}

fn string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| string(item)).collect();
    format!("[{}]", items.join(", "))
}

fn toml_key(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else {
        string(key)
    }
}

/// A comment must not end before its line does.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::file::LaunchFile;
    use crate::samples::{blur_tiled, convolution};
    use crate::spec::{ArgKey, ArgSetting, Text};

    /// The texts alone: a file that is read again knows its lines.
    fn without_origins(mut spec: LaunchSpec) -> LaunchSpec {
        let plain = |text: &mut Text| *text = Text::flag(text.text.clone());
        for text in [&mut spec.global, &mut spec.local, &mut spec.offset] {
            text.iter_mut().for_each(plain);
        }
        spec.args.iter_mut().for_each(|arg| plain(&mut arg.value));
        spec
    }

    fn again(text: &str, path: &Path) -> Vec<LaunchSpec> {
        let file = LaunchFile::parse(text, path).unwrap_or_else(|e| panic!("{e}\n{text}"));
        file.launches.into_iter().map(without_origins).collect()
    }

    #[test]
    fn a_guessed_file_is_read_as_the_guess() {
        let (blur, conv) = (blur_tiled(), convolution());
        let (first, second) = (Guess::new(&blur), Guess::new(&conv));
        let text = guessed_toml(&[(&blur, &first), (&conv, &second)], Path::new(""));
        assert_eq!(
            text.lines().take(12).collect::<Vec<_>>(),
            [
                "# kernel blur_tiled: 0 in (__global const f32 *), 1 out (__global f32 *), 2 n (i32), 3 tile (__local f32 *)",
                "# Values with a comment are guesses: check them.",
                "[[launch]]",
                "kernel = \"blur_tiled\"",
                "global = \"roundup(n,256)\"  # one work-item per element, rounded up to whole groups; wrong if the kernel does not guard its range",
                "local = \"256\"  # a usual size; try others",
                "",
                "[launch.args]",
                "in = \"[n]\"  # __global const f32 *: one element per work-item",
                "out = \"[n]\"  # __global f32 *: one element per work-item",
                "n = 1048576  # i32: a size",
                "tile = \"local:[local_size(0)+2]\"  # __local f32 *: a tile with a halo on each side",
            ]
        );
        assert_eq!(
            again(&text, Path::new("k.toml")),
            [first.spec().clone(), second.spec().clone()]
        );
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let spec = LaunchSpec {
            include: vec!["kernels/inc".into()],
            prepend: vec!["/abs/a.cl".into()],
            ..LaunchSpec::default()
        };
        let text = to_toml(std::slice::from_ref(&spec), Path::new("kernels"));
        assert_eq!(
            text,
            "[[launch]]\ninclude = [\"inc\"]\nprepend = [\"/abs/a.cl\"]\n"
        );
        assert_eq!(again(&text, Path::new("kernels/k.toml")), [spec]);
    }

    prop_compose! {
        fn any_spec()(
            name in prop::option::of("\\PC{0,8}"),
            kernel in prop::option::of("[a-z_]{1,8}"),
            ranges in prop::collection::vec(prop::option::of("\\PC{0,12}"), 3),
            args in prop::collection::btree_map("[a-z_][a-z0-9_]{0,6}|[0-9]|é\"", "\\PC{0,12}|-?[0-9]{1,20}|[\"'\\\\\n\t#]{0,5}", 0..5),
            defines in prop::collection::vec("[A-Z]{1,4}(=\\PC{0,5})?", 0..3),
            build_options in prop::option::of("\\PC{0,12}"),
            seed in prop::option::of(any::<u64>()),
        ) -> LaunchSpec {
            let text = |n: usize| ranges[n].clone().map(Text::flag);
            LaunchSpec {
                name,
                kernel,
                global: text(0),
                local: text(1),
                offset: text(2),
                args: args
                    .into_iter()
                    .map(|(key, value)| ArgSetting { key: ArgKey::new(&key), value: Text::flag(value) })
                    .collect(),
                defines,
                build_options,
                seed,
                ..LaunchSpec::default()
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(specs in prop::collection::vec(any_spec(), 1..3)) {
            let text = to_toml(&specs, Path::new(""));
            prop_assert_eq!(again(&text, Path::new("k.toml")), specs);
        }
    }
}
