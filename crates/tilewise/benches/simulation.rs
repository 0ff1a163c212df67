//! Times the simulation of one launch and prints JSON:
//!
//! ```sh
//! cargo bench -p tilewise --bench simulation -- \
//!     KERNEL.cl::NAME LAUNCH.toml nothing|traffic|checks REPETITIONS [THREADS]
//! ```
//!
//! `cargo xtask bench` sets its figures against another simulator's.

use std::error::Error;

use serde_json::json;
use tilewise::speed::{Watch, speed};
use tilewise::{DeviceChoice, KernelInput, Session};

/// That of the `tilewise` binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let (kernel, launch, watch, repetitions, threads) = match words.as_slice() {
        [kernel, launch, watch, repetitions] => (kernel, launch, watch, repetitions, 1),
        [kernel, launch, watch, repetitions, threads] => {
            (kernel, launch, watch, repetitions, threads.parse()?)
        }
        _ => {
            eprintln!(
                "nothing to time: KERNEL.cl::NAME LAUNCH.toml nothing|traffic|checks \
                 REPETITIONS [THREADS]"
            );
            return Ok(());
        }
    };
    let input = KernelInput {
        launch_file: Some(launch.into()),
        ..KernelInput::parse(kernel)
    };
    let session = Session {
        device: DeviceChoice::Simulated("h200".to_owned()),
        ..Session::default()
    };
    let watch: Watch = watch.parse()?;
    let found = speed(&session, &input, watch, repetitions.parse()?, threads)?;
    println!(
        "{}",
        json!({
            "seconds": found.seconds,
            "instructions": found.instructions,
            "active_lanes": found.active_lanes,
        })
    );
    Ok(())
}
