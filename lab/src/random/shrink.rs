//! Makes a program smaller that a machine gets wrong.

use tilewise_generate::{Program, reduce};

use super::batch;
use super::report::{Class, Report};

/// Runs of candidates at most; each starts the compilers.
const TRIES: usize = 250;

/// Looks for a smaller program with a report of the same class.
pub fn shrink(program: &Program, report: &Report, device: bool) -> anyhow::Result<Program> {
    let class = report.class();
    if class == Class::Generator {
        // Candidates that are not defined are never looked at.
        return Ok(program.clone());
    }
    // The device does not matter where the simulator is wrong by itself.
    let device = device && !matches!(class, Class::Simulator | Class::Crash);
    let mut failure = None;
    let smaller = reduce(program, TRIES, &mut |candidate| match batch::run(
        std::slice::from_ref(candidate),
        device,
    ) {
        Ok(reports) => reports.iter().all(|r| same(r, report)),
        Err(error) => {
            failure = Some(error);
            false
        }
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(smaller),
    }
}

/// Whether a candidate shows the same: the same machine, and a failure with
/// the same words where it fails.
fn same(candidate: &Report, original: &Report) -> bool {
    use super::report::Seen::{Agrees, Differs, Failed, NotRun};
    let like = |a: &super::report::Seen, b: &super::report::Seen| match (a, b) {
        (Differs(_), Differs(_)) | (Agrees, Agrees) => true,
        (Failed(a), Failed(b)) => a.split_whitespace().next() == b.split_whitespace().next(),
        (NotRun, _) | (_, NotRun) => true,
        _ => false,
    };
    candidate.class() == original.class()
        && like(&candidate.as_written, &original.as_written)
        && like(&candidate.as_compiled, &original.as_compiled)
        && like(&candidate.device, &original.device)
}
