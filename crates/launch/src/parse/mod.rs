//! The grammar of argument values.
//!
//! | text | meaning |
//! |---|---|
//! | `5`, `-1.5e3`, `W*H` | a scalar |
//! | `(1,2)` | a vector |
//! | `{nx:64, dt:0.1, k:[1,2]}` | a structure |
//! | `[W*H]`, `f32[W*H]`, `bytes[1024]` | a buffer with its length |
//! | `[W*H]:random(0,1)`, `:zero` | a buffer with its contents |
//! | `@in.npy`, `[W*H]:@in.bin` | contents of a file |
//! | `same:in` | the memory of another argument |
//! | `null` | no buffer: a null pointer |
//! | `image[W,H]`, `image[W,H]:rgba8`, `image[W,H]:r32f:zero` | an image with its size, format and contents |
//! | `clamp_to_edge,nearest` | a sampler ([`crate::image::Sampler::from_words`]) |
//! | `local:f32[local_size(0)+2]`, `local:[258]` | local memory |
//!
//! The text alone is read here, without the kernel's signature. A file name
//! reaches from its `@` to the end of the text.

mod print;
mod range;
mod value;

pub use range::split_dims;
pub use value::parse_arg;

use crate::element::ElemType;
use crate::expr::Expr;
use crate::image::ImageFormat;

/// What an argument's text says.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgText {
    /// A scalar, vector or structure.
    Value(ValueText),
    /// A buffer, with what was said of it.
    Buffer {
        /// Element type before the bracket.
        elem: Option<TypeName>,
        /// Number of elements (of bytes where the type is `bytes`).
        len: Option<Expr>,
        /// What it holds.
        fill: Option<FillText>,
    },
    /// `@path` alone: the contents of a buffer, or the bytes of a value.
    File(String),
    /// `null`: no buffer, as `clSetKernelArg` takes it for a pointer.
    Null,
    /// `same:NAME`: the memory of another argument, by name or index.
    Same(String),
    /// Local memory.
    Local {
        /// Element type before the bracket.
        elem: Option<TypeName>,
        /// Number of elements (of bytes where the type is `bytes`).
        len: Expr,
    },
    /// An image, with what was said of it.
    Image {
        /// Width, height, depth, layers: as many as were given.
        sizes: Vec<Expr>,
        /// Its format.
        format: Option<ImageFormat>,
        /// What it holds.
        fill: Option<FillText>,
    },
    /// Words with commas between them: a sampler. (One word alone is read as a
    /// value.)
    Words(Vec<String>),
}

/// The text of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueText {
    /// A scalar.
    Scalar(Expr),
    /// Components of a vector.
    Vector(Vec<Expr>),
    /// Elements of an array member.
    Array(Vec<ValueText>),
    /// Members of a structure by name.
    Struct(Vec<(String, ValueText)>),
}

/// What a buffer holds at the start.
#[derive(Clone, Debug, PartialEq)]
pub enum FillText {
    /// Random, in a range where one is given (upper end exclusive).
    Random(Option<(Expr, Expr)>),
    /// Zero bytes.
    Zero,
    /// 0, 1, 2, …
    Iota,
    /// The same value everywhere.
    Constant(Expr),
    /// A file.
    File(String),
}

/// A type before a bracket.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeName {
    /// A scalar or vector.
    Elem(ElemType),
    /// `bytes`: the bracket counts bytes.
    Bytes,
    /// Another name, that of a structure.
    Named(String),
}

impl TypeName {
    fn new(name: &str) -> Self {
        match name.parse() {
            Ok(elem) => TypeName::Elem(elem),
            Err(_) if name == "bytes" => TypeName::Bytes,
            Err(_) => TypeName::Named(name.to_owned()),
        }
    }
}
