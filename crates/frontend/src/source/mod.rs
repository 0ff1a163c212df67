//! The user's text as a typed syntax tree: function bodies with their places.
//!
//! Where `crate::ast` reads the declarations of the *expanded* text, this tree is
//! of the text as the user wrote it, so that it can be edited: every node knows
//! its bytes in the user's file, and whether it comes out of a macro.
//!
//! Method: `clang -ast-dump=json` of the unexpanded source, read with the
//! `clang-ast` crate ([`raw`]) and turned into enums of our own ([`tree`]) that
//! keep what a rewriter needs. What is not known is `Other` with its children:
//! nothing is lost silently, and odd input is never a panic.
//!
//! What it misses: code in included files and in prepended sources has no
//! editable place ([`Origin::Elsewhere`]); the names of swizzles (clang's JSON
//! leaves them out); arguments of attributes.

mod convert;
mod raw;
mod span;
mod tree;

pub use span::{Origin, Span};
pub use tree::{
    BinaryOp, DeclId, Expr, ExprKind, Function, FunctionId, SourceTree, Stmt, StmtKind, Type,
    UnaryOp, Variable,
};

pub use crate::ast::type_name::{AddressSpace, Qualifiers, Spelled};

use crate::compile::expand::{invocation, joined, main_offset};
use crate::compile::{Options, Source, half_prelude, process};
use crate::error::FrontendError;
use crate::toolchain::Toolchain;

/// Reads the syntax tree of a source as the user wrote it.
///
/// # Errors
/// [`FrontendError::Compile`] where clang rejects the source;
/// [`FrontendError::Malformed`] where its output can't be read.
pub fn source_tree(
    tools: &Toolchain,
    source: &Source,
    options: &Options,
) -> Result<SourceTree, FrontendError> {
    let folder = tempfile::tempdir().map_err(|source| FrontendError::Io {
        action: "make a temporary folder".to_owned(),
        source,
    })?;
    let mut args = vec![
        "-fsyntax-only".into(),
        "-w".into(),
        "-Xclang".into(),
        "-ast-dump=json".into(),
    ];
    half_prelude::write(options, folder.path())?;
    args.extend(half_prelude::flags(options, None));
    args.extend(invocation(source, options)?);
    args.push("-".into());
    let input = joined(source);
    let finished = process::run(&tools.clang, &args, folder.path(), Some(&input))?;
    if !finished.success {
        return Err(FrontendError::Compile {
            path: source.path.clone(),
            stderr: finished.stderr.trim_end().to_owned(),
        });
    }
    let root = raw::read(&finished.stdout)?;
    let places = span::Places::new(&source.text, main_offset(source));
    Ok(convert::tree(&root, places))
}
