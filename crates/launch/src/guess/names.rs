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

/// Words of a name that say that it counts something.
const COUNT_WORDS: &[&str] = &[
    "num",
    "no",
    "nb",
    "number",
    "count",
    "size",
    "len",
    "length",
    "total",
    "elements",
    "elems",
    "points",
    "nodes",
    "particles",
    "items",
    "records",
    "pixels",
    "end",
    "limit",
];
/// Short words behind an `n` that counts them.
const COUNTED: &[&str] = &[
    "pix", "pixel", "px", "elem", "el", "elt", "pt", "pts", "point", "part", "atom", "node",
    "item", "row", "col", "body", "samp", "sample", "vox", "obj", "total", "data", "val", "vec",
];
/// Words of a name that say that it is no size of the data: steps, shapes of
/// work-groups, positions.
const SMALL_WORDS: &[&str] = &[
    "iter",
    "iters",
    "iterations",
    "steps",
    "level",
    "block",
    "tile",
    "group",
    "warp",
    "id",
    "index",
    "idx",
    "bits",
    "type",
];

/// The words of a name: `imageW`, `image_w` and `IMAGE_W` are image and w.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = None;
    for c in name.chars() {
        let begins = c.is_uppercase() && before.is_some_and(|b: char| b.is_lowercase());
        if c.is_alphanumeric() {
            match words.last_mut() {
                Some(word) if !begins && before.is_some_and(char::is_alphanumeric) => {
                    word.extend(c.to_lowercase());
                }
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        before = Some(c);
    }
    words
}

/// The role of an integer argument of that name.
pub(super) fn role(name: &str) -> Role {
    match whole_name(name) {
        Role::Other => by_words(name),
        role => role,
    }
}

/// The role by words of the name.
fn by_words(name: &str) -> Role {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    if has(START_NAMES) {
        return Role::Start;
    }
    if has(SMALL_WORDS) {
        return Role::Other;
    }
    if has(&["pitch", "stride"]) {
        return Role::Pitch;
    }
    if words.len() > 1
        && let Some(dim) = DIMENSION_NAMES.iter().position(|names| has(names))
    {
        return Role::Size(dim);
    }
    // `Nx`, `sx`, `Lx`: a letter for size and one for the axis.
    if let [b'n' | b's' | b'l', axis @ b'x'..=b'z'] = *plain(name).as_bytes() {
        return Role::Size(usize::from(axis - b'x'));
    }
    // `nfeatures`, `Nparticles`.
    let plural = plain(name);
    let counted = plural.len() > 4 && plural.starts_with('n') && plural.ends_with('s');
    // `npix`, `nelem`, `n4`.
    let behind = plural.strip_prefix('n').unwrap_or_default();
    let short =
        COUNTED.contains(&behind) || behind.len() == 1 && behind.as_bytes()[0].is_ascii_digit();
    if has(COUNT_WORDS) || short || counted && !SMALL_WORDS.contains(&&plural[1..]) {
        return Role::Count;
    }
    Role::Other
}

/// The role by the whole name.
fn whole_name(name: &str) -> Role {
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
    } else if is(COUNT_NAMES) {
        Role::Count
    } else {
        Role::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_by_name() {
        let table = [
            ("n", Role::Count),
            ("numElems", Role::Count),
            ("no_of_nodes", Role::Count),
            ("nfeatures", Role::Count),
            ("Nparticles", Role::Count),
            ("npix", Role::Count),
            ("n4", Role::Count),
            ("next", Role::Other),
            ("near", Role::Other),
            ("niters", Role::Other),
            ("max_iterations", Role::Other),
            ("block_size", Role::Other),
            ("imageW", Role::Size(0)),
            ("IMAGE_H", Role::Size(1)),
            ("grad_width", Role::Size(0)),
            ("num_rows", Role::Size(1)),
            ("Nx", Role::Size(0)),
            ("sy", Role::Size(1)),
            ("Lz", Role::Size(2)),
            ("input_pitch", Role::Pitch),
            ("data_offset", Role::Start),
            ("keypoints_start", Role::Start),
            ("keypoints_end", Role::Count),
            ("radius", Role::Radius),
            ("alpha", Role::Other),
            ("k_global_index", Role::Other),
        ];
        for (name, expected) in table {
            assert_eq!(role(name), expected, "{name}");
        }
    }
}
