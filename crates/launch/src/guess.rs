//! A first launch, guessed from the signature alone: what `init` writes and
//! what messages suggest.
//!
//! Names tell most of it: `n`, `width`, `rows` are sizes of a dimension, `r` is
//! a radius, `idx` holds indices. A guess is a place to begin, so every value
//! carries the reason for it. What a kernel does with its arguments is not
//! looked at.

use crate::element::Scalar;
use crate::resolve::parameter_list;
use crate::signature::{Param, ParamKind, Signature, StructType, ValueType};
use crate::spec::{ArgKey, ArgSetting, LaunchSpec, Text};

/// A guessed launch with the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    spec: LaunchSpec,
    reasons: Vec<(String, String)>,
}

/// What an integer argument is by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Size of a dimension.
    Size(usize),
    /// A size of no dimension in particular (`n`, `size`).
    Count,
    /// Reach of a stencil.
    Radius,
    /// Distance of rows in elements.
    Pitch,
    /// Something that begins at 0.
    Start,
    Other,
}

const DIMENSION_NAMES: [&[&str]; 3] = [
    &[
        "w",
        "width",
        "cols",
        "ncols",
        "columns",
        "nx",
        "dimx",
        "xdim",
        "sizex",
        "xsize",
        "imw",
        "imagewidth",
    ],
    &[
        "h",
        "height",
        "rows",
        "nrows",
        "ny",
        "dimy",
        "ydim",
        "sizey",
        "ysize",
        "imh",
        "imageheight",
    ],
    &[
        "d", "depth", "slices", "nz", "dimz", "zdim", "sizez", "zsize",
    ],
];
const COUNT_NAMES: &[&str] = &[
    "n", "m", "k", "num", "size", "count", "length", "len", "total", "numel", "nelem", "elements",
    "npoints", "points", "bodies", "nbodies", "items", "dim", "order",
];
const RADIUS_NAMES: &[&str] = &["r", "rad", "radius", "half", "halo", "reach"];
const PITCH_NAMES: &[&str] = &["pitch", "stride", "ld", "lda", "ldb", "ldc", "step"];
const START_NAMES: &[&str] = &["offset", "start", "begin", "first", "base"];
const INDEX_NAMES: &[&str] = &[
    "idx", "index", "indices", "indexes", "map", "perm", "cols", "col",
];
const TAP_NAMES: &[&str] = &[
    "coef", "coeff", "coeffs", "filter", "taps", "weights", "mask", "kern", "stencil", "gauss",
];

/// The dimension whose size an argument of that name usually is.
pub(crate) fn dimension_of(name: &str) -> Option<usize> {
    match role(name) {
        Role::Size(dim) => Some(dim),
        _ => None,
    }
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .collect::<String>()
        .to_lowercase()
}

fn role(name: &str) -> Role {
    let name = plain(name);
    let is = |names: &[&str]| names.contains(&name.as_str());
    if let Some(dim) = DIMENSION_NAMES.iter().position(|names| is(names)) {
        Role::Size(dim)
    } else if is(RADIUS_NAMES) {
        Role::Radius
    } else if is(PITCH_NAMES) {
        Role::Pitch
    } else if is(START_NAMES) {
        Role::Start
    } else if is(COUNT_NAMES) || name.starts_with("num") || name.starts_with("size") {
        Role::Count
    } else {
        Role::Other
    }
}

impl Guess {
    /// Guesses a launch for the kernel.
    pub fn new(signature: &Signature) -> Self {
        let mut guess = Guess {
            spec: LaunchSpec {
                kernel: Some(signature.kernel.clone()),
                ..LaunchSpec::default()
            },
            reasons: Vec::new(),
        };
        let shape = Shape::new(signature);
        guess.spec.global = Some(Text::flag(shape.global()));
        guess.reason("global", shape.global_reason());
        let local = match signature.reqd_local {
            Some(required) => {
                guess.reason("local", "required by the kernel (reqd_work_group_size)");
                required[..shape.dims]
                    .iter()
                    .map(u64::to_string)
                    .collect::<Vec<_>>()
                    .join("x")
            }
            None => {
                guess.reason("local", "a usual size; try others");
                shape.group().to_owned()
            }
        };
        guess.spec.local = Some(Text::flag(local));
        for param in &signature.params {
            let (value, reason) = shape.argument(param);
            let key = ArgKey::Name(param.name.clone());
            guess.reason(&param.name, &format!("{}: {reason}", param.spelling));
            guess.spec.args.push(ArgSetting {
                key,
                value: Text::flag(value),
            });
        }
        guess
    }

    fn reason(&mut self, key: &str, reason: &str) {
        self.reasons.push((key.to_owned(), reason.to_owned()));
    }

    /// The description.
    pub fn spec(&self) -> &LaunchSpec {
        &self.spec
    }

    /// The guessed value of an argument.
    pub fn argument(&self, name: &str) -> Option<&str> {
        let is = |arg: &&ArgSetting| arg.key == ArgKey::Name(name.to_owned());
        self.spec
            .args
            .iter()
            .find(is)
            .map(|arg| arg.value.text.as_str())
    }

    /// Why `global`, `local` or an argument has its value.
    pub fn reason_for(&self, key: &str) -> Option<&str> {
        self.reasons
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, reason)| reason.as_str())
    }
}

/// The index space as far as the names tell it.
struct Shape<'a> {
    dims: usize,
    /// The argument that is the size of each dimension.
    sizes: [Option<&'a str>; 3],
    radius: Option<&'a str>,
    signature: &'a Signature,
}

impl<'a> Shape<'a> {
    fn new(signature: &'a Signature) -> Self {
        let ints: Vec<&str> = signature
            .params
            .iter()
            .filter(|p| is_int(p))
            .map(|p| p.name.as_str())
            .collect();
        let with = |wanted: Role| ints.iter().copied().find(|name| role(name) == wanted);
        let mut sizes = [
            with(Role::Size(0)),
            with(Role::Size(1)),
            with(Role::Size(2)),
        ];
        let counts: Vec<&str> = ints
            .iter()
            .copied()
            .filter(|name| role(name) == Role::Count)
            .collect();

        let by_name = sizes.iter().rposition(Option::is_some).map_or(1, |d| d + 1);
        let by_group = signature
            .reqd_local
            .map_or(1, |r| r.iter().rposition(|n| *n > 1).map_or(1, |d| d + 1));
        let dims = match usize::from(signature.dims_used) {
            0 => by_name.max(by_group),
            used => used.max(by_group),
        }
        .min(3);
        if sizes.iter().all(Option::is_none) {
            sizes = match counts[..] {
                [] => sizes,
                // M, N, K of a product: a row of the result has N elements.
                [m, n, ..] if dims == 2 && plain(m) == "m" && plain(n) == "n" => {
                    [Some(n), Some(m), None]
                }
                [a, b, ..] if dims == 2 => [Some(a), Some(b), None],
                [a, b, c, ..] if dims == 3 => [Some(a), Some(b), Some(c)],
                [n, ..] => [Some(n); 3],
            };
        }
        Shape {
            dims,
            sizes,
            radius: with(Role::Radius),
            signature,
        }
    }

    fn group(&self) -> &'static str {
        match self.dims {
            1 => "256",
            2 => "16x16",
            _ => "8x8x4",
        }
    }

    /// Elements per dimension for a problem of a usual size.
    fn extent(&self) -> &'static str {
        match self.dims {
            1 => "1048576",
            2 => "1024",
            _ => "128",
        }
    }

    fn global(&self) -> String {
        let default: &[u64] = match self.dims {
            1 => &[256],
            2 => &[16, 16],
            _ => &[8, 8, 4],
        };
        let group = match &self.signature.reqd_local {
            Some(required) => &required[..self.dims],
            None => default,
        };
        let parts: Vec<String> = group
            .iter()
            .enumerate()
            .map(|(d, group)| match self.sizes[d] {
                Some(name) => format!("roundup({name},{group})"),
                None => self.extent().to_owned(),
            })
            .collect();
        parts.join(",")
    }

    fn global_reason(&self) -> &'static str {
        if self.sizes[0].is_some() {
            "one work-item per element, rounded up to whole groups; wrong if the kernel does not \
             guard its range"
        } else {
            "no argument tells the size"
        }
    }

    /// Number of elements of the index space.
    fn product(&self) -> String {
        let parts: Vec<String> = (0..self.dims)
            .map(|d| match self.sizes[d] {
                Some(name) => name.to_owned(),
                None => format!("global_size({d})"),
            })
            .collect();
        parts.join("*")
    }

    fn argument(&self, param: &Param) -> (String, &'static str) {
        match &param.kind {
            ParamKind::Value(ty) => self.value(&param.name, ty),
            ParamKind::Global {
                elem, read_only, ..
            } => self.buffer(param, elem, *read_only),
            ParamKind::Constant { elem } => self.buffer(param, elem, true),
            ParamKind::Local { .. } => self.local(),
            ParamKind::Image { .. } => (
                "image[1024,1024]".to_owned(),
                "images are not supported yet",
            ),
            ParamKind::Sampler => (
                "clamp_to_edge,nearest".to_owned(),
                "samplers are not supported yet",
            ),
        }
    }

    fn value(&self, name: &str, ty: &ValueType) -> (String, &'static str) {
        match ty {
            ValueType::Elem(elem) if elem.lanes == 1 && elem.scalar.is_float() => {
                ("1.0".to_owned(), "any number")
            }
            ValueType::Elem(elem) if elem.lanes == 1 => self.integer(name, elem.scalar),
            ValueType::Struct(layout) => (example(layout), "fill in the members"),
            other => (crate::encode::value_example(other), "fill in"),
        }
    }

    fn integer(&self, name: &str, scalar: Scalar) -> (String, &'static str) {
        let narrow = scalar.size() < 4;
        match role(name) {
            Role::Size(_) | Role::Count if narrow => ("64".to_owned(), "a size"),
            Role::Size(_) | Role::Count => (self.extent().to_owned(), "a size"),
            Role::Radius => ("2".to_owned(), "a radius"),
            Role::Pitch => match self.sizes[0] {
                Some(width) => (width.to_owned(), "rows without padding"),
                None => ("1".to_owned(), "elements one behind the other"),
            },
            Role::Start => ("0".to_owned(), "from the start"),
            Role::Other => ("1".to_owned(), "any number"),
        }
    }

    fn buffer(&self, param: &Param, elem: &ValueType, read_only: bool) -> (String, &'static str) {
        let name = plain(&param.name);
        let is = |names: &[&str]| {
            names
                .iter()
                .any(|n| name == *n || name.ends_with(n) && n.len() > 3)
        };
        let integer = matches!(elem, ValueType::Elem(e) if !e.scalar.is_float());
        if is(TAP_NAMES) {
            return match (self.radius, self.dims) {
                (Some(r), 1) => (format!("[2*{r}+1]"), "a filter of that radius"),
                (Some(r), _) => (format!("[(2*{r}+1)*(2*{r}+1)]"), "a filter of that radius"),
                (None, _) => ("[256]".to_owned(), "a small table"),
            };
        }
        if read_only && integer && is(INDEX_NAMES) {
            let len = self.product();
            return (
                format!("[{len}]:random(0,{len})"),
                "indices into the other buffers",
            );
        }
        if let Some(matrix) = self.matrix(&name) {
            return (matrix, "a matrix of the product");
        }
        (format!("[{}]", self.product()), "one element per work-item")
    }

    /// `a`, `b`, `c` of a matrix product with sizes `m`, `n`, `k`.
    fn matrix(&self, name: &str) -> Option<String> {
        let int = |wanted: &str| {
            let is = |p: &&Param| is_int(p) && plain(&p.name) == wanted;
            self.signature
                .params
                .iter()
                .find(is)
                .map(|p| p.name.as_str())
        };
        let (m, n, k) = (int("m")?, int("n")?, int("k")?);
        match name {
            "a" => Some(format!("[{m}*{k}]")),
            "b" => Some(format!("[{k}*{n}]")),
            "c" => Some(format!("[{m}*{n}]")),
            _ => None,
        }
    }

    fn local(&self) -> (String, &'static str) {
        let halo = match self.radius {
            Some(r) => format!("+2*{r}"),
            None => "+2".to_owned(),
        };
        let parts: Vec<String> = (0..self.dims)
            .map(|d| match self.dims {
                1 => format!("local_size({d}){halo}"),
                _ => format!("(local_size({d}){halo})"),
            })
            .collect();
        (
            format!("local:[{}]", parts.join("*")),
            "a tile with a halo on each side",
        )
    }
}

fn example(layout: &StructType) -> String {
    crate::encode::struct_example(layout)
}

fn is_int(param: &Param) -> bool {
    matches!(&param.kind, ParamKind::Value(ValueType::Elem(e)) if e.lanes == 1 && !e.scalar.is_float())
}

/// The parameters of a kernel in one line, for the head of a launch file.
pub(crate) fn head_line(signature: &Signature) -> String {
    format!("kernel {}: {}", signature.kernel, parameter_list(signature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::{Limits, resolve};
    use crate::samples::{blur_tiled, convolution, global, kernel, local, value};

    fn values(signature: &Signature) -> Vec<String> {
        let guess = Guess::new(signature);
        let spec = guess.spec();
        let text = |text: &Option<Text>| text.as_ref().map(|t| t.text.clone()).unwrap_or_default();
        [text(&spec.global), text(&spec.local)]
            .into_iter()
            .chain(
                spec.args
                    .iter()
                    .map(|a| format!("{}={}", a.key, a.value.text)),
            )
            .collect()
    }

    #[test]
    fn one_dimension() {
        assert_eq!(
            values(&blur_tiled()),
            [
                "roundup(n,256)",
                "256",
                "in=[n]",
                "out=[n]",
                "n=1048576",
                "tile=local:[local_size(0)+2]"
            ]
        );
    }

    #[test]
    fn two_dimensions_with_a_radius() {
        assert_eq!(
            values(&convolution()),
            [
                "roundup(W,16),roundup(H,16)",
                "16x16",
                "in=[W*H]",
                "out=[W*H]",
                "filter=[(2*R+1)*(2*R+1)]",
                "W=1024",
                "H=1024",
                "R=2",
                "tile=local:[(local_size(0)+2*R)*(local_size(1)+2*R)]",
            ]
        );
    }

    #[test]
    fn a_matrix_product() {
        let ints = ["M", "N", "K"].map(|name| value(name, "i32"));
        let buffers = ["A", "B", "C"].map(|name| global(name, "f32", name != "C"));
        let signature = kernel("product", 2, ints.into_iter().chain(buffers).collect());
        assert_eq!(
            values(&signature)[..2]
                .iter()
                .chain(&values(&signature)[5..])
                .collect::<Vec<_>>(),
            [
                "roundup(N,16),roundup(M,16)",
                "16x16",
                "A=[M*K]",
                "B=[K*N]",
                "C=[M*N]"
            ]
        );
    }

    #[test]
    fn indices_and_no_size_at_all() {
        let signature = kernel(
            "gather",
            1,
            vec![global("x", "f32", true), global("idx", "i32", true)],
        );
        assert_eq!(
            values(&signature),
            [
                "1048576",
                "256",
                "x=[global_size(0)]",
                "idx=[global_size(0)]:random(0,global_size(0))"
            ]
        );
    }

    #[test]
    fn every_guess_resolves() {
        let limits = Limits {
            device: "a test device".into(),
            max_group_size: 1024,
            max_item_sizes: [1024, 1024, 64],
            max_local_bytes: Some(49152),
            non_uniform_groups: false,
        };
        let mut required = blur_tiled();
        required.reqd_local = Some([64, 1, 1]);
        let volume = kernel(
            "volume",
            3,
            vec![
                global("in", "f32x4", true),
                value("nx", "u32"),
                value("ny", "u16"),
                value("nz", "i64"),
                value("pitch", "i32"),
                value("alpha", "f64"),
                value("o", "f32x2"),
                local("s", "u8"),
            ],
        );
        for signature in [
            blur_tiled(),
            convolution(),
            required,
            volume,
            kernel("none", 0, vec![]),
        ] {
            let guess = Guess::new(&signature);
            if let Err(error) = resolve(guess.spec(), &signature, &limits) {
                panic!("{}: {error}", signature.kernel);
            }
            for arg in &guess.spec().args {
                assert!(guess.reason_for(&arg.key.to_string()).is_some());
            }
        }
    }
}
