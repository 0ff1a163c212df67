//! Messages about the user's source have the user's file, line and column.

mod common;

use std::path::PathBuf;

use common::{compiled, source, try_compile};
use tilewise_frontend::{FrontendError, Options, Toolchain, compile};
use tilewise_ir::{Op, Program};

#[test]
fn a_compile_error_is_clangs_own() {
    let error = try_compile(
        "#define A b\n__kernel void k(__global int *o) {\n    o[0] = A;\n}\n",
        "",
    )
    .expect_err("does not compile");
    assert_eq!(error.exit_code(), 2);
    let FrontendError::Compile { stderr, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(
        stderr.contains("kernel.cl:3:12: error: use of undeclared identifier 'b'"),
        "{stderr}"
    );
    assert!(stderr.contains("    o[0] = A;"), "{stderr}");
    assert!(stderr.contains("kernel.cl:1:11: note:"), "{stderr}");
}

#[test]
fn warnings_are_values() {
    let compiled = compiled("__kernel void k(__global int *o) { int unused; o[0] = 1.5; }");
    assert!(
        compiled.warnings.contains("implicit conversion"),
        "{}",
        compiled.warnings
    );
    let quiet = try_compile("__kernel void k(__global int *o) { o[0] = 1.5; }", "-w");
    assert_eq!(quiet.expect("compiles").warnings, "");
}

#[test]
fn ignored_options_are_named() {
    let compiled = try_compile("__kernel void k() {}", "-cl-nv-verbose").expect("compiles");
    assert!(compiled.notes[0].contains("`-cl-nv-verbose`"));
}

#[test]
fn a_header_that_is_not_there() {
    let error = try_compile("#include \"nowhere.h\"\n", "").expect_err("does not compile");
    assert!(
        error
            .to_string()
            .contains("kernel.cl:1:10: fatal error: 'nowhere.h' file not found"),
        "{error}"
    );
}

#[test]
fn a_file_without_a_kernel_has_no_signature() {
    for text in [
        "",
        "// nothing\n",
        "float twice(float x) { return 2 * x; }\n",
    ] {
        let compiled = compiled(text);
        assert!(compiled.signatures.is_empty() && compiled.refusals.is_empty());
    }
}

#[test]
fn a_translator_that_gives_up_is_named() {
    let tools = Toolchain {
        translator: "/bin/false".into(),
        ..Toolchain::find().expect("tools")
    };
    let source = source("__kernel void k() {}");
    let error = compile(&tools, &source, &Options::default()).expect_err("can't translate");
    let text = error.to_string();
    assert!(
        text.starts_with("kernel.cl: the kernel compiles, but /bin/false can't translate it"),
        "{text}"
    );
    assert_eq!(error.exit_code(), 2);
}

/// Places of the accesses to memory: `line:column`, with the place in the
/// macro, and the calls outwards.
fn places(program: &Program) -> Vec<String> {
    let kernel = &program.kernels[0];
    let accesses = kernel
        .blocks
        .iter()
        .flat_map(|b| &b.insts)
        .filter(|i| matches!(i.op, Op::Load { .. } | Op::Store { .. }));
    accesses
        .map(|inst| {
            let chain = program.sites.chain(inst.site).map(|site| {
                let spelling = site.spelling.map(|p| format!("({}:{})", p.line, p.column));
                let p = site.position;
                format!("{}:{}{}", p.line, p.column, spelling.unwrap_or_default())
            });
            chain.collect::<Vec<_>>().join("<")
        })
        .collect()
}

#[test]
fn accesses_have_places_of_their_own() {
    let compiled = compiled(
        "#define SUM(p, i) (p[i] + p[(i) + 1])
#define NEXT q[1]
float get(__global float *p) { return *p; }
__kernel void k(__global float *a, __global float *q) {
    a[0] = SUM(a, 2); /* gone */ a[1] = NEXT;
    a[2] = get(a) + get(q);
}
",
    );
    assert_eq!(
        places(&compiled.as_written),
        [
            // `p[i]` and `p[(i) + 1]`: the argument `a`, and where `p` stands.
            "5:16(1:20)",
            "5:16(1:27)",
            "5:10",
            // The text of a macro: its use, and its text.
            "5:41(2:14)",
            "5:39",
            // A helper inlined at two places.
            "3:39<6:12",
            "3:39<6:21",
            "6:10",
        ]
    );
}

#[test]
fn a_macro_call_may_span_lines() {
    let compiled = compiled(
        "#define PICK(x, y) x
__kernel void k(__global float *a) {
    a[0] = PICK(
        a[1],
        2) + a[3];
}
",
    );
    assert_eq!(places(&compiled.as_written), ["4:9(1:20)", "5:14", "3:10"]);
}

#[test]
fn prepended_files_keep_their_names() {
    let mut source = source("__kernel void k(__global T *o) { o[0] = helper(o); }\n");
    source.prepend = vec![(
        PathBuf::from("common.cl"),
        "typedef float T;\n\nT helper(__global T *p) { return p[1]; }".to_owned(),
    )];
    let tools = Toolchain::find().expect("tools");
    let compiled = compile(&tools, &source, &Options::default()).expect("compiles");
    let program = &compiled.as_written;
    let kernel = &program.kernels[0];
    let load = kernel.blocks[0]
        .insts
        .iter()
        .find(|i| matches!(i.op, Op::Load { .. }))
        .expect("a load");
    let site = program.sites.get(load.site);
    assert_eq!(program.sites.file_name(site.position.file), "common.cl");
    assert_eq!(site.position.line, 3);
}
