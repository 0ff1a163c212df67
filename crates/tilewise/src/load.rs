//! From what the user names to a compiled kernel with its launch.
//!
//! Several kernels of one command are loaded together: a file that two of them
//! share is compiled once, and arguments match by name, so that one that only
//! one kernel has is given once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tilewise_frontend::{Artifacts, Cache, Compiled, FrontendError, Options, Source, Toolchain};
use tilewise_ir::{Form, Kernel, Program};
use tilewise_launch::pair;
use tilewise_launch::resolve::{Limits, Resolved, resolve};
use tilewise_launch::{ArgKey, ArgSetting, LaunchFile, LaunchSpec, Signature};
use tilewise_model::profile::DeviceProfile;

use crate::bundle;
use crate::error::Error;
use crate::input::KernelInput;
use crate::session::Session;
use crate::target::Target;

/// A kernel, compiled, with its launch resolved for one target.
#[derive(Clone)]
pub struct Loaded {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// The program that holds it.
    pub unit: Arc<Unit>,
    /// The kernel's signature.
    pub signature: Signature,
    /// The launch.
    pub resolved: Resolved,
    /// What to know about how the launch came about.
    pub notes: Vec<String>,
    /// What tells it from another kernel of its name: `(staged)`, `in K_tiled.cl`.
    pub apart: Option<String>,
}

/// A compiled program.
pub struct Unit {
    /// Both IRs and the signatures.
    pub compiled: Compiled,
    /// The OpenCL C text that a device builds; `None` for a `.spv` file.
    pub source: Option<String>,
    /// Names and texts of the source's files, for messages.
    pub files: Vec<(String, String)>,
    /// Names and texts of the files that these include.
    pub included: Vec<(String, String)>,
    /// Build options for a device.
    pub build_options: String,
    /// Version of OpenCL C it is compiled for.
    pub c_version: (u32, u32),
    /// What clang and the translator gave; `None` for a `.spv` file.
    pub artifacts: Option<Artifacts>,
}

impl Unit {
    /// What a launch of the program has to keep to on a target.
    pub fn limits(&self, target: &Target) -> Limits {
        // OpenCL 2.0, section 5.8.4.5: the host promises groups of one size.
        let uniform = "-cl-uniform-work-group-size";
        let promised = self.build_options.split_whitespace().any(|o| o == uniform);
        target.limits(self.c_version >= (2, 0) && !promised)
    }
}

impl Loaded {
    /// What messages call it: the kernel's name, told from another's of this name.
    pub fn name(&self) -> String {
        match &self.apart {
            Some(apart) => format!("{} {apart}", self.signature.kernel),
            None => self.signature.kernel.clone(),
        }
    }

    /// The kernel's IR in one form.
    ///
    /// # Errors
    /// The form has no such kernel, which a broken bundle may cause.
    pub fn kernel(&self, form: Form) -> Result<&Kernel, Error> {
        self.program(form)
            .kernel(&self.signature.kernel)
            .ok_or_else(|| {
                Error::Input(format!(
                    "{}: the compiled program lost kernel {}",
                    self.path.display(),
                    self.signature.kernel
                ))
            })
    }

    /// The program in one form.
    pub fn program(&self, form: Form) -> &Program {
        match form {
            Form::AsWritten => &self.unit.compiled.as_written,
            Form::AsCompiled => &self.unit.compiled.as_compiled,
        }
    }

    /// The text of a file of the program, if it is at hand.
    pub fn file_text(&self, file: &str) -> Option<&str> {
        let mut files = self.unit.files.iter().chain(&self.unit.included);
        let known = files.find(|(name, _)| name == file);
        known.map(|(_, text)| text.as_str())
    }

    /// The text of a line of the user's file, without indentation.
    pub fn line_text(&self, file: &str, line: u32) -> Option<String> {
        let line = self
            .file_text(file)?
            .lines()
            .nth((line as usize).checked_sub(1)?)?;
        Some(line.trim().to_owned())
    }
}

/// Loads kernels that are used together.
///
/// # Errors
/// A file that can't be read or compiled, a kernel that isn't there, a launch
/// that can't be made.
pub fn load(
    session: &Session,
    target: &Target,
    inputs: &[KernelInput],
) -> Result<Vec<Loaded>, Error> {
    let mut units: Vec<(PathBuf, LaunchSpec, Arc<Unit>)> = Vec::new();
    let mut found = Vec::new();
    for input in inputs {
        let file = launch_file(input)?;
        let early = spec_before_compiling(input, file.as_ref())?;
        let known = units.iter().find(|(path, spec, _)| {
            *path == input.path
                && spec.defines == early.defines
                && spec.include == early.include
                && spec.build_options == early.build_options
                && spec.prepend == early.prepend
        });
        let unit = match known {
            Some((_, _, unit)) => unit.clone(),
            None => {
                let unit = Arc::new(compile(session, target, input, &early)?);
                units.push((input.path.clone(), early.clone(), unit.clone()));
                unit
            }
        };
        let signature = choose_kernel(input, &early, file.as_ref(), &unit.compiled)?.clone();
        found.push((input, file, unit, signature));
    }
    // Nobody named the kernel that was taken: say why it was no other.
    let unnamed = found.iter().filter(|(input, ..)| wanted(input).is_none());
    let mut passed_over: Vec<String> = unnamed
        .flat_map(|(_, _, unit, _)| &unit.compiled.refusals)
        .map(|refusal| FrontendError::from(refusal.clone()).to_string())
        .collect();
    passed_over.dedup();
    let signatures: Vec<&Signature> = found.iter().map(|(_, _, _, s)| s).collect();
    let first_spec = match found.first() {
        Some((input, file, _, signature)) => from_file(input, file.as_ref(), signature)?,
        None => None,
    };
    let mut notes = passed_over;
    let mut loaded: Vec<Loaded> = Vec::new();
    for (index, (input, file, unit, signature)) in found.iter().enumerate() {
        // A kernel's launch may stand in the first kernel's file, too; a kernel
        // without one takes the first kernel's.
        let beside = || {
            let (_, first_file, _, _) = found.first()?;
            let kernel = Some(signature.kernel.as_str());
            let file = first_file.as_ref()?;
            let spec = file.select(input.launch_name.as_deref(), kernel).ok()?;
            spec.kernel.is_some().then(|| spec.clone())
        };
        let own = match from_file(input, file.as_ref(), signature)? {
            Some(own) => Some(own),
            None => beside(),
        };
        let base = match (own, &first_spec) {
            (Some(own), Some(first)) if index > 0 => same_inputs(own, first, &mut notes),
            (Some(own), _) => own,
            (None, first) => first.clone().unwrap_or_default(),
        };
        let only = |spec: &LaunchSpec| pair::distribute(spec, &[], &signatures).swap_remove(index);
        let spec = only(&base).overridden_by(only(&input.flags));
        let resolved =
            resolve(&spec, signature, &unit.limits(target)).map_err(|error| {
                match file
                    .as_ref()
                    .and_then(|f| not_in_file(f, &signature.kernel))
                {
                    Some(note) => Error::Input(format!("{error}\n{note}")),
                    None => error.into(),
                }
            })?;
        let namesake = |l: &Loaded| l.signature.kernel == signature.kernel && l.path != input.path;
        let apart = loaded.iter().any(namesake).then(|| {
            let file = input.path.file_name().unwrap_or(input.path.as_os_str());
            format!("in {}", file.display())
        });
        loaded.push(Loaded {
            path: input.path.clone(),
            unit: unit.clone(),
            signature: signature.clone(),
            resolved,
            notes: Vec::new(),
            apart,
        });
    }
    if let Some(first) = loaded.first_mut() {
        first.notes = notes;
    }
    Ok(loaded)
}

/// A further kernel's launch with the first kernel's value for every argument
/// that both launches name: forms of one kernel are compared on one input.
/// (`--arg@2` still goes over it.)
fn same_inputs(mut own: LaunchSpec, first: &LaunchSpec, notes: &mut Vec<String>) -> LaunchSpec {
    for arg in &mut own.args {
        let Some(shared) = first.args.iter().find(|a| a.key == arg.key) else {
            continue;
        };
        if shared.value.text != arg.value.text {
            notes.push(format!(
                "{} is {} for both kernels, as the first one's launch says, not {} (--arg@2 sets it for the second)",
                arg.key, shared.value.text, arg.value.text
            ));
        }
        arg.value = shared.value.clone();
    }
    own
}

/// The launch file of an input, read.
pub(crate) fn launch_file(input: &KernelInput) -> Result<Option<LaunchFile>, Error> {
    let path = match &input.launch_file {
        Some(path) => Some(path.clone()),
        None if input.path.is_dir() => bundle::launch_file(&input.path),
        None => LaunchFile::beside(&input.path),
    };
    match path {
        Some(path) => Ok(Some(LaunchFile::read(&path)?)),
        None if input.launch_name.is_some() => Err(Error::Input(format!(
            "--launch-name needs a launch file; there is no {} (give one with --launch, or write one with `tilewise init {}`)",
            input.path.with_extension("toml").display(),
            input.path.display()
        ))),
        None => Ok(None),
    }
}

/// What is known of the launch before the kernel's signature is: enough to
/// compile with the right macros.
fn spec_before_compiling(
    input: &KernelInput,
    file: Option<&LaunchFile>,
) -> Result<LaunchSpec, Error> {
    let kernel = input.kernel.as_deref().or(input.flags.kernel.as_deref());
    let base = match file {
        Some(file) => match (&input.launch_name, kernel) {
            (Some(name), _) => file.select(Some(name), kernel)?.clone(),
            (None, Some(kernel)) => file.select(None, Some(kernel)).cloned().unwrap_or_default(),
            (None, None) => file.launches.first().cloned().unwrap_or_default(),
        },
        None => LaunchSpec::default(),
    };
    Ok(base.overridden_by(input.flags.clone()))
}

/// The launch that a file holds for a kernel, if it does.
fn from_file(
    input: &KernelInput,
    file: Option<&LaunchFile>,
    signature: &Signature,
) -> Result<Option<LaunchSpec>, Error> {
    let Some(file) = file else { return Ok(None) };
    let kernel = Some(signature.kernel.as_str());
    if input.launch_name.is_some() {
        return Ok(Some(
            file.select(input.launch_name.as_deref(), kernel)?.clone(),
        ));
    }
    Ok(file.select(None, kernel).ok().cloned())
}

/// What a launch file holds instead, where it has no launch of a kernel.
fn not_in_file(file: &LaunchFile, kernel: &str) -> Option<String> {
    if file.select(None, Some(kernel)).is_ok() {
        return None;
    }
    let others: Vec<&str> = file
        .launches
        .iter()
        .filter_map(|launch| launch.kernel.as_deref())
        .collect();
    Some(format!(
        "note: {} has no launch of {kernel}; it has launches of {}",
        file.path.display(),
        others.join(", ")
    ))
}

/// The kernel that was asked for by name.
fn wanted(input: &KernelInput) -> Option<&str> {
    input.kernel.as_deref().or(input.flags.kernel.as_deref())
}

/// Why a program has no such kernel, or none at all: what it uses is refused, or
/// there is no such name.
pub(crate) fn no_such_kernel(path: &Path, wanted: Option<&str>, compiled: &Compiled) -> Error {
    let refusals = &compiled.refusals;
    let refused = match wanted {
        Some(name) => refusals
            .iter()
            .find(|r| r.kernel.as_deref().is_none_or(|kernel| kernel == name)),
        None => refusals.first(),
    };
    if let Some(refusal) = refused {
        return FrontendError::from(refusal.clone()).into();
    }
    let path = path.display();
    let names = || compiled.signatures.iter().map(|s| s.kernel.as_str());
    match wanted {
        Some(name) if !compiled.signatures.is_empty() => {
            let near = tilewise_launch::suggest::nearest(name, names());
            Error::Input(format!(
                "{path} has no kernel `{name}`{} It holds {}",
                near.map_or(".".to_owned(), |n| format!(", did you mean `{n}`?")),
                names().collect::<Vec<_>>().join(", ")
            ))
        }
        _ => Error::Input(format!(
            "{path} holds no kernel: no function in it is marked __kernel"
        )),
    }
}

/// The input once for each kernel that its launch file names, where it names none
/// itself and asks for no launch.
///
/// # Errors
/// The launch file can't be read.
pub(crate) fn each_kernel(input: &KernelInput) -> Result<Vec<KernelInput>, Error> {
    let chosen = wanted(input).is_some() || input.launch_name.is_some();
    let file = match chosen {
        true => None,
        false => launch_file(input)?,
    };
    let kernels = file.as_ref().map_or_else(Vec::new, LaunchFile::kernels);
    Ok(match kernels.len() {
        0 | 1 => vec![input.clone()],
        _ => kernels
            .into_iter()
            .map(|kernel| KernelInput {
                kernel: Some(kernel.to_owned()),
                ..input.clone()
            })
            .collect(),
    })
}

fn choose_kernel<'s>(
    input: &KernelInput,
    spec: &LaunchSpec,
    file: Option<&LaunchFile>,
    compiled: &'s Compiled,
) -> Result<&'s Signature, Error> {
    let path = input.path.display();
    let wanted = wanted(input);
    match (wanted, &compiled.signatures[..]) {
        (_, []) => Err(no_such_kernel(&input.path, wanted, compiled)),
        (Some(name), signatures) => signatures
            .iter()
            .find(|s| s.kernel == name)
            .ok_or_else(|| no_such_kernel(&input.path, wanted, compiled)),
        (None, [one]) => Ok(one),
        (None, several) => {
            // A launch that was asked for says which is meant, and so does a launch
            // file whose launches are all of one kernel.
            let asked = input.launch_name.is_some() || input.launch_file.is_some();
            let from_file = spec
                .kernel
                .as_deref()
                .filter(|name| asked || file.is_some_and(|file| file.only_kernel() == Some(name)))
                .and_then(|name| several.iter().find(|s| s.kernel == name));
            from_file.ok_or_else(|| {
                Error::Input(format!(
                    "{path} holds {} kernels; name one: {}",
                    several.len(),
                    several
                        .iter()
                        .map(|s| format!("{path}::{}", s.kernel))
                        .collect::<Vec<_>>()
                        .join(", ")
                ))
            })
        }
    }
}

pub(crate) fn compile(
    session: &Session,
    target: &Target,
    input: &KernelInput,
    spec: &LaunchSpec,
) -> Result<Unit, Error> {
    let path = &input.path;
    if path.is_dir() {
        return bundle::read(path);
    }
    let read = |path: &Path| {
        std::fs::read(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })
    };
    let bytes = read(path)?;
    session
        .progress
        .phase(&format!("compiling {}", path.display()));
    let _phase = session.timings.phase(format!("compile {}", path.display()));
    let mut options = options(spec, target)?;
    let c_version = c_version(&options);
    if path.extension().is_some_and(|e| e == "spv") {
        return Ok(Unit {
            compiled: tilewise_frontend::compile_spirv(path, &bytes)?,
            source: None,
            files: Vec::new(),
            included: Vec::new(),
            build_options: String::new(),
            c_version,
            artifacts: None,
        });
    }
    if bytes.trim_ascii().is_empty() {
        return Err(Error::Input(format!(
            "{} is empty: expected OpenCL C with at least one __kernel function",
            path.display()
        )));
    }
    // Editors on Windows put a byte order mark in front, which compilers skip.
    let text = String::from_utf8_lossy(&bytes)
        .trim_start_matches('\u{feff}')
        .to_owned();
    let mut prepend = Vec::new();
    for file in &spec.prepend {
        prepend.push((
            file.clone(),
            String::from_utf8_lossy(&read(file)?).into_owned(),
        ));
    }
    // The kernel's own folder is searched as hosts do that pass it with -I.
    let folder = path
        .parent()
        .filter(|f| !f.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    options.include_dirs.push(folder.to_owned());
    compile_source(
        session.cache.clone().map(Cache::new),
        &Source {
            path: path.clone(),
            text,
            prepend,
        },
        &options,
        spec,
    )
    .map_err(|error| with_other_devices(error, target))
}

/// An error about extensions that the device lacks, with the simulated devices that
/// have them.
fn with_other_devices(error: Error, target: &Target) -> Error {
    let Error::Frontend(inner) = error else {
        return error;
    };
    let FrontendError::Compile { path, mut stderr } = *inner else {
        return Error::Frontend(inner);
    };
    let wanted = tilewise_frontend::lacking_extensions(&stderr);
    if !wanted.is_empty() {
        let has = |profile: &&DeviceProfile| {
            let list = &profile.opencl.extensions.value;
            wanted.iter().all(|w| list.iter().any(|e| e == w))
        };
        let others: Vec<String> = DeviceProfile::all()
            .iter()
            .filter(has)
            .map(|p| format!("--device sim:{}", p.name))
            .collect();
        let others = match others.is_empty() {
            true => "no built-in profile has all of these".to_owned(),
            false => format!("try {}", others.join(" or ")),
        };
        let device = &target.info().name;
        stderr.push_str(&format!("\nnote: the device is {device}; {others}"));
    }
    FrontendError::Compile { path, stderr }.into()
}

/// Compiles a source that is at hand, unless `cache` has what it gives.
fn compile_source(
    cache: Option<Cache>,
    source: &Source,
    options: &Options,
    spec: &LaunchSpec,
) -> Result<Unit, Error> {
    let folder = source
        .path
        .parent()
        .filter(|f| !f.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let toolchain = Toolchain {
        cache,
        ..Toolchain::find()?
    };
    let artifacts = tilewise_frontend::build(&toolchain, source, options)?;
    let device_text = source
        .prepend
        .iter()
        .map(|(_, text)| text.as_str())
        .chain([source.text.as_str()])
        .collect::<Vec<_>>()
        .join("\n");
    // A device is given a text, which has no folder.
    let includes = device_text.contains("#include");
    let files: Vec<(String, String)> =
        std::iter::once((source.path.display().to_string(), source.text.clone()))
            .chain(
                source
                    .prepend
                    .iter()
                    .map(|(path, text)| (path.display().to_string(), text.clone())),
            )
            .collect();
    // Clang's own headers are not shown, nor what can't be read any more.
    let included = artifacts.positions.files().iter().filter_map(|name| {
        let known = files.iter().any(|(file, _)| file == name);
        let text = (!known).then(|| std::fs::read_to_string(name).ok())??;
        Some((name.clone(), text))
    });
    Ok(Unit {
        compiled: tilewise_frontend::lower(&artifacts)?,
        source: Some(device_text),
        included: included.collect(),
        files,
        build_options: device_options(spec, includes.then_some(folder)),
        c_version: c_version(options),
        artifacts: Some(artifacts),
    })
}

/// The source of a kernel that was loaded from OpenCL C, and its options.
///
/// # Errors
/// The kernel has no source: SPIR-V, or a bundle.
pub(crate) fn source_of(loaded: &Loaded, target: &Target) -> Result<(Source, Options), Error> {
    source_at(&loaded.path, &loaded.unit, loaded.resolved.spec(), target)
}

/// [`source_of`] of a program for which no launch is at hand yet.
///
/// # Errors
/// As [`source_of`].
pub(crate) fn source_at(
    path: &Path,
    unit: &Unit,
    spec: &LaunchSpec,
    target: &Target,
) -> Result<(Source, Options), Error> {
    let mut files = unit.files.iter();
    let (Some((_, text)), true) = (files.next(), path.is_file()) else {
        return Err(Error::Input(format!(
            "{} has no source to edit: name the .cl file",
            path.display()
        )));
    };
    let mut options = options(spec, target)?;
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    options.include_dirs.push(folder.to_owned());
    Ok((
        Source {
            path: path.to_owned(),
            text: text.clone(),
            prepend: files.map(|(p, t)| (PathBuf::from(p), t.clone())).collect(),
        },
        options,
    ))
}

/// Another form of a kernel whose source is at hand, under the same name, with
/// the original's launch without some of its arguments and with further ones
/// (`tile=local:f32[…]`).
///
/// # Errors
/// [`Error::Generated`]: it does not compile, or its launch can't be made.
pub(crate) fn rewritten(
    original: &Loaded,
    target: &Target,
    text: &str,
    without: &[String],
    arguments: &[String],
) -> Result<Loaded, Error> {
    try_rewritten(original, target, text, without, arguments).map_err(|why| Error::Generated {
        kernel: original.signature.kernel.clone(),
        why: Box::new(why),
    })
}

fn try_rewritten(
    original: &Loaded,
    target: &Target,
    text: &str,
    without: &[String],
    arguments: &[String],
) -> Result<Loaded, Error> {
    let (source, options) = source_of(original, target)?;
    let source = Source {
        text: text.to_owned(),
        ..source
    };
    let mut spec = original.resolved.spec().clone();
    spec.args
        .retain(|a| !without.iter().any(|name| a.key == ArgKey::new(name)));
    for argument in arguments {
        spec.args.push(ArgSetting::from_flag(argument)?);
    }
    let unit = compile_source(None, &source, &options, &spec)?;
    let name = &original.signature.kernel;
    let found = unit.compiled.signatures.iter().find(|s| s.kernel == *name);
    let signature = found.cloned().ok_or_else(|| {
        let why = unit.compiled.refusals.iter().map(ToString::to_string);
        Error::Input(format!(
            "the new form of {name} can't be run: {}",
            why.collect::<Vec<_>>().join("; ")
        ))
    })?;
    let resolved = resolve(&spec, &signature, &unit.limits(target))?;
    Ok(Loaded {
        path: original.path.clone(),
        unit: Arc::new(unit),
        signature,
        resolved,
        notes: Vec::new(),
        apart: Some("(staged)".to_owned()),
    })
}

/// Front-end options of a launch on a target.
fn options(spec: &LaunchSpec, target: &Target) -> Result<Options, Error> {
    let mut options = Options::parse(spec.build_options.as_deref().unwrap_or(""))?;
    options.defines.extend(spec.defines.iter().cloned());
    options.include_dirs.extend(spec.include.iter().cloned());
    let profile = &target.profile.opencl;
    match &target.device {
        Some(device) => {
            options.extensions = Some(device.info().extensions.clone());
            let (major, minor) = device.info().opencl_version();
            options.device_version = Some(major * 100 + minor * 10);
        }
        None => {
            options.extensions = Some(profile.extensions.value.clone());
            options.device_version = Some(profile.version.value);
        }
    }
    options.vendor_macros = profile.macros.value.clone();
    Ok(options)
}

fn c_version(options: &Options) -> (u32, u32) {
    match options.cl_std.as_deref() {
        Some("CL1.0") => (1, 0),
        Some("CL1.1") => (1, 1),
        Some("CL2.0") => (2, 0),
        Some("CL3.0") => (3, 0),
        _ => (1, 2),
    }
}

/// The options that a device's compiler gets. `folder` is where the source's
/// headers are.
pub(crate) fn device_options(spec: &LaunchSpec, folder: Option<&Path>) -> String {
    let quoted = |text: &str| {
        if text.contains([' ', '"']) {
            format!("\"{}\"", text.replace('"', "\\\""))
        } else {
            text.to_owned()
        }
    };
    let mut words: Vec<String> = spec.build_options.iter().cloned().collect();
    words.extend(spec.defines.iter().map(|d| format!("-D{}", quoted(d))));
    let own = folder.map(|f| std::path::absolute(f).unwrap_or_else(|_| f.to_owned()));
    words.extend(
        spec.include
            .iter()
            .chain(&own)
            .map(|d| format!("-I{}", quoted(&d.to_string_lossy()))),
    );
    words.join(" ")
}
