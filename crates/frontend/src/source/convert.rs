//! From clang's nodes to the tree.

use std::collections::HashMap;

use clang_ast::Id;

use crate::ast::type_name;

use super::raw::{Node, RawType};
use super::span::Places;
use super::tree::{
    BinaryOp, DeclId, Expr, ExprKind, Function, SourceTree, Stmt, StmtKind, Type, UnaryOp, Variable,
};

/// The tree of a source.
pub fn tree(root: &Node, places: Places<'_>) -> SourceTree {
    let mut converter = Converter {
        places,
        ids: HashMap::new(),
    };
    let mut tree = SourceTree {
        text: converter.places.text().to_owned(),
        ..SourceTree::default()
    };
    for node in &root.inner {
        tree.globals.extend(node.kind.name.clone());
        if node.kind.kind == "VarDecl" && node.kind.init.is_some() {
            tree.constants.push(converter.variable(node));
        }
        if node.kind.kind == "FunctionDecl" {
            tree.functions.extend(converter.function(node));
        }
    }
    tree
}

struct Converter<'s> {
    places: Places<'s>,
    ids: HashMap<Id, DeclId>,
}

impl Converter<'_> {
    fn id(&mut self, id: Id) -> DeclId {
        let next = DeclId(self.ids.len() as u32);
        *self.ids.entry(id).or_insert(next)
    }

    fn function(&mut self, node: &Node) -> Option<Function> {
        let body = node.inner.iter().find(|n| n.kind.kind == "CompoundStmt")?;
        let has = |kind: &str| node.inner.iter().any(|n| n.kind.kind == kind);
        Some(Function {
            name: node.kind.name.clone()?,
            is_kernel: has("OpenCLKernelAttr"),
            has_required_size: has("ReqdWorkGroupSizeAttr"),
            params: node
                .inner
                .iter()
                .filter(|n| n.kind.kind == "ParmVarDecl")
                .map(|n| self.variable(n))
                .collect(),
            body: self.stmt(body),
            span: self.places.span(node.kind.range.as_ref()),
        })
    }

    fn variable(&mut self, node: &Node) -> Variable {
        let init = node.kind.init.as_ref().and(node.inner.first());
        Variable {
            id: self.id(node.id),
            name: node.kind.name.clone().unwrap_or_default(),
            ty: type_of(node.kind.ty.as_ref()),
            init: init.map(|n| self.expr(n)),
            span: self.places.span(node.kind.range.as_ref()),
        }
    }

    fn stmt(&mut self, node: &Node) -> Stmt {
        let span = self.places.span(node.kind.range.as_ref());
        let inner = &node.inner;
        let kind = match (node.kind.kind.as_str(), inner.len()) {
            ("CompoundStmt", _) => StmtKind::Block(inner.iter().map(|n| self.stmt(n)).collect()),
            ("DeclStmt", _) if inner.iter().all(|n| n.kind.kind == "VarDecl") => {
                StmtKind::Declare(inner.iter().map(|n| self.variable(n)).collect())
            }
            ("IfStmt", 2 | 3) if !node.kind.has_var => StmtKind::If {
                condition: self.expr(&inner[0]),
                then: Box::new(self.stmt(&inner[1])),
                otherwise: inner.get(2).map(|n| Box::new(self.stmt(n))),
            },
            // Absent clauses are there, empty; the second child is a
            // declaration in the condition.
            ("ForStmt", 5) if is_absent(&inner[1]) => {
                let present = |n: &'_ Node| !is_absent(n);
                StmtKind::For {
                    init: present(&inner[0]).then(|| Box::new(self.stmt(&inner[0]))),
                    condition: present(&inner[2]).then(|| self.expr(&inner[2])),
                    step: present(&inner[3]).then(|| self.expr(&inner[3])),
                    body: Box::new(self.stmt(&inner[4])),
                }
            }
            ("WhileStmt", 2) => StmtKind::While {
                condition: self.expr(&inner[0]),
                body: Box::new(self.stmt(&inner[1])),
            },
            ("DoStmt", 2) => StmtKind::While {
                body: Box::new(self.stmt(&inner[0])),
                condition: self.expr(&inner[1]),
            },
            ("ReturnStmt", _) => StmtKind::Return(inner.first().map(|n| self.expr(n))),
            ("BreakStmt", _) => StmtKind::Break,
            ("ContinueStmt", _) => StmtKind::Continue,
            ("NullStmt", _) => StmtKind::Empty,
            (kind, _) if is_expression(node) => {
                let _ = kind;
                StmtKind::Expr(self.expr(node))
            }
            (kind, _) => StmtKind::Other {
                kind: kind.to_owned(),
                children: inner.iter().map(|n| self.stmt(n)).collect(),
            },
        };
        Stmt { kind, span }
    }

    fn boxed(&mut self, node: &Node) -> Box<Expr> {
        Box::new(self.expr(node))
    }

    fn expr(&mut self, node: &Node) -> Expr {
        let raw = &node.kind;
        let inner = &node.inner;
        let opcode = raw.opcode.as_deref().unwrap_or_default();
        let binary = BinaryOp::read(opcode);
        let kind = match (raw.kind.as_str(), &inner[..]) {
            ("IntegerLiteral" | "CharacterLiteral", _) => match self.integer(node) {
                Some(value) => ExprKind::Integer(value),
                None => self.other(node),
            },
            ("FloatingLiteral", _) => {
                match raw.value.as_ref().and_then(|v| v.as_str()?.parse().ok()) {
                    Some(value) => ExprKind::Floating(value),
                    None => self.other(node),
                }
            }
            ("ConstantExpr", [one]) => return self.expr(one),
            ("ParenExpr", [one]) => ExprKind::Paren(self.boxed(one)),
            ("DeclRefExpr", _) => match &raw.referenced {
                Some(r) if matches!(r.kind.as_str(), "VarDecl" | "ParmVarDecl") => {
                    ExprKind::Variable {
                        id: self.id(r.id),
                        name: r.name.clone().unwrap_or_default(),
                    }
                }
                Some(r) => ExprKind::Name(r.name.clone().unwrap_or_default()),
                None => self.other(node),
            },
            ("UnaryOperator", [one]) => ExprKind::Unary {
                op: unary(opcode),
                operand: self.boxed(one),
            },
            ("BinaryOperator", [left, right]) if opcode == "=" => ExprKind::Assign {
                op: None,
                target: self.boxed(left),
                value: self.boxed(right),
            },
            ("BinaryOperator", [left, right]) if binary.is_some() => ExprKind::Binary {
                op: binary.unwrap_or(BinaryOp::Comma),
                left: self.boxed(left),
                right: self.boxed(right),
            },
            ("CompoundAssignOperator", [left, right]) => ExprKind::Assign {
                op: BinaryOp::read(opcode.trim_end_matches('=')),
                target: self.boxed(left),
                value: self.boxed(right),
            },
            ("ConditionalOperator", [condition, then, otherwise]) => ExprKind::Conditional {
                condition: self.boxed(condition),
                then: self.boxed(then),
                otherwise: self.boxed(otherwise),
            },
            ("ArraySubscriptExpr", [base, index]) => ExprKind::Index {
                base: self.boxed(base),
                index: self.boxed(index),
            },
            ("MemberExpr" | "ExtVectorElementExpr", [base]) => ExprKind::Member {
                base: self.boxed(base),
                name: raw.name.clone().unwrap_or_default(),
                arrow: raw.is_arrow,
            },
            ("CallExpr", [callee, args @ ..]) => ExprKind::Call {
                callee: function_name(callee),
                args: args.iter().map(|n| self.expr(n)).collect(),
            },
            ("ImplicitCastExpr" | "CStyleCastExpr", [one]) => ExprKind::Cast {
                operand: self.boxed(one),
                implicit: raw.kind == "ImplicitCastExpr",
                what: raw.cast_kind.clone().unwrap_or_default(),
            },
            _ => self.other(node),
        };
        Expr {
            kind,
            ty: type_of(raw.ty.as_ref()),
            span: self.places.span(raw.range.as_ref()),
        }
    }

    fn integer(&self, node: &Node) -> Option<i128> {
        match node.kind.value.as_ref()? {
            serde_json::Value::String(text) => text.parse().ok(),
            serde_json::Value::Number(number) => number.as_i64().map(i128::from),
            _ => None,
        }
    }

    fn other(&mut self, node: &Node) -> ExprKind {
        ExprKind::Other {
            kind: node.kind.kind.clone(),
            children: node.inner.iter().map(|n| self.expr(n)).collect(),
        }
    }
}

fn is_absent(node: &Node) -> bool {
    node.kind.kind.is_empty() || node.kind.kind == "null"
}

/// Expressions are the nodes with a type and a value category; those are the
/// ones whose class ends so.
fn is_expression(node: &Node) -> bool {
    let kind = node.kind.kind.as_str();
    kind.ends_with("Expr") || kind.ends_with("Operator") || kind.ends_with("Literal")
}

fn unary(opcode: &str) -> UnaryOp {
    match opcode {
        "+" => UnaryOp::Plus,
        "-" => UnaryOp::Minus,
        "!" => UnaryOp::Not,
        "~" => UnaryOp::BitNot,
        "*" => UnaryOp::Dereference,
        "&" => UnaryOp::AddressOf,
        "++" => UnaryOp::Increment,
        "--" => UnaryOp::Decrement,
        _ => UnaryOp::Other,
    }
}

fn function_name(callee: &Node) -> String {
    let referenced = callee.kind.referenced.as_ref();
    match (referenced, callee.inner.first()) {
        (Some(r), _) => r.name.clone().unwrap_or_default(),
        (None, Some(inner)) => function_name(inner),
        (None, None) => String::new(),
    }
}

fn type_of(raw: Option<&RawType>) -> Type {
    let Some(raw) = raw else {
        return Type::default();
    };
    // Without the type names of the source, unless that is a vector's attribute.
    let plain = raw.plain.as_deref().and_then(type_name::parse);
    Type {
        written: raw.written.clone(),
        spelled: plain.or_else(|| type_name::parse(&raw.written)),
    }
}
