//! Runs programs on the simulator and on a device, and compares with the
//! interpreter.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tilewise_device::{BoundLaunch, BufferRole, Clearance, OpenCl, Queue};
use tilewise_frontend::{Compiled, Options, Source, Toolchain, compile};
use tilewise_generate::tree::{ParamKind, VarType};
use tilewise_generate::{HEADER, Outcome, Program, Undefined, interpret, render};
use tilewise_launch::{ArgValue, Fill, Launch};
use tilewise_sim::{GroupSet, Memory, Prepared, RunOptions, run};

use super::report::{Report, Seen};

/// The compilers and the device of this process.
pub struct Machines {
    tools: Toolchain,
    queue: Option<Queue>,
}

/// A program that the interpreter has run.
struct Subject<'p> {
    program: &'p Program,
    outcome: Outcome,
    report: Report,
}

impl Machines {
    /// Looks for clang, and for a device if one is wanted.
    pub fn find(device: bool) -> anyhow::Result<Self> {
        let queue = if device {
            let devices = OpenCl::load()?.devices()?;
            Some(Queue::new(devices.preferred())?)
        } else {
            None
        };
        Ok(Self {
            tools: Toolchain::find()?,
            queue,
        })
    }

    /// Runs programs everywhere. `stage` hears what is about to happen.
    pub fn judge(&self, programs: &[Program], stage: &mut dyn FnMut(&str)) -> Vec<Report> {
        let mut done = Vec::new();
        let mut subjects = Vec::new();
        for program in programs {
            let mut report = Report::new(&program.name);
            match interpret(program) {
                Ok(outcome) => {
                    report.steps = outcome.steps;
                    subjects.push(Subject {
                        program,
                        outcome,
                        report,
                    });
                }
                Err(Undefined::TooLong(_)) => {
                    report.too_long = true;
                    done.push(report);
                }
                Err(why) => {
                    report.undefined = Some(why.to_string());
                    done.push(report);
                }
            }
        }
        self.simulate(&mut subjects, stage);
        if let Some(queue) = &self.queue {
            on_device(queue, &mut subjects, stage);
        }
        done.extend(subjects.into_iter().map(|s| s.report));
        done
    }

    /// Compiles all programs at once, or, where that fails, one by one.
    fn simulate(&self, subjects: &mut [Subject<'_>], stage: &mut dyn FnMut(&str)) {
        if subjects.is_empty() {
            return;
        }
        stage("compile for the simulator");
        let source = Source {
            path: "random.cl".into(),
            text: text(subjects),
            prepend: Vec::new(),
        };
        let compiled = caught(|| {
            compile(&self.tools, &source, &Options::default()).map_err(|e| e.to_string())
        });
        match compiled {
            // One program keeps the others from being optimised.
            Ok(compiled) if !compiled.notes.is_empty() && subjects.len() > 1 => {
                let (first, rest) = subjects.split_at_mut(subjects.len() / 2);
                self.simulate(first, stage);
                self.simulate(rest, stage);
            }
            Ok(compiled) => {
                for subject in subjects {
                    stage(&format!("simulate {}", subject.program.name));
                    simulate_one(&compiled, subject);
                }
            }
            Err(why) if subjects.len() == 1 => {
                subjects[0].report.as_written = Seen::Failed(why);
            }
            Err(_) => {
                for one in subjects.chunks_mut(1) {
                    self.simulate(one, stage);
                }
            }
        }
    }
}

fn text(subjects: &[Subject<'_>]) -> String {
    let mut text = HEADER.to_owned();
    for subject in subjects {
        text.push_str(&render(subject.program));
    }
    text
}

/// A panic is a result like an error.
fn caught<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let text = (panic.downcast_ref::<String>().cloned())
            .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

fn simulate_one(compiled: &Compiled, subject: &mut Subject<'_>) {
    let name = &subject.program.name;
    if let Some(refusal) = compiled
        .refusals
        .iter()
        .find(|r| r.to_string().contains(&format!("`{name}`")))
    {
        subject.report.as_written = Seen::Failed(refusal.to_string());
        return;
    }
    let launch = subject.program.launch();
    let seen = |program: &tilewise_ir::Program| match program.kernel(name) {
        None => Seen::Failed("the kernel is not there".to_owned()),
        Some(kernel) => {
            // Both widths that devices have, by turns.
            let width = if subject.report.steps.is_multiple_of(3) {
                64
            } else {
                32
            };
            let ran = caught(|| {
                let prepared = Prepared::new(kernel, &launch, width).map_err(|e| e.to_string())?;
                let memory = Memory::new(kernel, &launch).map_err(|e| e.to_string())?;
                let options = RunOptions {
                    threads: Some(1),
                    ..RunOptions::default()
                };
                let summary = run(&prepared, &memory, &GroupSet::All, &mut (), &options)
                    .map_err(|e| e.to_string())?;
                match summary.faults.first() {
                    Some(fault) => Err(format!("{fault:?}")),
                    None => Ok(memory),
                }
            });
            match ran {
                Err(why) => Seen::Failed(why),
                Ok(memory) => compare(subject.program, &subject.outcome, |arg, bytes| {
                    memory.read(arg, 0, bytes)
                }),
            }
        }
    };
    let (as_written, as_compiled) = (seen(&compiled.as_written), seen(&compiled.as_compiled));
    subject.report.as_written = as_written;
    subject.report.as_compiled = as_compiled;
    subject.report.notes = compiled.notes.clone();
}

/// Compares every buffer with the interpreter's.
fn compare(
    program: &Program,
    outcome: &Outcome,
    mut read: impl FnMut(usize, &mut [u8]) -> bool,
) -> Seen {
    let launch = program.launch();
    for &(param, _) in &outcome.buffers {
        let Some(ArgValue::Buffer(buffer)) = launch.args.get(param).map(|a| &a.value) else {
            continue;
        };
        let mut bytes = vec![0; buffer.bytes().unwrap_or(0) as usize];
        if !read(param, &mut bytes) {
            return Seen::Failed(format!("parameter {param} can't be read"));
        }
        if let Some(difference) = outcome.difference(program, param, &bytes) {
            return Seen::Differs(difference);
        }
    }
    Seen::Agrees
}

fn on_device(queue: &Queue, subjects: &mut [Subject<'_>], stage: &mut dyn FnMut(&str)) {
    if subjects.is_empty() {
        return;
    }
    stage("compile for the device");
    let built = tilewise_device::Program::build(queue, &text(subjects), "-cl-std=CL1.2");
    match built {
        Ok(built) => {
            for subject in subjects {
                stage(&format!("run {} on the device", subject.program.name));
                subject.report.device =
                    run_on_device(&built, subject).unwrap_or_else(|e| Seen::Failed(e.to_string()));
            }
        }
        Err(why) if subjects.len() == 1 => {
            subjects[0].report.device = Seen::Failed(why.to_string());
        }
        Err(_) => {
            for one in subjects.chunks_mut(1) {
                on_device(queue, one, stage);
            }
        }
    }
}

fn run_on_device(
    built: &tilewise_device::Program,
    subject: &Subject<'_>,
) -> Result<Seen, tilewise_device::DeviceError> {
    let program = subject.program;
    let launch = program.launch();
    let kernel = built.kernel(&program.name)?;
    let mut contents = |arg: usize, first: u64, bytes: &mut [u8]| given(&launch, arg, first, bytes);
    let bound = BoundLaunch::new(
        kernel,
        &launch,
        &roles(program),
        &mut contents,
        Clearance::Simulated,
    )?;
    bound.run()?;
    let mut outputs = vec![Vec::new(); launch.args.len()];
    bound.read_outputs(|arg, bytes| outputs[arg] = bytes.to_vec())?;
    Ok(compare(program, &subject.outcome, |arg, bytes| {
        // What is only read has not changed.
        if outputs[arg].is_empty() {
            given(&launch, arg, 0, bytes);
        } else {
            bytes.copy_from_slice(&outputs[arg]);
        }
        true
    }))
}

fn given(launch: &Launch, arg: usize, first: u64, bytes: &mut [u8]) {
    if let ArgValue::Buffer(buffer) = &launch.args[arg].value
        && let Fill::File { data, .. } = &buffer.fill
    {
        let first = first as usize;
        bytes.copy_from_slice(&data[first..first + bytes.len()]);
    }
}

fn roles(program: &Program) -> Vec<BufferRole> {
    let params = program.params.iter();
    params
        .map(|p| match (&p.kind, program.vars.get(p.var)) {
            (
                ParamKind::Buffer { .. },
                Some(VarType::Pointer {
                    read_only: false, ..
                }),
            ) => BufferRole::InOut,
            _ => BufferRole::Input,
        })
        .collect()
}
