//! Prints the staged form of a kernel: `stage_file K.cl KERNEL [NAME=VALUE …]`, or,
//! for a file alone, one line per kernel: what is staged, or why nothing is.

use std::collections::HashMap;

use tilewise_frontend::{Options, Source, Toolchain, source};
use tilewise_staging::{Launch, stage};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, rest @ ..] = &args[..] else {
        return Err("usage: stage_file K.cl [KERNEL [NAME=VALUE …]]".into());
    };
    let source = Source::read(file)?;
    let tree = source::source_tree(&Toolchain::find()?, &source, &Options::default())?;
    let mut values = HashMap::new();
    for scalar in rest.iter().skip(1) {
        let (name, value) = scalar.split_once('=').ok_or("NAME=VALUE")?;
        values.insert(name.to_owned(), value.parse()?);
    }
    let launch = Launch {
        scalars: values,
        local: [16, 16, 1],
        limit: 49152,
        ..Launch::default()
    };
    if let Some(kernel) = rest.first() {
        match stage(&tree, kernel, &launch) {
            Ok(staged) => print!("{}", staged.text),
            Err(refusals) => {
                for refusal in &refusals {
                    println!("{}:{}: {refusal}", refusal.at.0, refusal.at.1);
                }
            }
        }
        return Ok(());
    }
    for kernel in tree.functions.iter().filter(|f| f.is_kernel) {
        let outcome = match stage(&tree, &kernel.name, &launch) {
            Ok(staged) => {
                let tiles = staged.tiles.iter();
                let tiles: Vec<String> = tiles
                    .map(|t| format!("{}[{}]", t.buffer, t.length()))
                    .collect();
                format!("staged {}", tiles.join(" "))
            }
            Err(refusals) => {
                let reasons = refusals.iter();
                let reasons: Vec<String> = reasons
                    .map(|r| format!("{}:{} {r}", r.at.0, r.at.1))
                    .collect();
                format!("refused {}", reasons.join(" | "))
            }
        };
        println!("{file}::{}  {outcome}", kernel.name);
    }
    Ok(())
}
