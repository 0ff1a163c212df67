//! The two chains from expanded text to SPIR-V, and the syntax tree.
//!
//! *As written*: clang without any pass, so that each access of the source is
//! there once.
//!
//! *As compiled*: `-O3` without vectorising, and with the unrolling that GPU
//! compilers do by default: plain `-O3` for this target leaves loops of unknown
//! length rolled. Before it, pure builtins lose `convergent`, which would
//! forbid unrolling; after it, `freeze` goes, which the translator does not
//! know. If the result can't be translated, which integers of odd width are the
//! usual reason for, it is made again for a target that is said to have integer
//! registers of the usual widths (spir64 names none, and LLVM then narrows
//! `switch (x & 3)` to two bits), then with loops left without a closed form.
//! After that `-O1` is tried, then the form as written is taken, each with a
//! note. `-cl-opt-disable` asks for the latter.

use std::ffi::OsString;
use std::path::Path;

use super::expand::joined_thread;
use super::process::{self, Finished};
use super::{Options, half_prelude, llvm_text, odd_vectors};
use crate::error::FrontendError;
use crate::position::EXPANDED;
use crate::toolchain::Toolchain;

/// What the chains give.
#[derive(Debug)]
pub struct Chained {
    /// SPIR-V as written.
    pub as_written: Vec<u8>,
    /// SPIR-V as compiled; `None` where it could not be translated.
    pub as_compiled: Option<Vec<u8>>,
    /// clang's syntax tree as JSON.
    pub tree: Vec<u8>,
    /// What was tried instead of what.
    pub notes: Vec<String>,
}

/// Debug information and names; and no library idioms, which would turn loops
/// into calls without lines. `gnu89` inlining keeps `inline` helpers.
const COMMON: &[&str] = &[
    "-gline-tables-only",
    "-fno-discard-value-names",
    "-fgnu89-inline",
    "-fno-builtin-memset",
    "-fno-builtin-memcpy",
    "-cl-kernel-arg-info",
    // Debug information must not depend on the folder of this run.
    "-fdebug-compilation-dir=/tilewise",
    "-w",
];

const NO_VECTORS: &[&str] = &["-fno-vectorize", "-fno-slp-vectorize"];

/// Clang would load those components of a vector that are used one by one; devices'
/// compilers load a vector in one request.
const WHOLE_VECTORS: &[&str] = &["-mllvm", "-disable-vector-combine"];

const UNROLL: &[&str] = &[
    "-mllvm",
    "-unroll-runtime",
    "-mllvm",
    "-unroll-allow-partial",
    "-mllvm",
    "-unroll-max-count=4",
];

/// The closed form of a sum takes integers of odd widths (`i33`), and a loop
/// that ends at `n & 3` a counter of two bits; the translator refuses both. The
/// loop is left as it is.
const NO_CLOSED_FORMS: &[&str] = &["-mllvm", "-replexitval=never", "-mllvm", "-disable-lftr"];

/// One run of the tools over one expanded text.
struct Run<'a> {
    tools: &'a Toolchain,
    options: &'a Options,
    folder: &'a Path,
    path: &'a Path,
    /// Includes the declarations that clang hides and the text needs.
    prelude: Vec<OsString>,
}

/// Runs the chains side by side. `folder` holds the expanded text, `text`,
/// already, and what [`super::expand`] put there.
///
/// # Errors
/// [`FrontendError::Translator`] where the form as written can't be
/// translated; [`FrontendError::Compile`] where clang rejects it.
pub fn run_chains(
    tools: &Toolchain,
    options: &Options,
    path: &Path,
    text: &str,
    folder: &Path,
) -> Result<Chained, FrontendError> {
    let run = Run {
        prelude: half_prelude::flags(options, Some(text)),
        tools,
        options,
        folder,
        path,
    };
    let (as_written, as_compiled, tree) = std::thread::scope(|scope| {
        let as_written = scope.spawn(|| run.as_written());
        let tree = scope.spawn(|| run.syntax_tree());
        let as_compiled = run.as_compiled();
        (joined_thread(as_written), as_compiled, joined_thread(tree))
    });
    let (as_compiled, notes) = as_compiled?;
    let as_written = as_written?;
    Ok(Chained {
        as_compiled: if options.without_optimiser() {
            Some(as_written.clone())
        } else {
            as_compiled
        },
        as_written,
        tree: tree?,
        notes,
    })
}

impl Run<'_> {
    fn clang(&self, input_flags: &[OsString], args: &[&str]) -> Result<Finished, FrontendError> {
        let mut all: Vec<OsString> = args.iter().map(OsString::from).collect();
        all.extend(input_flags.iter().cloned());
        process::run(&self.tools.clang, &all, self.folder, None)
    }

    /// clang from the expanded text.
    fn compile(&self, args: &[&str]) -> Result<Finished, FrontendError> {
        let args: Vec<&str> = COMMON.iter().chain(args).copied().collect();
        self.clang(&self.expanded_text()?, &args)
    }

    /// The flags that make clang read the expanded text. The run that expanded
    /// it has warned already.
    fn expanded_text(&self) -> Result<Vec<OsString>, FrontendError> {
        let mut flags = self.options.language_flags()?;
        flags.retain(|f| f != "-Werror");
        flags.extend(self.prelude.iter().cloned());
        flags.push(EXPANDED.into());
        Ok(flags)
    }

    /// clang from LLVM's text form.
    fn reread(&self, args: &[&str], file: &str) -> Result<Finished, FrontendError> {
        let flags = ["-target", "spir64-unknown-unknown", "-w", "-x", "ir", file];
        self.clang(&flags.map(OsString::from), args)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), FrontendError> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(|source| FrontendError::Io {
            action: format!("write {}", path.display()),
            source,
        })
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, FrontendError> {
        let path = self.folder.join(name);
        std::fs::read(&path).map_err(|source| FrontendError::Io {
            action: format!("read {}", path.display()),
            source,
        })
    }

    fn read_text(&self, name: &str) -> Result<String, FrontendError> {
        Ok(String::from_utf8_lossy(&self.read(name)?).into_owned())
    }

    fn compiled(&self, finished: Finished) -> Result<(), FrontendError> {
        if finished.success {
            return Ok(());
        }
        Err(FrontendError::Compile {
            path: self.path.to_owned(),
            stderr: finished.stderr.trim_end().to_owned(),
        })
    }

    fn translate(&self, bitcode: &str, spirv: &str) -> Result<Finished, FrontendError> {
        let args = [
            OsString::from("-preserve-ocl-kernel-arg-type-metadata-through-string"),
            // `atomic_fetch_add` of an `atomic_float`.
            "--spirv-ext=+SPV_EXT_shader_atomic_float_add".into(),
            bitcode.into(),
            "-o".into(),
            spirv.into(),
        ];
        process::run(&self.tools.translator, &args, self.folder, None)
    }

    fn as_written(&self) -> Result<Vec<u8>, FrontendError> {
        let unoptimised = ["-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm"];
        let to = |kind: [&'static str; 3]| [&unoptimised[..], &kind].concat();
        self.compiled(self.compile(&to(["-c", "-o", "written.bc"]))?)?;
        let translated = self.translate("written.bc", "written.spv")?;
        if translated.success {
            return self.read("written.spv");
        }
        // What only the text form can mend is rare: it is looked for where the
        // translator stops.
        self.compiled(self.compile(&to(["-S", "-o", "written.ll"]))?)?;
        let text = self.read_text("written.ll")?;
        let mended = llvm_text::without_vectors_of_one(&text);
        if mended != text {
            self.write("written.ll", &mended)?;
            self.compiled(self.reread(&to(["-c", "-o", "written.bc"]), "written.ll")?)?;
            if self.translate("written.bc", "written.spv")?.success {
                return self.read("written.spv");
            }
        }
        Err(FrontendError::Translator {
            path: self.path.to_owned(),
            tool: self.tools.translator.display().to_string(),
            message: first_lines(&translated.stderr),
        })
    }

    fn syntax_tree(&self) -> Result<Vec<u8>, FrontendError> {
        let args = ["-fsyntax-only", "-w", "-Xclang", "-ast-dump=json"];
        Ok(self.clang(&self.expanded_text()?, &args)?.stdout)
    }

    fn as_compiled(&self) -> Result<(Option<Vec<u8>>, Vec<String>), FrontendError> {
        let mut notes = Vec::new();
        if self.options.without_optimiser() {
            return Ok((None, notes));
        }
        let front = self.compile(&[
            "-O3",
            "-Xclang",
            "-disable-llvm-passes",
            "-emit-llvm",
            "-S",
            "-o",
            "front.ll",
        ])?;
        self.compiled(front)?;
        let text = llvm_text::mark_convergence(&self.read_text("front.ll")?);
        self.write("pure.ll", &text)?;
        self.write("native.ll", &llvm_text::with_native_integers(&text))?;
        let open = [UNROLL, NO_CLOSED_FORMS].concat();
        type Attempt<'a> = (&'a [&'a str], &'a str);
        let levels: [(&str, &[Attempt<'_>]); 2] = [
            (
                "-O3",
                &[
                    (UNROLL, "pure.ll"),
                    (UNROLL, "native.ll"),
                    (&open, "native.ll"),
                ],
            ),
            ("-O1", &[(NO_CLOSED_FORMS, "native.ll")]),
        ];
        for (level, attempts) in levels {
            let mut failure = None;
            for (extra, input) in attempts {
                match self.optimised(level, extra, input)? {
                    Ok(bytes) => return Ok((Some(bytes), notes)),
                    Err(message) => failure = failure.or(Some(message)),
                }
            }
            if let Some(message) = failure {
                notes.push(format!(
                    "the form as compiled at {level} can't be translated to SPIR-V: {message}"
                ));
            }
        }
        notes.push("the form as written stands in for the form as compiled".to_owned());
        Ok((None, notes))
    }

    /// One level of optimisation; the inner error is the tools' message.
    fn optimised(
        &self,
        level: &str,
        extra: &[&str],
        input: &str,
    ) -> Result<Result<Vec<u8>, String>, FrontendError> {
        let mut args = vec![level];
        args.extend(NO_VECTORS);
        args.extend(WHOLE_VECTORS);
        args.extend(extra);
        args.extend(["-emit-llvm", "-S", "-o", "optimised.ll"]);
        let finished = self.reread(&args, input)?;
        if !finished.success {
            return Ok(Err(first_lines(&finished.stderr)));
        }
        let text = llvm_text::drop_freeze(&self.read_text("optimised.ll")?);
        let text = llvm_text::with_constant_fences(&text);
        let text = llvm_text::with_signed_bools(&text);
        let text = odd_vectors::without_odd_vectors(&text);
        self.write("plain.ll", &text)?;
        let args = [
            "-O0",
            "-Xclang",
            "-disable-llvm-passes",
            "-emit-llvm",
            "-c",
            "-o",
            "compiled.bc",
        ];
        let finished = self.reread(&args, "plain.ll")?;
        if !finished.success {
            return Ok(Err(first_lines(&finished.stderr)));
        }
        let finished = self.translate("compiled.bc", "compiled.spv")?;
        if !finished.success {
            return Ok(Err(first_lines(&finished.stderr)));
        }
        self.read("compiled.spv").map(Ok)
    }
}

/// What a tool says before it prints its stack.
fn first_lines(stderr: &str) -> String {
    let lines: Vec<&str> = stderr
        .lines()
        .take_while(|line| !line.starts_with("PLEASE submit") && !line.starts_with("Stack dump"))
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .take(8)
        .collect();
    if lines.is_empty() {
        "it stopped without a message".to_owned()
    } else {
        lines.join("\n")
    }
}
