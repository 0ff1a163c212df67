//! Whatever the texts say, resolving ends with a launch that holds together or
//! with an error.

use proptest::prelude::*;

use super::images::{image, sampler};
use super::{limits, spec};
use crate::resolve::{Resolved, resolve};
use crate::resolved::ArgValue;
use crate::samples::{convolution, global, kernel, value};
use crate::signature::Signature;

fn all_kinds() -> Signature {
    let mut signature = convolution();
    signature.params.push(value("v", "f32x3"));
    signature.params.push(value("big", "u64"));
    signature.params.push(global("idx", "i8", false));
    signature.params.push(image("src", "image2d_array_t", None));
    signature.params.push(sampler("s"));
    signature
}

fn check(resolved: &Resolved, signature: &Signature) {
    let range = &resolved.launch.range;
    for d in 0..3 {
        assert!(range.global[d] > 0 && range.local[d] > 0);
        assert_eq!(range.global[d] % range.local[d], 0);
    }
    assert!(range.group_size() <= 1024);
    assert!(range.work_items() > 0);
    assert_eq!(resolved.launch.args.len(), signature.params.len());
    for arg in &resolved.launch.args {
        match &arg.value {
            ArgValue::Buffer(buffer) => assert!(buffer.len.is_none() || buffer.bytes() > Some(0)),
            ArgValue::Image(image) => {
                let texels: u64 = image.extent().iter().product();
                assert!(texels > 0 && image.texels.len == Some(texels));
                assert!(image.texels.bytes() > Some(0));
            }
            ArgValue::Sampler(sampler) => {
                assert_eq!(crate::Sampler::from_bits(sampler.bits()), Ok(*sampler));
            }
            ArgValue::Alias { of } => {
                assert!(resolved.launch.args[*of].value.memory().is_some());
            }
            ArgValue::Null => {}
            ArgValue::Local { bytes } => assert!(*bytes > 0),
            ArgValue::Bytes(bytes) => assert!(!bytes.is_empty()),
        }
    }
}

fn size() -> impl Strategy<Value = String> {
    prop_oneof![
        // Mostly what resolves, so that the launches are looked at too.
        30 => (1_u64..200).prop_map(|n| n.to_string()),
        4 => Just("W".to_owned()),
        4 => Just("roundup(H,16)".to_owned()),
        1 => Just("big".to_owned()),
        1 => Just("W*H*big".to_owned()),
        1 => Just("2^63-1".to_owned()),
        1 => Just("local_size(0)".to_owned()),
        1 => Just("0".to_owned()),
        1 => "[-+*/^x0-9WHR,() ]{0,8}",
    ]
}

fn buffer() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => size().prop_map(|n| format!("[{n}]")),
        1 => size().prop_map(|n| format!("[{n}]:random(0,{n})")),
        1 => size().prop_map(|n| format!("bytes[{n}]:iota")),
        4 => Just("same:in".to_owned()),
        1 => Just("null".to_owned()),
        1 => Just("same:idx".to_owned()),
        1 => Just(":zero".to_owned()),
        1 => "[a-z\\[\\]:0-9@{}]{0,6}",
    ]
}

fn picture() -> impl Strategy<Value = String> {
    let format = prop::sample::select(vec!["", ":rgba8", ":r32f", ":rg16ui", ":depth16", ":x"]);
    let fill = prop::sample::select(vec!["", ":zero", ":random(0,9)", ":0.5", ":iota"]);
    prop_oneof![
        8 => (size(), size(), size(), format, fill)
            .prop_map(|(w, h, n, format, fill)| format!("image[{w},{h},{n}]{format}{fill}")),
        1 => size().prop_map(|w| format!("image[{w}]")),
        1 => "(image|\\[|\\]|,|:|rgba8|[0-9W]){0,8}",
    ]
}

fn words() -> impl Strategy<Value = String> {
    "(nearest|linear|repeat|clamp|normalized|0x12|W|,){0,5}"
}

proptest! {
    #[test]
    fn a_launch_or_an_error(
        range in prop::collection::vec(size(), 1..4),
        local in prop::option::weighted(0.2, prop::collection::vec(prop::sample::select(vec![1, 3, 16, 64, 256]), 1..4)),
        scalars in prop::collection::vec(size(), 4),
        buffers in prop::collection::vec(buffer(), 4),
        tile in size(),
        picture in picture(),
        words in words(),
        sizes in prop::collection::vec(any::<u64>(), 2),
    ) {
        let signature = all_kinds();
        let mut flags = vec![format!("--global {}", range.join(","))];
        if let Some(local) = local {
            let local: Vec<String> = local.iter().map(u64::to_string).collect();
            flags.push(format!("--local {}", local.join("x")));
        }
        flags.extend(["W", "H", "R", "big"].iter().zip(&scalars).map(|(n, v)| format!("{n}={v}")));
        flags.extend(["in", "out", "filter", "idx"].iter().zip(&buffers).map(|(n, v)| format!("{n}={v}")));
        flags.push(format!("tile=local:[{tile}]"));
        flags.push("v=(1,2,W)".to_owned());
        flags.push(format!("src={picture}"));
        if !words.is_empty() {
            flags.push(format!("s={words}"));
        }
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        match resolve(&spec(&flags), &signature, &limits()) {
            Err(error) => prop_assert!(!error.to_string().is_empty()),
            Ok(resolved) => {
                check(&resolved, &signature);
                for free in &resolved.free_sizes {
                    prop_assert!(!free.describe().is_empty());
                    for value in [sizes[0], sizes[1] % 5000, 1, 0, u64::MAX] {
                        if let Ok(other) = resolved.with_size(&free.name, value) {
                            check(&other, &signature);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_signature_of_one_buffer(text in "\\PC{0,20}", global_size in "\\PC{0,10}|[0-9x,]{1,9}") {
        let signature = kernel("k", 1, vec![global("a", "f32", true)]);
        let mut spec = spec(&["a=1"]);
        // No file of the machine takes part.
        spec.args[0].value.text = text.replace('@', ":");
        spec.global = Some(crate::spec::Text::flag(global_size));
        if let Ok(resolved) = resolve(&spec, &signature, &limits()) {
            check(&resolved, &signature);
        }
    }
}
