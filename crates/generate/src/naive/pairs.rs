//! All pairs of two lists: n-body, nearest neighbours, distances, assignment to
//! the nearest of a few centres.

use serde::{Deserialize, Serialize};

use super::{Exit, Index, Shape, indented, simpler};
use crate::random::Random;

/// What comes of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A force on each of `n` bodies, which are `float4`.
    Bodies,
    /// The nearest of `m` points to each of `n`, in two arrays of coordinates.
    Nearest,
    /// A matrix of distances between points of `D` coordinates.
    Distances,
    /// The nearest of `K` centres of `D` coordinates to each of `n` points.
    Centres,
    /// Lags of a correlation.
    Correlation,
}

/// All pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairs {
    /// What comes of them.
    pub kind: Kind,
    /// Type of the indices.
    pub index: Index,
    /// How work-items beyond the data leave.
    pub exit: Exit,
    /// The coordinates of a point lie apart: `x[d * n + i]`.
    pub apart: bool,
    /// A pair of a body and itself is left out.
    pub no_self: bool,
    /// The pair is left out by `continue`, else by `if`.
    pub continues: bool,
    /// The work-group size.
    pub local: usize,
}

impl Pairs {
    /// One of them.
    pub fn draw(random: &mut Random) -> Self {
        let mut drawn = Self {
            kind: random.pick([
                Kind::Bodies,
                Kind::Nearest,
                Kind::Distances,
                Kind::Centres,
                Kind::Correlation,
            ]),
            index: Index::draw(random),
            exit: random.pick([
                Exit::Return,
                Exit::Return,
                Exit::Within,
                Exit::Within,
                Exit::Exact,
            ]),
            apart: random.chance(40),
            no_self: random.chance(30),
            continues: random.chance(40),
            local: random.pick([8, 16, 32]),
        };
        drawn.settle();
        drawn
    }

    fn settle(&mut self) {
        if !matches!(self.kind, Kind::Distances | Kind::Centres) {
            self.apart = false;
        }
        if !matches!(self.kind, Kind::Bodies | Kind::Nearest) {
            self.no_self = false;
        }
        if !self.no_self {
            self.continues = false;
        }
    }

    /// How far it is from the simplest: each step to a simpler one lowers it.
    fn rank(&self) -> usize {
        let flags = [
            self.no_self,
            self.continues,
            self.apart,
            self.local != 8,
            self.kind != Kind::Bodies,
        ];
        let set = flags.into_iter().filter(|f| *f).count();
        set + self.index.rank() + self.exit.rank()
    }

    /// Kernels with one choice made simpler.
    pub fn simpler(&self) -> Vec<Self> {
        let mut list = simpler!(
            self,
            no_self: false,
            continues: false,
            apart: false,
            index: Index::Int,
            exit: Exit::Return,
            exit: Exit::Within,
            local: 8,
            kind: Kind::Bodies,
        );
        for candidate in &mut list {
            candidate.settle();
        }
        list.retain(|c| c.rank() < self.rank());
        list
    }

    /// OpenCL C.
    pub fn text(&self) -> String {
        let (int, size) = (self.index.name(), self.index.size());
        let at = |list: &str, point: &str, count: &str| match self.apart {
            true => format!("{list}[d * {count} + {point}]"),
            false => format!("{list}[{point} * D + d]"),
        };
        let each = |count: &str, body: &str| {
            let body = match (self.no_self, self.continues) {
                (true, true) => format!("if (j == i)\n    continue;\n{body}"),
                (true, false) => format!("if (j != i) {{\n{}}}\n", indented(body)),
                (false, _) => body.to_owned(),
            };
            format!(
                "for ({int} j = 0; j < {count}; ++j) {{\n{}}}\n",
                indented(&body)
            )
        };
        let (params, ids, beyond, within, body) = match self.kind {
            Kind::Bodies => (
                format!("__global const float4 *pos, __global float4 *acc, {size} n"),
                vec![("i", 0)],
                "i >= n",
                "i < n",
                format!(
                    "float4 p = pos[i];\nfloat4 a = (float4)(0.0f);\n\n{}acc[i] = a;\n",
                    each(
                        "n",
                        "float4 q = pos[j];\nfloat4 r = q - p;\nfloat f = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;\n\na += q.w * r / f;\n"
                    )
                ),
            ),
            Kind::Nearest => (
                format!(
                    "__global const float *px, __global const float *py, __global const float *qx, __global const float *qy, __global int *nearest, __global float *distance, {size} n, {size} m"
                ),
                vec![("i", 0)],
                "i >= n",
                "i < n",
                format!(
                    "float x = px[i], y = py[i];\nfloat best = INFINITY;\nint which = -1;\n\n{}nearest[i] = which;\ndistance[i] = best;\n",
                    each(
                        "m",
                        "float dx = qx[j] - x, dy = qy[j] - y;\nfloat d = dx * dx + dy * dy;\n\nif (d < best) {\n    best = d;\n    which = j;\n}\n"
                    )
                ),
            ),
            Kind::Distances => (
                format!(
                    "__global const float *a, __global const float *b, __global float *out, {size} n, {size} m, {size} D"
                ),
                vec![("i", 1), ("j", 0)],
                "i >= n || j >= m",
                "i < n && j < m",
                format!(
                    "float sum = 0.0f;\n\nfor ({int} d = 0; d < D; ++d) {{\n    float t = {} - {};\n\n    sum += t * t;\n}}\nout[i * m + j] = sum;\n",
                    at("a", "i", "n"),
                    at("b", "j", "m")
                ),
            ),
            Kind::Centres => (
                format!(
                    "__global const float *points, __global const float *centres, __global int *nearest, {size} n, {size} K, {size} D"
                ),
                vec![("i", 0)],
                "i >= n",
                "i < n",
                format!(
                    "float best = INFINITY;\nint which = -1;\n\nfor ({int} c = 0; c < K; ++c) {{\n    float sum = 0.0f;\n\n    for ({int} d = 0; d < D; ++d) {{\n        float t = {} - {};\n\n        sum += t * t;\n    }}\n    if (sum < best) {{\n        best = sum;\n        which = c;\n    }}\n}}\nnearest[i] = which;\n",
                    at("points", "i", "n"),
                    at("centres", "c", "K")
                ),
            ),
            Kind::Correlation => (
                format!(
                    "__global const float *x, __global const float *y, __global float *out, {size} n, {size} L"
                ),
                vec![("i", 0)],
                "i >= L",
                "i < L",
                format!(
                    "float sum = 0.0f;\n\nfor ({int} t = 0; t < n; ++t)\n    sum += x[t] * y[t + i];\nout[i] = sum;\n"
                ),
            ),
        };
        let mut text = format!("__kernel void k({params})\n{{\n");
        for (name, dim) in &ids {
            text.push_str(&format!("    {int} {name} = get_global_id({dim});\n"));
        }
        text.push('\n');
        match self.exit {
            Exit::Return => {
                text.push_str(&format!("    if ({beyond})\n        return;\n\n"));
                text.push_str(&indented(&body));
            }
            Exit::Within => text.push_str(&format!(
                "    if ({within}) {{\n{}    }}\n",
                indented(&indented(&body))
            )),
            Exit::Exact => text.push_str(&indented(&body)),
        }
        text.push_str("}\n");
        text
    }

    /// Its launch.
    pub fn shape(&self) -> Shape {
        let exact = self.exit == Exit::Exact;
        let along = |name: &str, local: usize| match exact {
            true => name.to_owned(),
            false => format!("roundup({name},{local})"),
        };
        let local = self.local;
        let n = if exact { 2 * local } else { local + 5 };
        let mut shape = Shape {
            global: along("n", local),
            local: local.to_string(),
            ..Shape::default()
        };
        let mut args: Vec<(&str, String)> = vec![("n", n.to_string())];
        match self.kind {
            Kind::Bodies => args.extend([("pos", "[n]".into()), ("acc", "[n]".into())]),
            Kind::Nearest => args.extend([
                ("m", "21".into()),
                ("px", "[n]".into()),
                ("py", "[n]".into()),
                ("qx", "[m]".into()),
                ("qy", "[m]".into()),
                ("nearest", "[n]".into()),
                ("distance", "[n]".into()),
            ]),
            Kind::Distances => {
                shape.global = format!("{},{}", along("m", 8), along("n", 4));
                shape.local = "8x4".to_owned();
                args = vec![
                    ("n", if exact { "8".into() } else { "11".into() }),
                    ("m", if exact { "16".into() } else { "13".into() }),
                    ("D", "7".into()),
                    ("a", "[n*D]".into()),
                    ("b", "[m*D]".into()),
                    ("out", "[n*m]".into()),
                ];
            }
            Kind::Centres => args.extend([
                ("K", "5".into()),
                ("D", "3".into()),
                ("points", "[n*D]".into()),
                ("centres", "[K*D]".into()),
                ("nearest", "[n]".into()),
            ]),
            Kind::Correlation => {
                shape.global = along("L", local);
                args = vec![
                    ("n", "23".into()),
                    ("L", n.to_string()),
                    ("x", "[n]".into()),
                    ("y", "[n+L]".into()),
                    ("out", "[L]".into()),
                ];
            }
        }
        shape.args = args
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        shape
    }
}
