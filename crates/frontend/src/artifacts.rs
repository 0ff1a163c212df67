//! The steps from a source to its IR, and what is kept between them.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tilewise_ir::{Form, Program};
use tilewise_launch::Signature;

use crate::ast::{self, Declarations};
use crate::cache::Key;
use crate::compile::{Options, Source, chains, expand};
use crate::error::{FrontendError, Refusal};
use crate::lower::Lowered;
use crate::position::{EXPANDED, PositionMap};
use crate::signature::signature;
use crate::spirv::{Module, reader};
use crate::toolchain::Toolchain;

/// A source, compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// One access in the source is one access here. Used for checks.
    pub as_written: Program,
    /// After an optimising compiler. Used for traffic and prediction.
    pub as_compiled: Program,
    /// One signature per kernel that can be run.
    pub signatures: Vec<Signature>,
    /// Kernels of the file that can't be run, with the reason. A file without
    /// any kernel has neither signatures nor refusals.
    pub refusals: Vec<Refusal>,
    /// Why the form as written stands in for the form as compiled, where it
    /// does. The notes say it, too.
    pub stands_in: Option<String>,
    /// What is not as it should be, such as ignored build options.
    pub notes: Vec<String>,
    /// clang's warnings, as it prints them.
    pub warnings: String,
}

/// What clang and the translator give: all that [`lower`] needs, without them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifacts {
    /// SPIR-V of the form as written.
    #[serde(skip)]
    pub as_written: Vec<u8>,
    /// SPIR-V of the form as compiled; `None` where it could not be made and
    /// the form as written stands in for it.
    #[serde(skip)]
    pub as_compiled: Option<Vec<u8>>,
    /// One signature per kernel that can be run.
    pub signatures: Vec<Signature>,
    /// Kernels that can't be run, with the reason.
    pub refusals: Vec<Refusal>,
    /// Leads from the compiled text to the user's files.
    pub positions: PositionMap,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// clang's warnings.
    pub warnings: String,
}

/// Compiles a source to its IR.
///
/// # Errors
/// See [`FrontendError`].
pub fn compile(
    tools: &Toolchain,
    source: &Source,
    options: &Options,
) -> Result<Compiled, FrontendError> {
    lower(&build(tools, source, options)?)
}

/// Compiles a source to SPIR-V and signatures.
///
/// # Errors
/// See [`FrontendError`].
pub fn build(
    tools: &Toolchain,
    source: &Source,
    options: &Options,
) -> Result<Artifacts, FrontendError> {
    let folder = tempfile::tempdir().map_err(|source| FrontendError::Io {
        action: "make a temporary folder".to_owned(),
        source,
    })?;
    let expanded = expand::expand(tools, source, options, folder.path())?;
    let key = tools
        .cache
        .as_ref()
        .and_then(|cache| Some((cache, Key::new(tools, options, &expanded).ok()?)));
    if let Some((cache, key)) = &key
        && let Some(artifacts) = cache.find(key)
    {
        return Ok(artifacts);
    }
    let file = folder.path().join(EXPANDED);
    std::fs::write(&file, &expanded.text).map_err(|source| FrontendError::Io {
        action: format!("write {}", file.display()),
        source,
    })?;
    let chained = chains::run_chains(tools, options, &source.path, &expanded.text, folder.path())?;
    let mut notes: Vec<String> = options
        .ignored()
        .into_iter()
        .map(|(option, why)| {
            format!("build option `{option}` has no effect here and is ignored: {why}")
        })
        .collect();
    notes.extend(chained.notes);
    let declarations = ast::read(&chained.tree)?;
    let module = reader::read(&chained.as_written)?;
    let lowered = crate::lower::lower(&module, Form::AsWritten, &expanded.positions)?;
    let mut artifacts = Artifacts {
        signatures: signatures(&module, &lowered, Some(&declarations))?,
        refusals: lowered.refusals,
        as_written: chained.as_written,
        as_compiled: chained.as_compiled,
        positions: expanded.positions,
        notes,
        warnings: expanded.warnings,
    };
    if let Some((cache, key)) = key
        && let Err(error) = cache.keep(key, &artifacts)
    {
        artifacts.notes.push(format!(
            "what the compiler gave can't be kept for the next run: {error}"
        ));
    }
    Ok(artifacts)
}

/// Lowers both forms of what [`build`] gave. Needs no clang.
///
/// # Errors
/// [`FrontendError::Malformed`].
pub fn lower(artifacts: &Artifacts) -> Result<Compiled, FrontendError> {
    let positions = &artifacts.positions;
    let written = lower_bytes(&artifacts.as_written, Form::AsWritten, positions)?.program;
    let mut notes = artifacts.notes.clone();
    let compiled = match &artifacts.as_compiled {
        Some(bytes) => match lower_bytes(bytes, Form::AsCompiled, positions) {
            Ok(lowered) if covers(&lowered.program, &written) => Ok(lowered.program),
            // The optimiser may use what the source does not.
            Ok(lowered) => Err(reasons(&lowered.refusals)),
            Err(error) => Err(error.to_string()),
        },
        None => Err("it can't be translated to SPIR-V".to_owned()),
    };
    let (as_compiled, stands_in) = match compiled {
        Ok(program) => (program, None),
        Err(reason) => {
            if artifacts.as_compiled.is_some() {
                notes.push(format!(
                    "the form as compiled is not run ({reason}); the form as written stands in for it"
                ));
            }
            (as_compiled_from(&written), Some(reason))
        }
    };
    Ok(Compiled {
        as_compiled,
        as_written: written,
        signatures: artifacts.signatures.clone(),
        refusals: artifacts.refusals.clone(),
        stands_in,
        notes,
        warnings: artifacts.warnings.clone(),
    })
}

/// Refusals in one line.
fn reasons(refusals: &[Refusal]) -> String {
    let each: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    each.join("; ")
}

/// Reads SPIR-V that comes from elsewhere. It stands for both forms.
///
/// # Errors
/// [`FrontendError::Malformed`]; [`FrontendError::Refused`] for a module that
/// is not for OpenCL.
pub fn compile_spirv(path: &Path, bytes: &[u8]) -> Result<Compiled, FrontendError> {
    let positions = PositionMap::identity(&path.display().to_string());
    let module = reader::read(bytes)?;
    let lowered = crate::lower::lower(&module, Form::AsWritten, &positions)?;
    let signatures = signatures(&module, &lowered, None)?;
    Ok(Compiled {
        as_compiled: as_compiled_from(&lowered.program),
        as_written: lowered.program,
        signatures,
        refusals: lowered.refusals,
        stands_in: None,
        notes: vec![
            "SPIR-V input: the given code stands for the form as written and as compiled"
                .to_owned(),
        ],
        warnings: String::new(),
    })
}

/// Signatures of the kernels of a module, with the names and types that the
/// syntax tree of its source has (`clang -Xclang -ast-dump=json`). Where the
/// tree does not have a kernel, or has it with another number of parameters,
/// the module alone speaks.
///
/// # Errors
/// As [`compile_spirv`]; [`FrontendError::Malformed`] for a tree that is none.
pub fn signatures_with_tree(spirv: &[u8], tree: &[u8]) -> Result<Vec<Signature>, FrontendError> {
    let declarations = ast::read(tree)?;
    let module = reader::read(spirv)?;
    let positions = PositionMap::identity("module");
    let lowered = crate::lower::lower(&module, Form::AsWritten, &positions)?;
    signatures(&module, &lowered, Some(&declarations))
}

fn lower_bytes(
    bytes: &[u8],
    form: Form,
    positions: &PositionMap,
) -> Result<Lowered, FrontendError> {
    let module = reader::read(bytes)?;
    crate::lower::lower(&module, form, positions)
}

/// Whether a program has every kernel of another.
fn covers(program: &Program, other: &Program) -> bool {
    let mut names = other.kernels.iter().map(|k| &k.name);
    names.all(|name| program.kernel(name).is_some())
}

fn as_compiled_from(written: &Program) -> Program {
    Program {
        form: Form::AsCompiled,
        ..written.clone()
    }
}

fn signatures(
    module: &Module,
    lowered: &Lowered,
    declarations: Option<&Declarations>,
) -> Result<Vec<Signature>, FrontendError> {
    lowered
        .program
        .kernels
        .iter()
        .zip(&lowered.facts)
        .filter_map(|(kernel, facts)| {
            let mut points = module.entry_points.iter();
            let point = points.find(|p| p.name == kernel.name)?;
            Some(signature(module, point, kernel, facts, declarations))
        })
        .collect()
}
