//! Values as `constant + sum of factor * atom`.

use smallvec::SmallVec;
use tilewise_ir::cfg::Cfg;
use tilewise_ir::{BinaryOp, Conversion, Kernel, Op, Ty, Value, ValueDef, VarId, WorkItemQuery};

use super::alignment::Alignments;

/// Most atoms of a form; a longer sum becomes an atom itself.
const MOST_ATOMS: usize = 12;

/// What a form doesn't look into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A value.
    Value(Value),
    /// The address of a variable.
    Variable(VarId),
    /// A work-item function (its position in the enumeration) and dimension.
    WorkItem(u8, u8),
}

/// `constant + sum of factor * atom`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Sorted by atom, no factor 0.
    terms: SmallVec<[(Atom, i64); 4]>,
    /// What is added.
    pub constant: i64,
}

impl Form {
    /// The atoms with their factors, sorted.
    pub fn terms(&self) -> &[(Atom, i64)] {
        &self.terms
    }

    fn constant(constant: i64) -> Self {
        Self {
            constant,
            ..Self::default()
        }
    }

    fn atom(atom: Atom) -> Self {
        Self {
            terms: smallvec::smallvec![(atom, 1)],
            constant: 0,
        }
    }

    fn scaled(&self, factor: i64) -> Self {
        if factor == 0 {
            return Self::default();
        }
        Self {
            terms: self
                .terms
                .iter()
                .map(|&(atom, f)| (atom, f.wrapping_mul(factor)))
                .filter(|t| t.1 != 0)
                .collect(),
            constant: self.constant.wrapping_mul(factor),
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let mut terms: SmallVec<[(Atom, i64); 4]> = SmallVec::new();
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        while let Some(&&(atom, _)) = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => Some(if x.0 <= y.0 { x } else { y }),
            (x, y) => x.or(y),
        } {
            let mut factor = 0i64;
            for side in [&mut a, &mut b] {
                if let Some(term) = side.next_if(|t| t.0 == atom) {
                    factor = factor.wrapping_add(term.1);
                }
            }
            if factor != 0 {
                terms.push((atom, factor));
            }
        }
        Self {
            terms,
            constant: self.constant.wrapping_add(other.constant),
        }
    }
}

/// The forms of all values of a kernel.
#[derive(Clone, Debug)]
pub struct Forms {
    forms: Vec<Form>,
    alignments: Alignments,
    atom_zeros: Vec<(Atom, u32)>,
}

impl Forms {
    /// Finds them.
    pub fn new(kernel: &Kernel, cfg: &Cfg) -> Self {
        let alignments = Alignments::new(kernel, cfg);
        let mut forms: Vec<Form> = kernel
            .values
            .iter()
            .enumerate()
            .map(|(i, data)| match data.def {
                ValueDef::Const(bits) => Form::constant(sign_extended(data.ty, bits)),
                _ => Form::atom(Atom::Value(Value::new(i))),
            })
            .collect();
        let mut atom_zeros = Vec::new();
        for &block in cfg.reverse_post_order() {
            for inst in &kernel.block(block).insts {
                let Some((dst, form)) = form_of(kernel, &forms, &alignments, &inst.op) else {
                    continue;
                };
                if let Some(&(atom, 1)) = form.terms.first()
                    && !matches!(atom, Atom::Value(_))
                    && form.terms.len() == 1
                    && form.constant == 0
                {
                    atom_zeros.push((atom, alignments.zeros(dst)));
                }
                if form.terms.len() <= MOST_ATOMS {
                    forms[dst.index()] = form;
                }
            }
        }
        Self {
            forms,
            alignments,
            atom_zeros,
        }
    }

    /// The form of a value.
    pub fn get(&self, value: Value) -> &Form {
        &self.forms[value.index()]
    }

    /// Number of low bits that are zero in the sum of a form's terms, its
    /// constant left out.
    pub fn zeros_of_terms(&self, form: &Form) -> u32 {
        form.terms
            .iter()
            .map(|&(atom, factor)| {
                let own = match atom {
                    Atom::Value(v) => self.alignments.zeros(v),
                    other => self
                        .atom_zeros
                        .iter()
                        .find(|a| a.0 == other)
                        .map_or(0, |a| a.1),
                };
                own + factor.trailing_zeros()
            })
            .min()
            .unwrap_or(64)
    }
}

fn form_of(
    kernel: &Kernel,
    forms: &[Form],
    alignments: &Alignments,
    op: &Op,
) -> Option<(Value, Form)> {
    let form = |v: Value| &forms[v.index()];
    let by_constant = |a: Value, b: Value| {
        let constant = |v: Value| form(v).terms.is_empty().then(|| form(v).constant);
        match (constant(a), constant(b)) {
            (_, Some(factor)) => Some(form(a).scaled(factor)),
            (Some(factor), _) => Some(form(b).scaled(factor)),
            _ => None,
        }
    };
    let is_int = |v: Value| kernel.ty(v).is_int() || kernel.ty(v) == Ty::Ptr;
    match *op {
        Op::Binary { op, dst, a, b } => {
            let sum = match op {
                BinaryOp::Add => form(a).plus(form(b)),
                BinaryOp::Sub => form(a).plus(&form(b).scaled(-1)),
                BinaryOp::Mul => by_constant(a, b)?,
                BinaryOp::Shl => {
                    let count = kernel.constant(b)?;
                    form(a).scaled(1i64.checked_shl(count as u32).filter(|_| count < 63)?)
                }
                // Compilers write `k | 1` for `k + 1` where k is even.
                BinaryOp::Or => {
                    let bits = kernel.constant(b)?;
                    if alignments.zeros(a) < 64 - bits.leading_zeros() {
                        return None;
                    }
                    form(a).plus(&Form::constant(bits as i64))
                }
                _ => return None,
            };
            Some((dst, sum))
        }
        Op::Convert {
            op: Conversion::Sext | Conversion::Zext | Conversion::Copy | Conversion::Bitcast,
            dst,
            a,
        } if is_int(dst) && is_int(a) => Some((dst, form(a).clone())),
        Op::PtrAdd {
            dst,
            base,
            index,
            scale,
            offset,
            ..
        } => {
            let mut sum = form(base).plus(&Form::constant(offset));
            if let Some(index) = index {
                sum = sum.plus(&form(index).scaled(scale));
            }
            Some((dst, sum))
        }
        Op::VarAddr { dst, var } => Some((dst, Form::atom(Atom::Variable(var)))),
        Op::WorkItem { dst, query, dim } => {
            Some((dst, Form::atom(Atom::WorkItem(query_number(query), dim))))
        }
        _ => None,
    }
}

fn query_number(query: WorkItemQuery) -> u8 {
    query as u8
}

fn sign_extended(ty: Ty, bits: u64) -> i64 {
    let unused = 64 - 8 * ty.size();
    if ty.is_int() {
        ((bits << unused) as i64) >> unused
    } else {
        bits as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewise_ir::Space;
    use tilewise_ir::builder::KernelBuilder;

    #[test]
    fn addresses_that_differ_by_a_constant_have_equal_terms() {
        let mut b = KernelBuilder::new("k");
        let p = b.pointer_param("p", Space::Global);
        let entry = b.new_block();
        b.at(entry);
        let gid = b.work_item(WorkItemQuery::GlobalId, 0);
        let id = b.convert(Conversion::Sext, gid, Ty::I32);
        let minus = b.i32(-1);
        let left = b.binary(BinaryOp::Add, id, minus);
        let again = b.work_item(WorkItemQuery::GlobalId, 0);
        let at_left = b.ptr_add(p, left, 4, 0);
        let at = b.ptr_add(p, again, 4, 8);
        b.ret();
        let kernel = b.finish();
        let forms = Forms::new(&kernel, &Cfg::new(&kernel));
        let (l, r) = (forms.get(at_left), forms.get(at));
        assert_eq!(l.terms(), r.terms());
        assert_eq!((l.constant, r.constant), (-4, 8));
        assert_eq!(forms.zeros_of_terms(l), 2);
    }

    #[test]
    fn a_counter_in_steps_of_four_takes_or_for_plus() {
        let mut b = KernelBuilder::new("k");
        let [entry, body, end] = b.blocks();
        let k = b.block_param(body, Ty::I32);
        b.at(entry);
        let zero = b.i32(0);
        b.jump_with(body, &[zero]);
        b.at(body);
        let one = b.i32(1);
        let odd = b.binary(BinaryOp::Or, k, one);
        let four = b.i32(4);
        let next = b.binary(BinaryOp::Add, k, four);
        let bit = b.binary(BinaryOp::Or, k, four);
        let cond = b.constant(Ty::Bool, 1);
        b.branch_with(cond, (body, &[next]), (end, &[]));
        b.at(end);
        b.ret();
        let kernel = b.finish();
        let forms = Forms::new(&kernel, &Cfg::new(&kernel));
        assert_eq!(forms.get(odd).terms(), forms.get(k).terms());
        assert_eq!(forms.get(odd).constant, 1);
        // 4 may be set already.
        assert_eq!(forms.get(bit).terms(), [(Atom::Value(bit), 1)]);
    }
}
