//! A launch for a kernel that comes without one: guessed from names, then
//! corrected by trial.
//!
//! What a kernel does with its arguments its signature does not say. So the
//! guess ([`tilewise_launch::guess`]) is run on the simulator at a small size,
//! as written, and each fault says what was wrong with it: an access past a
//! buffer's end that it was too short, one whose address comes from loaded data
//! that these were no indices, a `__local` array overrun that the work-group
//! was too large, a loop without end that the size was. The correction is tried
//! in turn, until a run is clean or nothing is left to try; lengths are then
//! expressed in the sizes (`expression`), and corrections that turn out not to
//! matter are taken back. For a usual size, the body is looked at first (`body`),
//! and lengths are made sure of at sizes that differ from each other (`lengths`).
//!
//! What it misses: a launch that runs clean need not be one that makes sense,
//! and branches that these values do not take are not seen.

mod body;
mod draft;
mod expression;
mod lengths;
mod trial;

use std::path::Path;
use std::sync::Arc;

use tilewise_frontend::Toolchain;
use tilewise_frontend::source::source_tree;
use tilewise_launch::guess::{Assumptions, Guess, Seen};
use tilewise_launch::resolve::Resolved;
use tilewise_launch::{LaunchSpec, Signature};

use crate::error::Error;
use crate::load::{Unit, source_at};
use crate::session::Session;
use crate::target::Target;

use draft::Draft;
use trial::Trial;

/// Most trials of one kernel.
const MOST_TRIALS: u32 = 40;
/// Most instructions of sub-groups in all trials of one kernel: two trials in which
/// each of the sixteen sub-groups all but spends its budget, and as many again.
const MOST_INSTRUCTIONS: u64 = 1 << 26;
/// A buffer of more bytes than this, at a small size, comes of a size that is
/// too large: rows and columns of a matrix, say, that one dimension runs over.
const LARGE: u64 = 1 << 26;
/// Buffers of more bytes than this, together, are more than most devices take.
const MOST_MEMORY: u64 = 1 << 30;

/// Work-items per dimension of a launch of one, two and three dimensions, small
/// enough that a simulator runs most kernels whole.
const SMALL: [u64; 3] = [512, 64, 16];

/// What a launch is fitted to.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Where it is to run.
    pub target: &'a Target,
    /// The kernel's file, for messages.
    pub path: &'a Path,
    /// The program.
    pub unit: &'a Arc<Unit>,
    /// The kernel.
    pub signature: &'a Signature,
}

/// A launch that was found.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// It, with the reasons.
    pub guess: Guess,
    /// It, resolved.
    pub resolved: Resolved,
    /// Its run had no fault.
    pub clean: bool,
}

/// Finds a launch of a kernel at a small size: one that runs without a fault,
/// or the one with the fewest. What is `given` stays.
///
/// # Errors
/// No launch can be made, or the simulator can't run the kernel.
pub fn fit_small(
    session: &Session,
    subject: Subject<'_>,
    given: LaunchSpec,
) -> Result<Fitted, Error> {
    let seen = Seen::default();
    let mut search = Search::new(session, subject, &seen);
    let (trial, draft) = search.small(given)?;
    Ok(Fitted::new(&draft, trial))
}

/// Finds a launch of a kernel at a usual size: the small one enlarged, where it
/// runs as well there as far as a sample of its work-groups shows, else as it
/// is. For a kernel that faults however it is launched, the plain guess.
///
/// # Errors
/// As [`fit_small`].
pub fn fit_usual(
    session: &Session,
    subject: Subject<'_>,
    given: LaunchSpec,
) -> Result<Fitted, Error> {
    let seen = seen(subject, &given)?;
    let mut search = Search::new(session, subject, &seen);
    let (small, draft) = search.small(given.clone())?;
    let usual = Assumptions::default().extents;
    if !small.problems.is_empty() {
        let mut plain = Draft::new(subject.signature, &seen, given, usual);
        let trial = search.run(&mut plain)?;
        return Ok(Fitted::new(&plain, trial));
    }
    let (small, draft) = search.with_sure_lengths(small, draft)?;
    // Lengths that were only counted belong to the size they were counted at.
    if !draft.is_counted() {
        let mut large = draft.clone();
        for divisor in [1, 16, 256] {
            large.set_extents(usual.map(|n| (n / divisor).max(1)));
            match search.run(&mut large) {
                // A run that is cut short shows nothing of what comes after.
                Ok(trial) if trial.problems.is_empty() && trial.bytes() <= MOST_MEMORY => {
                    return Ok(Fitted::new(&large, trial));
                }
                // A launch that is too large for the device can't be made.
                Ok(_) | Err(Error::Launch(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(Fitted::new(&draft, small))
}

/// What the kernel's body says; nothing where its source is not at hand.
fn seen(subject: Subject<'_>, given: &LaunchSpec) -> Result<Seen, Error> {
    let source = source_at(subject.path, subject.unit, given, subject.target);
    let (Ok((source, options)), Ok(tools)) = (source, Toolchain::find()) else {
        return Ok(Seen::default());
    };
    let tree = source_tree(&tools, &source, &options)?;
    Ok(body::seen(&tree, &subject.signature.kernel))
}

impl Fitted {
    fn new(draft: &Draft<'_>, trial: Trial) -> Self {
        Self {
            guess: draft.guess(),
            clean: trial.problems.is_empty(),
            resolved: trial.loaded.resolved,
        }
    }
}

/// The trials of one kernel.
struct Search<'a> {
    session: &'a Session,
    subject: Subject<'a>,
    seen: &'a Seen,
    trials: u32,
    instructions: u64,
}

impl<'a> Search<'a> {
    fn new(session: &'a Session, subject: Subject<'a>, seen: &'a Seen) -> Self {
        Self {
            session,
            subject,
            seen,
            trials: 0,
            instructions: 0,
        }
    }

    /// The best launch at a small size.
    fn small(&mut self, given: LaunchSpec) -> Result<(Trial, Draft<'a>), Error> {
        let mut draft = Draft::new(self.subject.signature, self.seen, given, SMALL);
        let (trial, found) = self.correct(&mut draft)?;
        if trial.problems.is_empty() {
            self.tidy(found, trial)
        } else {
            Ok((trial, found))
        }
    }

    fn run(&mut self, draft: &mut Draft<'a>) -> Result<Trial, Error> {
        self.trials += 1;
        let trial = Trial::run(self.session, self.subject, draft)?;
        self.instructions += trial.instructions;
        Ok(trial)
    }

    fn may_go_on(&self) -> bool {
        self.trials < MOST_TRIALS && self.instructions < MOST_INSTRUCTIONS
    }

    /// Corrects a draft until its run is clean or nothing is left to try; gives
    /// the best that was found.
    fn correct(&mut self, draft: &mut Draft<'a>) -> Result<(Trial, Draft<'a>), Error> {
        let trial = self.run(draft)?;
        let mut best = (trial.clone(), draft.clone());
        let mut last = trial;
        while !last.problems.is_empty() && self.may_go_on() && draft.correct(&last) {
            match self.run(draft) {
                Ok(trial) => {
                    if trial.problems.len() < best.0.problems.len() {
                        best = (trial.clone(), draft.clone());
                    }
                    last = trial;
                }
                // A work-group that the device does not take, say: the next
                // correction starts from what ran last.
                Err(Error::Launch(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(best)
    }

    /// Gives open lengths, and takes back contents that do not matter.
    fn tidy(&mut self, draft: Draft<'a>, trial: Trial) -> Result<(Trial, Draft<'a>), Error> {
        let mut best = (trial, draft);
        let closed = best.1.with_lengths(&best.0);
        if let Some(better) = self.if_clean(closed)? {
            best = better;
        }
        for arg in best.1.changed_contents() {
            if !self.may_go_on() {
                break;
            }
            let mut reverted = best.1.clone();
            reverted.usual_contents(arg);
            if let Some(better) = self.if_clean(reverted)? {
                best = better;
            }
        }
        Ok(best)
    }

    fn if_clean(&mut self, mut draft: Draft<'a>) -> Result<Option<(Trial, Draft<'a>)>, Error> {
        match self.run(&mut draft) {
            Ok(trial) => Ok(trial.problems.is_empty().then_some((trial, draft))),
            Err(Error::Launch(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
