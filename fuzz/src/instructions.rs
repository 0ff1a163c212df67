//! Changes of SPIR-V by instructions. Bytes changed anywhere mostly break the
//! framing (each instruction says how many words it has), and what comes behind
//! is never read; these changes keep it, and so reach the lowering.

use super::random::Random;

/// The words of the header: magic number, version, generator, bound, schema.
const HEADER: usize = 5;
/// `OpExtInst`: a call of a builtin of OpenCL.std, by its number.
const EXT_INST: u32 = 12;
/// Numbers of builtins, and a few that are none.
const BUILTINS: usize = 220;

/// Changes a few instructions or their operands. `other` is a module to take
/// instructions from. Bytes that are no module stay as they are.
pub fn change_module(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let Some((header, mut list)) = split(bytes) else {
        return;
    };
    let foreign = split(other).map_or_else(Vec::new, |(_, list)| list);
    for _ in 0..=random.below(3) {
        change(&mut list, &foreign, random);
    }
    *bytes = join(header, list);
}

/// The header and the instructions of a module; what is cut at its end is left
/// out.
pub fn split(bytes: &[u8]) -> Option<(Vec<u32>, Vec<Vec<u32>>)> {
    let (words, _) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let (header, mut rest) = words.split_at_checked(HEADER)?;
    let mut list = Vec::new();
    while let Some(first) = rest.first() {
        let count = (first >> 16) as usize;
        if count == 0 || count > rest.len() {
            break;
        }
        let (inst, behind) = rest.split_at(count);
        list.push(inst.to_vec());
        rest = behind;
    }
    (!list.is_empty()).then(|| (header.to_vec(), list))
}

/// The module of a header and instructions.
pub fn join(header: Vec<u32>, list: Vec<Vec<u32>>) -> Vec<u8> {
    let words = header.into_iter().chain(list.into_iter().flatten());
    words.flat_map(u32::to_le_bytes).collect()
}

fn change(list: &mut Vec<Vec<u32>>, foreign: &[Vec<u32>], random: &mut Random) {
    if list.is_empty() {
        return;
    }
    let (at, from) = (random.below(list.len()), random.below(list.len()));
    match random.below(12) {
        0 => drop(list.remove(at)),
        1 => list.insert(at, list[from].clone()),
        2 => list.swap(at, from),
        3 if !foreign.is_empty() => list.insert(at, foreign[random.below(foreign.len())].clone()),
        4 => {
            // Another operation on the same operands.
            let opcode = list[from][0] & 0xffff;
            list[at][0] = list[at][0] & 0xffff_0000 | opcode;
        }
        // Operations of one kind have numbers side by side.
        5 => list[at][0] = list[at][0] & 0xffff_0000 | near(list[at][0] & 0xffff, random) & 0xffff,
        6 => {
            // Another operand, near the one that is there, or of other flags.
            let inst = &mut list[at];
            if inst.len() > 1 {
                let operand = 1 + random.below(inst.len() - 1);
                inst[operand] = match random.below(2) {
                    0 => near(inst[operand], random),
                    _ => inst[operand] ^ 1 << random.below(32),
                };
            }
        }
        7 => {
            // Another builtin.
            let calls = |inst: &&mut Vec<u32>| inst[0] & 0xffff == EXT_INST && inst.len() > 4;
            let calls: Vec<_> = list.iter_mut().filter(calls).collect();
            let at = random.below(calls.len());
            if let Some(inst) = calls.into_iter().nth(at) {
                inst[4] = random.below(BUILTINS) as u32;
            }
        }
        8 => {
            // An operand more or fewer.
            let inst = &mut list[at];
            match random.below(2) {
                0 if inst.len() > 1 => drop(inst.pop()),
                _ => inst.push(random.below(64) as u32),
            }
            inst[0] = inst[0] & 0xffff | (inst.len() as u32) << 16;
        }
        _ => {
            // Another operand: that of an instruction nearby, or a number.
            let source = &list[(at + random.below(16)) % list.len()];
            let word = match (source.len(), random.below(4)) {
                (2.., 0..=2) => source[1 + random.below(source.len() - 1)],
                _ => random.below(300) as u32,
            };
            let inst = &mut list[at];
            if inst.len() > 1 {
                let operand = 1 + random.below(inst.len() - 1);
                inst[operand] = word;
            }
        }
    }
}

/// A number near another one.
fn near(number: u32, random: &mut Random) -> u32 {
    let by = 1 + random.below(8) as u32;
    match random.below(2) {
        0 => number.wrapping_add(by),
        _ => number.wrapping_sub(by),
    }
}
