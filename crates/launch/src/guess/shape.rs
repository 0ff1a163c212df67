//! The index space that a signature suggests, and the arguments that go with
//! it.

use super::names::{INDEX_NAMES, Role, TAP_NAMES, plain, role};
use super::{Assumptions, Seen};
use crate::element::Scalar;
use crate::encode::{struct_example, value_example};
use crate::image::{ImageDims, Sampler, TexelKind};
use crate::signature::{Param, ParamKind, Signature, ValueType};

/// The index space as far as the names tell it.
pub(super) struct Shape<'a> {
    /// Number of dimensions.
    pub(super) dims: usize,
    /// The argument that is the size of each dimension.
    sizes: [Option<&'a str>; 3],
    radius: Option<&'a str>,
    /// Work-items per dimension.
    extent: u64,
    /// Values of sizes of which one, two or three are multiplied.
    extents: [u64; 3],
    seen: &'a Seen,
    group: [u64; 3],
    signature: &'a Signature,
}

impl<'a> Shape<'a> {
    pub(super) fn new(signature: &'a Signature, assumptions: &Assumptions, seen: &'a Seen) -> Self {
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
        let usual = match dims {
            1 => [256, 1, 1],
            2 => [16, 16, 1],
            _ => [8, 8, 4],
        };
        Shape {
            dims,
            sizes,
            radius: with(Role::Radius),
            extent: assumptions.extents[dims - 1],
            extents: assumptions.extents,
            seen,
            group: signature.reqd_local.or(assumptions.group).unwrap_or(usual),
            signature,
        }
    }

    /// The work-group, by dimension.
    pub(super) fn group(&self) -> &[u64] {
        &self.group[..self.dims]
    }

    pub(super) fn global(&self) -> String {
        let group = self.group();
        let parts: Vec<String> = group
            .iter()
            .enumerate()
            .map(|(d, group)| match (&self.seen.bounds[d], self.sizes[d]) {
                (Some(bound), _) => format!("roundup({},{group})", bound.text),
                (None, Some(name)) => format!("roundup({name},{group})"),
                (None, None) => self.extent.next_multiple_of((*group).max(1)).to_string(),
            })
            .collect();
        parts.join(",")
    }

    pub(super) fn global_reason(&self) -> &'static str {
        if self.seen.bounds[..self.dims].iter().all(Option::is_some) {
            "as many work-items as the kernel's guard lets through, rounded up to whole groups"
        } else if self.sizes[0].is_some() {
            "one work-item per element, rounded up to whole groups; wrong if the kernel does not \
             guard its range"
        } else {
            "no argument tells the size"
        }
    }

    /// Number of elements of the index space.
    fn product(&self) -> String {
        let parts: Vec<String> = (0..self.dims)
            .map(|d| match (&self.seen.bounds[d], self.sizes[d]) {
                (Some(bound), _) if self.dims == 1 => bound.text.clone(),
                (Some(bound), _) => bound.factor(),
                (None, Some(name)) => name.to_owned(),
                (None, None) => format!("global_size({d})"),
            })
            .collect();
        parts.join("*")
    }

    pub(super) fn argument(&self, param: &Param) -> (String, &'static str) {
        match &param.kind {
            ParamKind::Value(ty) => self.value(&param.name, ty),
            ParamKind::Global {
                elem, read_only, ..
            } => self.buffer(param, elem, *read_only),
            ParamKind::Constant { elem } => self.buffer(param, elem, true),
            ParamKind::Local { .. } => self.local(),
            ParamKind::Image { ty, texel, .. } => self.image(ty.dims, *texel),
            ParamKind::Sampler => (
                Sampler::DEFAULT.to_string(),
                "look at how the host makes it; linear, clamp, repeat, mirrored_repeat and \
                 normalized are there, too",
            ),
        }
    }

    fn value(&self, name: &str, ty: &ValueType) -> (String, &'static str) {
        match ty {
            ValueType::Elem(elem) if elem.lanes == 1 && elem.scalar.is_float() => {
                ("1.0".to_owned(), "any number")
            }
            ValueType::Elem(elem) if elem.lanes == 1 => self.integer(name, elem.scalar),
            ValueType::Struct(layout) => (struct_example(layout), "fill in the members"),
            other => (value_example(other), "fill in"),
        }
    }

    fn integer(&self, name: &str, scalar: Scalar) -> (String, &'static str) {
        let narrow = scalar.size() < 4;
        let role = role(name);
        if let (Some(value), Role::Size(_) | Role::Count | Role::Other) =
            (self.seen.small.get(name), role)
        {
            return (value.to_string(), "small: a loop over a window or a table");
        }
        if let (Some(degree), Role::Size(_) | Role::Count | Role::Other, false) =
            (self.seen.degree(name), role, narrow)
        {
            let degree = degree.clamp(self.dims, 3);
            return (self.extents[degree - 1].to_string(), "a size");
        }
        match role {
            Role::Size(_) | Role::Count if narrow => ("64".to_owned(), "a size"),
            Role::Size(_) | Role::Count => (self.extent.to_string(), "a size"),
            Role::Radius => ("2".to_owned(), "a radius"),
            Role::Pitch => match (&self.seen.bounds[0], self.sizes[0]) {
                (Some(bound), _) if self.dims > 1 => (bound.text.clone(), "rows without padding"),
                (_, Some(width)) => (width.to_owned(), "rows without padding"),
                (_, None) => ("1".to_owned(), "elements one behind the other"),
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

    /// One texel per work-item; an array has as many layers as the dimension
    /// behind has work-items.
    fn image(&self, dims: ImageDims, texel: Option<TexelKind>) -> (String, &'static str) {
        let sizes: Vec<String> = (0..dims.sizes())
            .map(|d| match self.sizes.get(d).copied().flatten() {
                Some(name) if d < self.dims => name.to_owned(),
                _ if d < self.dims => format!("global_size({d})"),
                _ => "4".to_owned(),
            })
            .collect();
        let sizes = sizes.join(",");
        match texel {
            Some(TexelKind::Integer) => (
                format!("image[{sizes}]:rgba32ui"),
                "unsigned integers; read_imagei needs rgba32i",
            ),
            _ => (
                format!("image[{sizes}]:rgba8"),
                "one texel per work-item; take the format that the host makes",
            ),
        }
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

fn is_int(param: &Param) -> bool {
    matches!(&param.kind, ParamKind::Value(ValueType::Elem(e)) if e.lanes == 1 && !e.scalar.is_float())
}
