//! Writes the modules that are one instruction, one builtin or one operand away from
//! small ones: what a mutator would take hours to come by, such as the operations that
//! clang never writes. Random changes find the rest.
//!
//! `cargo run --example neighbours -- FOLDER EVERY [SOURCE…]` in `fuzz/` writes each
//! EVERYth of them, of `src/values.cl` if no source is named; what reaches something new
//! goes into a corpus with `spirv -merge=1 CORPUS FOLDER`.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use tilewise_frontend::{Options, Source, Toolchain, build};
use tilewise_fuzz::instructions::{join, split};

/// `OpExtInst`, `OpReturn`, `OpFunction`, `OpName`.
const EXT_INST: u32 = 12;
const RETURN: u32 = 253;
const FUNCTION: u32 = 54;
const NAME: u32 = 5;
/// Opcodes up to the last group operation and the extensions that are read.
const OPCODES: [std::ops::Range<u32>; 3] = [0..405, 4416..4460, 5360..5640];
/// Builtins of OpenCL.std, and a few numbers that are none.
const BUILTINS: u32 = 206;
/// Names that say what an argument is for, and some that say nothing.
const NAMES: &[&str] = &[
    "n",
    "W",
    "H",
    "width",
    "height",
    "nx",
    "Ny",
    "sx",
    "Lz",
    "stride",
    "pitch",
    "offset",
    "radius",
    "R",
    "count",
    "nfeatures",
    "numPoints",
    "idx",
    "index",
    "row_ptr",
    "cols",
    "alpha",
    "eps",
    "iterations",
    "seed",
    "mask",
    "lut",
    "x_0",
    "out",
    "é",
    "",
];

type List = Vec<Vec<u32>>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let folder = PathBuf::from(args.next().ok_or("which folder?")?);
    let every: u64 = match args.next() {
        Some(every) => every.to_str().ok_or("a number")?.parse()?,
        None => 1,
    };
    let mut sources: Vec<PathBuf> = args.map(PathBuf::from).collect();
    if sources.is_empty() {
        sources.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/values.cl"));
    }
    std::fs::create_dir_all(&folder)?;
    let tools = Toolchain::find()?;
    let options = Options::parse("-cl-std=CL3.0")?;
    let (mut seen, mut written) = (0u64, 0u64);
    for source in &sources {
        let Ok(built) = build(&tools, &Source::read(source)?, &options) else {
            eprintln!("no module of {}", source.display());
            continue;
        };
        let forms = [Some(built.as_written), built.as_compiled];
        for module in forms.into_iter().flatten() {
            let (header, list) = split(&module).ok_or("no module")?;
            let mut write = |list: List| {
                seen += 1;
                if !seen.is_multiple_of(every) {
                    return Ok(());
                }
                written += 1;
                std::fs::write(
                    folder.join(format!("{written:07}")),
                    join(header.clone(), list),
                )
            };
            let values = Values::of(&list);
            let new = header[3] - 1;
            for inst in inserted(&values, new) {
                let mut changed = list.clone();
                changed.insert(values.end, inst);
                write(changed)?;
            }
            for at in 0..list.len() {
                let mut without = list.clone();
                without.remove(at);
                write(without)?;
                for inst in beside(&list[at], header[3]) {
                    let mut changed = list.clone();
                    changed[at] = inst;
                    write(changed)?;
                }
            }
        }
    }
    println!("{written} modules");
    Ok(())
}

/// What a new instruction may stand on.
struct Values {
    /// Ids by the id of their type.
    by_type: BTreeMap<u32, Vec<u32>>,
    /// The set of builtins.
    set: u32,
    /// Where the body ends.
    end: usize,
}

impl Values {
    fn of(list: &List) -> Self {
        let opcode = |inst: &Vec<u32>| inst[0] & 0xffff;
        let types: Vec<u32> = list
            .iter()
            .filter(|i| (19..=39).contains(&opcode(i)))
            .map(|i| i[1])
            .collect();
        let end = list.iter().position(|i| opcode(i) == RETURN).unwrap_or(0);
        let mut by_type: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for inst in &list[..end] {
            let names_a_type = inst.len() > 2 && types.contains(&inst[1]);
            if names_a_type && !matches!(opcode(inst), 19..=39 | FUNCTION) {
                by_type.entry(inst[1]).or_default().push(inst[2]);
            }
        }
        let set = list
            .iter()
            .find(|i| opcode(i) == EXT_INST)
            .map_or(1, |i| i[3]);
        Self { by_type, set, end }
    }
}

/// Instructions that give a value of each type from values of a type: every opcode and
/// every builtin.
fn inserted(values: &Values, new: u32) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut add = |opcode: u32, operands: &[u32]| {
        let mut inst = vec![(operands.len() as u32 + 1) << 16 | opcode];
        inst.extend(operands);
        found.push(inst);
    };
    let scopes: Vec<u32> = values
        .by_type
        .values()
        .filter_map(|v| v.first().copied())
        .collect();
    let scope = scopes.first().copied().unwrap_or(1);
    for (ty, ids) in &values.by_type {
        let (a, b) = (ids[ids.len() - 1], ids[ids.len() / 2]);
        let others = [
            values.by_type.keys().next(),
            values.by_type.keys().next_back(),
        ];
        for opcode in OPCODES.into_iter().flatten() {
            add(opcode, &[*ty, new, a]);
            add(opcode, &[*ty, new, a, b]);
            add(opcode, &[*ty, new, a, b, a]);
            add(opcode, &[*ty, new, scope, a]);
            add(opcode, &[*ty, new, scope, 0, a]);
            add(opcode, &[*ty, new, scope, 3, a, b]);
            add(opcode, &[*ty, new, a, scope, scope, b]);
            add(opcode, &[a, b]);
            for other in others.into_iter().flatten() {
                add(opcode, &[*other, new, a]);
                add(opcode, &[*other, new, a, b]);
            }
        }
        for builtin in 0..BUILTINS {
            for args in [&[a][..], &[a, b], &[a, b, a], &[a, b, 4]] {
                let mut operands = vec![*ty, new, values.set, builtin];
                operands.extend(args);
                add(EXT_INST, &operands);
            }
        }
    }
    found
}

/// An instruction with one operand changed, or another name.
fn beside(inst: &[u32], bound: u32) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    for at in 1..inst.len() {
        let now = inst[at];
        let near = (1..=3).flat_map(|by| [now.wrapping_add(by), now.wrapping_sub(by)]);
        let bits = (0..12).map(|bit| now ^ 1 << bit);
        let ids = (0..bound).step_by(7);
        for value in near.chain(bits).chain(ids).chain([u32::MAX, 1 << 31]) {
            let mut changed = inst.to_vec();
            changed[at] = value;
            found.push(changed);
        }
    }
    if inst[0] & 0xffff == NAME && inst.len() > 2 {
        for name in NAMES {
            let mut bytes = name.as_bytes().to_vec();
            bytes.resize(bytes.len() / 4 * 4 + 4, 0);
            let (words, _) = bytes.as_chunks::<4>();
            let mut changed = vec![(words.len() as u32 + 2) << 16 | NAME, inst[1]];
            changed.extend(words.iter().map(|w| u32::from_le_bytes(*w)));
            found.push(changed);
        }
    }
    found
}
