//! Prints the IR of a kernel file: `print_ir KERNEL.cl [BUILD OPTIONS]`.

use tilewise_frontend::{Options, Source, Toolchain, compile, compile_spirv};
use tilewise_ir::{Position, Program, SiteId};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args
        .next()
        .ok_or("usage: print_ir KERNEL.cl [BUILD OPTIONS]")?;
    let compiled = if path.ends_with(".spv") {
        compile_spirv(path.as_ref(), &std::fs::read(&path)?)?
    } else {
        let options = Options::parse(&args.collect::<Vec<_>>().join(" "))?;
        compile(&Toolchain::find()?, &Source::read(&path)?, &options)?
    };
    for note in &compiled.notes {
        println!("note: {note}");
    }
    for signature in &compiled.signatures {
        println!("{signature:#?}");
    }
    for program in [&compiled.as_written, &compiled.as_compiled] {
        println!("--- {:?}", program.form);
        for kernel in &program.kernels {
            println!("{kernel}");
            for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
                if !inst.op.is_pure() {
                    println!("{}: {:?}", place(program, inst.site), inst.op);
                }
            }
        }
    }
    Ok(())
}

/// A site as `file:line:column`, with the macro's text and the calls behind it.
fn place(program: &Program, site: SiteId) -> String {
    let show = |p: Position| {
        let file = program.sites.file_name(p.file);
        format!("{file}:{}:{}", p.line, p.column)
    };
    let calls = program.sites.chain(site).map(|site| {
        let spelling = site.spelling.map(|p| format!(" (macro {})", show(p)));
        show(site.position) + &spelling.unwrap_or_default()
    });
    calls.collect::<Vec<_>>().join(" < ")
}
