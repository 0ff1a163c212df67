//! Broken SPIR-V is an error, never a panic.

#[path = "../common/mod.rs"]
mod common;
mod corpora;
#[path = "../../../../fuzz/src/lib.rs"]
mod fuzz;

use std::sync::OnceLock;

use common::source;
use proptest::prelude::*;
use tilewise_frontend::{FrontendError, Options, Toolchain, build, compile_spirv};

/// A module with most kinds of instructions.
fn valid() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let text = "typedef struct { int a; float4 v; } P;
            __constant float table[2] = {1.0f, 2.0f};
            float get(__global float *p, int i) { return i < 0 ? 0.0f : p[i]; }
            __kernel void k(__global float *o, P p, int n, __local int *l) {
                int a[4];
                for (int i = 0; i < n; i++) {
                    a[i & 3] = i;
                    switch (i) { case 2: continue; case 5: return; }
                    o[i] = get(o, i) * table[i & 1] + p.v[i & 3] + sin(o[i]);
                }
                l[get_local_id(0)] = a[n & 3];
                barrier(CLK_LOCAL_MEM_FENCE);
                atomic_add(l, 1);
                vstore3(vload3(0, o).zyx, 1, o);
            }";
        let tools = Toolchain::find().expect("tools");
        let artifacts = build(&tools, &source(text), &Options::default()).expect("compiles");
        artifacts.as_written
    })
}

fn read(bytes: &[u8]) -> Result<(), FrontendError> {
    compile_spirv("broken.spv".as_ref(), bytes).map(|_| ())
}

#[test]
fn the_module_itself_is_fine() {
    read(valid()).expect("lowers");
}

#[test]
fn other_files_are_told_apart() {
    for bytes in [&b""[..], b"\x7fELF", b"__kernel void k() {}"] {
        let error = read(bytes).expect_err("is no SPIR-V");
        assert!(
            error.to_string().starts_with("malformed SPIR-V module"),
            "{error}"
        );
    }
}

/// A module of these instructions (opcode and operands), after what says that it
/// is one of OpenCL's.
fn module(instructions: &[(u32, &[u32])]) -> Vec<u8> {
    let mut words = vec![0x0723_0203, 0x0001_0100, 0, 100, 0];
    let model: [(u32, &[u32]); 2] = [(17, &[6]), (14, &[2, 2])];
    for (opcode, operands) in model.iter().chain(instructions) {
        words.push((operands.len() as u32 + 1) << 16 | opcode);
        words.extend_from_slice(operands);
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

const ENTRY_POINT: u32 = 15;
const TYPE_INT: u32 = 21;
const TYPE_STRUCT: u32 = 30;

#[test]
fn a_structure_declared_again_within_itself() {
    let broken = module(&[
        (TYPE_INT, &[1, 32, 0]),
        (TYPE_STRUCT, &[2, 1]),
        (TYPE_STRUCT, &[3, 2]),
        (TYPE_STRUCT, &[2, 3]),
    ]);
    let error = read(&broken).expect_err("%2 is within itself");
    assert!(
        error
            .to_string()
            .contains("OpTypeStruct (%2) is a type that was declared before"),
        "{error}"
    );
}

#[test]
fn two_kernels_of_one_name() {
    // `k`
    let name = u32::from_le_bytes(*b"k\0\0\0");
    let broken = module(&[(ENTRY_POINT, &[6, 10, name]), (ENTRY_POINT, &[6, 11, name])]);
    let error = read(&broken).expect_err("which of them is meant?");
    assert!(
        error
            .to_string()
            .contains("gives a second kernel the name k"),
        "{error}"
    );
}

/// It takes no time, though there are 2^31 of them.
#[test]
fn an_array_of_structures_without_members() {
    const TYPE_VOID: u32 = 19;
    const TYPE_ARRAY: u32 = 28;
    const TYPE_FUNCTION: u32 = 33;
    const CONSTANT: u32 = 43;
    const FUNCTION: u32 = 54;
    const FUNCTION_PARAMETER: u32 = 55;
    const FUNCTION_END: u32 = 56;
    const LABEL: u32 = 248;
    const RETURN: u32 = 253;
    // `k`
    let name = u32::from_le_bytes(*b"k\0\0\0");
    let strange = module(&[
        (ENTRY_POINT, &[6, 10, name]),
        (TYPE_INT, &[1, 32, 0]),
        (TYPE_VOID, &[2]),
        (CONSTANT, &[1, 3, 0x7fff_ffff]),
        (TYPE_STRUCT, &[4]),
        (TYPE_ARRAY, &[5, 4, 3]),
        (TYPE_FUNCTION, &[6, 2, 5]),
        (FUNCTION, &[2, 10, 0, 6]),
        (FUNCTION_PARAMETER, &[5, 7]),
        (LABEL, &[8]),
        (RETURN, &[]),
        (FUNCTION_END, &[]),
    ]);
    read(&strange).expect("it has no bytes");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_module_cut_short(words in 0usize..4000) {
        let bytes = valid();
        let end = (words * 4).min(bytes.len());
        // Whatever it is, it comes back.
        let _ = read(&bytes[..end]);
    }

    #[test]
    fn a_module_with_changed_words(
        changes in prop::collection::vec((5usize..4000, 0u32..400, any::<bool>()), 1..6)
    ) {
        let mut bytes = valid().to_vec();
        for (word, value, keep_high) in changes {
            let at = word * 4 % (bytes.len() - 3) / 4 * 4;
            if at < 20 {
                continue;
            }
            let mut new = value.to_le_bytes();
            if keep_high {
                // Keeps a word count, and changes the opcode or a literal.
                new[2..].copy_from_slice(&bytes[at + 2..at + 4]);
            }
            bytes[at..at + 4].copy_from_slice(&new);
        }
        let _ = read(&bytes);
    }
}
