//! The nodes of clang's JSON as they come: every field optional.

use clang_ast::{Id, SourceLocation, SourceRange};
use serde::Deserialize;

use crate::error::FrontendError;

/// A node with its children.
pub type Node = clang_ast::Node<Raw>;

/// Fields of a node. Locations repeat only what changed since the last one, so
/// all of them have to be read, in order, for any to be right.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Raw {
    /// Name of clang's class, such as `ForStmt`; empty for an absent child.
    pub kind: String,
    /// Where the name of a declaration stands.
    pub loc: Option<SourceLocation>,
    /// Where it begins and ends.
    pub range: Option<SourceRange>,
    /// Name of a declaration or member.
    pub name: Option<String>,
    /// Type of a declaration or expression.
    #[serde(rename = "type")]
    pub ty: Option<RawType>,
    /// Operator of a unary or binary expression.
    pub opcode: Option<String>,
    /// `x++` rather than `++x`.
    #[serde(rename = "isPostfix")]
    pub is_postfix: bool,
    /// What a cast does.
    #[serde(rename = "castKind")]
    pub cast_kind: Option<String>,
    /// `->` rather than `.`.
    #[serde(rename = "isArrow")]
    pub is_arrow: bool,
    /// An `if` with an `else`.
    #[serde(rename = "hasElse")]
    pub has_else: bool,
    /// An `if` or `switch` with a declaration in its condition.
    #[serde(rename = "hasVar")]
    pub has_var: bool,
    /// What a name stands for.
    #[serde(rename = "referencedDecl")]
    pub referenced: Option<Reference>,
    /// Value of a literal.
    pub value: Option<serde_json::Value>,
    /// How a variable is initialised; absent if it is not.
    pub init: Option<String>,
    /// `static`, `extern`.
    #[serde(rename = "storageClass")]
    pub storage: Option<String>,
}

/// A type as text.
#[derive(Debug, Deserialize)]
pub struct RawType {
    /// As the source has it.
    #[serde(rename = "qualType")]
    pub written: String,
    /// Without type names, where that differs.
    #[serde(rename = "desugaredQualType")]
    pub plain: Option<String>,
}

/// A declaration that an expression names.
#[derive(Debug, Deserialize)]
pub struct Reference {
    /// Its id.
    pub id: Id,
    /// Its class.
    #[serde(default)]
    pub kind: String,
    /// Its name.
    pub name: Option<String>,
}

/// Reads the JSON.
pub fn read(json: &[u8]) -> Result<Node, FrontendError> {
    // Expressions nest as deep as the source likes.
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    deserializer.disable_recursion_limit();
    let deserializer = serde_stacker::Deserializer::new(&mut deserializer);
    serde::Deserialize::deserialize(deserializer).map_err(|e| FrontendError::Malformed {
        what: "syntax tree from clang",
        reason: e.to_string(),
    })
}
