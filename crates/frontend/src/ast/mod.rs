//! The syntax tree that clang gives, as far as launches need it: kernels with
//! their parameters, type names, structures.
//!
//! Method: `clang -ast-dump=json`, read with the `clang-ast` crate into a node
//! type of our own whose [`node::Clang::Other`] takes everything else. Types
//! arrive as text and are parsed by [`type_name`]; structures are laid out by
//! [`layout`].

pub mod layout;
pub mod node;
pub mod type_name;

use std::collections::HashMap;

use crate::error::FrontendError;
use node::{Clang, Node};
use type_name::Spelled;

/// The declarations of a source.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// Kernels in the order of the source.
    pub kernels: Vec<KernelDecl>,
    /// What type names stand for.
    pub typedefs: HashMap<String, Named>,
    /// Structures and unions by tag, such as `struct P`.
    pub tags: HashMap<String, usize>,
    /// All structures and unions.
    pub records: Vec<Record>,
}

/// What a type name stands for.
#[derive(Clone, Debug)]
pub enum Named {
    /// Another type.
    Type(Spelled),
    /// A structure without a tag, by index.
    Record(usize),
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct KernelDecl {
    /// Its name.
    pub name: String,
    /// Names and types of its parameters.
    pub params: Vec<(String, Spelled)>,
}

/// A structure or union.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Its tag; empty if it has none.
    pub name: String,
    /// Whether its members overlap.
    pub is_union: bool,
    /// Whether it has no padding.
    pub packed: bool,
    /// Its members.
    pub fields: Vec<FieldDecl>,
    /// It has something that is not laid out here, such as bit fields.
    pub opaque: bool,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct FieldDecl {
    /// Its name; empty for an unnamed structure.
    pub name: String,
    /// Its type.
    pub ty: FieldType,
}

/// The type of a member.
#[derive(Clone, Debug)]
pub enum FieldType {
    /// One with a name.
    Spelled(Spelled),
    /// A structure that is declared in place: its index, and the lengths of
    /// the array it forms.
    Record(usize, Vec<u64>),
}

/// Reads clang's JSON.
///
/// # Errors
/// [`FrontendError::Malformed`] where it is no JSON of a syntax tree.
pub fn read(json: &[u8]) -> Result<Declarations, FrontendError> {
    // Expressions nest as deep as the source likes; serde_json's own limit
    // would refuse long chains of `else if`.
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    deserializer.disable_recursion_limit();
    let deserializer = serde_stacker::Deserializer::new(&mut deserializer);
    let root: Node =
        serde::Deserialize::deserialize(deserializer).map_err(|e| FrontendError::Malformed {
            what: "syntax tree from clang",
            reason: e.to_string(),
        })?;
    let mut declarations = Declarations::default();
    let mut records_by_id = HashMap::new();
    for child in &root.inner {
        declarations.top_level(child, &mut records_by_id);
    }
    Ok(declarations)
}

type RecordsById = HashMap<clang_ast::Id, usize>;

impl Declarations {
    fn top_level(&mut self, node: &Node, records: &mut RecordsById) {
        match &node.kind {
            Clang::RecordDecl(_) => {
                self.record(node, records);
            }
            Clang::TypedefDecl(decl) => {
                // `typedef struct { … } P;`: the structure has no other name.
                let unnamed = node
                    .inner
                    .iter()
                    .find_map(node::owned_record)
                    .and_then(|id| records.get(&id).copied())
                    .filter(|&r| self.records[r].name.is_empty());
                let named = match unnamed {
                    Some(record) => {
                        self.records[record].name = decl.name.clone();
                        Named::Record(record)
                    }
                    None => match type_name::parse(&decl.ty.qual_type) {
                        Some(spelled) => Named::Type(spelled),
                        None => return,
                    },
                };
                self.typedefs.insert(decl.name.clone(), named);
            }
            Clang::FunctionDecl(decl) => self.function(node, &decl.name),
            _ => {}
        }
    }

    fn function(&mut self, node: &Node, name: &str) {
        let is_kernel = node
            .inner
            .iter()
            .any(|n| matches!(n.kind, Clang::OpenCLKernelAttr));
        let is_new = self.kernels.iter().all(|k| k.name != name);
        if !is_kernel || !is_new {
            return;
        }
        let params = node
            .inner
            .iter()
            .filter_map(|n| match &n.kind {
                Clang::ParmVarDecl(p) => {
                    let name = p.name.clone().unwrap_or_default();
                    Some((name, type_name::parse(&p.ty.qual_type)?))
                }
                _ => None,
            })
            .collect();
        self.kernels.push(KernelDecl {
            name: name.to_owned(),
            params,
        });
    }

    /// Adds a structure with all that it contains; gives its index.
    fn record(&mut self, node: &Node, records: &mut RecordsById) -> Option<usize> {
        let Clang::RecordDecl(decl) = &node.kind else {
            return None;
        };
        if !decl.complete_definition {
            return None;
        }
        let mut record = Record {
            name: decl.name.clone().unwrap_or_default(),
            is_union: decl.tag_used.as_deref() == Some("union"),
            ..Record::default()
        };
        // A field of an unnamed structure follows the structure's declaration.
        let mut last_inner = None;
        for child in &node.inner {
            match &child.kind {
                Clang::PackedAttr => record.packed = true,
                Clang::AlignedAttr => record.opaque = true,
                Clang::RecordDecl(_) => last_inner = self.record(child, records),
                Clang::FieldDecl(field) => {
                    record.opaque |= field.is_bitfield;
                    let spelled = type_name::parse(&field.ty.qual_type);
                    let unnamed = field.ty.qual_type.contains("(unnamed")
                        || field.ty.qual_type.contains("(anonymous");
                    let ty = match (spelled, unnamed, last_inner) {
                        (_, true, Some(inner)) => {
                            FieldType::Record(inner, type_name::lengths(&field.ty.qual_type))
                        }
                        (Some(spelled), false, _) => FieldType::Spelled(spelled),
                        _ => {
                            record.opaque = true;
                            continue;
                        }
                    };
                    record.fields.push(FieldDecl {
                        name: field.name.clone().unwrap_or_default(),
                        ty,
                    });
                }
                _ => {}
            }
        }
        let index = self.records.len();
        if !record.name.is_empty() {
            let keyword = if record.is_union { "union" } else { "struct" };
            self.tags
                .insert(format!("{keyword} {}", record.name), index);
        }
        self.records.push(record);
        records.insert(node.id, index);
        Some(index)
    }
}
