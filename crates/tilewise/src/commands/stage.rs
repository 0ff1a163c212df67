//! `tilewise stage`: the staged form of a kernel, written and proved.

mod conditional;

use std::path::{Path, PathBuf};

use similar::TextDiff;
use tilewise_frontend::source::{SourceTree, Span, source_tree};
use tilewise_frontend::{Source, Toolchain};
use tilewise_launch::{
    ArgKey, ArgValue, Buffer, FreeSize, Launch, LaunchSpec, ParamKind, Tie, file,
};
use tilewise_report::{
    Candidate, Command, Diagnostic, Run, Severity, Snippet, StagedTile, Staging, Verified,
};
pub use tilewise_staging::Sizes;
use tilewise_staging::{Code, Refusal, Staged};

use crate::error::Error;
use crate::headers::includes_beside;
use crate::input::KernelInput;
use crate::launch_info::whole_numbers;
use crate::load::{Loaded, launch_file, load, rewritten, source_of};
use crate::measure::{self, Outcome};
use crate::proof::{Proof, prove};
use crate::runs::{empty_candidate, empty_run};
use crate::session::Session;
use crate::target::{Need, Target};

/// Lines around a change in a diff.
const CONTEXT: usize = 3;

/// The host language in which the new arguments are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Host {
    /// `clSetKernelArg`.
    #[default]
    C,
    /// PyOpenCL.
    PyOpenCl,
}

/// What `stage` is asked for.
#[derive(Clone, Debug, Default)]
pub struct StageOptions {
    /// The reverse: take the tiles of a kernel out.
    pub remove: bool,
    /// Show a form that could not be proved.
    pub unverified: bool,
    /// How host lines are written.
    pub host: Host,
    /// Whether sizes of the launch may stand in the kernel.
    pub sizes: Sizes,
    /// The folder for which file names in the launch file are written.
    pub folder: PathBuf,
    /// Launches of the file's other kernels, which stay beside the new one.
    pub others: Vec<LaunchSpec>,
}

/// Stages a kernel and proves the result.
///
/// # Errors
/// The kernel, the launch or the environment. A kernel that is not staged is no
/// error: its run has the refusals as findings.
pub fn stage(
    session: &Session,
    input: &KernelInput,
    options: &StageOptions,
) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for target in Target::resolve(session, Need::Profile)? {
        let loaded = load(session, &target, std::slice::from_ref(input))?;
        let file = launch_file(input)?;
        for original in &loaded {
            let kernel = Some(original.signature.kernel.as_str());
            let launches = file.iter().flat_map(|f| &f.launches);
            let options = StageOptions {
                others: launches
                    .filter(|l| l.kernel.as_deref() != kernel)
                    .cloned()
                    .collect(),
                ..options.clone()
            };
            runs.push(one(session, &target, original, &options)?);
        }
    }
    Ok(runs)
}

/// A staged form with its proof.
pub(crate) struct Generated {
    /// The form, compiled, with its launch.
    pub form: Loaded,
    /// Whether it does the same.
    pub proof: Proof,
    /// How it was made; its texts are empty where it was not proved and not asked
    /// for.
    pub staging: Staging,
    /// Buffers that are not staged.
    pub refusals: Vec<Diagnostic>,
}

/// Stages a kernel and runs both forms on the simulator; the refusals, where there
/// is nothing to stage.
///
/// # Errors
/// The kernel has no source, or a form can't be run.
pub(crate) fn generate(
    session: &Session,
    target: &Target,
    original: &Loaded,
    options: &StageOptions,
) -> Result<Result<Generated, Vec<Diagnostic>>, Error> {
    if options.remove {
        return unstaged(session, target, original, options);
    }
    let (source, compile) = source_of(original, target)?;
    let tree = source_tree(&Toolchain::find()?, &source, &compile)?;
    let launch = launch_of(original, target, options.sizes);
    let staged = match tilewise_staging::stage(&tree, &original.signature.kernel, &launch) {
        Ok(staged) => staged,
        Err(refusals) => {
            let found = refusals.iter().map(|r| diagnostic(original, &tree, r));
            return Ok(Err(found.collect()));
        }
    };
    if let Some(tile) = staged.tiles.iter().find(|t| t.bytes == Some(0)) {
        let refusal = nothing_to_hold(&tree, original, tile);
        return Ok(Err(vec![diagnostic(original, &tree, &refusal)]));
    }
    let mut arguments: Vec<String> = staged
        .tiles
        .iter()
        .filter(|t| !t.in_kernel)
        .map(|t| format!("{}=local:[{}]", t.name, t.length()))
        .collect();
    for (name, buffer) in &staged.lengths {
        arguments.extend(length_of(original, buffer).map(|n| format!("{name}={n}")));
    }
    let whole: Vec<&str> = staged.whole.iter().map(String::as_str).collect();
    let form = rewritten(original, target, &staged.text, &[], &arguments)?;
    let mut proof = prove(session, target, original, &form, &whole)?;
    proof
        .notes
        .extend(conditional::note(&tree, &original.signature.kernel));
    let staging = staging(original, &form, &source, &staged, options, proof.holds());
    let refusals = staged.refusals.iter();
    Ok(Ok(Generated {
        refusals: refusals.map(|r| diagnostic(original, &tree, r)).collect(),
        form,
        proof,
        staging,
    }))
}

/// The kernel without its tiles, run against the form that has them.
fn unstaged(
    session: &Session,
    target: &Target,
    original: &Loaded,
    options: &StageOptions,
) -> Result<Result<Generated, Vec<Diagnostic>>, Error> {
    let (source, compile) = source_of(original, target)?;
    let tree = source_tree(&Toolchain::find()?, &source, &compile)?;
    let removed = match tilewise_staging::remove(&tree, &original.signature.kernel) {
        Ok(removed) => removed,
        Err(refusals) => {
            let found = refusals.iter().map(|r| diagnostic(original, &tree, r));
            return Ok(Err(found.collect()));
        }
    };
    let mut form = rewritten(original, target, &removed.text, &removed.parameters, &[])?;
    form.apart = Some("(tiles removed)".to_owned());
    let mut proof = prove(session, target, original, &form, &[])?;
    proof.notes.extend(removed.notes.iter().cloned());
    proof
        .notes
        .extend(conditional::note(&tree, &original.signature.kernel));
    let shown = proof.holds() || options.unverified;
    let host = removed
        .parameters
        .iter()
        .filter_map(|name| {
            let params = &original.signature.params;
            let index = params.iter().position(|p| p.name == *name)?;
            let gone = format!("argument {index}, {name}, is gone");
            Some(match options.host {
                Host::C => format!("/* {gone} */"),
                Host::PyOpenCl => format!("# {gone}"),
            })
        })
        .collect();
    let staging = Staging {
        tiles: Vec::new(),
        host,
        ..texts(&form, &source, &removed.text, options, shown, proof.holds())
    };
    let refusals = removed.refusals.iter();
    Ok(Ok(Generated {
        refusals: refusals.map(|r| diagnostic(original, &tree, r)).collect(),
        form,
        proof,
        staging,
    }))
}

/// The change as texts; none where it is not to be shown.
fn texts(
    form: &Loaded,
    source: &Source,
    text: &str,
    options: &StageOptions,
    shown: bool,
    proved: bool,
) -> Staging {
    let name = source.path.display().to_string();
    let mut launches = vec![form.resolved.spec().clone()];
    launches.extend(options.others.iter().cloned());
    // From another folder the source's own is one to look for headers.
    let own = source.path.parent().unwrap_or(Path::new(""));
    let canonical = |folder: &Path| match folder.as_os_str().is_empty() {
        true => Path::new(".").canonicalize().ok(),
        false => folder.canonicalize().ok(),
    };
    if canonical(own) != canonical(&options.folder) && includes_beside(&source.text, own) {
        for launch in &mut launches {
            launch.include.push(own.to_owned());
        }
    }
    let diff = TextDiff::from_lines(source.text.as_str(), text)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&name, &name)
        .to_string();
    Staging {
        tiles: Vec::new(),
        diff: if shown { diff } else { String::new() },
        text: if shown && proved {
            text.to_owned()
        } else if shown {
            format!("// Not proved to do what the original does.\n{text}")
        } else {
            String::new()
        },
        launch_file: if shown {
            file::to_toml(&launches, &options.folder)
        } else {
            String::new()
        },
        host: Vec::new(),
    }
}

fn one(
    session: &Session,
    target: &Target,
    original: &Loaded,
    options: &StageOptions,
) -> Result<Run, Error> {
    let mut run = empty_run(Command::Stage, target, original);
    run.removal = options.remove;
    let generated = match generate(session, target, original, options)? {
        Ok(generated) => generated,
        Err(refusals) => {
            run.findings = refusals;
            run.timings = session.timings.take();
            return Ok(run);
        }
    };
    let Generated {
        form,
        proof,
        mut staging,
        refusals,
    } = generated;
    let holds = proof.holds();
    run.findings.extend(refusals);
    run.findings.extend(proof.findings);
    run.warnings.extend(proof.notes);
    let mut trials = proof.trials;
    if let Some(device) = &target.device
        && holds
    {
        // One sample each: the times are not the question.
        let brief = Session {
            budget_seconds: 0.0,
            ..session.clone()
        };
        match measure::measure(&brief, target, device, &[original, &form])? {
            Outcome::Measured(measurement) => {
                trials.extend(measurement.trials);
                run.warnings.extend(measurement.warnings);
            }
            Outcome::Unsafe(found) => run.findings.extend(found),
        }
    }
    let equal = holds && trials.iter().all(|t| t.equal);
    if !equal && !options.unverified {
        // On the device it may differ though the simulator found it equal.
        (staging.diff, staging.text) = (String::new(), String::new());
        staging.launch_file = String::new();
        run.warnings.push(
            "the new form was not proved equal to the original and is not shown; --unverified shows it"
                .to_owned(),
        );
    }
    let candidate = Candidate {
        source: "generated".to_owned(),
        verified: Some(Verified { equal, trials }),
        staging: Some(staging),
        ..empty_candidate(&form, true)
    };
    run.candidates.push(candidate);
    run.timings = session.timings.take();
    Ok(run)
}

/// A tile that has no elements at the launch, which OpenCL does not allow.
fn nothing_to_hold(tree: &SourceTree, original: &Loaded, tile: &tilewise_staging::Tile) -> Refusal {
    let kernel = &original.signature.kernel;
    let span = tree.function(kernel).map_or(Span::default(), |f| f.span);
    let message = format!(
        "{kernel} reads no element of {} at this launch: a tile of {} would be empty",
        tile.buffer,
        tile.length()
    );
    Refusal::new(tree, span, Code::NoReuse, message)
        .of(&tile.buffer)
        .helped("give a launch at which it reads some")
}

/// The length of a buffer, as the launch writes it, or as a number.
fn length_of(loaded: &Loaded, buffer: &str) -> Option<String> {
    let launch = &loaded.resolved.launch;
    let arg = launch.args.iter().find(|a| a.name == buffer)?;
    let ArgValue::Buffer(Buffer { len: Some(len), .. }) = &arg.value else {
        return None;
    };
    let spec = loaded.resolved.spec();
    let written = spec
        .args
        .iter()
        .find(|a| a.key == ArgKey::new(buffer))
        .and_then(|a| a.value.text.strip_prefix('['))
        .and_then(|rest| rest.split_once(']'));
    Some(match written {
        Some((length, _)) => length.to_owned(),
        None => len.to_string(),
    })
}

/// What staging has to know of a launch.
fn launch_of(loaded: &Loaded, target: &Target, sizes: Sizes) -> tilewise_staging::Launch {
    let launch = &loaded.resolved.launch;
    let mut known = tilewise_staging::Launch {
        local: launch.range.local,
        limit: target.info().local_mem_bytes,
        sizes,
        ..tilewise_staging::Launch::default()
    };
    for (arg, param) in launch.args.iter().zip(&loaded.signature.params) {
        if let ArgValue::Buffer(Buffer { len: Some(len), .. }) = &arg.value {
            known.lengths.insert(arg.name.clone(), *len);
            let written = length_of(loaded, &arg.name);
            if written.is_some_and(|w| w.chars().all(|c| c.is_ascii_digit())) {
                known.fixed_lengths.push(arg.name.clone());
            }
        }
        let has_elements = matches!(
            param.kind,
            ParamKind::Global { .. } | ParamKind::Constant { .. } | ParamKind::Image { .. }
        );
        if has_elements {
            let bytes = element_bytes(&param.kind);
            known.element_bytes.insert(arg.name.clone(), bytes);
        }
    }
    let numbers = whole_numbers(loaded).into_iter();
    known.scalars = numbers.map(|(n, v)| (n.to_owned(), v)).collect();
    known.aliased = aliased(launch);
    let follows_range = |f: &&FreeSize| f.ties.iter().any(|t| matches!(t, Tie::Global { .. }));
    let sizes = loaded.resolved.free_sizes.iter();
    known.range_sizes = sizes
        .filter(follows_range)
        .map(|f| f.name.clone())
        .collect();
    known
}

/// Buffers that share their memory with another argument.
fn aliased(launch: &Launch) -> Vec<String> {
    let mut names = Vec::new();
    for arg in &launch.args {
        if let ArgValue::Alias { of } = arg.value {
            names.push(arg.name.clone());
            names.extend(launch.args.get(of).map(|a| a.name.clone()));
        }
    }
    names
}

fn staging(
    original: &Loaded,
    form: &Loaded,
    source: &Source,
    staged: &Staged,
    options: &StageOptions,
    proved: bool,
) -> Staging {
    let shown = proved || options.unverified;
    let first = original.signature.params.len();
    let mut host: Vec<String> = staged
        .tiles
        .iter()
        .filter(|t| !t.in_kernel)
        .enumerate()
        .map(|(i, tile)| {
            let param = original.signature.params.iter();
            let bytes = param
                .filter(|p| p.name == tile.buffer)
                .map(|p| element_bytes(&p.kind))
                .next();
            host_line(options.host, first + i, tile, bytes.unwrap_or(1))
        })
        .collect();
    for (name, buffer) in &staged.lengths {
        let index = first + host.len();
        host.push(match options.host {
            Host::C => format!(
                "clSetKernelArg(kernel, {index}, sizeof(cl_int), &{name}); /* elements of {buffer} */"
            ),
            Host::PyOpenCl => {
                format!("kernel.set_arg({index}, np.int32({name}))  # elements of {buffer}")
            }
        });
    }
    if let Some(group) = staged.group {
        host.push(group_line(
            options.host,
            group,
            original.resolved.launch.range.dims.into(),
        ));
    }
    Staging {
        tiles: staged
            .tiles
            .iter()
            .map(|t| StagedTile {
                buffer: t.buffer.clone(),
                name: t.name.clone(),
                elements: t.length(),
                bytes: t.bytes,
            })
            .collect(),
        host,
        ..texts(form, source, &staged.text, options, shown, proved)
    }
}

fn element_bytes(kind: &ParamKind) -> u64 {
    match kind {
        ParamKind::Global { elem, .. } | ParamKind::Constant { elem } => elem.size(),
        // A texel as a kernel gets it: four components of four bytes.
        ParamKind::Image { .. } => 16,
        _ => 1,
    }
}

/// The line of a host program that sets a tile's argument.
fn host_line(host: Host, index: usize, tile: &tilewise_staging::Tile, bytes: u64) -> String {
    let mut length = tile.length();
    for d in 0..3 {
        length = length.replace(&format!("local_size({d})"), &format!("local[{d}]"));
    }
    let length = if tile.extents.len() == 1 && length.contains(['+', '-']) {
        format!("({length})")
    } else {
        length
    };
    let length = length.replace('+', " + ").replace('*', " * ");
    match host {
        Host::C => format!(
            "clSetKernelArg(kernel, {index}, {length} * {bytes}, NULL); /* {}: bytes per group; local is the local work size */",
            tile.name
        ),
        Host::PyOpenCl => format!(
            "kernel.set_arg({index}, cl.LocalMemory({length} * {bytes}))  # {}: bytes per group; local is the local work size",
            tile.name
        ),
    }
}

/// The line of a host program that launches groups of the size that the kernel takes.
fn group_line(host: Host, group: [u64; 3], dims: usize) -> String {
    let sizes: Vec<String> = group.iter().take(dims).map(u64::to_string).collect();
    let sizes = sizes.join(", ");
    match host {
        Host::C => {
            format!(
                "const size_t local[] = {{{sizes}}}; /* the only size of a group that the kernel takes */"
            )
        }
        Host::PyOpenCl => {
            format!("local = ({sizes},)  # the only size of a group that the kernel takes")
        }
    }
}

/// A refusal as a finding.
fn diagnostic(loaded: &Loaded, tree: &SourceTree, refusal: &Refusal) -> Diagnostic {
    let (line, column) = refusal.at;
    let text = (line as usize)
        .checked_sub(1)
        .and_then(|i| tree.text.lines().nth(i));
    Diagnostic {
        code: refusal.code.text().to_owned(),
        severity: Severity::Note,
        message: refusal.message.clone(),
        file: loaded.path.display().to_string(),
        line,
        column,
        kernel: loaded.signature.kernel.clone(),
        labels: Vec::new(),
        notes: Vec::new(),
        help: refusal.help.iter().cloned().collect(),
        count: 1,
        snippet: text.map(|t| Snippet {
            first_line: line,
            lines: vec![t.to_owned()],
        }),
    }
}

#[cfg(test)]
mod tests;
