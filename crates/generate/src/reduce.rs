//! Makes a program smaller while it stays interesting, by delta debugging on
//! its tree (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
//! input", 2002; Misherghi and Su, "HDD", 2006): statements go in ever smaller
//! chunks, outer ones first; what nests is replaced by what is within;
//! expressions become constants or one of their operands.

use crate::interpret::interpret;
use crate::tree::{Block, Expr, ExprKind, Program, Stmt, Value};

/// Looks for a smaller program that is defined and interesting. `interesting`
/// is asked at most `tries` times; it never sees a program that the interpreter
/// rejects.
pub fn reduce(
    program: &Program,
    tries: usize,
    interesting: &mut dyn FnMut(&Program) -> bool,
) -> Program {
    let mut reducer = Reducer {
        best: program.clone(),
        left: tries,
        interesting,
    };
    loop {
        let before = reducer.best.clone();
        reducer.range();
        reducer.statements();
        reducer.nesting();
        reducer.expressions();
        if reducer.best == before || reducer.left == 0 {
            return reducer.best;
        }
    }
}

struct Reducer<'a> {
    best: Program,
    left: usize,
    interesting: &'a mut dyn FnMut(&Program) -> bool,
}

impl Reducer<'_> {
    /// Takes a candidate if it is still interesting.
    fn accept(&mut self, candidate: Program) -> bool {
        if self.left == 0 || candidate == self.best || interpret(&candidate).is_err() {
            return false;
        }
        self.left -= 1;
        if (self.interesting)(&candidate) {
            self.best = candidate;
            return true;
        }
        false
    }

    /// One group, then fewer work-items. Buffers stay as long as they are.
    fn range(&mut self) {
        for d in 0..3 {
            let mut one = self.best.clone();
            one.range.global[d] = one.range.local[d];
            self.accept(one);
            let mut none = self.best.clone();
            none.range.offset[d] = 0;
            self.accept(none);
            while self.best.range.local[d] > 1 {
                let mut half = self.best.clone();
                let groups = half.range.global[d] / half.range.local[d];
                half.range.local[d] /= 2;
                half.range.global[d] = groups * half.range.local[d];
                if !self.accept(half) {
                    break;
                }
            }
        }
    }

    fn blocks(&self) -> usize {
        let mut count = 0;
        self.best.clone().each_block(&mut |_| count += 1);
        count
    }

    /// The best program with one block changed.
    fn with_block(&self, wanted: usize, change: &mut dyn FnMut(&mut Block)) -> Program {
        let mut candidate = self.best.clone();
        let mut at = 0;
        candidate.each_block(&mut |block| {
            if at == wanted {
                change(block);
            }
            at += 1;
        });
        candidate
    }

    fn length(&self, wanted: usize) -> usize {
        let mut length = 0;
        self.with_block(wanted, &mut |block| length = block.len());
        length
    }

    fn statements(&mut self) {
        let mut block = 0;
        while block < self.blocks() {
            let mut chunk = self.length(block);
            while chunk > 0 {
                let mut end = self.length(block);
                // From the back: what is used later goes first.
                while end > 0 {
                    let start = end.saturating_sub(chunk);
                    let without = self.with_block(block, &mut |b| {
                        if end <= b.len() {
                            b.drain(start..end);
                        }
                    });
                    self.accept(without);
                    end = start;
                }
                chunk /= 2;
            }
            block += 1;
        }
    }

    /// Replaces `if`, loops and `switch` by what is within.
    fn nesting(&mut self) {
        let mut block = 0;
        while block < self.blocks() {
            let mut at = 0;
            while at < self.length(block) {
                let mut inner = Vec::new();
                self.with_block(block, &mut |b| {
                    inner = b.get(at).map(within).unwrap_or_default()
                });
                for body in inner {
                    let flat = self.with_block(block, &mut |b| {
                        b.splice(at..=at, body.iter().cloned());
                    });
                    if self.accept(flat) {
                        break;
                    }
                }
                at += 1;
            }
            block += 1;
        }
    }

    fn expressions(&mut self) {
        let mut at = 0;
        loop {
            let mut found = None;
            let mut n = 0;
            self.best.clone().each_expr(&mut |e| {
                if n == at {
                    found = Some(e.clone());
                }
                n += 1;
            });
            let Some(found) = found else { return };
            for simpler in simpler(&found) {
                let mut candidate = self.best.clone();
                let mut n = 0;
                candidate.each_expr(&mut |e| {
                    if n == at {
                        *e = simpler.clone();
                    }
                    n += 1;
                });
                if self.accept(candidate) {
                    break;
                }
            }
            at += 1;
        }
    }
}

fn within(stmt: &Stmt) -> Vec<Block> {
    match stmt {
        Stmt::If(_, then, other) => vec![then.clone(), other.clone()],
        Stmt::Switch(_, arms) => arms.iter().map(|a| a.body.clone()).collect(),
        Stmt::Loop { body, .. } => vec![body.clone()],
        _ => Vec::new(),
    }
}

/// Simpler expressions of the same type.
fn simpler(e: &Expr) -> Vec<Expr> {
    let mut all = match &e.kind {
        ExprKind::Literal(value) => {
            let zero = Value::zero(e.ty);
            let one = Value::small(e.ty, 1);
            return if *value == zero || *value == one {
                Vec::new()
            } else {
                vec![Expr::literal(zero), Expr::literal(one)]
            };
        }
        ExprKind::Unary(_, a)
        | ExprKind::Cast(a)
        | ExprKind::Convert(_, _, a)
        | ExprKind::Bits(a)
        | ExprKind::Components(a, _) => vec![(**a).clone()],
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Logical(_, a, b) => {
            vec![(**a).clone(), (**b).clone()]
        }
        ExprKind::Ternary(c, a, b) => vec![(**a).clone(), (**b).clone(), (**c).clone()],
        ExprKind::Vector(parts) | ExprKind::Call(_, parts) => parts.clone(),
        ExprKind::Read(_) | ExprKind::Query(..) | ExprKind::VLoad { .. } => Vec::new(),
    };
    all.retain(|a| a.ty == e.ty);
    all.insert(0, Expr::small(e.ty, 0));
    all.push(Expr::small(e.ty, 1));
    all
}
