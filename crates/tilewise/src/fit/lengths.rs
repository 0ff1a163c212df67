//! Lengths of buffers, made sure of.
//!
//! At a size where rows are as many as columns, many expressions are the length that
//! a run needs. So the kernel runs at sizes that differ from each other, twice, with
//! its buffers open: an expression that both runs bear out is the length. One that
//! none does stays as it was guessed: what loaded data choose, say.

use super::Search;
use super::draft::Draft;
use super::expression::{Measured, express_all};
use super::trial::Trial;
use crate::error::Error;

/// How many runs with sizes that differ have to agree.
const RUNS: u64 = 2;

impl<'a> Search<'a> {
    /// A launch whose run is clean, with the lengths that runs at other sizes show.
    pub(super) fn with_sure_lengths(
        &mut self,
        trial: Trial,
        draft: Draft<'a>,
    ) -> Result<(Trial, Draft<'a>), Error> {
        let usual = draft.guessed_lengths();
        let mut runs = Vec::new();
        for way in 0..RUNS {
            let apart = draft.apart(usual.keys().copied(), way);
            // A kernel that takes square matrices only, say, is no worse for it.
            match self.if_clean(apart)? {
                Some((run, _)) => runs.push(run),
                None => return Ok((trial, draft)),
            }
        }
        let others: Vec<String> = draft.bounds().collect();
        let mut sure = draft.clone();
        for (&arg, length) in &usual {
            let measured: Vec<Measured<'_>> = runs
                .iter()
                .filter_map(|run| {
                    let memory = run.loaded.resolved.launch.args[arg].value.memory()?;
                    Some(Measured {
                        resolved: &run.loaded.resolved,
                        needed: run.touched[arg].div_ceil(memory.elem.size().max(1)),
                    })
                })
                .collect();
            if measured.iter().all(|m| m.needed > 0)
                && let Some(text) = express_all(&measured, &others, length)
                && text != *length
            {
                sure.set_length(arg, text);
            }
        }
        Ok(self.if_clean(sure)?.unwrap_or((trial, draft)))
    }
}
