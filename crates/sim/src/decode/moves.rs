//! Puts the parallel copies of an edge into an order.
//!
//! A copy may go first when no other copy still reads its target; a ring of
//! copies is broken with one spare register (as in Boissinot and others,
//! "Revisiting Out-of-SSA Translation", 2009).

/// One copy: to, from.
pub(crate) type Copy = (u32, u32);

/// Orders copies within one bank. `spare` gives a register that none of them
/// uses.
pub(crate) fn in_order(mut copies: Vec<Copy>, mut spare: impl FnMut() -> u32) -> Vec<Copy> {
    copies.retain(|(to, from)| to != from);
    let mut ordered = Vec::with_capacity(copies.len());
    while !copies.is_empty() {
        let ready = (0..copies.len()).find(|&i| {
            let to = copies[i].0;
            copies.iter().all(|&(_, from)| from != to)
        });
        match ready {
            Some(i) => ordered.push(copies.swap_remove(i)),
            None => {
                // All targets are still read: save the first and read it there.
                let to = copies[0].0;
                let saved = spare();
                ordered.push((saved, to));
                for (_, from) in copies.iter_mut().filter(|(_, from)| *from == to) {
                    *from = saved;
                }
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the copies one by one and compares with doing them at once.
    fn check(copies: &[Copy]) {
        let before: Vec<u32> = (100..120).collect();
        let mut after = before.clone();
        for (to, from) in in_order(copies.to_vec(), || 19) {
            after[to as usize] = after[from as usize];
        }
        for &(to, from) in copies {
            assert_eq!(after[to as usize], before[from as usize], "{copies:?}");
        }
    }

    #[test]
    fn chains_rings_and_fans() {
        check(&[(1, 0), (2, 1), (3, 2)]);
        check(&[(0, 1), (1, 0)]);
        check(&[(0, 1), (1, 2), (2, 0), (3, 0), (4, 4)]);
        check(&[(0, 1), (1, 0), (2, 3), (3, 2), (5, 0)]);
    }
}
