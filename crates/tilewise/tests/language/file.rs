//! Runs one test file: compiles it, runs its launches on both machines and
//! compares what they leave.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use tilewise_device::{Device, Queue};
use tilewise_frontend::{Compiled, Options, Source, Toolchain};
use tilewise_ir::Form;
use tilewise_launch::{Launch, LaunchSpec, Limits, resolve};

use crate::device;
use crate::expect::{Expect, header};
use crate::numbers::{difference, unexpected};
use crate::simulator::{self, Left};
use crate::sorted;

/// Runs a file.
pub fn run(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (launches, expect) = header(&text)?;
    let tools = Toolchain::find().map_err(|e| e.to_string())?;
    let mut compiled: Vec<(&LaunchSpec, Compiled)> = Vec::new();
    let mut resolved = Vec::new();
    for spec in &launches {
        let known = compiled
            .iter()
            .position(|(s, _)| s.build_options == spec.build_options && s.defines == spec.defines);
        let unit = match known {
            Some(at) => at,
            None => match compile(&tools, path, &text, spec, &expect) {
                Ok(unit) => {
                    compiled.push((spec, unit));
                    compiled.len() - 1
                }
                Err(message) => return refused(&expect, &message),
            },
        };
        match of_launch(&compiled[unit].1, spec) {
            Ok(launch) => resolved.push((spec, launch, unit)),
            Err(message) => return refused(&expect, &message),
        }
    }
    if !expect.refused.is_empty() {
        return Err(format!("it is not refused with {:?}", expect.refused));
    }
    let device = device_for(&expect)?;
    let queue = device.as_ref().map(Queue::new).transpose();
    let queue = queue.map_err(|e| e.to_string())?;
    if queue.is_some() {
        let mut out = std::io::stdout();
        out.write_all(device::RAN.as_bytes())
            .and_then(|()| out.flush())
            .map_err(|e| e.to_string())?;
    }
    let mut printed = BTreeMap::new();
    for (spec, launch, unit) in &resolved {
        let left = simulate(&compiled[*unit].1, launch, &expect, &mut printed)?;
        let Some(queue) = &queue else { continue };
        let on_device = device::run(queue, &text, &device_options(spec), launch)?;
        let names = ("the simulator", "the device");
        same(launch, names, &left.buffers, &on_device, expect.ulps)?;
    }
    for (name, text) in printed {
        if expect.fault.is_none() && sorted(&text) != sorted(&expect.printf) {
            return Err(format!("{name} prints\n{text}and not\n{}", expect.printf));
        }
    }
    Ok(())
}

/// The device to run on, if there is one that can.
fn device_for(expect: &Expect) -> Result<Option<Device>, String> {
    if expect.fault.is_some() {
        return Ok(None);
    }
    if let Some(why) = &expect.simulator_only {
        eprintln!("not run on a device: {why}");
        return Ok(None);
    }
    let Some(device) = device::first()? else {
        return Ok(None);
    };
    let has = |name: &String| device.info().extensions.contains(name);
    if let Some(lacks) = expect.needs.iter().find(|n| !has(n)) {
        eprintln!("not run on a device: {} has no {lacks}", device.info().name);
        return Ok(None);
    }
    Ok(Some(device))
}

fn refused(expect: &Expect, message: &str) -> Result<(), String> {
    let missing = expect.refused.iter().find(|text| !message.contains(*text));
    match missing {
        None if !expect.refused.is_empty() => Ok(()),
        Some(text) => Err(format!(
            "it is refused without the words `{text}`:\n{message}"
        )),
        None => Err(message.to_owned()),
    }
}

fn compile(
    tools: &Toolchain,
    path: &Path,
    text: &str,
    spec: &LaunchSpec,
    expect: &Expect,
) -> Result<Compiled, String> {
    let mut options =
        Options::parse(spec.build_options.as_deref().unwrap_or("")).map_err(|e| e.to_string())?;
    options.defines.extend(spec.defines.iter().cloned());
    options.extensions.clone_from(&expect.extensions);
    let source = Source {
        path: path.to_owned(),
        text: text.to_owned(),
        prepend: Vec::new(),
    };
    let compiled =
        tilewise_frontend::compile(tools, &source, &options).map_err(|e| e.to_string())?;
    if let Some(note) = compiled.notes.iter().find(|n| n.contains("stands in")) {
        return Err(format!("the form as compiled is missing: {note}"));
    }
    Ok(compiled)
}

fn of_launch(unit: &Compiled, spec: &LaunchSpec) -> Result<Launch, String> {
    let name = spec.kernel.as_deref().ok_or("a launch names no kernel")?;
    let signature = unit.signatures.iter().find(|s| s.kernel == name);
    let Some(signature) = signature else {
        let refusal = unit
            .refusals
            .iter()
            .find(|r| r.kernel.as_deref() == Some(name));
        return Err(match refusal {
            Some(refusal) => refusal.to_string(),
            None => format!("there is no kernel `{name}`"),
        });
    };
    let version = spec.build_options.as_deref().unwrap_or("");
    let limits = Limits {
        device: "the simulator".to_owned(),
        max_group_size: 1024,
        max_item_sizes: [1024; 3],
        max_local_bytes: Some(1 << 16),
        non_uniform_groups: ["CL2.0", "CL3.0"].iter().any(|v| version.contains(v)),
    };
    let resolved = resolve(spec, signature, &limits).map_err(|e| e.to_string())?;
    Ok(resolved.launch)
}

/// The options of a launch as a device's compiler takes them.
fn device_options(spec: &LaunchSpec) -> String {
    let mut words: Vec<String> = spec.build_options.iter().cloned().collect();
    words.extend(spec.defines.iter().map(|d| format!("-D{d}")));
    words.join(" ")
}

/// Runs a launch in both forms with each width, and compares. Adds what each of
/// them prints.
fn simulate(
    unit: &Compiled,
    launch: &Launch,
    expect: &Expect,
    printed: &mut BTreeMap<String, String>,
) -> Result<Left, String> {
    let mut first: Option<(String, Left)> = None;
    for form in [Form::AsWritten, Form::AsCompiled] {
        let program = match form {
            Form::AsWritten => &unit.as_written,
            Form::AsCompiled => &unit.as_compiled,
        };
        let kernel = program
            .kernel(&launch.kernel)
            .ok_or_else(|| format!("the form {form:?} lost the kernel {}", launch.kernel))?;
        for &width in &expect.widths {
            let name = format!("{form:?} with {width} lanes");
            let left = simulator::run(kernel, launch, width)
                .map_err(|e| format!("{}, {name}: {e}", launch.kernel))?;
            check(launch, &name, &left, expect)?;
            printed
                .entry(name.clone())
                .or_default()
                .push_str(&left.printed);
            match &first {
                None => first = Some((name, left)),
                Some(_) if expect.fault.is_some() => {}
                Some((before, known)) => {
                    let names = (before.as_str(), name.as_str());
                    same(launch, names, &known.buffers, &left.buffers, expect.ulps)?;
                }
            }
        }
    }
    first
        .map(|(_, left)| left)
        .ok_or_else(|| "no width of sub-groups is given".to_owned())
}

fn check(launch: &Launch, name: &str, left: &Left, expect: &Expect) -> Result<(), String> {
    let kinds: Vec<String> = left
        .faults
        .iter()
        .map(|f| format!("{:?}", f.kind))
        .collect();
    let kind = |k: &String| k.split([' ', '{']).next().unwrap_or_default().to_owned();
    match &expect.fault {
        Some(wanted) if kinds.iter().any(|k| kind(k) == *wanted) => return Ok(()),
        Some(wanted) => {
            return Err(format!(
                "{}, {name}: no fault {wanted}, but {kinds:?}",
                launch.kernel
            ));
        }
        None if !kinds.is_empty() => {
            return Err(format!("{}, {name}: {kinds:?}", launch.kernel));
        }
        None => {}
    }
    for ((kernel, arg), numbers) in &expect.values {
        if !kernel.is_empty() && *kernel != launch.kernel {
            continue;
        }
        let Some(index) = launch.args.iter().position(|a| a.name == *arg) else {
            continue;
        };
        let Some(buffer) = launch.args[index].value.memory() else {
            return Err(format!("values.{arg}: {arg} is no buffer"));
        };
        if let Some(what) = unexpected(buffer, &left.buffers[index], numbers) {
            return Err(format!("{}, {name}: {arg}: {what}", launch.kernel));
        }
    }
    Ok(())
}

/// Whether two runs left the same.
fn same(
    launch: &Launch,
    (first, second): (&str, &str),
    a: &[Vec<u8>],
    b: &[Vec<u8>],
    ulps: u64,
) -> Result<(), String> {
    for (arg, (a, b)) in launch.args.iter().zip(a.iter().zip(b)) {
        let Some(buffer) = arg.value.memory() else {
            continue;
        };
        if let Some(what) = difference(buffer, a, b, ulps) {
            return Err(format!(
                "{}: {} differs between {first} and {second}: {what}",
                launch.kernel, arg.name
            ));
        }
    }
    Ok(())
}
