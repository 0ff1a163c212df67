//! Functions, statements, expressions.

use crate::ast::type_name::{AddressSpace, Spelled};

use super::Span;

/// A variable or parameter, unique in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclId(pub u32);

/// A function, unique in its tree (by its name: OpenCL C has no overloading).
pub type FunctionId = String;

/// The syntax tree of a source.
#[derive(Clone, Debug, Default)]
pub struct SourceTree {
    /// The user's text, to which all spans refer.
    pub text: String,
    /// Functions with a body, in the order of the source.
    pub functions: Vec<Function>,
    /// Names of everything declared at file scope.
    pub globals: Vec<String>,
    /// Variables of file scope that have an initialiser.
    pub constants: Vec<Variable>,
}

impl SourceTree {
    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// The text of a span, for code that is not out of a macro's body.
    pub fn text_of(&self, span: Span) -> Option<&str> {
        self.text.get(span.editable()?)
    }

    /// Line and column of an offset, both from 1, the column in bytes.
    pub fn line_and_column(&self, offset: usize) -> (u32, u32) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        (line as u32, column as u32)
    }
}

/// A function with its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub is_kernel: bool,
    /// It has `__attribute__((reqd_work_group_size(…)))`.
    pub has_required_size: bool,
    /// Its parameters.
    pub params: Vec<Variable>,
    /// Its body, a [`StmtKind::Block`].
    pub body: Stmt,
    /// From its first word to the closing brace.
    pub span: Span,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// What expressions name it by.
    pub id: DeclId,
    /// Its name; empty for an unnamed parameter.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What it is initialised with.
    pub init: Option<Expr>,
    /// The declarator, with the type in front of the first one.
    pub span: Span,
}

/// A type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Type {
    /// As clang spells it in the source's words.
    pub written: String,
    /// Taken apart, with user-defined names of scalars resolved; `None` for
    /// types that are not read (functions, pointers to arrays).
    pub spelled: Option<Spelled>,
}

impl Type {
    /// The name of a type that is no pointer and no array, such as `unsigned int`.
    pub fn scalar_name(&self) -> Option<&str> {
        let spelled = self.spelled.as_ref()?;
        (spelled.pointers.is_empty() && spelled.lengths.is_empty()).then_some(&spelled.base)
    }

    /// The address space that a pointer of one level points to.
    pub fn points_to(&self) -> Option<AddressSpace> {
        let spelled = self.spelled.as_ref()?;
        (spelled.pointers.len() == 1 && spelled.lengths.is_empty())
            .then_some(spelled.base_qualifiers.space)?
    }

    /// Whether it is a pointer.
    pub fn is_pointer(&self) -> bool {
        self.spelled.as_ref().is_none_or(|s| !s.pointers.is_empty())
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is; a declaration's ends behind its semicolon, an expression's
    /// in front of it.
    pub span: Span,
}

/// What a statement is. (A kernel has few statements: that some are larger than
/// others costs less than a box around each condition.)
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum StmtKind {
    /// `{ … }`.
    Block(Vec<Stmt>),
    /// Declarations of one line.
    Declare(Vec<Variable>),
    /// An expression.
    Expr(Expr),
    /// `if`.
    If {
        /// The condition.
        condition: Expr,
        /// Where it holds.
        then: Box<Stmt>,
        /// Where it does not.
        otherwise: Option<Box<Stmt>>,
    },
    /// `for`.
    For {
        /// First clause.
        init: Option<Box<Stmt>>,
        /// Second clause.
        condition: Option<Expr>,
        /// Third clause.
        step: Option<Expr>,
        /// What is repeated.
        body: Box<Stmt>,
    },
    /// `while`, and `do … while`.
    While {
        /// The condition.
        condition: Expr,
        /// What is repeated.
        body: Box<Stmt>,
    },
    /// `return`.
    Return(Option<Expr>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `;`.
    Empty,
    /// Anything else, such as `switch`, by clang's name.
    Other {
        /// Clang's class.
        kind: String,
        /// Statements inside.
        children: Vec<Stmt>,
    },
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it is.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer or character literal.
    Integer(i128),
    /// A floating-point literal.
    Floating(f64),
    /// A variable or parameter.
    Variable {
        /// Which.
        id: DeclId,
        /// Its name.
        name: String,
    },
    /// A name of something else: a function, an enumerator.
    Name(String),
    /// `-x`, `!x`, `*p`, `x++`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `a + b`, `a && b`, `a, b`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `a = b`, `a += b`.
    Assign {
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// What is assigned to.
        target: Box<Expr>,
        /// The value.
        value: Box<Expr>,
    },
    /// `c ? a : b`.
    Conditional {
        /// The condition.
        condition: Box<Expr>,
        /// Where it holds.
        then: Box<Expr>,
        /// Where it does not.
        otherwise: Box<Expr>,
    },
    /// `base[index]`.
    Index {
        /// A pointer or array.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `base.name`, `base->name`, a swizzle.
    Member {
        /// The object.
        base: Box<Expr>,
        /// The member; empty for a swizzle.
        name: String,
        /// `->`.
        arrow: bool,
    },
    /// A call of a function.
    Call {
        /// Its name; empty if it is no plain name.
        callee: FunctionId,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// A conversion.
    Cast {
        /// What is converted.
        operand: Box<Expr>,
        /// It is not written in the source.
        implicit: bool,
        /// Clang's word for it, such as `IntegralCast`.
        what: String,
    },
    /// `(x)`.
    Paren(Box<Expr>),
    /// Anything else, by clang's name.
    Other {
        /// Clang's class.
        kind: String,
        /// Expressions inside.
        children: Vec<Expr>,
    },
}

impl Expr {
    /// The expression without parentheses and without casts that the source
    /// does not show.
    pub fn plain(&self) -> &Expr {
        match &self.kind {
            ExprKind::Paren(inner) => inner.plain(),
            ExprKind::Cast {
                operand,
                implicit: true,
                ..
            } => operand.plain(),
            _ => self,
        }
    }

    /// Expressions directly inside this one, in the order of the source.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Integer(_)
            | ExprKind::Floating(_)
            | ExprKind::Variable { .. }
            | ExprKind::Name(_) => Vec::new(),
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => vec![operand],
            ExprKind::Paren(inner) => vec![inner],
            ExprKind::Member { base, .. } => vec![base],
            ExprKind::Binary { left, right, .. } => vec![left, right],
            ExprKind::Assign { target, value, .. } => vec![target, value],
            ExprKind::Index { base, index } => vec![base, index],
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => vec![condition, then, otherwise],
            ExprKind::Call { args, .. } => args.iter().collect(),
            ExprKind::Other { children, .. } => children.iter().collect(),
        }
    }
}

impl Stmt {
    /// Expressions of this statement itself, not of the statements inside it.
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) => vec![e],
            StmtKind::Declare(vars) => vars.iter().filter_map(|v| v.init.as_ref()).collect(),
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => vec![condition],
            StmtKind::For {
                condition, step, ..
            } => condition.iter().chain(step).collect(),
            _ => Vec::new(),
        }
    }

    /// Statements directly inside this one, in the order of the source.
    pub fn children(&self) -> Vec<&Stmt> {
        match &self.kind {
            StmtKind::Block(list) => list.iter().collect(),
            StmtKind::Other { children, .. } => children.iter().collect(),
            StmtKind::If {
                then, otherwise, ..
            } => std::iter::once(&**then)
                .chain(otherwise.as_deref())
                .collect(),
            StmtKind::For { init, body, .. } => {
                init.as_deref().into_iter().chain([&**body]).collect()
            }
            StmtKind::While { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    BitNot,
    Dereference,
    AddressOf,
    Increment,
    Decrement,
    Other,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Comma,
}

impl BinaryOp {
    /// As the source writes it.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Comma => ",",
        }
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        use BinaryOp::*;
        [
            Add,
            Sub,
            Mul,
            Div,
            Rem,
            Shl,
            Shr,
            And,
            Or,
            Xor,
            LogicalAnd,
            LogicalOr,
            Less,
            LessEqual,
            Greater,
            GreaterEqual,
            Equal,
            NotEqual,
            Comma,
        ]
        .into_iter()
        .find(|op| op.text() == text)
    }
}
