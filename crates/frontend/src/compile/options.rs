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
    /// Other options, one each, such as `-cl-fast-relaxed-math`. What is not
    /// known is ignored and named in a note.
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

/// Options that both clang and every OpenCL compiler understand.
const PASSED: &[&str] = &[
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-strict-aliasing",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-uniform-work-group-size",
    "-w",
    "-Werror",
];

/// Versions of the language that clang knows.
const VERSIONS: &[&str] = &["CL", "CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"];

impl Options {
    /// Reads options as one string, the way a host gives them to
    /// `clBuildProgram`. Quotes keep spaces.
    ///
    /// # Errors
    /// [`FrontendError::Option`] for an option without its value, a quote that
    /// does not end, or a version of the language that is not known.
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
            } else {
                options.build_options.push(word);
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
        self.build_options
            .iter()
            .map(String::as_str)
            .filter(|o| is_passed(o))
    }

    /// Build options that have no effect here, by name.
    pub fn ignored(&self) -> Vec<&str> {
        let known = ["-cl-kernel-arg-info", "-g"];
        self.build_options
            .iter()
            .map(String::as_str)
            .filter(|o| !is_passed(o) && !known.contains(o))
            .collect()
    }

    fn has(&self, option: &str) -> bool {
        self.build_options.iter().any(|o| o == option)
    }
}

fn is_passed(option: &str) -> bool {
    PASSED.contains(&option)
        || option.starts_with("-ffp-contract=")
        || (option.starts_with("-W") && !option.contains(','))
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
            Options::parse("-DN=4 -D M -I inc '-I dir with space' -cl-std=CL2.0 -w -cl-nv-verbose")
                .unwrap();
        assert_eq!(options.defines, ["N=4", "M"]);
        assert_eq!(options.include_dirs.len(), 2);
        assert_eq!(options.cl_std.as_deref(), Some("CL2.0"));
        assert_eq!(options.ignored(), ["-cl-nv-verbose"]);
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
