//! Products: matrix times matrix in its four forms, and matrix times vector.

use serde::{Deserialize, Serialize};

use super::{Element, Exit, Index, Shape, indented, simpler};
use crate::random::Random;

/// What is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Two matrices.
    Matrices,
    /// A matrix and a vector.
    Vector,
}

/// A product.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Product {
    /// What is multiplied.
    pub kind: Kind,
    /// Type of the elements.
    pub element: Element,
    /// Type of the indices.
    pub index: Index,
    /// `A` is stored by columns.
    pub a_transposed: bool,
    /// `B` is stored by columns.
    pub b_transposed: bool,
    /// How work-items beyond the data leave.
    pub exit: Exit,
    /// `alpha * AB + beta * C`.
    pub scaled: bool,
    /// The sum is kept in `C` itself.
    pub in_place: bool,
    /// Rows are counted by the first id.
    pub swapped: bool,
    /// Pointers to rows are computed in front of the loop.
    pub rows: bool,
    /// The loop ends with `k != K`.
    pub not_equal: bool,
    /// The work-group size.
    pub local: [usize; 2],
}

impl Product {
    /// One of them.
    pub fn draw(random: &mut Random) -> Self {
        let mut drawn = Self {
            kind: if random.chance(75) {
                Kind::Matrices
            } else {
                Kind::Vector
            },
            element: random.pick([
                Element::Float,
                Element::Float,
                Element::Double,
                Element::Int,
                Element::Float4,
            ]),
            index: Index::draw(random),
            a_transposed: random.chance(35),
            b_transposed: random.chance(35),
            exit: random.pick([
                Exit::Return,
                Exit::Return,
                Exit::Within,
                Exit::Within,
                Exit::Exact,
            ]),
            scaled: random.chance(30),
            in_place: random.chance(10),
            swapped: random.chance(25),
            rows: random.chance(20),
            not_equal: random.chance(8),
            local: random.pick([[8, 8], [16, 4], [4, 8], [8, 4]]),
        };
        drawn.settle();
        drawn
    }

    fn settle(&mut self) {
        if self.kind == Kind::Vector {
            (self.b_transposed, self.swapped) = (false, false);
        }
        if self.a_transposed {
            self.rows = false;
        }
    }

    /// How far it is from the simplest: each step to a simpler one lowers it.
    fn rank(&self) -> usize {
        let flags = [
            self.scaled,
            self.in_place,
            self.rows,
            self.not_equal,
            self.swapped,
            self.a_transposed,
            self.b_transposed,
            self.local != [8, 8],
            self.kind != Kind::Vector,
        ];
        let set = flags.into_iter().filter(|f| *f).count();
        set + self.element.rank() + self.index.rank() + self.exit.rank()
    }

    /// Kernels with one choice made simpler.
    pub fn simpler(&self) -> Vec<Self> {
        let mut list = simpler!(
            self,
            scaled: false,
            in_place: false,
            rows: false,
            not_equal: false,
            swapped: false,
            a_transposed: false,
            b_transposed: false,
            element: Element::Float,
            index: Index::Int,
            exit: Exit::Return,
            exit: Exit::Within,
            local: [8, 8],
            kind: Kind::Vector,
        );
        for candidate in &mut list {
            candidate.settle();
        }
        list.retain(|c| c.rank() < self.rank());
        list
    }

    /// OpenCL C.
    pub fn text(&self) -> String {
        let (t, int, size) = (self.element.name(), self.index.name(), self.index.size());
        let vector = self.kind == Kind::Vector;
        let (b, c) = if vector { ("x", "y") } else { ("B", "C") };
        let mut params = vec![
            format!("__global const {t} *A"),
            format!("__global const {t} *{b}"),
            format!("__global {t} *{c}"),
            format!("{size} M"),
        ];
        if !vector {
            params.push(format!("{size} N"));
        }
        params.push(format!("{size} K"));
        if self.scaled {
            let one = t.trim_end_matches('4');
            params.push(format!("{one} alpha"));
            params.push(format!("{one} beta"));
        }
        let mut text = format!(
            "{}__kernel void k({})\n{{\n",
            self.element.prelude(),
            params.join(", ")
        );
        let (i, j) = match (vector, self.swapped) {
            (true, _) => (0, None),
            (false, true) => (0, Some(1)),
            (false, false) => (1, Some(0)),
        };
        text.push_str(&format!("    {int} i = get_global_id({i});\n"));
        if let Some(j) = j {
            text.push_str(&format!("    {int} j = get_global_id({j});\n"));
        }
        let target = if vector { "y[i]" } else { "C[i * N + j]" };
        let a = match (self.a_transposed, self.rows) {
            (true, _) => "A[k * M + i]",
            (false, true) => "row[k]",
            (false, false) => "A[i * K + k]",
        };
        let b = match (vector, self.b_transposed) {
            (true, _) => "x[k]",
            (false, true) => "B[j * K + k]",
            (false, false) => "B[k * N + j]",
        };
        let mut body = String::new();
        if self.rows {
            body.push_str(&format!("__global const {t} *row = A + i * K;\n"));
        }
        let sum = if self.in_place { target } else { "sum" };
        let zero = format!("({t})(0)");
        match (self.in_place, self.scaled) {
            (false, _) => body.push_str(&format!("{t} sum = {zero};\n")),
            (true, true) => body.push_str(&format!("{target} *= beta;\n")),
            (true, false) => body.push_str(&format!("{target} = {zero};\n")),
        }
        let alpha = if self.scaled && self.in_place {
            "alpha * "
        } else {
            ""
        };
        let test = if self.not_equal { "!=" } else { "<" };
        body.push_str(&format!(
            "\nfor ({int} k = 0; k {test} K; ++k)\n    {sum} += {alpha}{a} * {b};\n"
        ));
        if !self.in_place {
            body.push_str(&match self.scaled {
                true => format!("{target} = alpha * sum + beta * {target};\n"),
                false => format!("{target} = sum;\n"),
            });
        }
        text.push('\n');
        match (self.exit, vector) {
            (Exit::Return, true) => text.push_str("    if (i >= M)\n        return;\n\n"),
            (Exit::Return, false) => {
                text.push_str("    if (i >= M || j >= N)\n        return;\n\n");
            }
            _ => {}
        }
        match (self.exit, vector) {
            (Exit::Within, true) => text.push_str("    if (i < M) {\n"),
            (Exit::Within, false) => text.push_str("    if (i < M && j < N) {\n"),
            _ => {}
        }
        if self.exit == Exit::Within {
            text.push_str(&indented(&indented(&body)));
            text.push_str("    }\n");
        } else {
            text.push_str(&indented(&body));
        }
        text.push_str("}\n");
        text
    }

    /// Its launch.
    pub fn shape(&self) -> Shape {
        let vector = self.kind == Kind::Vector;
        let exact = self.exit == Exit::Exact;
        let along = |name: &str, local: usize| match exact {
            true => name.to_owned(),
            false => format!("roundup({name},{local})"),
        };
        let value = |local: usize, other: usize| if exact { 2 * local } else { other };
        let [lx, ly] = self.local;
        let mut shape = Shape::default();
        let (m, n) = if vector {
            let local = lx * ly;
            shape.global = along("M", local);
            shape.local = local.to_string();
            (value(local, local + 5), 0)
        } else if self.swapped {
            shape.global = format!("{},{}", along("M", lx), along("N", ly));
            shape.local = format!("{lx}x{ly}");
            (value(lx, 11), value(ly, 9))
        } else {
            shape.global = format!("{},{}", along("N", lx), along("M", ly));
            shape.local = format!("{lx}x{ly}");
            (value(ly, 11), value(lx, 9))
        };
        let mut arg = |name: &str, value: String| shape.args.push((name.to_owned(), value));
        arg("M", m.to_string());
        arg("K", "19".to_owned());
        arg("A", "[M*K]".to_owned());
        if vector {
            arg("x", "[K]".to_owned());
            arg("y", "[M]".to_owned());
        } else {
            arg("N", n.to_string());
            arg("B", "[K*N]".to_owned());
            arg("C", "[M*N]".to_owned());
        }
        if self.scaled {
            arg("alpha", "2".to_owned());
            arg("beta", "3".to_owned());
        }
        shape
    }
}
