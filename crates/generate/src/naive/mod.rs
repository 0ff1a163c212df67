//! Random naive kernels: the patterns that staging in local memory is for, each
//! with the many ways in which people write them.
//!
//! A kernel is a value of choices ([`Naive`]), drawn from a seed, so that a smaller
//! one is found by simpler choices ([`Naive::simpler`]). Its launch is small: the
//! kernels are for tests that run them often.
//!
//! What it misses: images, transpositions, `half`, which the devices that are
//! simulated do not all have, and loops that cut themselves short.

mod element;
mod pairs;
mod product;
mod stencil;
mod table;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use tilewise_launch::{ArgKey, ArgSetting, LaunchSpec, Text};

use crate::random::Random;

pub use element::{Element, Index};
pub use pairs::Pairs;
pub use product::Product;
pub use stencil::Stencil;
pub use table::Table;

/// A naive kernel, named `k`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Naive {
    /// A stencil, a convolution or a filter.
    Stencil(Stencil),
    /// A product of matrices, or of a matrix and a vector.
    Product(Product),
    /// All pairs of two lists.
    Pairs(Pairs),
    /// Look-ups in a small table.
    Table(Table),
}

/// How work-items beyond the data leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// `if (x >= W) return;`
    Return,
    /// `if (x < W) { … }`
    Within,
    /// There are none: the global size is the data's.
    Exact,
}

impl Exit {
    /// How far it is from the simplest.
    fn rank(self) -> usize {
        match self {
            Self::Return => 0,
            Self::Within => 1,
            Self::Exact => 2,
        }
    }
}

/// The launch of a kernel: texts in the grammar of launch files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// The global size.
    pub global: String,
    /// The work-group size.
    pub local: String,
    /// The global offset, where there is one.
    pub offset: Option<String>,
    /// Arguments by name.
    pub args: Vec<(String, String)>,
}

impl Shape {
    /// As a launch of the simulator.
    pub fn spec(&self) -> LaunchSpec {
        LaunchSpec {
            global: Some(Text::flag(self.global.clone())),
            local: Some(Text::flag(self.local.clone())),
            offset: self.offset.clone().map(Text::flag),
            args: self
                .args
                .iter()
                .map(|(name, value)| ArgSetting {
                    key: ArgKey::new(name),
                    value: Text::flag(value.clone()),
                })
                .collect(),
            ..LaunchSpec::default()
        }
    }

    /// As flags of the `tilewise` command.
    pub fn flags(&self) -> String {
        let mut text = format!("--global '{}' --local {}", self.global, self.local);
        if let Some(offset) = &self.offset {
            text.push_str(&format!(" --offset {offset}"));
        }
        for (name, value) in &self.args {
            text.push_str(&format!(" --arg '{name}={value}'"));
        }
        text
    }
}

impl Naive {
    /// The kernel of a seed.
    pub fn draw(seed: u64) -> Self {
        let mut random = Random::new(seed);
        match random.weighted(&[60, 18, 14, 8]) {
            0 => Self::Stencil(Stencil::draw(&mut random)),
            1 => Self::Product(Product::draw(&mut random)),
            2 => Self::Pairs(Pairs::draw(&mut random)),
            _ => Self::Table(Table::draw(&mut random)),
        }
    }

    /// OpenCL C.
    pub fn text(&self) -> String {
        match self {
            Self::Stencil(k) => k.text(),
            Self::Product(k) => k.text(),
            Self::Pairs(k) => k.text(),
            Self::Table(k) => k.text(),
        }
    }

    /// Its launch.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Stencil(k) => k.shape(),
            Self::Product(k) => k.shape(),
            Self::Pairs(k) => k.shape(),
            Self::Table(k) => k.shape(),
        }
    }

    /// Kernels with one choice made simpler.
    pub fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Stencil(k) => k.simpler().into_iter().map(Self::Stencil).collect(),
            Self::Product(k) => k.simpler().into_iter().map(Self::Product).collect(),
            Self::Pairs(k) => k.simpler().into_iter().map(Self::Pairs).collect(),
            Self::Table(k) => k.simpler().into_iter().map(Self::Table).collect(),
        }
    }

    /// The simplest kernel that is still interesting. `interesting` is asked at most
    /// `tries` times.
    pub fn reduced(&self, mut tries: usize, interesting: &mut dyn FnMut(&Self) -> bool) -> Self {
        let mut best = self.clone();
        'again: loop {
            for candidate in best.simpler() {
                if tries == 0 {
                    return best;
                }
                tries -= 1;
                if interesting(&candidate) {
                    best = candidate;
                    continue 'again;
                }
            }
            return best;
        }
    }
}

/// Candidates that differ from `from` in one field, which is set to a simpler value.
macro_rules! simpler {
    ($from:expr, $($field:ident: $value:expr),+ $(,)?) => {{
        let mut list = Vec::new();
        $(
            let mut candidate = $from.clone();
            candidate.$field = $value;
            if candidate != *$from {
                list.push(candidate);
            }
        )+
        list
    }};
}
use simpler;

/// Lines one level further in.
fn indented(text: &str) -> String {
    text.lines()
        .map(|l| {
            if l.is_empty() {
                "\n".to_owned()
            } else {
                format!("    {l}\n")
            }
        })
        .collect()
}
