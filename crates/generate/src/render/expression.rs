//! Expressions in OpenCL C, each in parentheses of its own.

use tilewise_launch::ElemType;

use super::{literal, name};
use crate::tree::{
    Base, BinaryOp, Builtin, CompareOp, Expr, ExprKind, Object, Place, Program, Query, Rounding,
    UnaryOp,
};
use crate::types;

/// Writes expressions of one program.
#[derive(Clone, Copy)]
pub struct Expressions<'p> {
    pub program: &'p Program,
}

impl Expressions<'_> {
    /// An expression.
    pub fn expr(self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Literal(value) => literal::literal(value),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Query(Query::WorkDim, _) => "get_work_dim()".to_owned(),
            ExprKind::Query(query, dim) => format!("{}({dim})", query_name(*query)),
            ExprKind::Unary(op, a) => self.unary(*op, a, e.ty),
            ExprKind::Binary(op, a, b) => {
                self.binary(*op, a.ty, &self.expr(a), b.ty, &self.expr(b))
            }
            ExprKind::Compare(op, a, b) => {
                format!("({} {} {})", self.expr(a), compare_sign(*op), self.expr(b))
            }
            ExprKind::Logical(and, a, b) => {
                let sign = if *and { "&&" } else { "||" };
                format!("({} {sign} {})", self.expr(a), self.expr(b))
            }
            ExprKind::Ternary(c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Cast(a) => format!("(({})({}))", name(e.ty), self.expr(a)),
            ExprKind::Convert(rounding, saturate, a) => {
                let saturate = if *saturate { "_sat" } else { "" };
                let rounding = match rounding {
                    Rounding::Default => "",
                    Rounding::NearestEven => "_rte",
                    Rounding::Zero => "_rtz",
                    Rounding::Up => "_rtp",
                    Rounding::Down => "_rtn",
                };
                let a = self.expr(a);
                format!("convert_{}{saturate}{rounding}({a})", name(e.ty))
            }
            ExprKind::Bits(a) => format!("as_{}({})", name(e.ty), self.expr(a)),
            ExprKind::Vector(parts) => format!("(({})({}))", name(e.ty), self.list(parts)),
            ExprKind::Components(a, components) => {
                let a_lanes = a.ty.lanes;
                format!("({}).{}", self.expr(a), letters(components, a_lanes))
            }
            ExprKind::Call(Builtin::PlusZero, args) => {
                format!(
                    "({} + {})",
                    self.list(args),
                    literal::literal(&crate::tree::Value::zero(e.ty))
                )
            }
            ExprKind::Call(builtin, args) => format!("{}({})", builtin.name(), self.list(args)),
            ExprKind::VLoad { object, index } => format!(
                "vload{}({}, {})",
                e.ty.lanes,
                self.expr(index),
                self.object(*object)
            ),
        }
    }

    fn list(self, list: &[Expr]) -> String {
        let all: Vec<String> = list.iter().map(|e| self.expr(e)).collect();
        all.join(", ")
    }

    fn unary(self, op: UnaryOp, a: &Expr, ty: ElemType) -> String {
        let text = self.expr(a);
        match op {
            UnaryOp::BitNot => format!("(~{text})"),
            UnaryOp::Not => format!("(!{text})"),
            UnaryOp::Neg if !types::is_signed(ty.scalar) => format!("(-{text})"),
            UnaryOp::Neg if ty.lanes > 1 => {
                let unsigned = name(types::with_scalar(ty, types::unsigned(ty.scalar)));
                format!("as_{}(-as_{unsigned}({text}))", name(ty))
            }
            // What is promoted can be negated.
            UnaryOp::Neg if a.ty.scalar.size() < 4 => format!("(-{text})"),
            UnaryOp::Neg => {
                let unsigned = types::unsigned(ty.scalar).opencl_name();
                format!("(({})(-(({unsigned})({text}))))", name(ty))
            }
        }
    }

    /// An operator between two texts of these types.
    pub fn binary(self, op: BinaryOp, a_ty: ElemType, a: &str, b_ty: ElemType, b: &str) -> String {
        let sign = binary_sign(op);
        if !overflows(op, a_ty, b_ty) {
            return format!("({a} {sign} {b})");
        }
        let ty = types::arithmetic(a_ty, b_ty);
        let unsigned = types::unsigned(ty.scalar);
        if ty.lanes == 1 {
            let unsigned = unsigned.opencl_name();
            return format!(
                "(({})((({unsigned})({a})) {sign} (({unsigned})({b}))))",
                name(ty)
            );
        }
        let as_unsigned = |part: ElemType, text: &str| {
            let unsigned = name(types::with_scalar(part, unsigned));
            format!("as_{unsigned}({text})")
        };
        format!(
            "as_{}({} {sign} {})",
            name(ty),
            as_unsigned(a_ty, a),
            as_unsigned(b_ty, b)
        )
    }

    /// A place.
    pub fn place(self, place: &Place) -> String {
        let mut text = self.base(&place.base);
        if let Some(field) = &place.field {
            text.push_str(&format!(".m{}", field.field));
            if let Some(index) = &field.index {
                text.push_str(&format!("[{}]", self.expr(index)));
            }
        }
        if let Some(components) = &place.components {
            text.push('.');
            text.push_str(&letters(components, 16));
        }
        text
    }

    /// A variable or element.
    pub fn base(self, base: &Base) -> String {
        match base {
            Base::Var(var) => format!("v{var}"),
            Base::Element { object, index } => {
                format!("{}[{}]", self.object(*object), self.expr(index))
            }
        }
    }

    /// Something with elements.
    pub fn object(self, object: Object) -> String {
        match object {
            Object::Var(var) => format!("v{var}"),
            Object::Tile(i) => format!("tile{i}"),
            Object::Table(i) => format!("{}_t{i}", self.program.name),
        }
    }
}

/// Whether C leaves an operator's overflow undefined for operands of these
/// types, and it can come about.
pub fn overflows(op: BinaryOp, a: ElemType, b: ElemType) -> bool {
    if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
        return false;
    }
    let ty = types::arithmetic(a, b);
    if !types::is_signed(ty.scalar) {
        return false;
    }
    if ty.lanes > 1 {
        return true;
    }
    let short = a.scalar.size() <= 2 && b.scalar.size() <= 2;
    let both_ushort = |s| s == tilewise_launch::Scalar::U16;
    !short || (op == BinaryOp::Mul && both_ushort(a.scalar) && both_ushort(b.scalar))
}

/// Components as letters, where the vector is short, or digits.
fn letters(components: &[u8], of: u8) -> String {
    let is = |wanted: &dyn Fn(u8) -> u8| {
        let half = usize::from(of / 2);
        components.len() == half && (components.iter().zip(0..)).all(|(&c, i)| c == wanted(i))
    };
    if [2, 4, 8].contains(&of) {
        if is(&|i| i) {
            return "lo".to_owned();
        }
        if is(&|i| i + of / 2) {
            return "hi".to_owned();
        }
        if of > 2 && is(&|i| 2 * i) {
            return "even".to_owned();
        }
        if of > 2 && is(&|i| 2 * i + 1) {
            return "odd".to_owned();
        }
    }
    if of <= 4 {
        return components
            .iter()
            .map(|&c| char::from(b"xyzw"[usize::from(c) & 3]))
            .collect();
    }
    let digits = components.iter().map(|c| format!("{c:x}"));
    format!("s{}", digits.collect::<String>())
}

/// An operator's sign.
pub fn binary_sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
    }
}

fn compare_sign(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
    }
}

fn query_name(query: Query) -> &'static str {
    match query {
        Query::GlobalId => "get_global_id",
        Query::LocalId => "get_local_id",
        Query::GroupId => "get_group_id",
        Query::GlobalSize => "get_global_size",
        Query::LocalSize => "get_local_size",
        Query::NumGroups => "get_num_groups",
        Query::GlobalOffset => "get_global_offset",
        Query::WorkDim => "get_work_dim",
    }
}
