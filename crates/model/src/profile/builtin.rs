//! The profiles that the program carries, read from `profiles/` at build time.

use std::sync::LazyLock;

use super::DeviceProfile;

const TEXTS: [(&str, &str); 4] = [
    ("h200", include_str!("../../../../profiles/h200.toml")),
    ("a100", include_str!("../../../../profiles/a100.toml")),
    (
        "rx7900xtx",
        include_str!("../../../../profiles/rx7900xtx.toml"),
    ),
    ("mi300x", include_str!("../../../../profiles/mi300x.toml")),
];

static PROFILES: LazyLock<Vec<DeviceProfile>> = LazyLock::new(|| {
    TEXTS
        .iter()
        .map(|(name, text)| {
            // The texts are part of the program and a test reads each of them.
            DeviceProfile::parse(text, &format!("profiles/{name}.toml"))
                .unwrap_or_else(|error| panic!("built-in profile: {error}"))
        })
        .collect()
});

impl DeviceProfile {
    /// All built-in profiles; the first is the default device.
    pub fn all() -> &'static [Self] {
        &PROFILES
    }

    /// The built-in profile of this short name, in any case.
    pub fn builtin(name: &str) -> Option<&'static Self> {
        Self::all()
            .iter()
            .find(|profile| profile.name.eq_ignore_ascii_case(name))
    }

    /// The built-in profile of the device that calls itself `device_name`
    /// (`CL_DEVICE_NAME`): the one with the longest identifying part.
    pub fn matching(device_name: &str) -> Option<&'static Self> {
        Self::all()
            .iter()
            .filter_map(|profile| Some((profile.match_length(device_name)?, profile)))
            .max_by_key(|(length, _)| *length)
            .map(|(_, profile)| profile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_profile_is_read_under_its_file_name() {
        let names: Vec<&str> = DeviceProfile::all()
            .iter()
            .map(|profile| profile.name.as_str())
            .collect();
        assert_eq!(names, ["h200", "a100", "rx7900xtx", "mi300x"]);
    }

    #[test]
    fn devices_are_found_by_name() {
        let name = |device: &str| DeviceProfile::matching(device).map(|p| p.name.as_str());
        assert_eq!(name("NVIDIA H200"), Some("h200"));
        assert_eq!(name("NVIDIA A100-SXM4-80GB"), Some("a100"));
        assert_eq!(name("gfx942:sramecc+:xnack-"), Some("mi300x"));
        assert_eq!(name("AMD Radeon RX 7900 XTX"), Some("rx7900xtx"));
        assert_eq!(name("pthread-AMD EPYC 9654"), None);
        assert!(DeviceProfile::builtin("H200").is_some());
        assert!(DeviceProfile::builtin("h100").is_none());
    }
}
