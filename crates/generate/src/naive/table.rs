//! Look-ups in a small table, by data.

use serde::{Deserialize, Serialize};

use super::{Element, Exit, Index, Shape, indented, simpler};
use crate::random::Random;

/// Look-ups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Type of the table's elements.
    pub element: Element,
    /// Type of the indices.
    pub index: Index,
    /// How work-items beyond the data leave.
    pub exit: Exit,
    /// The table has 16 elements, and the data are masked; else 256.
    pub masked: bool,
    /// Bytes that a work-item looks up.
    pub per_item: usize,
    /// The table lies in constant memory.
    pub constant: bool,
    /// The work-group size.
    pub local: usize,
}

impl Table {
    /// One of them.
    pub fn draw(random: &mut Random) -> Self {
        Self {
            element: random.pick([
                Element::Float,
                Element::Int,
                Element::Uchar,
                Element::Float4,
                Element::Double,
            ]),
            index: Index::draw(random),
            exit: random.pick([Exit::Return, Exit::Within, Exit::Exact]),
            masked: random.chance(70),
            per_item: random.pick([1, 4, 8]),
            constant: random.chance(20),
            local: random.pick([16, 32]),
        }
    }

    /// Kernels with one choice made simpler.
    pub fn simpler(&self) -> Vec<Self> {
        simpler!(
            self,
            element: Element::Float,
            index: Index::Int,
            exit: Exit::Return,
            masked: true,
            per_item: 1,
            constant: false,
            local: 16,
        )
    }

    /// OpenCL C.
    pub fn text(&self) -> String {
        let (t, sum, int, size) = (
            self.element.name(),
            self.element.sum(),
            self.index.name(),
            self.index.size(),
        );
        let space = if self.constant {
            "__constant"
        } else {
            "__global const"
        };
        let mut text = format!(
            "{}__kernel void k(__global const uchar *data, {space} {t} *table, __global {sum} *out, {size} n)\n{{\n    {int} i = get_global_id(0);\n\n",
            self.element.prelude()
        );
        let mask = if self.masked { " & 15" } else { "" };
        let body = match self.per_item {
            1 => format!("out[i] = table[data[i]{mask}];\n"),
            several => format!(
                "{sum} all = ({sum})(0);\n\nfor (int b = 0; b < {several}; ++b)\n    all += table[data[i * {several} + b]{mask}];\nout[i] = all;\n"
            ),
        };
        match self.exit {
            Exit::Return => {
                text.push_str("    if (i >= n)\n        return;\n\n");
                text.push_str(&indented(&body));
            }
            Exit::Within => text.push_str(&format!(
                "    if (i < n) {{\n{}    }}\n",
                indented(&indented(&body))
            )),
            Exit::Exact => text.push_str(&indented(&body)),
        }
        text.push_str("}\n");
        text
    }

    /// Its launch.
    pub fn shape(&self) -> Shape {
        let local = self.local;
        let exact = self.exit == Exit::Exact;
        let length = if self.masked { 16 } else { 256 };
        let args = [
            ("n", if exact { 2 * local } else { local + 5 }.to_string()),
            ("data", format!("[n*{}]", self.per_item)),
            ("table", format!("[{length}]")),
            ("out", "[n]".to_owned()),
        ];
        Shape {
            global: match exact {
                true => "n".to_owned(),
                false => format!("roundup(n,{local})"),
            },
            local: local.to_string(),
            offset: None,
            args: args.map(|(n, v)| (n.to_owned(), v)).to_vec(),
        }
    }
}
