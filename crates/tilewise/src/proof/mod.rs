//! Does a staged form do what the original does, and read nothing else?
//!
//! Both run on the simulator as written, every work-group, over the spread of
//! sizes that `verify` uses, further group shapes, launches of a few groups
//! somewhere inside the data, and other values of the whole numbers among the arguments.
//! Equal means: the same bits in every buffer that either
//! writes; no fault, race or unset read that the original does not have; and no read
//! of an element of a buffer that the original does not read in the same launch. So a
//! fill that reads beyond what the kernel reads shows, wherever a buffer happens to
//! end.
//!
//! Launches in which the original itself goes wrong say nothing where the two differ:
//! a tile that is filled for groups of one shape may be read unset in others.
//!
//! What it misses: launches that were not tried.

mod launches;
mod reads;

use tilewise_analysis::touched::PageSet;
use tilewise_ir::pointer::Region;
use tilewise_launch::Launch;
use tilewise_report::{Diagnostic, Trial};
use tilewise_sim::Regions;

use crate::error::Error;
use crate::findings::{every_finding, is_unsafe};
use crate::launch_info::in_words;
use crate::load::Loaded;
use crate::session::Session;
use crate::target::Target;
use crate::verify::{SizedPair, shared_outputs, spread};
use crate::written::{Written, run_all_with};

use launches::{other_values, variants};
use reads::{Reads, first_beyond};

/// Most work-items of a launch: a group of each kind of border is in less.
const MOST_WORK_ITEMS: u64 = 1 << 13;

/// Findings after which a kernel's results mean nothing: races, barriers that not all
/// reach, accesses outside of memory, reads of what nothing has set, loops without end,
/// copies that nobody waits for.
const UNDEFINED: [&str; 7] = [
    "TW101", "TW102", "TW103", "TW104", "TW105", "TW108", "TW110",
];

/// What a proof gave.
#[derive(Default)]
pub struct Proof {
    /// Each launch tried.
    pub trials: Vec<Trial>,
    /// Faults of the staged form.
    pub findings: Vec<Diagnostic>,
    /// What to know about the launches.
    pub notes: Vec<String>,
}

impl Proof {
    /// Whether everything that was tried agrees.
    pub fn holds(&self) -> bool {
        !self.trials.is_empty() && self.trials.iter().all(|t| t.equal) && self.findings.is_empty()
    }
}

/// Compares a staged form with its original. Buffers named in `whole` are staged
/// to a length that the launch gives: elements between those that the original
/// happens to look up are read, too.
///
/// # Errors
/// One of them can't be simulated.
pub fn prove(
    session: &Session,
    target: &Target,
    original: &Loaded,
    staged: &Loaded,
    whole: &[&str],
) -> Result<Proof, Error> {
    let mut proof = Proof::default();
    let mut launches = spread(original, staged, &mut proof.notes);
    launches.extend(variants(target, original, staged));
    // Large launches show nothing that small ones don't, and take long.
    let small = |l: &SizedPair| l.1.range.work_items() <= MOST_WORK_ITEMS;
    if launches.iter().any(small) {
        launches.retain(small);
    }
    // What a value of our own choice makes go wrong is nobody's business.
    let chosen = launches.len();
    launches.extend(other_values(target, original, staged));
    let of = launches.len() as u64;
    session.progress.phase(&format!(
        "proving the staged form of {} on the simulator",
        original.signature.kernel
    ));
    let mut left_out = LeftOut::default();
    let mut doubtful: Vec<Doubtful> = Vec::new();
    // What the original does wrong where both agree.
    let mut anyway: Vec<String> = Vec::new();
    for (done, (sizes, first, second)) in launches.into_iter().enumerate() {
        session.progress.step(done as u64, of);
        let named: Vec<(&str, u64)> = sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let words = in_words(&second, &named);
        if proof.trials.iter().any(|t| t.launch == words) {
            continue;
        }
        let a = run(session, target, original, &first)?;
        let own = every_finding(session, original, &a.ran)?;
        let undefined = own.iter().find(|f| UNDEFINED.contains(&f.code.as_str()));
        // What the original does wrong by itself proves nothing.
        if a.ran.summary.faults.iter().any(is_unsafe) {
            if done < chosen {
                left_out.add(words, undefined);
            }
            continue;
        }
        let b = run(session, target, staged, &second)?;
        let mut new: Vec<Diagnostic> = Vec::new();
        for finding in every_finding(session, staged, &b.ran)? {
            // What the original has in the same line is not the staging's.
            let before = |f: &Diagnostic| f.code == finding.code && line_of(f) == line_of(&finding);
            let known = |f: &Diagnostic| f.code == finding.code && f.line == finding.line;
            if !own.iter().any(before) && !proof.findings.iter().any(known) {
                new.push(finding);
            }
        }
        let difference = differs((&first, &a), (&second, &b), whole);
        let trial = Trial {
            on: "simulator".to_owned(),
            launch: words,
            equal: difference.is_none(),
            how: "bit for bit, and nothing else read".to_owned(),
            difference,
        };
        match undefined {
            Some(undefined) if !trial.equal || !new.is_empty() => doubtful.push(Doubtful {
                trial,
                findings: new,
                undefined: undefined.clone(),
                told: done < chosen,
            }),
            _ => {
                anyway.extend(own.into_iter().map(|f| f.code));
                proof.findings.append(&mut new);
                proof.trials.push(trial);
            }
        }
    }
    for mut launch in doubtful {
        // What is wrong in every launch is no reason to leave some out.
        if anyway.contains(&launch.undefined.code) {
            proof.findings.append(&mut launch.findings);
            proof.trials.push(launch.trial);
        } else if launch.told {
            left_out.add(launch.trial.launch, Some(&launch.undefined));
        }
    }
    let kernel = &original.signature.kernel;
    proof.notes.extend(left_out.kinds.iter().map(|kind| {
        format!(
            "{kernel} itself goes wrong in these launches ({}), so they were left out: {}",
            kind.why,
            kind.launches.join("; ")
        )
    }));
    Ok(proof)
}

/// Launches in which the original goes wrong.
#[derive(Default)]
struct LeftOut {
    kinds: Vec<Kind>,
}

/// Launches in which it makes the same kind of mistake.
struct Kind {
    /// The finding's code; `None` where it does not end.
    code: Option<String>,
    /// The mistake in the first of them, in words.
    why: String,
    launches: Vec<String>,
}

impl LeftOut {
    fn add(&mut self, launch: String, mistake: Option<&Diagnostic>) {
        let code = mistake.map(|f| f.code.clone());
        match self.kinds.iter_mut().find(|k| k.code == code) {
            Some(kind) => kind.launches.push(launch),
            None => self.kinds.push(Kind {
                code,
                why: mistake.map_or("it does not end".to_owned(), |f| f.message.clone()),
                launches: vec![launch],
            }),
        }
    }
}

/// A launch in which both forms differ, and in which the original itself goes wrong.
struct Doubtful {
    trial: Trial,
    findings: Vec<Diagnostic>,
    /// What the original does.
    undefined: Diagnostic,
    /// It is one of the launch's sizes or shapes, not of a value of our own choice.
    told: bool,
}

/// What a run left.
struct Left {
    ran: Written,
    reads: Reads,
}

fn run(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
) -> Result<Left, Error> {
    let (ran, reads) = run_all_with(session, target, loaded, launch, Reads::default())?;
    Ok(Left { ran, reads })
}

/// The text of the line that a finding points at.
fn line_of(finding: &Diagnostic) -> Option<&str> {
    let snippet = finding.snippet.as_ref()?;
    let at = finding.line.checked_sub(snippet.first_line)?;
    snippet.lines.get(at as usize).map(|l| l.trim())
}

/// The first thing in which a staged form differs from its original.
fn differs(a: (&Launch, &Left), b: (&Launch, &Left), whole: &[&str]) -> Option<String> {
    let sides = (
        (a.0, &a.1.ran.summary, &a.1.ran.memory),
        (b.0, &b.1.ran.summary, &b.1.ran.memory),
    );
    for (x, y) in shared_outputs(sides.0, sides.1) {
        if let Some(found) = a.1.ran.memory.first_difference(x, &b.1.ran.memory, y) {
            return Some(format!(
                "{} differs from byte {}",
                a.0.args[x].name, found.byte
            ));
        }
    }
    let (first, second) = (a.1.ran.memory.regions(), b.1.ran.memory.regions());
    for (index, arg) in b.0.args.iter().enumerate() {
        if whole.contains(&arg.name.as_str()) {
            continue;
        }
        let Some(region) = second.of_arg(index) else {
            continue;
        };
        let own = a.0.args.iter().position(|o| o.name == arg.name);
        let known = own.and_then(|i| first.of_arg(i));
        let empty = PageSet::default();
        let before = known.and_then(|r| a.1.reads.of(r)).unwrap_or(&empty);
        let after = b.1.reads.of(region).unwrap_or(&empty);
        if let Some(byte) = first_beyond(before, after, second.get(region).elem_bytes) {
            return Some(beyond_in_words(second, region, byte));
        }
    }
    None
}

fn beyond_in_words(regions: &Regions, region: Region, byte: u64) -> String {
    let info = regions.get(region);
    format!(
        "the staged form reads {}[{}], which the original does not read",
        info.name,
        byte / info.elem_bytes.max(1)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::KernelInput;
    use crate::load::{load, rewritten};
    use crate::session::DeviceChoice;
    use crate::target::Need;
    use tilewise_launch::{ArgKey, ArgSetting, LaunchSpec, Text};

    const ORIGINAL: &str = "\
__kernel void k(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    out[i] = in[i] + (i + 1 < n ? in[i + 1] : 0.0f);
}
";

    const STAGED: &str = "\
__kernel void k(__global const float *in, __global float *out, int n, __local float *tile)
{
    int i = get_global_id(0);
    int l = get_local_id(0);
    int size = get_local_size(0);
    if (i < n) {
        tile[l] = in[i];
        if (l == size - 1 && i + 1 < n)
            tile[l + 1] = in[i + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= n)
        return;
    out[i] = tile[l] + (i + 1 < n ? tile[l + 1] : 0.0f);
}
";

    /// The input is longer than what the kernel reads of it, so that no fault shows
    /// an element too many.
    fn proof_of(text: &str) -> Proof {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("k.cl");
        std::fs::write(&path, ORIGINAL).expect("a file");
        let args = [("in", "[n+9]"), ("out", "[n]"), ("n", "53")];
        let input = KernelInput {
            path,
            flags: LaunchSpec {
                global: Some(Text::flag("roundup(n,16)")),
                local: Some(Text::flag("16")),
                args: args
                    .iter()
                    .map(|(name, value)| ArgSetting {
                        key: ArgKey::new(name),
                        value: Text::flag(*value),
                    })
                    .collect(),
                ..LaunchSpec::default()
            },
            ..KernelInput::default()
        };
        let session = Session {
            device: DeviceChoice::Simulated("h200".to_owned()),
            threads: Some(1),
            ..Session::default()
        };
        let target = Target::resolve(&session, Need::Profile)
            .expect("a profile")
            .swap_remove(0);
        let loaded = load(&session, &target, std::slice::from_ref(&input)).expect("it loads");
        let tile = ["tile=local:[local_size(0)+1]".to_owned()];
        let form = rewritten(&loaded[0], &target, text, &[], &tile).expect("it compiles");
        prove(&session, &target, &loaded[0], &form, &[]).expect("both run")
    }

    #[test]
    fn a_right_form_holds() {
        let proof = proof_of(STAGED);
        assert!(proof.holds(), "{:?} {:?}", proof.trials, proof.findings);
        let shifted = |t: &Trial| t.launch.contains("offset");
        assert!(proof.trials.iter().any(shifted), "{:?}", proof.trials);
    }

    /// What is wrong with a form, the line that makes it so, what is said.
    #[test]
    fn wrong_forms_do_not() {
        let cases = [
            ("reads past the range", "if (i < n) {", "{", "does not read"),
            (
                "reads one beyond it",
                "&& i + 1 < n)",
                "&& i + 1 <= n)",
                "the staged form reads in[",
            ),
            (
                "has no barrier",
                "    barrier(CLK_LOCAL_MEM_FENCE);\n",
                "",
                "data race",
            ),
            ("leaves the halo out", "l == size - 1", "l == size", "tile"),
            (
                "has a wrong index",
                "tile[l] + ",
                "tile[l ^ 1] + ",
                "differs",
            ),
            (
                "has a barrier that some don't reach",
                "    barrier(",
                "    if (i < n) barrier(",
                "barrier",
            ),
        ];
        for (what, from, to, said) in cases {
            let text = STAGED.replacen(from, to, 1);
            assert_ne!(text, STAGED, "{what}");
            let proof = proof_of(&text);
            assert!(!proof.holds(), "a form that {what} passes");
            let differences = proof.trials.iter().filter_map(|t| t.difference.as_deref());
            let messages = proof.findings.iter().map(|f| f.message.as_str());
            let all: Vec<&str> = differences.chain(messages).collect();
            assert!(all.iter().any(|m| m.contains(said)), "{what}: {all:?}");
        }
    }
}
