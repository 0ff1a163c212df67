//! Build options, as `clBuildProgram` takes them, and the device's macros.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::FrontendError;

/// How a source is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Version of the language, such as `CL2.0`; `None` is `CL1.2`.
    pub cl_std: Option<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Folders for `#include`.
    pub include_dirs: Vec<PathBuf>,
    /// Other options, one each, such as `-cl-fast-relaxed-math`. What has no
    /// effect here is named in a note.
    pub build_options: Vec<String>,
    /// The device's extensions; `None` allows all that clang knows. Names of
    /// features of OpenCL C 3.0 (`__opencl_c_…`) among them say which of those
    /// the device has; without any, what is usual is taken.
    pub extensions: Option<Vec<String>>,
    /// Macros that the device's own compiler defines.
    pub vendor_macros: Vec<String>,
    /// Value of `__OPENCL_VERSION__`, such as 300; `None` takes the version of
    /// the language.
    pub device_version: Option<u32>,
}

/// Features of OpenCL C 3.0 that clang wants beside an extension, or that a
/// device of that version usually has.
const FEATURES: &[(Option<&str>, &str)] = &[
    (None, "__opencl_c_generic_address_space"),
    (None, "__opencl_c_program_scope_global_variables"),
    (None, "__opencl_c_work_group_collective_functions"),
    (None, "__opencl_c_atomic_order_acq_rel"),
    (None, "__opencl_c_atomic_order_seq_cst"),
    (None, "__opencl_c_atomic_scope_device"),
    (None, "__opencl_c_images"),
    (Some("cl_khr_fp64"), "__opencl_c_fp64"),
    (Some("cl_khr_3d_image_writes"), "__opencl_c_3d_image_writes"),
    (Some("cl_khr_subgroups"), "__opencl_c_subgroups"),
];

/// The features of a device with these extensions, as `-cl-ext` takes them.
fn features(extensions: &[String]) -> String {
    if extensions.iter().any(|e| is_feature(e)) {
        return String::new();
    }
    FEATURES
        .iter()
        .filter(|(needs, _)| needs.is_none_or(|n| extensions.iter().any(|e| e == n)))
        .map(|(_, feature)| format!(",+{feature}"))
        .collect()
}

fn is_feature(name: &str) -> bool {
    name.starts_with("__opencl_c_")
}

/// What a build option does here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// clang gets it.
    Passed,
    /// It asks for what is so anyway.
    Always,
    /// It changes the form as compiled, the range or nothing that clang is told.
    Kept,
    /// It is ignored; the reason.
    Ignored(&'static str),
}

/// The options of `clBuildProgram` (OpenCL 3.0 API, section 5.8.6; 5.6.4 in
/// 1.2) beside `-D`, `-I` and `-cl-std`, and those that vendors' hosts pass.
const KNOWN: &[(&str, Effect)] = &[
    ("-cl-single-precision-constant", Effect::Passed),
    (
        "-cl-denorms-are-zero",
        Effect::Ignored("it lets a device flush denormalised numbers; the simulator keeps them"),
    ),
    // Division and square root are rounded correctly on the simulator.
    ("-cl-fp32-correctly-rounded-divide-sqrt", Effect::Always),
    ("-cl-opt-disable", Effect::Kept),
    ("-cl-strict-aliasing", Effect::Passed),
    ("-cl-uniform-work-group-size", Effect::Kept),
    // The kernel promises not to need what the simulator has.
    ("-cl-no-subgroup-ifp", Effect::Always),
    ("-cl-mad-enable", Effect::Passed),
    ("-cl-no-signed-zeros", Effect::Passed),
    ("-cl-unsafe-math-optimizations", Effect::Passed),
    ("-cl-finite-math-only", Effect::Passed),
    ("-cl-fast-relaxed-math", Effect::Passed),
    ("-w", Effect::Passed),
    ("-Werror", Effect::Passed),
    ("-cl-kernel-arg-info", Effect::Always),
    ("-g", Effect::Always),
    (
        "-create-library",
        Effect::Ignored("there is no step of linking"),
    ),
    (
        "-enable-link-options",
        Effect::Ignored("there is no step of linking"),
    ),
    ("-cl-nv-verbose", Effect::Ignored(VENDOR)),
    ("-cl-nv-maxrregcount", Effect::Ignored(VENDOR)),
    ("-cl-nv-opt-level", Effect::Ignored(VENDOR)),
    ("-cl-nv-arch", Effect::Ignored(VENDOR)),
    ("-cl-nv-cstd", Effect::Ignored(VENDOR)),
    ("-save-temps", Effect::Ignored(VENDOR)),
    ("-profiling", Effect::Ignored(VENDOR)),
];

const VENDOR: &str = "it speaks to one vendor's compiler";

/// Beginnings of options that only some compilers know.
const VENDORS: &[&str] = &[
    "-cl-nv-",
    "-cl-amd-",
    "-cl-intel-",
    "-cl-arm-",
    "-cl-ext=",
    "-qcom-",
    "-save-temps",
    "-fbin-",
    "-fno-",
    "-f",
    "-m",
    "-O",
    "-x",
    "-spir-std=",
];

/// What an option does; `None` where no compiler is known to take it.
fn effect(option: &str) -> Option<Effect> {
    let passed =
        option.starts_with("-ffp-contract=") || (option.starts_with("-W") && !option.contains(','));
    if let Some((_, effect)) = KNOWN.iter().find(|(known, _)| *known == option) {
        return Some(*effect);
    }
    if passed {
        return Some(Effect::Passed);
    }
    VENDORS
        .iter()
        .any(|vendor| option.starts_with(vendor))
        .then_some(Effect::Ignored(VENDOR))
}

/// Versions of the language that clang knows.
const VERSIONS: &[&str] = &["CL", "CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"];

impl Options {
    /// Reads options as one string, the way a host gives them to
    /// `clBuildProgram`. Quotes keep spaces.
    ///
    /// # Errors
    /// [`FrontendError::Option`] for an option without its value, a quote that
    /// does not end, a version of the language that is not known, or an option
    /// that no compiler takes.
    pub fn parse(text: &str) -> Result<Self, FrontendError> {
        let mut options = Self::default();
        let mut words = split(text)?.into_iter();
        while let Some(word) = words.next() {
            let mut value = |prefix: &str| -> Result<Option<String>, FrontendError> {
                match word.strip_prefix(prefix) {
                    Some("") => words.next().map(Some).ok_or_else(|| FrontendError::Option {
                        option: word.clone(),
                        reason: "its value is missing".to_owned(),
                    }),
                    Some(rest) => Ok(Some(rest.to_owned())),
                    None => Ok(None),
                }
            };
            if let Some(define) = value("-D")? {
                options.defines.push(define);
            } else if let Some(dir) = value("-I")? {
                options.include_dirs.push(dir.into());
            } else if let Some(version) = word.strip_prefix("-cl-std=") {
                options.cl_std = Some(version.to_owned());
            } else if effect(&word).is_some() {
                options.build_options.push(word);
            } else {
                return Err(unknown(&word));
            }
        }
        options.version()?;
        Ok(options)
    }

    /// The version of the language.
    ///
    /// # Errors
    /// [`FrontendError::Option`] for one that clang does not know.
    pub fn version(&self) -> Result<&str, FrontendError> {
        let version = self.cl_std.as_deref().unwrap_or("CL1.2");
        if VERSIONS.contains(&version) {
            return Ok(version);
        }
        Err(FrontendError::Option {
            option: format!("-cl-std={version}"),
            reason: format!("known versions are {}", VERSIONS.join(", ")),
        })
    }

    /// Flags that decide what the preprocessor and the parser see.
    pub(crate) fn language_flags(&self) -> Result<Vec<OsString>, FrontendError> {
        let version = self.version()?;
        let mut flags: Vec<OsString> = vec![
            "-x".into(),
            "cl".into(),
            format!("-cl-std={version}").into(),
            "-target".into(),
            "spir64-unknown-unknown".into(),
            "-fno-color-diagnostics".into(),
        ];
        if let Some(extensions) = &self.extensions {
            let mut list: String = extensions
                .iter()
                .filter(|e| version == "CL3.0" || !is_feature(e))
                .map(|e| format!(",+{e}"))
                .collect();
            if version == "CL3.0" {
                list.push_str(&features(extensions));
            }
            flags.push("-Xclang".into());
            flags.push(format!("-cl-ext=-all{list}").into());
        }
        flags.extend(self.passed().map(OsString::from));
        Ok(flags)
    }

    /// Flags with macros and folders, for the preprocessor.
    pub(crate) fn preprocessor_flags(&self) -> Result<Vec<OsString>, FrontendError> {
        let version = match self.device_version {
            Some(version) => version,
            None => match self.version()? {
                "CL" | "CL1.0" => 100,
                "CL1.1" => 110,
                "CL1.2" => 120,
                "CL2.0" => 200,
                _ => 300,
            },
        };
        let mut flags = Vec::new();
        let own_version = self
            .defines
            .iter()
            .any(|d| d.split('=').next() == Some("__OPENCL_VERSION__"));
        if !own_version {
            flags.push(format!("-D__OPENCL_VERSION__={version}").into());
        }
        for define in self.vendor_macros.iter().chain(&self.defines) {
            flags.push(format!("-D{define}").into());
        }
        for dir in &self.include_dirs {
            flags.push("-I".into());
            // Children run in a folder of their own.
            flags.push(
                std::path::absolute(dir)
                    .unwrap_or_else(|_| dir.clone())
                    .into(),
            );
        }
        if self.has("-cl-fast-relaxed-math") {
            flags.push("-D__FAST_RELAXED_MATH__=1".into());
        }
        Ok(flags)
    }

    /// Build options that clang gets.
    fn passed(&self) -> impl Iterator<Item = &str> {
        let options = self.build_options.iter().map(String::as_str);
        options.filter(|o| effect(o) == Some(Effect::Passed))
    }

    /// Build options that have no effect here, with the reason.
    pub fn ignored(&self) -> Vec<(&str, &'static str)> {
        let options = self.build_options.iter().map(String::as_str);
        options
            .filter_map(|option| match effect(option) {
                Some(Effect::Ignored(why)) => Some((option, why)),
                _ => None,
            })
            .collect()
    }

    /// Whether the form as compiled is to be left as it is written.
    pub fn without_optimiser(&self) -> bool {
        self.has("-cl-opt-disable")
    }

    fn has(&self, option: &str) -> bool {
        self.build_options.iter().any(|o| o == option)
    }
}

/// The error for an option that no compiler takes.
fn unknown(option: &str) -> FrontendError {
    let names = KNOWN.iter().map(|(name, _)| *name).chain(["-cl-std="]);
    let head = option.split_inclusive('=').next().unwrap_or(option);
    let reason = if option.starts_with('-') {
        match tilewise_launch::suggest::nearest(head, names) {
            Some(near) => format!("no OpenCL compiler takes it; did you mean `{near}`?"),
            None => "no OpenCL compiler takes it".to_owned(),
        }
    } else {
        "an option begins with `-`; a value with spaces needs quotes".to_owned()
    };
    FrontendError::Option {
        option: option.to_owned(),
        reason,
    }
}

/// Splits a string of options at spaces outside of quotes.
fn split(text: &str) -> Result<Vec<String>, FrontendError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(FrontendError::Option {
            option: text.to_owned(),
            reason: "a quote does not end".to_owned(),
        });
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_a_host_gives() {
        let options =
            Options::parse("-DN=4 -D M -I inc '-I dir with space' -cl-std=CL2.0 -w").unwrap();
        assert_eq!(options.defines, ["N=4", "M"]);
        assert_eq!(options.include_dirs.len(), 2);
        assert_eq!(options.cl_std.as_deref(), Some("CL2.0"));
        assert_eq!(options.ignored(), []);
    }

    #[test]
    fn every_option_is_honoured_or_named() {
        // Option; clang gets it; it is named as ignored.
        let table = [
            ("-cl-single-precision-constant", true, false),
            ("-cl-denorms-are-zero", false, true),
            ("-cl-fp32-correctly-rounded-divide-sqrt", false, false),
            ("-cl-opt-disable", false, false),
            ("-cl-strict-aliasing", true, false),
            ("-cl-uniform-work-group-size", false, false),
            ("-cl-no-subgroup-ifp", false, false),
            ("-cl-mad-enable", true, false),
            ("-cl-no-signed-zeros", true, false),
            ("-cl-unsafe-math-optimizations", true, false),
            ("-cl-finite-math-only", true, false),
            ("-cl-fast-relaxed-math", true, false),
            ("-w", true, false),
            ("-Werror", true, false),
            ("-Wall", true, false),
            ("-ffp-contract=off", true, false),
            ("-cl-kernel-arg-info", false, false),
            ("-g", false, false),
            ("-create-library", false, true),
            ("-cl-nv-maxrregcount=32", false, true),
            ("-cl-nv-verbose", false, true),
            ("-cl-intel-greater-than-4GB-buffer-required", false, true),
            ("-fno-strict-aliasing", false, true),
            ("-O3", false, true),
        ];
        for (option, passed, ignored) in table {
            let options = Options::parse(option).unwrap();
            let flags = options.language_flags().unwrap();
            assert_eq!(flags.contains(&OsString::from(option)), passed, "{option}");
            let named = options.ignored();
            assert_eq!(named.iter().any(|(o, _)| *o == option), ignored, "{option}");
        }
        assert!(
            Options::parse("-cl-opt-disable")
                .unwrap()
                .without_optimiser()
        );
    }

    #[test]
    fn a_quote_in_a_macro_keeps_spaces() {
        let options = Options::parse("-D'T=unsigned int'").unwrap();
        assert_eq!(options.defines, ["T=unsigned int"]);
    }

    #[test]
    fn says_what_is_wrong() {
        let text = Options::parse("-D").unwrap_err().to_string();
        assert!(text.contains("its value is missing"), "{text}");
        let text = Options::parse("-DX='1").unwrap_err().to_string();
        assert!(text.contains("a quote does not end"), "{text}");
        let text = Options::parse("-cl-std=CL4.2").unwrap_err().to_string();
        assert!(text.contains("known versions are CL, CL1.0"), "{text}");
        let text = Options::parse("-cl-fast-relaxed-mth")
            .unwrap_err()
            .to_string();
        assert!(
            text.contains("did you mean `-cl-fast-relaxed-math`?"),
            "{text}"
        );
        let error = Options::parse("-cl-sdt=CL2.0").unwrap_err();
        assert_eq!(error.exit_code(), 2);
        let text = error.to_string();
        assert!(text.contains("did you mean `-cl-std=`?"), "{text}");
        let text = Options::parse("-D N 4").unwrap_err().to_string();
        assert!(
            text.contains("option `4`: an option begins with `-`"),
            "{text}"
        );
    }

    #[test]
    fn the_device_decides_about_extensions() {
        let options = Options {
            extensions: Some(vec!["cl_khr_fp64".to_owned()]),
            ..Options::default()
        };
        let flags = options.language_flags().unwrap();
        assert!(flags.contains(&OsString::from("-cl-ext=-all,+cl_khr_fp64")));

        let with_features = ["cl_khr_fp64", "__opencl_c_fp64"].map(str::to_owned);
        let mut options = Options {
            extensions: Some(with_features.to_vec()),
            ..Options::default()
        };
        let flags = options.language_flags().unwrap();
        assert!(flags.contains(&OsString::from("-cl-ext=-all,+cl_khr_fp64")));
        options.cl_std = Some("CL3.0".to_owned());
        let flags = options.language_flags().unwrap();
        let all = "-cl-ext=-all,+cl_khr_fp64,+__opencl_c_fp64";
        assert!(flags.contains(&OsString::from(all)), "{flags:?}");
    }
}
