//! Stencils, convolutions and filters in one to three dimensions.

use serde::{Deserialize, Serialize};

use super::{Element, Exit, Index, Shape, indented, simpler};
use crate::random::Random;

/// Names of the coordinates.
const NAMES: [&str; 3] = ["x", "y", "z"];
/// Names of the sizes.
const SIZES: [&str; 3] = ["W", "H", "D"];

/// How far a stencil reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Radius {
    /// A number in the text.
    Literal(u8),
    /// A macro.
    Macro(u8),
    /// The argument `R`.
    Argument,
}

/// Which elements it reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Taps {
    /// A box, by loops.
    Loops,
    /// Along one dimension, by a loop.
    Line(u8),
    /// From the element on, by a loop in each dimension.
    Forwards,
    /// The neighbours along each dimension; with the element itself or without.
    Cross(bool),
    /// Single offsets.
    Listed(Vec<[i8; 3]>),
}

/// What is beyond the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Border {
    /// The input has a frame.
    Frame,
    /// Elements near it are left out.
    Inside,
    /// Zero, by `?:`.
    Zero,
    /// Nothing is added, by `if`.
    Skipped,
    /// `clamp`.
    Clamp,
    /// `min` and `max`.
    MinMax,
    /// A helper function that mirrors.
    Mirror,
    /// A helper function that wraps around.
    Wrap,
    /// `(x + W) % W`.
    Modulo,
}

/// How an element is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Style {
    /// `in[y * W + x]`
    Direct,
    /// `*(in + y * W + x)`
    Pointer,
    /// `int i = y * W + x;` in front, `in[i + dy * W + dx]`
    Precomputed,
    /// `__global const T *row = in + y * W; row[x]`
    Row,
    /// `in[IDX(x, y)]`
    IndexMacro,
    /// `IN(x, y)`
    LoadMacro,
    /// `load(in, x, y, W)`
    Helper,
}

/// A stencil.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stencil {
    /// Dimensions, 1 to 3.
    pub dims: usize,
    /// Type of the elements.
    pub element: Element,
    /// Type of the indices.
    pub index: Index,
    /// How far it reaches.
    pub radius: Radius,
    /// What it reads.
    pub taps: Taps,
    /// What is beyond the border.
    pub border: Border,
    /// How work-items beyond the data leave.
    pub exit: Exit,
    /// How an element is named.
    pub style: Style,
    /// Each value is multiplied with a coefficient from a buffer.
    pub weighted: bool,
    /// Another input is read in the same way.
    pub second: bool,
    /// A second output.
    pub outputs: bool,
    /// Elements from one work-item to the next along x.
    pub stride: usize,
    /// Outputs of a work-item along x.
    pub coarse: usize,
    /// It reads from the end on.
    pub reversed: bool,
    /// Ids are taken in the opposite order.
    pub swapped: bool,
    /// The work-group size.
    pub local: [usize; 3],
    /// A global offset.
    pub offset: bool,
}

impl Stencil {
    /// One of them.
    pub fn draw(random: &mut Random) -> Self {
        let dims = 1 + random.weighted(&[35, 45, 20]);
        let index = Index::draw(random);
        let radius = match random.weighted(&[50, 20, 30]) {
            0 => Radius::Literal(random.pick([1, 1, 1, 2, 3])),
            1 => Radius::Macro(random.pick([1, 2, 3])),
            _ => Radius::Argument,
        };
        let taps = match random.weighted(&[40, 12, 10, 24, 14]) {
            0 => Taps::Loops,
            1 => Taps::Line(random.below(dims) as u8),
            2 => Taps::Forwards,
            3 => Taps::Cross(random.chance(70)),
            _ => {
                let reach = 2usize;
                let count = random.between(2, 6);
                let mut one = || {
                    let mut offset = [0i8; 3];
                    for o in offset.iter_mut().take(dims) {
                        *o = random.below(2 * reach + 1) as i8 - reach as i8;
                    }
                    offset
                };
                Taps::Listed((0..count).map(|_| one()).collect())
            }
        };
        let border = match random.weighted(&[14, 22, 18, 14, 12, 6, 4, 5, 5]) {
            0 => Border::Frame,
            1 => Border::Inside,
            2 => Border::Zero,
            3 => Border::Skipped,
            4 => Border::Clamp,
            5 => Border::MinMax,
            6 => Border::Mirror,
            7 => Border::Wrap,
            _ => Border::Modulo,
        };
        let style = match random.weighted(&[44, 8, 14, 12, 12, 3, 3]) {
            0 => Style::Direct,
            1 => Style::Pointer,
            2 => Style::Precomputed,
            3 => Style::Row,
            4 => Style::IndexMacro,
            5 => Style::LoadMacro,
            _ => Style::Helper,
        };
        let local = match dims {
            1 => random.pick([[16, 1, 1], [32, 1, 1], [8, 1, 1]]),
            2 => random.pick([[8, 4, 1], [4, 8, 1], [8, 8, 1], [16, 2, 1]]),
            _ => random.pick([[4, 2, 2], [8, 2, 1], [2, 4, 2]]),
        };
        let mut drawn = Self {
            dims,
            element: Element::draw(random),
            index,
            radius,
            taps,
            border,
            exit: random.pick([
                Exit::Return,
                Exit::Return,
                Exit::Within,
                Exit::Within,
                Exit::Exact,
            ]),
            style,
            weighted: random.chance(20),
            second: random.chance(12),
            outputs: random.chance(8),
            stride: if random.chance(4) { 2 } else { 1 },
            coarse: if random.chance(4) { 2 } else { 1 },
            reversed: random.chance(4),
            swapped: dims > 1 && random.chance(12),
            local,
            offset: random.chance(8),
        };
        drawn.settle();
        drawn
    }

    /// Takes back what does not go together.
    fn settle(&mut self) {
        let moved = matches!(
            self.border,
            Border::Clamp | Border::MinMax | Border::Mirror | Border::Wrap | Border::Modulo
        );
        // Without a sign, only what is tested before anything is taken away.
        if !self.index.is_signed() && moved {
            self.border = Border::Inside;
        }
        // A map of the coordinates is computed for each; `min` and `clamp` want one type.
        if self.index == Index::Long && moved {
            self.index = Index::Int;
        }
        if self.style == Style::Precomputed && (moved || self.reversed) {
            self.style = Style::Direct;
        }
        if self.dims == 1 && self.style == Style::Row {
            self.style = Style::Direct;
        }
        if self.stride != 1 || self.coarse != 1 || self.reversed {
            (self.weighted, self.swapped) = (false, false);
            if self.style != Style::Direct {
                self.style = Style::Direct;
            }
        }
        if self.stride != 1 {
            self.coarse = 1;
            self.reversed = false;
        }
        if self.coarse != 1 || self.stride != 1 {
            self.border = Border::Frame;
        }
        if self.coarse != 1 {
            self.exit = Exit::Exact;
            self.reversed = false;
        }
        let unlisted = matches!(self.taps, Taps::Cross(_) | Taps::Listed(_));
        if unlisted {
            self.weighted = false;
        }
        if self.element == Element::Pair {
            self.weighted = false;
        }
        if self.exit == Exit::Exact || self.border == Border::Frame {
            self.offset = false;
        }
    }

    /// How far it is from the simplest: each step to a simpler one lowers it.
    fn rank(&self) -> usize {
        let flags = [
            self.offset,
            self.outputs,
            self.second,
            self.weighted,
            self.swapped,
            self.reversed,
            self.coarse != 1,
            self.stride != 1,
            self.style != Style::Direct,
            self.radius != Radius::Literal(1),
        ];
        let set = flags.into_iter().filter(|f| *f).count();
        let taps = match &self.taps {
            Taps::Line(0) => 0,
            Taps::Cross(true) => 1,
            Taps::Listed(list) => 2 + list.len(),
            _ => 2,
        };
        let border = match self.border {
            Border::Frame => 0,
            Border::Inside => 1,
            Border::Zero => 2,
            _ => 3,
        };
        let own = self.element.rank() + self.index.rank() + self.exit.rank();
        // A change that brings another along still has to lower the sum.
        8 * self.dims + 4 * set + taps + border + own
    }

    /// Kernels with one choice made simpler.
    pub fn simpler(&self) -> Vec<Self> {
        let mut list = simpler!(
            self,
            offset: false,
            outputs: false,
            second: false,
            weighted: false,
            swapped: false,
            reversed: false,
            coarse: 1,
            stride: 1,
            style: Style::Direct,
            element: Element::Float,
            index: Index::Int,
            exit: Exit::Within,
            exit: Exit::Return,
            radius: Radius::Literal(1),
            border: Border::Zero,
            border: Border::Inside,
            border: Border::Frame,
            taps: Taps::Cross(true),
            taps: Taps::Line(0),
        );
        if self.dims > 1 {
            let mut flat = self.clone();
            flat.dims -= 1;
            flat.swapped = false;
            flat.local = [[16, 1, 1], [8, 4, 1]][flat.dims - 1];
            if let Taps::Line(d) = &mut flat.taps {
                *d = 0;
            }
            if let Taps::Listed(list) = &mut flat.taps {
                for offset in list.iter_mut() {
                    offset[flat.dims..].fill(0);
                }
                list.dedup();
            }
            list.push(flat);
        }
        if let Taps::Listed(taps) = &self.taps {
            for i in 0..taps.len() {
                let mut fewer = taps.clone();
                fewer.remove(i);
                if fewer.len() > 1 {
                    list.push(Self {
                        taps: Taps::Listed(fewer),
                        ..self.clone()
                    });
                }
            }
        }
        for candidate in &mut list {
            candidate.settle();
        }
        list.retain(|c| c.rank() < self.rank());
        list
    }

    /// The radius as it is written.
    fn radius(&self) -> String {
        match (&self.radius, &self.taps) {
            (_, Taps::Listed(list)) => {
                let reach = list.iter().flatten().map(|o| o.abs()).max();
                reach.unwrap_or(1).to_string()
            }
            (Radius::Literal(n), _) => n.to_string(),
            (Radius::Macro(_), _) => "RADIUS".to_owned(),
            (Radius::Argument, _) => "R".to_owned(),
        }
    }

    fn has_argument(&self) -> bool {
        self.radius == Radius::Argument && !matches!(self.taps, Taps::Listed(_))
    }

    /// The width of the frame around the input, as text.
    fn frame(&self) -> Option<String> {
        (self.border == Border::Frame).then(|| self.radius())
    }

    /// Pitches of the input: elements of a row, of a slice.
    fn pitch(&self, d: usize) -> String {
        let size = |d: usize| {
            let plain = match (d, self.stride) {
                (0, 2) => "2 * W".to_owned(),
                _ => SIZES[d].to_owned(),
            };
            match self.frame() {
                Some(r) => format!("({plain} + 2 * {r})"),
                None => plain,
            }
        };
        (0..d).map(size).collect::<Vec<_>>().join(" * ")
    }

    /// The index of an element of the input whose coordinates are these.
    fn linear(&self, at: &[String]) -> String {
        let mut terms: Vec<String> = Vec::new();
        for (d, a) in at.iter().enumerate().rev() {
            let one = is_one(a);
            let factor = if one { a.clone() } else { format!("({a})") };
            terms.push(if d == 0 {
                a.clone()
            } else {
                format!("{factor} * {}", self.pitch(d))
            });
        }
        terms.join(" + ")
    }

    /// A load of the input at offsets from the work-item's element.
    fn load(&self, input: &str, offsets: &[String]) -> String {
        let r = self.radius();
        let at: Vec<String> = (0..self.dims)
            .map(|d| {
                let mut own = NAMES[d].to_owned();
                if d == 0 && self.stride != 1 {
                    own = format!("{} * x", self.stride);
                }
                if d == 0 && self.coarse != 1 {
                    own = format!("{} * x + c", self.coarse);
                }
                let mut moved = plus(&own, &offsets[d]);
                if let Some(frame) = self.frame() {
                    moved = plus(&moved, &frame);
                }
                if d == 0 && self.reversed {
                    let end = match self.frame() {
                        Some(_) => format!("W + 2 * {r}"),
                        None => "W".to_owned(),
                    };
                    moved = format!("{end} - 1 - ({moved})");
                }
                let size = SIZES[d];
                match self.border {
                    Border::Clamp => format!("clamp({moved}, 0, {size} - 1)"),
                    Border::MinMax => format!("min(max({moved}, 0), {size} - 1)"),
                    Border::Mirror => format!("mirror({moved}, {size})"),
                    Border::Wrap => format!("wrap({moved}, {size})"),
                    Border::Modulo => format!("({moved} + {size}) % {size}"),
                    _ => moved,
                }
            })
            .collect();
        let args = at.join(", ");
        let load = match self.style {
            Style::Direct => format!("{input}[{}]", self.linear(&at)),
            Style::Pointer => format!("*({input} + {})", self.linear(&at)),
            Style::Precomputed => {
                let mut index = "i".to_owned();
                for (d, offset) in offsets.iter().enumerate().rev() {
                    let by = match d {
                        0 => offset.clone(),
                        _ if offset == "0" => offset.clone(),
                        // Below zero, a pitch without sign makes a large positive number
                        // of it, which a longer index keeps.
                        _ if self.index.size() == "uint" => {
                            format!("(int)({offset}) * (int)({})", self.pitch(d))
                        }
                        _ if is_one(offset) => format!("{offset} * {}", self.pitch(d)),
                        _ => format!("({offset}) * {}", self.pitch(d)),
                    };
                    index = plus(&index, &by);
                }
                format!("{input}[{index}]")
            }
            // The row's own start is a statement in front.
            Style::Row => format!("({input} + {})[{}]", self.row(&at), at[0]),
            Style::IndexMacro => format!("{input}[IDX({args})]"),
            Style::LoadMacro => format!("LOAD({input}, {args})"),
            Style::Helper => {
                let pitches: Vec<&str> = SIZES[..self.dims - 1].to_vec();
                let r = self.frame().filter(|_| self.has_argument());
                let pitches = pitches.into_iter().map(str::to_owned).chain(r);
                let all: Vec<String> = at.iter().cloned().chain(pitches).collect();
                format!("load({input}, {})", all.join(", "))
            }
        };
        self.element.number(&load)
    }

    /// The start of a row.
    fn row(&self, at: &[String]) -> String {
        let mut start = at.to_vec();
        start[0] = "0".to_owned();
        let text = self.linear(&start);
        text.strip_suffix(" + 0").unwrap_or(&text).to_owned()
    }

    /// The test that an element is there, by offsets.
    fn inside(&self, offsets: &[String]) -> String {
        let signed = self.index.is_signed();
        let mut tests = Vec::new();
        for d in 0..self.dims {
            let (name, size, offset) = (NAMES[d], SIZES[d], &offsets[d]);
            if offset == "0" {
                continue;
            }
            let moved = plus(name, offset);
            match (signed, offset.strip_prefix('-')) {
                // A number: one of the two tests says nothing.
                (_, Some(by)) if is_number(by) => tests.push(format!("{name} >= {by}")),
                (_, None) if is_number(offset) => tests.push(format!("{moved} < {size}")),
                (true, _) => {
                    tests.push(format!("{moved} >= 0"));
                    tests.push(format!("{moved} < {size}"));
                }
                // Below 0 it is a large number.
                (false, _) => tests.push(format!("{moved} < {size}")),
            }
        }
        tests.join(" && ")
    }

    fn statement(&self, input: &str, offsets: &[String], target: &str) -> String {
        let load = self.load(input, offsets);
        let inside = self.inside(offsets);
        let sum = self.element.sum();
        let weight = if self.weighted {
            let width = match self.taps {
                Taps::Forwards => format!("({} + 1)", self.radius()),
                _ => format!("(2 * {} + 1)", self.radius()),
            };
            let shift = |o: &String| match self.taps {
                Taps::Forwards => o.clone(),
                _ => plus(o, &self.radius()),
            };
            let mut index = String::new();
            for (d, offset) in offsets.iter().enumerate().rev() {
                if matches!(self.taps, Taps::Line(axis) if usize::from(axis) != d) {
                    continue;
                }
                index = match index.is_empty() {
                    true => shift(offset),
                    false => format!("({index}) * {width} + {}", shift(offset)),
                };
            }
            format!("coef[{index}] * ")
        } else {
            String::new()
        };
        match self.border {
            Border::Zero if !inside.is_empty() => {
                let zero = match self.element {
                    Element::Float | Element::Pair => "0.0f".to_owned(),
                    Element::Int | Element::Uchar => "0".to_owned(),
                    other => format!("({})(0)", other.name()),
                };
                format!("{target} += {weight}({inside} ? {load} : {zero});\n")
            }
            Border::Skipped if !inside.is_empty() => {
                format!("if ({inside})\n    {target} += {weight}{load};\n")
            }
            _ if self.element == Element::Uchar => {
                format!("{target} += {weight}({sum}){load};\n")
            }
            _ => format!("{target} += {weight}{load};\n"),
        }
    }

    fn body(&self) -> String {
        let mut text = String::new();
        let inputs: &[&str] = if self.second { &["in", "in2"] } else { &["in"] };
        match &self.taps {
            Taps::Loops | Taps::Forwards | Taps::Line(_) => {
                let mut offsets = Vec::new();
                for (d, name) in NAMES.iter().enumerate().take(self.dims) {
                    offsets.push(match self.taps {
                        Taps::Line(axis) if usize::from(axis) != d => "0".to_owned(),
                        _ => format!("d{name}"),
                    });
                }
                for input in inputs {
                    text.push_str(&self.statement(input, &offsets, "sum"));
                }
                let r = self.radius();
                let minus = match self.index.size() {
                    "uint" if self.has_argument() => format!("-(int){r}"),
                    _ => format!("-{r}"),
                };
                let top = match self.index.size() {
                    "uint" if self.has_argument() => format!("(int){r}"),
                    _ => r.clone(),
                };
                let first = match self.taps {
                    Taps::Forwards => "0".to_owned(),
                    _ => minus,
                };
                let single = text.lines().count() == 1;
                let mut open = single;
                for variable in offsets.iter().filter(|v| *v != "0") {
                    let head = format!(
                        "for (int {variable} = {first}; {variable} <= {top}; ++{variable})"
                    );
                    text = if open {
                        format!("{head}\n{}", indented(&text))
                    } else {
                        format!("{head} {{\n{}}}\n", indented(&text))
                    };
                    open = true;
                }
            }
            Taps::Cross(centre) => {
                let none = vec!["0".to_owned(); self.dims];
                let mut list = Vec::new();
                if *centre {
                    list.push(none.clone());
                }
                for d in 0..self.dims {
                    for sign in ["-", ""] {
                        let mut offsets = none.clone();
                        let r = self.radius();
                        offsets[d] = format!("{sign}{r}");
                        list.push(offsets);
                    }
                }
                for offsets in &list {
                    for input in inputs {
                        text.push_str(&self.statement(input, offsets, "sum"));
                    }
                }
            }
            Taps::Listed(list) => {
                for offset in list {
                    let offsets: Vec<String> =
                        offset[..self.dims].iter().map(i8::to_string).collect();
                    for input in inputs {
                        text.push_str(&self.statement(input, &offsets, "sum"));
                    }
                }
            }
        }
        if self.outputs {
            let zero = vec!["0".to_owned(); self.dims];
            let first = self.statement("in", &zero, "twice");
            text.push_str(&first);
        }
        text
    }

    /// OpenCL C.
    pub fn text(&self) -> String {
        let (element, sum) = (self.element.name(), self.element.sum());
        let size = self.index.size();
        let mut text = self.element.prelude().to_owned();
        if let Radius::Macro(n) = self.radius
            && !matches!(self.taps, Taps::Listed(_))
        {
            text.push_str(&format!("#define RADIUS {n}\n\n"));
        }
        text.push_str(&self.helpers());
        let mut params = vec![format!("__global const {element} *restrict in")];
        if self.second {
            params.push(format!("__global const {element} *restrict in2"));
        }
        if self.weighted {
            params.push(format!("__constant {} *coef", scalar(sum)));
        }
        params.push(format!("__global {sum} *restrict out"));
        if self.outputs {
            params.push(format!("__global {sum} *restrict out2"));
        }
        params.extend(SIZES[..self.dims].iter().map(|s| format!("{size} {s}")));
        if self.has_argument() {
            params.push(format!("{size} R"));
        }
        text.push_str(&format!("__kernel void k({})\n{{\n", params.join(", ")));
        for (d, name) in NAMES.iter().enumerate().take(self.dims) {
            let id = if self.swapped { self.dims - 1 - d } else { d };
            let int = self.index.name();
            text.push_str(&format!("    {int} {name} = get_global_id({id});\n"));
        }
        let own: Vec<String> = NAMES[..self.dims].iter().map(|n| (*n).to_owned()).collect();
        let plain = Self {
            border: Border::Inside,
            stride: 1,
            ..self.clone()
        };
        if self.style == Style::Precomputed {
            let mut at = own.clone();
            if let Some(frame) = self.frame() {
                for a in &mut at {
                    *a = plus(a, &frame);
                }
            }
            text.push_str(&format!(
                "    {} i = {};\n",
                self.index.name(),
                self.linear(&at)
            ));
        }
        let join = |test: &dyn Fn(usize) -> String, by: &str| {
            (0..self.dims).map(test).collect::<Vec<_>>().join(by)
        };
        let r = self.radius();
        let reach = |d: usize| match self.taps {
            Taps::Line(axis) => usize::from(axis) == d,
            _ => true,
        };
        let inner = |d: usize| match self.taps {
            _ if !reach(d) => String::new(),
            Taps::Forwards => format!("{0} + {r} < {1}", NAMES[d], SIZES[d]),
            _ => format!("{0} >= {r} && {0} + {r} < {1}", NAMES[d], SIZES[d]),
        };
        let mut body = format!("{sum} sum = ({sum})(0);\n");
        if self.outputs {
            body.push_str(&format!("{sum} twice = ({sum})(1);\n"));
        }
        body.push('\n');
        let work = self.body();
        if self.border == Border::Inside {
            let tests: Vec<String> = (0..self.dims)
                .map(inner)
                .filter(|t| !t.is_empty())
                .collect();
            body.push_str(&format!(
                "if ({}) {{\n{}}}\n",
                tests.join(" && "),
                indented(&work)
            ));
        } else {
            body.push_str(&work);
        }
        let mut here = own.clone();
        if self.coarse != 1 {
            here[0] = format!("{} * x + c", self.coarse);
        }
        let result = plain.linear(&here);
        body.push_str(&format!("out[{result}] = sum;\n"));
        if self.outputs {
            body.push_str(&format!("out2[{result}] = twice;\n"));
        }
        if self.coarse != 1 {
            body = format!(
                "for (int c = 0; c < {}; ++c) {{\n{}}}\n",
                self.coarse,
                indented(&body)
            );
        }
        text.push('\n');
        match self.exit {
            Exit::Return => {
                let beyond = join(&|d| format!("{} >= {}", NAMES[d], SIZES[d]), " || ");
                text.push_str(&format!("    if ({beyond})\n        return;\n\n"));
                text.push_str(&indented(&body));
            }
            Exit::Within => {
                let within = join(&|d| format!("{} < {}", NAMES[d], SIZES[d]), " && ");
                text.push_str(&format!(
                    "    if ({within}) {{\n{}    }}\n",
                    indented(&indented(&body))
                ));
            }
            Exit::Exact => text.push_str(&indented(&body)),
        }
        text.push_str("}\n");
        text
    }

    fn helpers(&self) -> String {
        let mut text = String::new();
        match self.border {
            Border::Mirror => text.push_str(
                "static int mirror(int i, int n)\n{\n    if (i < 0)\n        i = -i - 1;\n    return i < n ? i : 2 * n - 1 - i;\n}\n\n",
            ),
            Border::Wrap => text.push_str(
                "static int wrap(int i, int n)\n{\n    int r = i % n;\n\n    return r < 0 ? r + n : r;\n}\n\n",
            ),
            _ => {}
        }
        let bare: Vec<String> = ["a", "b", "c"][..self.dims]
            .iter()
            .map(|n| (*n).to_owned())
            .collect();
        let parenthesised: Vec<String> = bare.iter().map(|n| format!("({n})")).collect();
        let index = self.linear_of(&parenthesised);
        let args = bare.join(", ");
        match self.style {
            Style::IndexMacro => text.push_str(&format!("#define IDX({args}) ({index})\n\n")),
            Style::LoadMacro => {
                text.push_str(&format!("#define LOAD(p, {args}) ((p)[{index}])\n\n"));
            }
            Style::Helper => {
                let int = self.index.name();
                let mut params: Vec<String> =
                    vec![format!("__global const {} *p", self.element.name())];
                params.extend(bare.iter().map(|n| format!("{int} {n}")));
                let sizes = SIZES[..self.dims - 1].iter().copied();
                let radius = (self.frame().is_some() && self.has_argument()).then_some("R");
                let size = self.index.size();
                params.extend(sizes.chain(radius).map(|s| format!("{size} {s}")));
                text.push_str(&format!(
                    "static {} load({})\n{{\n    return p[{}];\n}}\n\n",
                    self.element.name(),
                    params.join(", "),
                    self.linear(&bare)
                ));
            }
            _ => {}
        }
        text
    }

    /// [`Stencil::linear`] of names in parentheses.
    fn linear_of(&self, at: &[String]) -> String {
        let mut terms = Vec::new();
        for (d, a) in at.iter().enumerate().rev() {
            terms.push(match d {
                0 => a.clone(),
                _ => format!("{a} * {}", self.pitch(d)),
            });
        }
        terms.join(" + ")
    }

    /// Its launch.
    pub fn shape(&self) -> Shape {
        let mut shape = Shape::default();
        let exact = self.exit == Exit::Exact;
        let values = [[45, 1, 1], [19, 11, 1], [9, 7, 5]][self.dims - 1];
        let axes: Vec<usize> = (0..self.dims).collect();
        let dim = |d: usize| if self.swapped { self.dims - 1 - d } else { d };
        let mut global = vec![String::new(); self.dims];
        for &d in &axes {
            let local = self.local[dim(d)];
            let value = if exact { 2 * local } else { values[d] };
            let value = if d == 0 { value * self.coarse } else { value };
            shape.args.push((SIZES[d].to_owned(), value.to_string()));
            global[dim(d)] = match (exact, d == 0 && self.coarse != 1) {
                (true, true) => format!("{}/{}", SIZES[d], self.coarse),
                (true, false) => SIZES[d].to_owned(),
                (false, _) => format!("roundup({},{local})", SIZES[d]),
            };
        }
        shape.global = global.join(",");
        let local: Vec<String> = self.local[..self.dims]
            .iter()
            .map(usize::to_string)
            .collect();
        shape.local = local.join("x");
        if self.offset {
            // Work-items begin further on; those beyond the data are more.
            shape.offset = Some(vec!["1"; self.dims].join("x"));
        }
        if self.has_argument() {
            shape.args.push(("R".to_owned(), "2".to_owned()));
        }
        let r = match self.radius {
            Radius::Macro(n) if !matches!(self.taps, Taps::Listed(_)) => n.to_string(),
            _ => self.radius(),
        };
        let framed = |d: usize| {
            let plain = match (d, self.stride) {
                (0, 2) => "2*W".to_owned(),
                _ => SIZES[d].to_owned(),
            };
            match self.frame() {
                Some(_) => format!("({plain}+2*{r})"),
                None => plain,
            }
        };
        let length = axes
            .iter()
            .map(|d| framed(*d))
            .collect::<Vec<_>>()
            .join("*");
        let plain = axes.iter().map(|d| SIZES[*d]).collect::<Vec<_>>().join("*");
        shape.args.push(("in".to_owned(), format!("[{length}]")));
        if self.second {
            shape.args.push(("in2".to_owned(), format!("[{length}]")));
        }
        if self.weighted {
            let width = match self.taps {
                Taps::Forwards => format!("({r}+1)"),
                _ => format!("(2*{r}+1)"),
            };
            let count = match self.taps {
                Taps::Line(_) => 1,
                _ => self.dims,
            };
            let all = vec![width; count].join("*");
            shape.args.push(("coef".to_owned(), format!("[{all}]")));
        }
        shape.args.push(("out".to_owned(), format!("[{plain}]")));
        if self.outputs {
            shape.args.push(("out2".to_owned(), format!("[{plain}]")));
        }
        shape
    }
}

/// The type of a vector's components.
fn scalar(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

fn is_one(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// `a + b`, simplified where `b` is 0 or negative.
fn plus(a: &str, b: &str) -> String {
    match b.strip_prefix('-') {
        _ if b == "0" => a.to_owned(),
        _ if a == "0" => b.to_owned(),
        Some(positive) => format!("{a} - {positive}"),
        None => format!("{a} + {b}"),
    }
}
