//! Compiles kernels that tests hold as text. Needs clang and llvm-spirv, which
//! `cargo xtask test` installs.

use tilewise_frontend::{Compiled, FrontendError, Options, Source, Toolchain, compile};

/// A source in a file that is not there: its text is all that counts.
pub fn source(text: &str) -> Source {
    Source {
        path: "kernel.cl".into(),
        text: text.to_owned(),
        prepend: Vec::new(),
    }
}

/// Compiles a text with build options.
pub fn try_compile(text: &str, options: &str) -> Result<Compiled, FrontendError> {
    let tools = Toolchain::find()?;
    compile(&tools, &source(text), &Options::parse(options)?)
}

/// Compiles a text that must compile.
#[allow(dead_code)]
pub fn compiled(text: &str) -> Compiled {
    match try_compile(text, "") {
        Ok(compiled) => compiled,
        Err(error) => panic!("{error}\n{text}"),
    }
}
