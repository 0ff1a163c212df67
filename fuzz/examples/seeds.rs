//! Writes the inputs that fuzzing starts from into `corpus/`: modules of the
//! example kernels and of the language tests, their syntax trees, launch files
//! and the texts in them. Needs clang and llvm-spirv.
//!
//! `cargo run --example seeds` in `fuzz/`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tilewise_frontend::{Options, Source, Toolchain, build, compile_spirv};
use tilewise_fuzz::instructions::{join, split};
use tilewise_launch::LaunchFile;

/// Larger modules cost more time per run than they bring.
const MAX_MODULE: usize = 24 << 10;

/// Texts that flags may have, besides those of the launch files.
const TEXTS: &[&str] = &[
    "-1.5e3",
    "(1,2)",
    "(W+1)*2",
    "{nx:64,dt:0.1,k:[1,2],o:(1,2),q:{a:1}}",
    "@p.bin",
    "f32x4[N]:random(0,N)",
    "bytes[1024]:zero",
    "[n]:iota",
    "[n]:@some dir/in.npy",
    ":random(-1,1)",
    "Params[n]",
    "same:in",
    "same:0",
    "local:f32[local_size(0)+2]",
    "local:bytes[1024]",
    "image[W,H+1,4]:rgba8",
    "image[W,H]:r32f:random(0,N)",
    "image[64]:0.5",
    "clamp_to_edge,nearest,normalized",
    "4096x4096",
    "roundup(W,16),H",
    "2^26",
    "(W)x(H)x4",
    "0x10x8",
    "1<<20",
    "ceil_div(n,get_local_size(0))",
    "min(n,m,4)",
    "rounddown(n%7,3)/-2",
    "n=1000",
    "x=[n]",
    "float4",
    "rgba8",
    "num_groups(1)",
    "max(1e3,2)>>1",
    "same:in=3",
    "+-+2",
];

fn main() -> Result<(), Box<dyn Error>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = fuzz.join("..");
    let tools = Toolchain::find()?;
    let arguments = fuzz.join("src/arguments.cl");
    let module = build(&tools, &Source::read(&arguments)?, &Options::default())?;
    std::fs::write(
        fuzz.join("src/arguments.spv"),
        without_lines(&module.as_written),
    )?;

    let mut kernels = files(&root.join("examples"), "cl")?;
    kernels.extend(files(&root.join("crates/tilewise/tests/language"), "cl")?);
    kernels.push(arguments);
    for path in &kernels {
        tree(fuzz, path)?;
        let options = Options::parse("-cl-std=CL3.0")?;
        let Ok(artifacts) = build(&tools, &Source::read(path)?, &options) else {
            eprintln!("no module of {}", path.display());
            continue;
        };
        let forms = [Some(artifacts.as_written), artifacts.as_compiled];
        for bytes in forms.into_iter().flatten() {
            let bytes = without_lines(&bytes);
            if bytes.len() <= MAX_MODULE {
                write(fuzz, "spirv", &bytes)?;
            }
        }
    }
    for path in files(&root.join("examples"), "toml")? {
        let text = std::fs::read(&path)?;
        write(fuzz, "launch_file", &text)?;
        for spec in LaunchFile::read(&path)?.launches {
            let ranges = [spec.global, spec.local, spec.offset];
            let args = spec.args.into_iter().map(|arg| arg.value);
            for text in ranges.into_iter().flatten().chain(args) {
                write(fuzz, "expression", text.text.as_bytes())?;
            }
        }
    }
    for (n, text) in TEXTS.iter().enumerate() {
        write(fuzz, "expression", text.as_bytes())?;
        let names = [
            "in", "out", "n", "W", "v", "p", "ps", "c", "tile", "src", "s",
        ];
        let name = names[n % names.len()];
        let file = format!("[[launch]]\nglobal = 64\n[launch.args]\n{name} = \"{text}\"\n");
        write(fuzz, "launch_file", file.as_bytes())?;
    }
    Ok(())
}

/// A module without the lines of its source, if it lowers as well.
fn without_lines(bytes: &[u8]) -> Vec<u8> {
    const LINE: u32 = 8;
    const NO_LINE: u32 = 317;
    let Some((header, mut list)) = split(bytes) else {
        return bytes.to_vec();
    };
    list.retain(|inst| !matches!(inst[0] & 0xffff, LINE | NO_LINE));
    let short = join(header, list);
    match compile_spirv(Path::new("seed"), &short) {
        Ok(_) => short,
        Err(_) => bytes.to_vec(),
    }
}

/// The syntax tree of a file, without bodies and places.
fn tree(fuzz: &Path, path: &Path) -> Result<(), Box<dyn Error>> {
    let output = Command::new("clang-14")
        .args([
            "-x",
            "cl",
            "-cl-std=CL3.0",
            "-target",
            "spir64-unknown-unknown",
        ])
        .args(["-fsyntax-only", "-w", "-Xclang", "-ast-dump=json"])
        .arg(path)
        .output()?;
    let Ok(mut root) = serde_json::from_slice::<Value>(&output.stdout) else {
        eprintln!("no syntax tree of {}", path.display());
        return Ok(());
    };
    // What clang declares itself comes first and ends with `printf`.
    if let Some(inner) = root["inner"].as_array_mut()
        && let Some(last) = inner.iter().position(|node| node["name"] == "printf")
    {
        inner.drain(..=last);
    }
    shorten(&mut root);
    write(fuzz, "ast", &serde_json::to_vec(&root)?)
}

fn shorten(node: &mut Value) {
    let Some(fields) = node.as_object_mut() else {
        return;
    };
    let kept = [
        "id",
        "kind",
        "name",
        "type",
        "tagUsed",
        "completeDefinition",
        "isBitfield",
    ];
    let kept = [&kept[..], &["inner", "ownedTagDecl", "decl"]].concat();
    fields.retain(|key, _| kept.contains(&key.as_str()));
    if let Some(Value::Array(inner)) = fields.get_mut("inner") {
        let kinds = ["CompoundStmt", "BuiltinType", "Expr", "Literal", "VarDecl"];
        inner.retain(|child| {
            let kind = child["kind"].as_str().unwrap_or_default();
            let builtin = child["name"].as_str().is_some_and(|n| n.starts_with("__"));
            kind == "ParmVarDecl" || !builtin && !kinds.iter().any(|k| kind.ends_with(k))
        });
        inner.iter_mut().for_each(shorten);
    }
}

/// The files below a folder with an ending, in order.
fn files(folder: &Path, ending: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, ending)?);
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Writes a seed under a name made of its contents (FNV-1a), so that the same
/// seed is one file.
fn write(fuzz: &Path, target: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let folder = fuzz.join("corpus").join(target);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(format!("{hash:016x}")), bytes)?;
    Ok(())
}
