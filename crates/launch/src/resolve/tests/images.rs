//! Images and samplers.

use super::{message, run, spec};
use crate::image::{ImageAccess, TexelKind};
use crate::resolve::resolve;
use crate::resolved::{ArgValue, Fill};
use crate::samples::{kernel, value};
use crate::signature::{Param, ParamKind};

pub(super) fn image(name: &str, ty: &str, texel: Option<TexelKind>) -> Param {
    Param {
        name: name.into(),
        kind: ParamKind::Image {
            ty: ty.parse().unwrap(),
            access: ImageAccess::Read,
            texel,
        },
        spelling: format!("__read_only {ty}"),
    }
}

pub(super) fn sampler(name: &str) -> Param {
    Param {
        name: name.into(),
        kind: ParamKind::Sampler,
        spelling: "sampler_t".into(),
    }
}

#[test]
fn images_have_sizes_a_format_and_contents() {
    let params = vec![
        image("src", "image2d_t", None),
        image("layers", "image1d_array_t", Some(TexelKind::Float)),
        sampler("s"),
        sampler("t"),
        value("W", "i32"),
    ];
    let signature = kernel("k", 2, params);
    let resolved = run(
        &signature,
        &[
            "--global 8,8",
            "W=6",
            "src=image[W+2,3]:r32f:zero",
            "layers=image[W,2]",
            "s=linear,repeat",
        ],
    );
    let args = &resolved.launch.args;
    let ArgValue::Image(src) = &args[0].value else {
        panic!("{:?}", args[0]);
    };
    assert_eq!((src.size, src.layers), ([8, 3, 1], 1));
    assert_eq!(src.format.to_string(), "r32f");
    assert_eq!((src.texels.len, src.texels.bytes()), (Some(24), Some(96)));
    assert_eq!(src.texels.fill, Fill::Zero);
    let ArgValue::Image(layers) = &args[1].value else {
        panic!("{:?}", args[1]);
    };
    assert_eq!((layers.size, layers.layers), ([6, 1, 1], 2));
    assert_eq!(layers.extent(), [6, 2]);
    assert!(layers.texels.generated);
    let samplers: Vec<String> = args[2..4]
        .iter()
        .map(|arg| match arg.value {
            ArgValue::Sampler(sampler) => sampler.to_string(),
            _ => format!("{arg:?}"),
        })
        .collect();
    assert_eq!(
        samplers,
        ["repeat,linear,normalized", "clamp_to_edge,nearest"]
    );
    let notes: Vec<String> = resolved.notes.iter().map(ToString::to_string).collect();
    for note in [
        "layers: format not given, rgba8 taken (set it with --arg 'layers=image[W,2]:rgba8')",
        "t: sampler not given, clamp_to_edge,nearest taken (set it with --arg t=clamp_to_edge,linear,normalized)",
        "random contents for layers, seed 1 (set it with --arg 'layers=[…]:zero' or --seed 1)",
    ] {
        assert!(notes.iter().any(|n| n == note), "{notes:#?}");
    }
    // The size follows W, which is free.
    let wider = resolved.with_size("W", 10).unwrap();
    let memory = wider.launch.args[1].value.memory();
    assert_eq!(memory.and_then(|m| m.len), Some(20));
}

#[test]
fn mistakes_about_images_say_what_to_write() {
    let texel = Some(TexelKind::Integer);
    let params = vec![
        image("src", "image2d_t", texel),
        image("line", "image1d_t", None),
        sampler("s"),
    ];
    let signature = kernel("k", 1, params);
    let fine = [
        "--global 8",
        "src=image[8,8]:rgba32i",
        "line=image[8]",
        "s=linear",
    ];
    assert!(resolve(&spec(&fine), &signature, &super::limits()).is_ok());
    for (flag, wanted) in [
        (
            "src=image[8]:rgba32i",
            "it has 2 sizes ([width,height]), 1 is given; write for instance --arg 'src=image[1024,768]:rgba8'",
        ),
        ("src=image[8,0]:rgba32i", "a size of src (`0`) is 0"),
        (
            "src=image[8,8]:rgba8",
            "the kernel accesses it as integers (read_imagei, read_imageui), rgba8 holds none",
        ),
        (
            "src=image[8,8]",
            "its format is missing, and the kernel takes it for integers: write --arg 'src=image[8,8]:rgba32i' for read_imagei",
        ),
        (
            "src=image[8,8]:rgba23i",
            "`rgba23i` is no image format; did you mean `rgba",
        ),
        ("src=[64]", "an image: it needs its sizes in brackets"),
        (
            "src=same:line",
            "line is `__read_only image1d_t`, and only images of one type can be the same",
        ),
        ("src=@in.npy", "whose size a file does not tell"),
        (
            "line=image[8]:depth32f",
            "depth32f is the format of a depth image; r16 or r32f is alike",
        ),
        ("line=image[8]:rgba8:300", "does not fit"),
        (
            "s=neerest",
            "`neerest` says nothing of a sampler: did you mean `nearest`?",
        ),
        ("s=0x50", "0x50 is no sampler"),
        ("s=[4]", "a sampler: it is made of words"),
        (
            "s=clamp,clamp",
            "`clamp` says something that was said before",
        ),
    ] {
        let (name, _) = flag.split_once('=').unwrap();
        let others = fine.iter().filter(|f| !f.starts_with(&format!("{name}=")));
        let flags: Vec<&str> = others.copied().chain([flag]).collect();
        let text = message(&signature, &flags);
        assert!(text.contains(wanted), "{flag}: {text}");
    }
    let text = message(&signature, &["--global 8", "line=image[8]"]);
    assert!(text.contains("src (__read_only image2d_t)"), "{text}");
}
