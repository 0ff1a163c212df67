//! What the names of arguments usually mean.

/// What an integer argument is by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
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
    "npoints", "points", "bodies", "nbodies", "items", "dim", "order", "ni", "nj", "nk", "nl",
    "nm", "np", "nq", "nr",
];
const RADIUS_NAMES: &[&str] = &["r", "rad", "radius", "half", "halo", "reach"];
const PITCH_NAMES: &[&str] = &["pitch", "stride", "ld", "lda", "ldb", "ldc", "step"];
const START_NAMES: &[&str] = &["offset", "start", "begin", "first", "base"];
pub(super) const INDEX_NAMES: &[&str] = &[
    "idx", "index", "indices", "indexes", "map", "perm", "cols", "col",
];
pub(super) const TAP_NAMES: &[&str] = &[
    "coef", "coeff", "coeffs", "filt", "filter", "taps", "weights", "mask", "kern", "stencil",
    "gauss",
];

/// The dimension whose size an argument of that name usually is.
pub(crate) fn dimension_of(name: &str) -> Option<usize> {
    match role(name) {
        Role::Size(dim) => Some(dim),
        _ => None,
    }
}

/// A name without the differences that mean nothing.
pub(super) fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .collect::<String>()
        .to_lowercase()
}

/// The role of an integer argument of that name.
pub(super) fn role(name: &str) -> Role {
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
