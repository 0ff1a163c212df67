//! Launch files, from their text to launches.

use std::path::Path;

use tilewise_launch::file::to_toml;
use tilewise_launch::image::{ImageAccess, ImageDims, ImageType};
use tilewise_launch::{
    ElemType, Field, Guess, LaunchFile, LaunchSpec, Limits, Param, ParamKind, Resolved, Scalar,
    Signature, StructType, Text, ValueType, resolve,
};

/// Reads a launch file, writes what was read and reads it again, which gives
/// the same; and resolves each launch against a kernel with parameters of each
/// kind: a launch comes out that holds together, or an error with words.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let path = Path::new("fuzz.toml");
    let file = match LaunchFile::parse(text, path) {
        Ok(file) => file,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let written = to_toml(&file.launches, Path::new(""));
    let again = match LaunchFile::parse(&written, path) {
        Ok(again) => again,
        Err(error) => panic!("what was written is not read again: {error}\n{written}"),
    };
    assert_eq!(
        texts(&again.launches),
        texts(&file.launches),
        "the file as written says something else:\n{written}"
    );
    let signature = signature();
    for spec in &file.launches {
        // No file of the machine takes part.
        if spec.args.iter().any(|arg| arg.value.text.contains('@')) {
            continue;
        }
        match resolve(spec, &signature, &limits()) {
            Ok(resolved) => check(&resolved, &signature),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Guesses a launch of a signature and resolves it.
pub fn try_guess(signature: &Signature) {
    match resolve(Guess::new(signature).spec(), signature, &limits()) {
        Ok(resolved) => check(&resolved, signature),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn check(resolved: &Resolved, signature: &Signature) {
    assert_eq!(resolved.launch.args.len(), signature.params.len());
    let range = &resolved.launch.range;
    for d in 0..3 {
        assert!(range.local[d] > 0, "an empty work-group");
        assert_eq!(range.global[d] % range.local[d], 0, "a cut work-group");
    }
    assert!(range.work_items() > 0 && range.group_size() <= 1024);
    for free in &resolved.free_sizes {
        for size in [0, 1, 17, 1 << 40, u64::MAX] {
            if let Ok(other) = resolved.with_size(&free.name, size) {
                assert_eq!(other.launch.args.len(), signature.params.len());
            }
        }
    }
}

/// Launches without the lines they stood on.
fn texts(launches: &[LaunchSpec]) -> Vec<LaunchSpec> {
    let mut launches = launches.to_vec();
    for spec in &mut launches {
        let ranges = [&mut spec.global, &mut spec.local, &mut spec.offset];
        let args = spec.args.iter_mut().map(|arg| &mut arg.value);
        for text in ranges.into_iter().flatten().chain(args) {
            *text = Text::flag(text.text.clone());
        }
    }
    launches
}

fn limits() -> Limits {
    Limits {
        device: "a device".to_owned(),
        max_group_size: 1024,
        max_item_sizes: [1024, 1024, 64],
        max_local_bytes: Some(49_152),
        non_uniform_groups: false,
    }
}

/// The kernel that the launches of the corpus are for.
fn signature() -> Signature {
    let float = ValueType::Elem(ElemType::scalar(Scalar::F32));
    let int = ValueType::Elem(ElemType::scalar(Scalar::I32));
    let global = |name: &str, elem: &ValueType, read_only| {
        let kind = ParamKind::Global {
            elem: elem.clone(),
            read_only,
            restrict: false,
            volatile: false,
        };
        param(name, kind)
    };
    let field = |name: &str, offset, ty: &ValueType, array| Field {
        name: name.to_owned(),
        offset,
        ty: ty.clone(),
        array,
    };
    let structure = ValueType::Struct(StructType {
        name: "P".to_owned(),
        size: 16,
        align: 4,
        fields: vec![
            field("nx", 0, &int, None),
            field("dt", 4, &float, None),
            field("k", 8, &int, Some(2)),
        ],
    });
    let vector = ValueType::Elem(ElemType::vector(Scalar::F32, 3));
    let kind = ParamKind::Image {
        ty: ImageType {
            dims: ImageDims::D2,
            depth: false,
        },
        access: ImageAccess::Read,
        texel: None,
    };
    Signature {
        kernel: "blur_naive".to_owned(),
        params: vec![
            global("in", &float, true),
            global("out", &float, false),
            param("n", ParamKind::Value(int.clone())),
            param("W", ParamKind::Value(int)),
            param("v", ParamKind::Value(vector)),
            param("p", ParamKind::Value(structure.clone())),
            global("ps", &structure, true),
            param(
                "c",
                ParamKind::Constant {
                    elem: float.clone(),
                },
            ),
            param("tile", ParamKind::Local { elem: float }),
            param("src", kind),
            param("s", ParamKind::Sampler),
        ],
        reqd_local: None,
        dims_used: 2,
    }
}

fn param(name: &str, kind: ParamKind) -> Param {
    Param {
        name: name.to_owned(),
        kind,
        spelling: "as the source has it".to_owned(),
    }
}
