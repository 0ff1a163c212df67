//! A first launch, guessed from the signature: what `init` writes and
//! what messages suggest.
//!
//! Names tell most of it: `n`, `width`, `rows` are sizes of a dimension, `r` is
//! a radius, `idx` holds indices. A guess is a place to begin, so every value
//! carries the reason for it. What a kernel does with its arguments is looked at
//! by the caller, who gives what it saw ([`Seen`]).

mod names;
mod seen;
mod shape;

pub(crate) use names::dimension_of;
pub use seen::{Bound, Seen};
use shape::Shape;

use crate::resolve::parameter_list;
use crate::signature::Signature;
use crate::spec::{ArgKey, ArgSetting, LaunchSpec, Text};

/// What a guess takes for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumptions {
    /// Work-items per dimension of a launch of one, two and three dimensions.
    pub extents: [u64; 3],
    /// The work-group of a kernel that requires none; dimensions beyond the
    /// kernel's are left out. `None` takes a usual one.
    pub group: Option<[u64; 3]>,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self {
            extents: [1 << 20, 1024, 128],
            group: None,
        }
    }
}

/// A guessed launch with the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    spec: LaunchSpec,
    reasons: Vec<(String, String)>,
    dims: usize,
}

impl Guess {
    /// Guesses a launch of a usual size for the kernel.
    pub fn new(signature: &Signature) -> Self {
        Self::assuming(signature, &Assumptions::default(), &Seen::default())
    }

    /// Guesses a launch for the kernel, of whose body something was seen.
    pub fn assuming(signature: &Signature, assumptions: &Assumptions, seen: &Seen) -> Self {
        let shape = Shape::new(signature, assumptions, seen);
        let mut guess = Guess {
            spec: LaunchSpec {
                kernel: Some(signature.kernel.clone()),
                ..LaunchSpec::default()
            },
            reasons: Vec::new(),
            dims: shape.dims,
        };
        guess.spec.global = Some(Text::flag(shape.global()));
        guess.reason("global", shape.global_reason());
        guess.reason(
            "local",
            match signature.reqd_local {
                Some(_) => "required by the kernel (reqd_work_group_size)",
                None => "a usual size; try others",
            },
        );
        let local: Vec<String> = shape.group().iter().map(u64::to_string).collect();
        let local = local.join("x");
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

    /// The guess with what the user said laid over it, which is no guess.
    #[must_use]
    pub fn overridden_by(mut self, mut given: LaunchSpec) -> Self {
        for arg in &mut given.args {
            // The guess names every argument, in the kernel's order.
            if let ArgKey::Index(index) = arg.key
                && let Some(guessed) = self.spec.args.get(index)
            {
                arg.key = guessed.key.clone();
            }
        }
        let said = |key: &str| match key {
            "global" => given.global.is_some(),
            "local" => given.local.is_some(),
            name => given
                .args
                .iter()
                .any(|arg| arg.key == ArgKey::Name(name.to_owned())),
        };
        self.reasons.retain(|(key, _)| !said(key));
        self.spec = self.spec.overridden_by(given);
        self
    }

    /// Replaces a guessed value, with the reason for the new one. What the
    /// user said stays.
    pub fn correct(&mut self, name: &str, value: impl Into<String>, reason: &str) {
        let key = ArgKey::Name(name.to_owned());
        let Some(known) = self.reasons.iter_mut().find(|(k, _)| k == name) else {
            return;
        };
        if let Some(arg) = self.spec.args.iter_mut().find(|a| a.key == key) {
            arg.value = Text::flag(value);
            known.1 = match known.1.split_once(": ") {
                Some((spelling, _)) => format!("{spelling}: {reason}"),
                None => reason.to_owned(),
            };
        }
    }

    fn reason(&mut self, key: &str, reason: &str) {
        self.reasons.push((key.to_owned(), reason.to_owned()));
    }

    /// Number of dimensions, 1 to 3.
    pub fn dims(&self) -> usize {
        self.dims
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

    /// A guard tells more than a name: rows are the ids, and columns are not.
    #[test]
    fn a_bound_that_was_seen_counts_more_than_names() {
        let ints = ["rows", "cols", "taps"].map(|name| value(name, "i32"));
        let y = [global("y", "f32", false)];
        let signature = kernel("k", 1, y.into_iter().chain(ints).collect());
        let bound = Bound {
            text: "rows-taps+1".into(),
            sum: true,
            sizes: ["rows".to_owned()].into(),
            degree: 1,
        };
        let seen = Seen {
            bounds: [Some(bound), None, None],
            small: [("taps".to_owned(), 5)].into(),
        };
        let guess = Guess::assuming(&signature, &Assumptions::default(), &seen);
        let global = guess.spec().global.as_ref().map(|g| g.text.as_str());
        assert_eq!(global, Some("roundup(rows-taps+1,256)"));
        assert!(guess.reason_for("global").unwrap().contains("guard"));
        let values = ["y", "rows", "taps"].map(|name| guess.argument(name).unwrap());
        assert_eq!(values, ["[rows-taps+1]", "1048576", "5"]);
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
    fn what_was_said_is_no_guess() {
        let arg = |text: &str| ArgSetting::from_flag(text).unwrap();
        let given = LaunchSpec {
            local: Some(Text::flag("64")),
            args: vec![arg("2=1000"), arg("in=[n]:zero")],
            ..LaunchSpec::default()
        };
        let guess = Guess::new(&blur_tiled()).overridden_by(given);
        assert_eq!(
            (guess.argument("n"), guess.argument("in")),
            (Some("1000"), Some("[n]:zero"))
        );
        assert_eq!(guess.spec().args.len(), 4);
        for said in ["local", "n", "in"] {
            assert_eq!(guess.reason_for(said), None);
        }
        assert!(guess.reason_for("global").is_some());
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
