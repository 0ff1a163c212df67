//! Signatures for the tests of this crate.

use crate::signature::{Param, ParamKind, Signature, ValueType};

/// An element type by its name.
pub(crate) fn elem(name: &str) -> ValueType {
    ValueType::Elem(name.parse().unwrap())
}

/// A parameter by value.
pub(crate) fn value(name: &str, ty: &str) -> Param {
    Param {
        name: name.into(),
        kind: ParamKind::Value(elem(ty)),
        spelling: ty.into(),
    }
}

/// A pointer to global memory; an input is `const`.
pub(crate) fn global(name: &str, ty: &str, read_only: bool) -> Param {
    let spelling = format!("__global {}{ty} *", if read_only { "const " } else { "" });
    let kind = ParamKind::Global {
        elem: elem(ty),
        read_only,
        restrict: false,
        volatile: false,
    };
    Param {
        name: name.into(),
        kind,
        spelling,
    }
}

/// A pointer to local memory.
pub(crate) fn local(name: &str, ty: &str) -> Param {
    let kind = ParamKind::Local { elem: elem(ty) };
    Param {
        name: name.into(),
        kind,
        spelling: format!("__local {ty} *"),
    }
}

/// A kernel with these parameters.
pub(crate) fn kernel(name: &str, dims_used: u8, params: Vec<Param>) -> Signature {
    Signature {
        kernel: name.into(),
        params,
        reqd_local: None,
        dims_used,
    }
}

pub(crate) fn blur_naive() -> Signature {
    kernel(
        "blur_naive",
        1,
        vec![
            global("in", "f32", true),
            global("out", "f32", false),
            value("n", "i32"),
        ],
    )
}

pub(crate) fn blur_tiled() -> Signature {
    let mut signature = blur_naive();
    signature.kernel = "blur_tiled".into();
    signature.params.push(local("tile", "f32"));
    signature
}

/// A 2D convolution with a runtime radius.
pub(crate) fn convolution() -> Signature {
    kernel(
        "conv",
        2,
        vec![
            global("in", "f32", true),
            global("out", "f32", false),
            global("filter", "f32", true),
            value("W", "i32"),
            value("H", "i32"),
            value("R", "i32"),
            local("tile", "f32"),
        ],
    )
}
