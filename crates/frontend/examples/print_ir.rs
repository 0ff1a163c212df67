//! Prints the IR of a kernel file: `print_ir KERNEL.cl [BUILD OPTIONS]`.

use tilewise_frontend::{Options, Source, Toolchain, compile, compile_spirv};

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
        }
    }
    Ok(())
}
