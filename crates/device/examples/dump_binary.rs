//! Writes what a driver made of a program: `dump_binary FILE.cl OUT [OPTIONS]`.
//! On NVIDIA that is PTX, which `ptxas -v` and `cuobjdump -sass` read.

use tilewise_device::{OpenCl, Program, Queue};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(out)) = (args.next(), args.next()) else {
        return Err("usage: dump_binary FILE.cl OUT [OPTIONS]".into());
    };
    let options = args.collect::<Vec<_>>().join(" ");
    let devices = OpenCl::load()?.devices()?;
    let queue = Queue::new(devices.preferred())?;
    let program = Program::build(&queue, &std::fs::read_to_string(&file)?, &options)?;
    std::fs::write(&out, program.binary()?)?;
    Ok(())
}
