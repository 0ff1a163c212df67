//! Rebuilds a test's launch for tilewise: values become files of bytes.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tilewise::KernelInput;
use tilewise_frontend::{Options, Source, Toolchain};
use tilewise_launch::{
    ArgKey, ArgSetting, LaunchSpec, Param, ParamKind, Scalar, Signature, Text, ValueType,
};

use super::reference::Reference;
use super::sim_file::{Arg, Contents, SimFile};

/// A launch, ready to run.
pub struct Rebuilt {
    pub input: KernelInput,
    signature: Signature,
    args: Vec<Arg>,
}

impl Rebuilt {
    /// Writes the arguments' values into `folder`.
    pub fn new(path: &Path, sim: &SimFile, folder: &Path) -> anyhow::Result<Self> {
        let signature = signature(path, sim)?;
        let mut flags = LaunchSpec {
            global: Some(Text::flag(numbers(sim.global))),
            local: Some(Text::flag(numbers(sim.local))),
            build_options: sim.build_options().map(str::to_owned),
            ..LaunchSpec::default()
        };
        for (index, (arg, param)) in sim.args.iter().zip(&signature.params).enumerate() {
            let text = match (&param.kind, arg.bytes) {
                // Nothing behind the pointer: the buffer is left out.
                (_, Some(0)) => continue,
                (_, None) => "null".to_owned(),
                (ParamKind::Local { .. }, Some(bytes)) => format!("local:bytes[{bytes}]"),
                (_, Some(bytes)) => {
                    let file = folder.join(format!("{index}.bin"));
                    let contents = encode(arg, scalar(arg, param)?, bytes)?;
                    std::fs::write(&file, contents)?;
                    format!("@{}", file.display())
                }
            };
            flags.args.push(ArgSetting {
                key: ArgKey::Index(index),
                value: Text::flag(text),
            });
        }
        Ok(Self {
            input: KernelInput {
                path: path.to_owned(),
                kernel: Some(sim.kernel.clone()),
                flags,
                ..KernelInput::default()
            },
            signature,
            args: sim.args.clone(),
        })
    }

    /// Files with the contents that a reference gives for buffers.
    pub fn expected(
        &self,
        reference: &Reference,
        folder: &Path,
    ) -> anyhow::Result<Vec<(String, PathBuf)>> {
        let mut files = Vec::new();
        for (name, values) in &reference.contents {
            let (index, param) = self
                .signature
                .param(name)
                .with_context(|| format!("the reference names an argument `{name}`"))?;
            let arg = &self.args[index];
            let bytes = arg.bytes.context("a buffer without a size")?;
            let shown = Arg {
                contents: Contents::Values(values.clone()),
                ..arg.clone()
            };
            let file = folder.join(format!("expected-{index}.bin"));
            std::fs::write(&file, encode(&shown, scalar(arg, param)?, bytes)?)?;
            files.push((name.clone(), file));
        }
        Ok(files)
    }
}

fn signature(path: &Path, sim: &SimFile) -> anyhow::Result<Signature> {
    let mut options = Options::parse(sim.build_options().unwrap_or_default())?;
    options
        .include_dirs
        .extend(path.parent().map(Path::to_owned));
    let source = Source {
        path: path.to_owned(),
        text: std::fs::read_to_string(path)?,
        prepend: Vec::new(),
    };
    let artifacts = tilewise_frontend::build(&Toolchain::find()?, &source, &options)?;
    let mut signatures = artifacts.signatures.into_iter();
    signatures
        .find(|s| s.kernel == sim.kernel)
        .with_context(|| format!("no kernel {}", sim.kernel))
}

fn numbers(size: [u64; 3]) -> String {
    size.map(|n| n.to_string()).join(",")
}

/// Type of an argument's values: what the launch says, or the parameter's.
fn scalar(arg: &Arg, param: &Param) -> anyhow::Result<Scalar> {
    if let Some(name) = &arg.ty {
        let mut all = Scalar::ALL.into_iter();
        return all
            .find(|s| s.opencl_name() == name)
            .with_context(|| format!("the type `{name}` is unknown"));
    }
    let ty = match &param.kind {
        ParamKind::Value(ty) => ty,
        ParamKind::Global { elem, .. }
        | ParamKind::Constant { elem }
        | ParamKind::Local { elem } => elem,
        _ => bail!("{} has no type of its own", param.name),
    };
    Ok(match ty {
        ValueType::Elem(elem) => elem.scalar,
        _ => Scalar::I32,
    })
}

/// The bytes of an argument.
fn encode(arg: &Arg, ty: Scalar, bytes: u64) -> anyhow::Result<Vec<u8>> {
    let count = bytes / ty.size();
    let values: Vec<String> = match &arg.contents {
        Contents::Unset => vec!["0".to_owned(); count as usize],
        Contents::Fill(value) => vec![value.clone(); count as usize],
        Contents::Range([first, step, _]) => {
            let (first, step): (f64, f64) = (first.parse()?, step.parse()?);
            (0..count)
                .map(|n| (first + step * n as f64).to_string())
                .collect()
        }
        Contents::Values(values) => values.clone(),
    };
    let mut out = Vec::new();
    for value in &values {
        out.extend(one(value, ty).with_context(|| format!("`{value}` is no {ty}"))?);
    }
    if out.len() as u64 != bytes {
        bail!("{} values of {ty} do not fill {bytes} B", values.len());
    }
    Ok(out)
}

fn one(text: &str, ty: Scalar) -> anyhow::Result<Vec<u8>> {
    if ty.is_float() {
        let value: f64 = text.parse()?;
        return Ok(match ty {
            Scalar::F32 => (value as f32).to_le_bytes().to_vec(),
            Scalar::F64 => value.to_le_bytes().to_vec(),
            _ => bail!("values of half are not read"),
        });
    }
    let value = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16)?,
        None => text.parse()?,
    };
    Ok(value.to_le_bytes()[..ty.size() as usize].to_vec())
}
