//! A launch in the making: the guess, and the corrections to it.

mod apart;

use std::collections::{BTreeMap, BTreeSet};

use tilewise_launch::guess::{Assumptions, Guess, Seen};
use tilewise_launch::{ArgValue, LaunchSpec, ParamKind, Signature, ValueType};

use super::expression::express;
use super::trial::{Problem, Trial};

/// Work-groups that are tried after the usual one, by number of dimensions:
/// smaller ones first, since a kernel that needs a certain size mostly keeps
/// arrays for it.
const GROUPS: [&[[u64; 3]]; 3] = [
    &[
        [128, 1, 1],
        [64, 1, 1],
        [32, 1, 1],
        [16, 1, 1],
        [8, 1, 1],
        [4, 1, 1],
        [1, 1, 1],
        [512, 1, 1],
    ],
    &[
        [8, 8, 1],
        [32, 8, 1],
        [32, 4, 1],
        [4, 4, 1],
        [32, 32, 1],
        [64, 1, 1],
        [16, 1, 1],
        [1, 1, 1],
    ],
    &[
        [4, 4, 4],
        [8, 8, 8],
        [16, 16, 1],
        [32, 4, 1],
        [2, 2, 2],
        [1, 1, 1],
    ],
];

/// Contents that are tried where an address comes from loaded data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contents {
    /// Indices into the buffer that was left.
    Indices,
    /// Indices into its first eighth, for kernels that scale them.
    FewIndices,
    /// 0, 1, 2, …: rows of a sparse matrix begin like this.
    Counting,
    /// Zeros.
    Zeros,
}

const CONTENTS: [Contents; 4] = [
    Contents::Indices,
    Contents::FewIndices,
    Contents::Counting,
    Contents::Zeros,
];

/// How long a buffer is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Length {
    /// As long as what is touched.
    Open,
    /// An expression.
    Text {
        text: String,
        /// It is a plain number, counted in a run.
        counted: bool,
    },
    /// An expression that runs at sizes that differ from each other bear out.
    Seen {
        /// It.
        text: String,
    },
}

/// A launch in the making.
#[derive(Clone)]
pub(super) struct Draft<'a> {
    signature: &'a Signature,
    given: LaunchSpec,
    seen: &'a Seen,
    assumptions: Assumptions,
    /// By argument; the guess holds for the others.
    lengths: BTreeMap<usize, Length>,
    contents: BTreeMap<usize, (Contents, String)>,
    /// By `__local` argument: how often it was doubled.
    doubled: BTreeMap<usize, u32>,
    /// Groups that were tried.
    groups: usize,
    /// Contents that were tried.
    fills: usize,
    /// How often the extents were quartered.
    shrunk: u32,
    /// How often a few work-items were tried.
    few: u32,
    /// Sizes differ from each other, in one of several ways.
    apart: Option<u64>,
}

impl<'a> Draft<'a> {
    pub fn new(
        signature: &'a Signature,
        seen: &'a Seen,
        given: LaunchSpec,
        extents: [u64; 3],
    ) -> Self {
        Self {
            signature,
            given,
            seen,
            assumptions: Assumptions {
                extents,
                group: None,
            },
            lengths: BTreeMap::new(),
            contents: BTreeMap::new(),
            doubled: BTreeMap::new(),
            groups: 0,
            fills: 0,
            shrunk: 0,
            few: 0,
            apart: None,
        }
    }

    fn plain_guess(&self) -> Guess {
        Guess::assuming(self.signature, &self.assumptions, self.seen)
            .overridden_by(self.given.clone())
    }

    /// The launch, with the reasons.
    pub fn guess(&self) -> Guess {
        let mut guess = self.plain_guess();
        if let Some(way) = self.apart {
            self.set_apart(&mut guess, way);
        }
        for (arg, param) in self.signature.params.iter().enumerate() {
            let Some(usual) = guess.argument(&param.name) else {
                continue;
            };
            let (usual_length, usual_fill) = split(usual);
            let length = match self.lengths.get(&arg) {
                Some(Length::Open) => None,
                Some(Length::Text { text, .. } | Length::Seen { text }) => Some(text.clone()),
                None => usual_length.map(str::to_owned),
            };
            let (fill, fill_reason) = match self.contents.get(&arg) {
                Some((contents, fill)) => (Some(fill.clone()), Some(reason(*contents))),
                None => (usual_fill.map(str::to_owned), None),
            };
            let doubled = self.doubled.get(&arg).copied().unwrap_or(0);
            let text = match (&param.kind, length, fill) {
                (ParamKind::Local { .. }, Some(length), _) if doubled > 0 => {
                    format!("local:[{}*({length})]", 1_u64 << doubled)
                }
                (ParamKind::Local { .. }, ..) => continue,
                (_, Some(length), Some(fill)) => format!("[{length}]:{fill}"),
                (_, Some(length), None) => format!("[{length}]"),
                (_, None, Some(fill)) => format!(":{fill}"),
                (_, None, None) => ":random".to_owned(),
            };
            let changed = self.lengths.contains_key(&arg) || self.contents.contains_key(&arg);
            if changed || doubled > 0 {
                let length_reason = match self.lengths.get(&arg) {
                    Some(Length::Text { counted: true, .. }) => {
                        "as many elements as a run at this size touched"
                    }
                    Some(Length::Seen { .. }) => {
                        "as many elements as runs at several sizes touched"
                    }
                    _ => "the length that a run needed",
                };
                guess.correct(&param.name, text, fill_reason.unwrap_or(length_reason));
            }
        }
        guess
    }

    /// Corrects what a trial showed to be wrong. False where nothing is left to
    /// try.
    pub fn correct(&mut self, trial: &Trial) -> bool {
        let has = |problem: Problem| trial.problems.contains(&problem);
        let from_data = |p: &Problem| matches!(p, Problem::NoIndices { .. } | Problem::Division);
        let from_data = trial.problems.iter().any(from_data);
        if has(Problem::TooLarge) || has(Problem::Runaway) {
            // Bounds of loops may be loaded data, too.
            return from_data && self.other_contents(trial)
                || self.shrink()
                || self.other_contents(trial);
        }
        let mut corrected = false;
        for problem in &trial.problems {
            match *problem {
                Problem::TooShort { arg } if self.is_guessed(arg) => {
                    corrected |= self.lengths.insert(arg, Length::Open).is_none();
                }
                Problem::LocalTooShort { arg } if self.is_guessed(arg) => {
                    let times = self.doubled.entry(arg).or_default();
                    if *times < 6 {
                        *times += 1;
                        corrected = true;
                    }
                }
                _ => {}
            }
        }
        if corrected {
            return true;
        }
        if from_data && self.other_contents(trial) {
            return true;
        }
        // Data that no contents suit: the buffer is as long as they reach.
        for problem in &trial.problems {
            if let Problem::NoIndices { arg } = *problem
                && self.is_guessed(arg)
            {
                corrected |= self.lengths.insert(arg, Length::Open).is_none();
            }
        }
        corrected || self.other_group() || self.few_work_items()
    }

    /// A few work-items in groups of one: a kernel may index a table of its own
    /// by them.
    fn few_work_items(&mut self) -> bool {
        if self.few == 2 || self.signature.reqd_local.is_some() || self.given.global.is_some() {
            return false;
        }
        self.few += 1;
        self.assumptions.group = Some([1; 3]);
        self.set_extents([if self.few == 1 { 4 } else { 1 }; 3]);
        self.doubled.clear();
        true
    }

    /// A quarter of the extents.
    fn shrink(&mut self) -> bool {
        if self.shrunk == 3 {
            return false;
        }
        self.shrunk += 1;
        let smaller = self.assumptions.extents.map(|n| (n / 4).max(1));
        self.set_extents(smaller);
        true
    }

    fn other_group(&mut self) -> bool {
        if self.signature.reqd_local.is_some() || self.given.local.is_some() {
            return false;
        }
        let dims = self.plain_guess().dims();
        let Some(group) = GROUPS[dims - 1].get(self.groups) else {
            return false;
        };
        self.groups += 1;
        self.assumptions.group = Some(*group);
        self.doubled.clear();
        self.lengths.clear();
        true
    }

    /// The next contents for the buffers that may hold indices.
    fn other_contents(&mut self, trial: &Trial) -> bool {
        let Some(&contents) = CONTENTS.get(self.fills) else {
            return false;
        };
        self.fills += 1;
        let targets: BTreeSet<usize> = trial
            .problems
            .iter()
            .filter_map(|p| match p {
                Problem::NoIndices { arg } => Some(*arg),
                _ => None,
            })
            .collect();
        let end = self.shortest(&targets, trial);
        let fill = match (contents, end) {
            (Contents::Indices, Some(end)) => format!("random(0,{end})"),
            (Contents::FewIndices, Some(end)) => format!("random(0,max(1,({end})/8))"),
            (Contents::Counting, _) => "iota".to_owned(),
            (Contents::Zeros, _) => "zero".to_owned(),
            (Contents::Indices | Contents::FewIndices, None) => return self.other_contents(trial),
        };
        let mut changed = false;
        let integers = self.sources(trial, |elem| !is_float(elem));
        let sources = match integers[..] {
            [] => self.sources(trial, |_| true),
            _ => integers,
        };
        for arg in sources {
            self.contents.insert(arg, (contents, fill.clone()));
            changed = true;
        }
        changed
    }

    /// Buffers of guessed contents that the kernel loads from.
    fn sources(&self, trial: &Trial, suits: impl Fn(&ValueType) -> bool) -> Vec<usize> {
        let args = trial.loaded.resolved.launch.args.iter().enumerate();
        args.filter(|(arg, value)| {
            trial.read[*arg]
                && self.is_guessed(*arg)
                && matches!(&value.value, ArgValue::Buffer(b) if suits(&b.elem))
        })
        .map(|(arg, _)| arg)
        .collect()
    }

    /// The length of the shortest of these buffers, as text.
    fn shortest(&self, args: &BTreeSet<usize>, trial: &Trial) -> Option<String> {
        let launch = &trial.loaded.resolved.launch;
        let length = |arg: &usize| match &launch.args[*arg].value {
            ArgValue::Buffer(buffer) => buffer.len,
            _ => None,
        };
        let arg = args
            .iter()
            .min_by_key(|arg| length(arg).unwrap_or(u64::MAX))?;
        let guess = self.guess();
        let text = guess.argument(&self.signature.params[*arg].name)?;
        split(text).0.map(str::to_owned)
    }

    /// Whether the user left the argument to the guess.
    fn is_guessed(&self, arg: usize) -> bool {
        let name = &self.signature.params[arg].name;
        let guess = self.plain_guess();
        guess.reason_for(name).is_some()
    }

    /// Sets the extents; lengths that were found for others go.
    pub fn set_extents(&mut self, extents: [u64; 3]) {
        self.assumptions.extents = extents;
        self.lengths.retain(|_, length| {
            !matches!(length, Length::Open | Length::Text { counted: true, .. })
        });
    }

    /// The draft with a length for every open one.
    pub fn with_lengths(&self, trial: &Trial) -> Self {
        let mut closed = self.clone();
        let launch = &trial.loaded.resolved.launch;
        for (arg, length) in &mut closed.lengths {
            let ArgValue::Buffer(buffer) = &launch.args[*arg].value else {
                continue;
            };
            let needed = trial.touched[*arg]
                .div_ceil(buffer.elem.size().max(1))
                .max(1);
            *length = match express(&trial.loaded.resolved, needed) {
                Some(text) => Length::Text {
                    text,
                    counted: false,
                },
                None => Length::Text {
                    text: needed.to_string(),
                    counted: true,
                },
            };
        }
        closed
    }

    /// Whether the launch holds at its size only: a length is a plain number, or
    /// the kernel is for a few work-items.
    pub fn is_counted(&self) -> bool {
        if self.few > 0 {
            return true;
        }
        let counted = |l: &Length| matches!(l, Length::Text { counted: true, .. });
        self.lengths.values().any(counted)
    }

    /// Arguments whose contents are not the usual ones.
    pub fn changed_contents(&self) -> Vec<usize> {
        self.contents.keys().copied().collect()
    }

    /// Takes a correction of an argument's contents back.
    pub fn usual_contents(&mut self, arg: usize) {
        self.contents.remove(&arg);
    }
}

fn is_float(elem: &ValueType) -> bool {
    matches!(elem, ValueType::Elem(e) if e.scalar.is_float())
}

fn reason(contents: Contents) -> &'static str {
    match contents {
        Contents::Indices | Contents::FewIndices => "indices into the other buffers",
        Contents::Counting => "rising positions in the other buffers",
        Contents::Zeros => "other values lead outside the buffers",
    }
}

/// Length and fill of a guessed buffer or local memory, as texts.
fn split(text: &str) -> (Option<&str>, Option<&str>) {
    let text = text.strip_prefix("local:").unwrap_or(text);
    let Some(rest) = text.strip_prefix('[') else {
        return (None, text.strip_prefix(':'));
    };
    match rest.rsplit_once("]:") {
        Some((length, fill)) => (Some(length), Some(fill)),
        None => (rest.strip_suffix(']'), None),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_guessed_text_falls_into_length_and_fill() {
        assert_eq!(split("[W*H]"), (Some("W*H"), None));
        assert_eq!(split("[n]:random(0,n)"), (Some("n"), Some("random(0,n)")));
        assert_eq!(
            split("local:[local_size(0)+2]"),
            (Some("local_size(0)+2"), None)
        );
        assert_eq!(split(":zero"), (None, Some("zero")));
        assert_eq!(split("1.0"), (None, None));
    }
}
