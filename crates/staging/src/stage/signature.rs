//! Kernels whose parameters others rely on.

use tilewise_frontend::source::{Expr, ExprKind, SourceTree, Stmt};

use crate::refusal::{Code, Refusal};

/// Why a kernel has to stay as it is: another function of the file calls it, or, where it
/// would get new parameters, it is declared in front of its definition.
pub fn relied_on(tree: &SourceTree, name: &str, new_parameters: bool) -> Option<Refusal> {
    let function = tree.function(name)?;
    let caller = tree.functions.iter().find_map(|caller| {
        let call = call_in(&caller.body, name)?;
        Some((caller, call))
    });
    if let Some((caller, call)) = caller {
        let message = format!(
            "{} calls {name} here, so that its parameters and barriers concern both",
            caller.name
        );
        return Some(
            Refusal::new(tree, call.span, Code::Form, message)
                .helped("put what both do into a function that is no kernel"),
        );
    }
    let declarations = tree.globals.iter().filter(|g| *g == name).count();
    (new_parameters && declarations > 1).then(|| {
        let message = format!("{name} is also declared elsewhere, with the parameters that it has");
        Refusal::new(tree, function.span, Code::Form, message)
            .helped("take the declaration out, or try --fixed, which adds no parameters")
    })
}

fn call_in<'t>(stmt: &'t Stmt, name: &str) -> Option<&'t Expr> {
    let own = stmt
        .expressions()
        .into_iter()
        .find_map(|e| call_of(e, name));
    own.or_else(|| stmt.children().into_iter().find_map(|s| call_in(s, name)))
}

fn call_of<'t>(expr: &'t Expr, name: &str) -> Option<&'t Expr> {
    if matches!(&expr.kind, ExprKind::Call { callee, .. } if callee == name) {
        return Some(expr);
    }
    expr.children().into_iter().find_map(|e| call_of(e, name))
}
