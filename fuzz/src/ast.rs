//! The reader of clang's syntax tree.

use tilewise_frontend::signatures_with_tree;

use super::launch_file::try_guess;

/// The module whose kernels the trees of the corpus declare, from
/// `arguments.cl`.
const MODULE: &[u8] = include_bytes!("arguments.spv");

/// Reads a syntax tree and makes signatures of it: whatever it says, each
/// kernel of the module gets one, whose types are as large as the module's.
pub fn run(tree: &[u8]) {
    let signatures = match signatures_with_tree(MODULE, tree) {
        Ok(signatures) => signatures,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(signatures.len(), 2, "a kernel lost its signature");
    signatures.iter().for_each(try_guess);
}
