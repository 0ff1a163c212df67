//! Which candidates are staged together, and in chunks of which loop.

use tilewise_frontend::source::{Function, SourceTree};

use crate::loads::Accesses;
use crate::plan::domain::{Chunk, domain};
use crate::refusal::{Code, Refusal};
use crate::rewrite::fixed_group::defines;
use crate::rewrite::names::Names;
use crate::rewrite::tile::{extents, room};
use crate::symbolic::{Atom, LoopId, Poly};

use super::Launch;
use super::candidate::{Candidate, bytes_of, too_large};

/// Widths of a panel that a row of work-items stages, in elements: the first that
/// fits. 8 floats are a sector of global memory.
const CHUNKS: [u64; 3] = [32, 16, 8];

/// Cuts the boxes that grow with a loop into chunks of it: panels of a matrix
/// always, what all work-items share only where it does not fit as a whole, or would not
/// at another number of work-items (bodies that all see each other). A chunk
/// is as short as lets the tiles fit together; what does not fit then is left out.
pub fn in_chunks(
    accesses: &mut Accesses<'_>,
    boxes: &mut Vec<Candidate>,
    launch: &Launch,
    refusals: &mut Vec<Refusal>,
) -> Option<(Chunk, String)> {
    let fits = |c: &Candidate| {
        let small = c.bytes.is_some_and(|b| b <= launch.limit / 2);
        small
            && !c
                .long
                .is_some_and(|id| grows_with_range(accesses, id, launch))
    };
    let id = boxes
        .iter()
        .filter(|c| c.moves || !fits(c) && !c.constant)
        .find_map(|c| c.long)?;
    let tree = accesses.bindings.tree;
    let found = accesses.bindings.loops[id.0 as usize].clone();
    let start = Names::around(tree, accesses.function).fresh(&format!("{}0", found.name));
    let of_loop: Vec<Candidate> = std::mem::take(boxes)
        .into_iter()
        .filter(|c| c.long == Some(id))
        .collect();
    // A row of work-items takes a panel as wide as two of a memory's sectors are long,
    // not as wide as the group.
    let panel = of_loop.iter().any(Candidate::is_panel);
    let row = launch.local[1] == 1 && launch.local[2] == 1;
    let lengths = match panel && row && launch.local[0] > CHUNKS[0] {
        true => CHUNKS
            .map(|length| Atom::Macro {
                name: chunk_name(&tree.text, length),
                value: i128::from(length),
            })
            .to_vec(),
        false => vec![Atom::LocalSize(0)],
    };
    let mut last = None;
    for length in lengths {
        let atoms = &mut accesses.bindings.atoms;
        let chunk = Chunk {
            id,
            start: Poly::atom(atoms.intern(Atom::Named(start.clone()))),
            length: Poly::atom(atoms.intern(length)),
        };
        let cut = cut(accesses, &of_loop, &chunk, launch);
        let fits = !cut.refused.iter().any(|r| r.code == Code::TooLarge)
            && total(&cut.kept) <= launch.limit;
        last = Some((chunk, cut));
        if fits {
            break;
        }
    }
    let (chunk, cut) = last?;
    *boxes = cut.kept;
    refusals.extend(cut.refused);
    leave_out(boxes, launch, refusals, accesses.function, tree);
    (!boxes.is_empty()).then_some((chunk, start))
}

/// Whether a loop runs over as much as there are work-items.
fn grows_with_range(accesses: &Accesses<'_>, id: LoopId, launch: &Launch) -> bool {
    let bindings = &accesses.bindings;
    let Some(found) = bindings.loops.get(id.0 as usize) else {
        return false;
    };
    let mut bounds = found.upper.atoms().map(|a| bindings.atoms.get(a));
    bounds.any(|atom| matches!(atom, Atom::Param { name, .. } if launch.range_sizes.contains(name)))
}

/// The name of a chunk's length: the source's, where it has one of this value.
fn chunk_name(text: &str, length: u64) -> String {
    match defines(text, "CHUNK", length) {
        true => "CHUNK".to_owned(),
        false => Names::of(text).fresh("CHUNK"),
    }
}

/// Boxes cut into chunks, and those that can't be.
struct Cut {
    kept: Vec<Candidate>,
    refused: Vec<Refusal>,
}

fn cut(accesses: &mut Accesses<'_>, boxes: &[Candidate], chunk: &Chunk, launch: &Launch) -> Cut {
    let mut cut = Cut {
        kept: Vec::new(),
        refused: Vec::new(),
    };
    for candidate in boxes {
        let mut candidate = candidate.clone();
        match domain(accesses, &candidate.family, Some(chunk)) {
            Ok(domain) => {
                let extents = extents(accesses, &candidate.family, &domain);
                let extents = room(&candidate.family, &extents);
                candidate.bytes = bytes_of(accesses, &candidate.buffer, &extents, launch);
                candidate.domain = domain;
                match candidate.bytes.filter(|b| *b > launch.limit) {
                    Some(bytes) => {
                        let refusal = too_large(accesses, &candidate, &extents, bytes, launch);
                        cut.refused.push(refusal);
                    }
                    None => cut.kept.push(candidate),
                }
            }
            Err((code, why)) => {
                let span = accesses.loads[candidate.family.loads[0]].expr.span;
                let message = format!("this load of {} is not staged: {why}", candidate.buffer);
                let refusal = Refusal::new(accesses.bindings.tree, span, code, message);
                cut.refused.push(refusal.of(&candidate.buffer));
            }
        }
    }
    cut
}

/// Bytes that tiles take together.
fn total(boxes: &[Candidate]) -> u64 {
    boxes.iter().filter_map(|c| c.bytes).sum()
}

/// Which candidates to stage together: those that move with the work-items; a
/// table that all read alike comes from a cache as fast, and is staged only
/// where there is nothing else.
pub fn choose(
    boxes: &mut Vec<Candidate>,
    launch: &Launch,
    refusals: &mut Vec<Refusal>,
    accesses: &Accesses<'_>,
) {
    let (function, tree) = (accesses.function, accesses.bindings.tree);
    if boxes.iter().any(|c| c.moves) {
        boxes.retain(|c| c.moves);
    } else {
        boxes.retain(|c| {
            if c.constant {
                let span = accesses.loads[c.family.loads[0]].expr.span;
                let message = format!(
                    "all work-items read the same element of {} at a time, which constant memory gives to all of them at once",
                    c.buffer
                );
                refusals.push(Refusal::new(tree, span, Code::NoReuse, message).of(&c.buffer));
            }
            !c.constant
        });
    }
    leave_out(boxes, launch, refusals, function, tree);
}

/// Where tiles do not fit together, the largest goes first.
fn leave_out(
    boxes: &mut Vec<Candidate>,
    launch: &Launch,
    refusals: &mut Vec<Refusal>,
    function: &Function,
    tree: &SourceTree,
) {
    loop {
        let total = total(boxes);
        if total <= launch.limit || boxes.len() < 2 {
            break;
        }
        let largest = (0..boxes.len()).max_by_key(|i| boxes[*i].bytes);
        let Some(largest) = largest else { break };
        let out = boxes.remove(largest);
        refusals.push(
            Refusal::new(
                tree,
                function.span,
                Code::TooLarge,
                format!(
                    "{} does not fit beside the other tiles: together they take {total} B of {} B",
                    out.buffer, launch.limit
                ),
            )
            .of(&out.buffer),
        );
    }
}
