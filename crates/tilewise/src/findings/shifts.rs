//! Shifts by constants that are no less than the bits of the value: TW107 with
//! `--strict`.
//!
//! A compiler takes such a count modulo the bits before any instruction is made, so
//! that the machine never sees it. These are found in the syntax tree: in the kernel
//! and in the functions that it calls, whether they run or not. What is missed:
//! counts out of enumerators and `sizeof`, code of included files.

use std::collections::BTreeSet;

use tilewise_frontend::Toolchain;
use tilewise_frontend::source::{
    BinaryOp, Expr, ExprKind, Function, Origin, SourceTree, Stmt, UnaryOp, source_tree,
};
use tilewise_report::{Diagnostic, Severity};

use super::place::snippet;
use crate::error::Error;
use crate::load::{Loaded, source_of};
use crate::target::Target;

/// The findings of a kernel; none where its source or clang is not at hand.
///
/// # Errors
/// clang fails.
pub(super) fn constant_counts(target: &Target, loaded: &Loaded) -> Result<Vec<Diagnostic>, Error> {
    let (Ok((source, options)), Ok(tools)) = (source_of(loaded, target), Toolchain::find()) else {
        return Ok(Vec::new());
    };
    let tree = source_tree(&tools, &source, &options)?;
    let mut functions = Functions {
        tree: &tree,
        seen: BTreeSet::new(),
        shifts: Vec::new(),
    };
    functions.visit(&loaded.signature.kernel);
    let found = functions.shifts.iter();
    Ok(found.map(|shift| finding(loaded, &tree, shift)).collect())
}

/// What a shift by so much is told: that of the machine's fault, too.
pub(super) fn describe(finding: &mut Diagnostic, count: i128, bits: u32) {
    finding.code = "TW107".to_owned();
    finding.message = format!(
        "shifts a value of {bits} bits by {count}: OpenCL C takes the count modulo {bits}, so this shifts by {}",
        count.rem_euclid(i128::from(bits))
    );
    finding.help.push(format!(
        "test the count where all bits are to be shifted out, or give the value more bits before it is shifted; where the modulo is meant, write `& {}`",
        bits - 1
    ));
}

/// A shift and its count.
struct Shift {
    /// Where it begins in the source.
    at: usize,
    count: i128,
    bits: u32,
}

fn finding(loaded: &Loaded, tree: &SourceTree, shift: &Shift) -> Diagnostic {
    let (line, column) = tree.line_and_column(shift.at);
    let file = loaded.unit.files.first();
    let file = file.map_or_else(|| loaded.path.display().to_string(), |f| f.0.clone());
    let mut finding = Diagnostic {
        code: String::new(),
        severity: Severity::Error,
        message: String::new(),
        snippet: snippet(loaded, &file, line),
        file,
        line,
        column,
        kernel: loaded.signature.kernel.clone(),
        labels: Vec::new(),
        notes: vec!["the count is a constant: it does not take a run to tell".to_owned()],
        help: Vec::new(),
        count: 1,
    };
    describe(&mut finding, shift.count, shift.bits);
    finding
}

/// The functions that a kernel calls.
struct Functions<'t> {
    tree: &'t SourceTree,
    seen: BTreeSet<String>,
    shifts: Vec<Shift>,
}

impl Functions<'_> {
    fn visit(&mut self, name: &str) {
        let tree = self.tree;
        if let Some(Function { body, .. }) = tree.function(name)
            && self.seen.insert(name.to_owned())
        {
            self.statement(body);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        for expr in statement.expressions() {
            self.expression(expr);
        }
        for inner in statement.children() {
            self.statement(inner);
        }
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary {
                op: BinaryOp::Shl | BinaryOp::Shr,
                left,
                right,
            } => self.shift(expr, left, right),
            ExprKind::Assign {
                op: Some(BinaryOp::Shl | BinaryOp::Shr),
                target,
                value,
            } => self.shift(expr, target, value),
            ExprKind::Call { callee, .. } => self.visit(callee),
            _ => {}
        }
        for inner in expr.children() {
            self.expression(inner);
        }
    }

    fn shift(&mut self, expr: &Expr, value: &Expr, count: &Expr) {
        if let (Some(bits), Some(count)) = (bits(value), constant(count))
            && !(0..i128::from(bits)).contains(&count)
            && expr.span.origin != Origin::Elsewhere
        {
            let at = expr.span.begin;
            self.shifts.push(Shift { at, count, bits });
        }
    }
}

/// Bits of an integer, or of a vector's component. Scalars below `int` have been
/// promoted where they are shifted.
fn bits(value: &Expr) -> Option<u32> {
    let name = value.ty.scalar_name()?;
    let component = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_vector = component.len() < name.len();
    match component {
        "char" | "uchar" if is_vector => Some(8),
        "short" | "ushort" if is_vector => Some(16),
        "char" | "uchar" | "unsigned char" | "signed char" => Some(32),
        "short" | "ushort" | "unsigned short" => Some(32),
        "int" | "uint" | "unsigned int" => Some(32),
        "long" | "ulong" | "unsigned long" | "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" => {
            Some(64)
        }
        _ => None,
    }
}

/// The value of an expression of constants.
fn constant(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Integer(value) => Some(*value),
        ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => constant(inner),
        ExprKind::Unary { op, operand } => match op {
            UnaryOp::Plus => constant(operand),
            UnaryOp::Minus => constant(operand)?.checked_neg(),
            _ => None,
        },
        ExprKind::Binary { op, left, right } => {
            let (a, b) = (constant(left)?, constant(right)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div => a.checked_div(b),
                BinaryOp::Rem => a.checked_rem(b),
                BinaryOp::And => Some(a & b),
                BinaryOp::Or => Some(a | b),
                _ => None,
            }
        }
        _ => None,
    }
}
