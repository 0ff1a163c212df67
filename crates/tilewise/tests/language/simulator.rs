//! Runs a launch on the simulator.

use tilewise_ir::Kernel;
use tilewise_launch::{ArgValue, Launch};
use tilewise_sim::{Fault, GroupSet, Memory, Prepared, RunOptions};

/// What a launch left behind.
pub struct Left {
    /// Bytes by argument; empty for those that are no buffers.
    pub buffers: Vec<Vec<u8>>,
    /// What went wrong.
    pub faults: Vec<Fault>,
    /// What the kernel printed.
    pub printed: String,
}

/// Runs every work-group.
pub fn run(kernel: &Kernel, launch: &Launch, width: u32) -> Result<Left, String> {
    let prepared = Prepared::new(kernel, launch, width).map_err(|e| e.to_string())?;
    let memory = Memory::new(kernel, launch).map_err(|e| e.to_string())?;
    let options = RunOptions {
        threads: Some(1),
        step_budget: 1 << 20,
    };
    let summary = tilewise_sim::run(&prepared, &memory, &GroupSet::All, &mut (), &options)
        .map_err(|e| e.to_string())?;
    let buffers = launch
        .args
        .iter()
        .enumerate()
        .map(|(index, arg)| {
            let mut bytes = vec![0; buffer_bytes(&arg.value)];
            memory.read(index, 0, &mut bytes);
            bytes
        })
        .collect();
    Ok(Left {
        buffers,
        faults: summary.faults,
        printed: summary.printed,
    })
}

/// Length of an argument's buffer or image; 0 for what is none.
pub fn buffer_bytes(value: &ArgValue) -> usize {
    let buffer = value.memory();
    buffer.and_then(|b| b.bytes()).unwrap_or(0) as usize
}
