//! A launch as a report shows it.

use tilewise_launch::{
    ArgValue, Buffer, Fill, Image, Launch, ParamKind, Resolved, Signature, ValueType,
};
use tilewise_report::{ArgInfo, LaunchInfo};

use crate::load::Loaded;

/// Describes a resolved launch.
pub fn launch_info(resolved: &Resolved) -> LaunchInfo {
    let launch = &resolved.launch;
    let dims = usize::from(launch.range.dims);
    LaunchInfo {
        global: launch.range.global[..dims].to_vec(),
        local: launch.range.local[..dims].to_vec(),
        offset: launch.range.offset[..dims].to_vec(),
        args: args(launch, resolved.signature()),
        defaults: resolved.notes.iter().map(ToString::to_string).collect(),
    }
}

/// The whole numbers among a kernel's arguments, by name.
pub fn whole_numbers(loaded: &Loaded) -> Vec<(&str, i128)> {
    let args = &loaded.resolved.launch.args;
    let params = loaded.signature.params.iter();
    params
        .zip(args)
        .filter_map(|(param, arg)| match (&param.kind, &arg.value) {
            (ParamKind::Value(ValueType::Elem(elem)), ArgValue::Bytes(bytes))
                if elem.lanes == 1 && !elem.scalar.is_float() =>
            {
                let value = crate::compare::show(elem.scalar, bytes).parse().ok()?;
                Some((param.name.as_str(), value))
            }
            _ => None,
        })
        .collect()
}

/// A launch in a few words: `n=1021, global 1024, local 256`.
pub fn in_words(launch: &Launch, sizes: &[(&str, u64)]) -> String {
    let dims = usize::from(launch.range.dims);
    let shape = |s: &[u64]| {
        s[..dims]
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join("x")
    };
    let mut words: Vec<String> = sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    words.push(format!("global {}", shape(&launch.range.global)));
    words.push(format!("local {}", shape(&launch.range.local)));
    if launch.range.offset[..dims].iter().any(|o| *o != 0) {
        words.push(format!("offset {}", shape(&launch.range.offset)));
    }
    words.join(", ")
}

fn args(launch: &Launch, signature: &Signature) -> Vec<ArgInfo> {
    launch
        .args
        .iter()
        .zip(&signature.params)
        .map(|(arg, param)| ArgInfo {
            name: arg.name.clone(),
            ty: param.spelling.clone(),
            value: match &arg.value {
                ArgValue::Bytes(bytes) => value_text(&param.kind, bytes),
                ArgValue::Buffer(buffer) => buffer_text(buffer),
                ArgValue::Image(image) => image_text(image),
                ArgValue::Sampler(sampler) => sampler.to_string(),
                ArgValue::Alias { of } => format!("same as {}", launch.args[*of].name),
                ArgValue::Null => "null".to_owned(),
                ArgValue::Local { bytes } => format!("local, {bytes} B"),
            },
        })
        .collect()
}

fn value_text(kind: &ParamKind, bytes: &[u8]) -> String {
    match kind {
        ParamKind::Value(ValueType::Elem(elem)) => {
            let size = elem.scalar.size() as usize;
            let values: Vec<String> = bytes
                .chunks_exact(size)
                .take(usize::from(elem.lanes))
                .map(|chunk| crate::compare::show(elem.scalar, chunk))
                .collect();
            match &values[..] {
                [one] => one.clone(),
                several => format!("({})", several.join(", ")),
            }
        }
        _ => format!("{} B by value", bytes.len()),
    }
}

fn buffer_text(buffer: &Buffer) -> String {
    let elem = element_name(&buffer.elem);
    let length = buffer
        .len
        .map_or("length not given".to_owned(), |n| n.to_string());
    format!("{elem}[{length}] {}", fill_text(&buffer.fill))
}

fn image_text(image: &Image) -> String {
    let extent: Vec<String> = image.extent().iter().map(u64::to_string).collect();
    let fill = fill_text(&image.texels.fill);
    format!("image[{}] {} {fill}", extent.join(","), image.format)
}

fn fill_text(fill: &Fill) -> String {
    match fill {
        Fill::Random { range: None } => "random".to_owned(),
        Fill::Random {
            range: Some((low, high)),
        } => format!("random({low},{high})"),
        Fill::Zero => "zero".to_owned(),
        Fill::Iota => "iota".to_owned(),
        Fill::Constant(value) => value.to_string(),
        Fill::File { path, .. } => format!("@{}", path.display()),
    }
}

/// The name of a buffer's element type.
pub fn element_name(ty: &ValueType) -> String {
    match ty {
        ValueType::Elem(elem) => elem.to_string(),
        ValueType::Struct(s) if !s.name.is_empty() => format!("struct {}", s.name),
        ValueType::Struct(s) => format!("struct of {} B", s.size),
        ValueType::Opaque { size, .. } => format!("{size} B"),
    }
}
