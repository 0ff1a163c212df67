//! Writes a program out as OpenCL C 1.2.
//!
//! Signed arithmetic wraps in the tree, but may not overflow in C: where it
//! could, it is written through unsigned types.

mod expression;
mod literal;
mod statement;

use std::fmt::Write;

use tilewise_launch::ElemType;

use crate::tree::{Function, ParamKind, Program, Space, Stmt, Type, VarType};

/// What stands in front of a file of programs: extensions, no contraction of
/// multiplications and additions, and the helper that keeps the bits of a NaN
/// from showing.
pub const HEADER: &str = "\
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define NUMBER(T, Z) __attribute__((overloadable)) T number(T x) { return isnan(x) ? (T)(Z) : x; }
#define NUMBERS(T, Z) NUMBER(T, Z) NUMBER(T##2, Z) NUMBER(T##3, Z) NUMBER(T##4, Z) NUMBER(T##8, Z) NUMBER(T##16, Z)
NUMBERS(float, 0.0f)
NUMBERS(double, 0.0)
";

/// The text of a program, without [`HEADER`].
pub fn render(program: &Program) -> String {
    let mut text = String::new();
    for (i, structure) in program.structs.iter().enumerate() {
        let _ = write!(text, "typedef struct {{");
        for (f, field) in structure.fields.iter().enumerate() {
            let _ = write!(text, " {} m{f}", name(field.ty));
            if let Some(len) = field.array {
                let _ = write!(text, "[{len}]");
            }
            text.push(';');
        }
        let _ = writeln!(text, " }} {}_s{i};", program.name);
    }
    for (i, table) in program.tables.iter().enumerate() {
        let values: Vec<String> = table.values().iter().map(literal::literal).collect();
        let _ = writeln!(
            text,
            "constant {} {}_t{i}[{}] = {{{}}};",
            name(table.elem),
            program.name,
            table.len,
            values.join(", ")
        );
    }
    let called = called(program);
    for (i, function) in program.functions.iter().enumerate() {
        if called.contains(&i) {
            write_function(program, i, function, &mut text);
        }
    }
    write_kernel(program, &mut text);
    text
}

/// The functions that the kernel reaches.
fn called(program: &Program) -> Vec<usize> {
    let mut found = Vec::new();
    let mut program = program.clone();
    let mut reached = |body: &mut Vec<Stmt>| {
        for stmt in body {
            if let Stmt::Call { function, .. } = stmt {
                found.push(*function);
            }
        }
    };
    // A function that no longer is called may still call others: harmless.
    program.each_block(&mut reached);
    found
}

fn write_function(program: &Program, number: usize, function: &Function, text: &mut String) {
    let params: Vec<String> = function.vars[..function.params]
        .iter()
        .enumerate()
        .map(|(v, ty)| declared(program, v, ty))
        .collect();
    let _ = writeln!(
        text,
        "{} {}_f{number}({}) {{",
        name(function.result),
        program.name,
        params.join(", ")
    );
    statement::Writer::new(program, &function.vars, text).block(&function.body);
    text.push_str("}\n");
}

fn write_kernel(program: &Program, text: &mut String) {
    let params: Vec<String> = program
        .params
        .iter()
        .filter_map(|p| Some(declared(program, p.var, program.vars.get(p.var)?)))
        .collect();
    let _ = writeln!(
        text,
        "kernel void {}({}) {{",
        program.name,
        params.join(", ")
    );
    for (i, tile) in program.tiles.iter().enumerate() {
        let _ = writeln!(text, "    local {} tile{i}[{}];", name(tile.elem), tile.len);
    }
    statement::Writer::new(program, &program.vars, text).block(&program.body);
    text.push_str("}\n");
}

/// A type's name in OpenCL C.
fn name(ty: ElemType) -> String {
    let scalar = ty.scalar.opencl_name();
    if ty.lanes == 1 {
        scalar.to_owned()
    } else {
        format!("{scalar}{}", ty.lanes)
    }
}

fn type_name(program: &Program, ty: Type) -> String {
    match ty {
        Type::Elem(ty) => name(ty),
        Type::Struct(number) => format!("{}_s{number}", program.name),
    }
}

/// The declaration of a variable, without initialiser.
fn declared(program: &Program, var: usize, ty: &VarType) -> String {
    match *ty {
        VarType::Value(ty) => format!("{} v{var}", name(ty)),
        VarType::Struct(number) => {
            format!("{} v{var}", type_name(program, Type::Struct(number)))
        }
        VarType::Array { elem, len } => format!("{} v{var}[{len}]", name(elem)),
        VarType::Pointer {
            space,
            elem,
            read_only,
        } => {
            let space_name = match space {
                Space::Global => "global",
                Space::Constant => "constant",
                Space::Local => "local",
                Space::Private => "private",
            };
            let constant = if read_only && space != Space::Constant {
                "const "
            } else {
                ""
            };
            format!(
                "{space_name} {constant}{} *v{var}",
                type_name(program, elem)
            )
        }
    }
}

impl Program {
    /// The size in bytes of a `__local` parameter.
    pub(crate) fn local_bytes(&self, var: usize, kind: &ParamKind) -> u64 {
        match (kind, self.vars.get(var)) {
            (ParamKind::Local { len }, Some(VarType::Pointer { elem, .. })) => {
                *len as u64 * self.layout(*elem).size
            }
            _ => 0,
        }
    }
}
