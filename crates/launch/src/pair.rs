//! Two or more kernels of one comparison, with their arguments given once.
//!
//! What is said without a number holds for all kernels: an argument goes to
//! each kernel that has a parameter of that name, so one that only one kernel
//! has is given once. What is said for one kernel (`--local@2`, `--arg@2`)
//! wins over it.

use crate::signature::Signature;
use crate::spec::{ArgKey, LaunchSpec};

/// One description per kernel: `shared` cut to the arguments that the kernel
/// has, with its own description laid over it. A name that no kernel has, and
/// an index, go to every kernel, where [`crate::resolve()`] judges them.
///
/// `own[i]` is what was said for kernel `i` alone; kernels beyond its end have
/// nothing of their own.
pub fn distribute(
    shared: &LaunchSpec,
    own: &[LaunchSpec],
    signatures: &[&Signature],
) -> Vec<LaunchSpec> {
    let known = |name: &str| signatures.iter().any(|s| s.param(name).is_some());
    signatures
        .iter()
        .enumerate()
        .map(|(index, signature)| {
            let mut spec = shared.clone();
            spec.args.retain(|arg| match &arg.key {
                ArgKey::Name(name) => signature.param(name).is_some() || !known(name),
                ArgKey::Index(_) => true,
            });
            spec.sizes
                .retain(|name| signature.param(name).is_some() || !known(name));
            let own = own.get(index).cloned().unwrap_or_default();
            let mut spec = spec.overridden_by(own);
            spec.kernel = Some(signature.kernel.clone());
            spec
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{blur_naive, blur_tiled};
    use crate::spec::{ArgSetting, Text};

    #[test]
    fn arguments_go_to_the_kernels_that_have_them() {
        let arg = |text: &str| ArgSetting::from_flag(text).unwrap();
        let shared = LaunchSpec {
            global: Some(Text::flag("1024")),
            args: vec![
                arg("n=1000"),
                arg("in=[n]"),
                arg("out=[n]"),
                arg("tile=[258]"),
                arg("x=1"),
            ],
            ..LaunchSpec::default()
        };
        let second = LaunchSpec {
            local: Some(Text::flag("64")),
            args: vec![arg("tile=[66]")],
            ..LaunchSpec::default()
        };
        let own = [LaunchSpec::default(), second];
        let [first, second] = &distribute(&shared, &own, &[&blur_naive(), &blur_tiled()])[..]
        else {
            panic!("two kernels give two descriptions");
        };
        let keys = |spec: &LaunchSpec| -> Vec<String> {
            spec.args
                .iter()
                .map(|a| format!("{}={}", a.key, a.value.text))
                .collect()
        };
        assert_eq!(keys(first), ["n=1000", "in=[n]", "out=[n]", "x=1"]);
        assert_eq!(
            keys(second),
            ["n=1000", "in=[n]", "out=[n]", "x=1", "tile=[66]"]
        );
        assert_eq!(
            (&first.local, &second.local),
            (&None, &Some(Text::flag("64")))
        );
        assert_eq!(second.kernel.as_deref(), Some("blur_tiled"));
    }
}
