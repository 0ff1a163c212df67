//! The nodes of clang's JSON that are read; the rest is `Other`.

use serde::Deserialize;

/// A node with its children.
pub type Node = clang_ast::Node<Clang>;

/// What a node is.
#[derive(Debug, Deserialize)]
pub enum Clang {
    /// A function, kernels among them.
    FunctionDecl(FunctionDecl),
    /// A parameter.
    ParmVarDecl(ParmVarDecl),
    /// A type name.
    TypedefDecl(TypedefDecl),
    /// A structure or union.
    RecordDecl(RecordDecl),
    /// A member.
    FieldDecl(FieldDecl),
    /// A type written with its keyword; may declare a structure in place.
    ElaboratedType(ElaboratedType),
    /// The type of a structure.
    RecordType(RecordType),
    /// `__kernel`.
    OpenCLKernelAttr,
    /// `__attribute__((packed))`.
    PackedAttr,
    /// `__attribute__((aligned(n)))`.
    AlignedAttr,
    /// Anything else.
    Other,
}

/// A type as text.
#[derive(Debug, Deserialize)]
pub struct QualType {
    /// As the source has it.
    #[serde(rename = "qualType")]
    pub qual_type: String,
}

/// See [`Clang::FunctionDecl`].
#[derive(Debug, Deserialize)]
pub struct FunctionDecl {
    /// Its name.
    pub name: String,
}

/// See [`Clang::ParmVarDecl`].
#[derive(Debug, Deserialize)]
pub struct ParmVarDecl {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: QualType,
}

/// See [`Clang::TypedefDecl`].
#[derive(Debug, Deserialize)]
pub struct TypedefDecl {
    /// Its name.
    pub name: String,
    /// What it stands for.
    #[serde(rename = "type")]
    pub ty: QualType,
}

/// See [`Clang::RecordDecl`].
#[derive(Debug, Deserialize)]
pub struct RecordDecl {
    /// Its tag, if it has one.
    pub name: Option<String>,
    /// `struct` or `union`.
    #[serde(rename = "tagUsed")]
    pub tag_used: Option<String>,
    /// Whether its members are here.
    #[serde(rename = "completeDefinition", default)]
    pub complete_definition: bool,
}

/// See [`Clang::FieldDecl`].
#[derive(Debug, Deserialize)]
pub struct FieldDecl {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: QualType,
    /// Whether it is a bit field.
    #[serde(rename = "isBitfield", default)]
    pub is_bitfield: bool,
}

/// See [`Clang::ElaboratedType`].
#[derive(Debug, Deserialize)]
pub struct ElaboratedType {
    /// The structure that is declared in place.
    #[serde(rename = "ownedTagDecl")]
    pub owned: Option<Reference>,
}

/// See [`Clang::RecordType`].
#[derive(Debug, Deserialize)]
pub struct RecordType {
    /// The structure.
    pub decl: Reference,
}

/// A node named by its id.
#[derive(Debug, Deserialize)]
pub struct Reference {
    /// The id.
    pub id: clang_ast::Id,
}

/// The structure behind the type of a `typedef`.
pub fn owned_record(node: &Node) -> Option<clang_ast::Id> {
    match &node.kind {
        Clang::ElaboratedType(ty) => ty
            .owned
            .as_ref()
            .map(|r| r.id)
            .or_else(|| node.inner.iter().find_map(owned_record)),
        Clang::RecordType(ty) => Some(ty.decl.id),
        _ => None,
    }
}
