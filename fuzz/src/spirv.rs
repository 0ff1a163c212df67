//! The reader of SPIR-V and the lowering.

use std::path::Path;

use tilewise_frontend::compile_spirv;

use super::launch_file::try_guess;

/// Reads a module and lowers its kernels: what comes out keeps the rules of the
/// IR, and each kernel has a signature for which a launch can be guessed.
pub fn run(bytes: &[u8]) {
    let compiled = match compile_spirv(Path::new("fuzz.spv"), bytes) {
        Ok(compiled) => compiled,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for program in [&compiled.as_written, &compiled.as_compiled] {
        assert_eq!(program.kernels.len(), compiled.signatures.len());
        for kernel in &program.kernels {
            if let Err(broken) = tilewise_ir::verify::verify(kernel) {
                panic!("the lowered kernel breaks a rule of the IR: {broken}");
            }
        }
    }
    for (kernel, signature) in compiled.as_written.kernels.iter().zip(&compiled.signatures) {
        assert_eq!(kernel.params.len(), signature.params.len());
        try_guess(signature);
    }
}
