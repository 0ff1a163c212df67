//! The one thing to do.

use tilewise_launch::shell_quote;
use tilewise_report::{Verdict, VerdictKind};

use crate::form::Form;

/// Where the staged one of two forms came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The user gave both.
    Given,
    /// tilewise staged the user's kernel.
    Staged,
    /// tilewise took the tiles out of the user's kernel.
    Removed,
}

/// What to do after a verdict on two forms. The user's own kernel is the first:
/// `unstaged_first` says which of the two it is.
pub(super) fn next(
    verdict: &Verdict,
    unstaged: &Form<'_>,
    staged: &Form<'_>,
    unstaged_first: bool,
    origin: Origin,
) -> String {
    let own = if unstaged_first { unstaged } else { staged };
    let (file, kernel) = (own.loaded.path.display(), &own.loaded.signature.kernel);
    let target = format!("{file}::{kernel}");
    let kernel = shell_quote(&target);
    let keep = format!("keep {} as it is", own.name());
    let to_staged = match origin {
        Origin::Given => format!("use {}", staged.name()),
        Origin::Staged => format!("apply it: tilewise stage {kernel} --write FILE.cl"),
        Origin::Removed => keep.clone(),
    };
    let to_unstaged = match origin {
        _ if unstaged_first => keep,
        Origin::Removed => {
            format!("remove the tile: tilewise stage {kernel} --remove --write FILE.cl")
        }
        _ => format!("remove the tile: use {}", unstaged.name()),
    };
    // Nobody is to change a kernel for what the model does not know itself. To keep it
    // needs no proof.
    let doubtful = match verdict.kind {
        VerdictKind::Pays => unstaged_first && includes_1(verdict),
        VerdictKind::Loses => !unstaged_first && includes_1(verdict),
        VerdictKind::Ties => !unstaged_first && verdict.unsure,
        VerdictKind::Unknown | VerdictKind::NotApplicable => false,
    };
    if doubtful {
        return "measure first, with --device cl:N (tilewise devices lists them): the prediction may be wrong about which form is faster".to_owned();
    }
    match verdict.kind {
        VerdictKind::Pays => to_staged,
        VerdictKind::Loses | VerdictKind::NotApplicable => to_unstaged,
        VerdictKind::Ties => format!("{to_unstaged} (neither is faster, and it is simpler)"),
        VerdictKind::Unknown => "settle the first reason, then ask again".to_owned(),
    }
}

/// Whether the interval of a speed-up includes 1. One that was measured does not, where
/// the verdict is that staging pays or loses.
fn includes_1(verdict: &Verdict) -> bool {
    match (verdict.lo, verdict.hi) {
        (Some(low), Some(high)) => low <= 1.0 && high >= 1.0,
        _ => false,
    }
}
