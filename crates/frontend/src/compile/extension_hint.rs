//! What a kernel lacks that clang rejects since the device has not got an
//! extension: clang says that a function is unknown, not what would declare it.

/// Extensions by what they declare. Longer beginnings stand first.
const DECLARES: &[(&str, &str)] = &[
    ("sub_group_shuffle_up", "cl_khr_subgroup_shuffle_relative"),
    ("sub_group_shuffle_down", "cl_khr_subgroup_shuffle_relative"),
    ("sub_group_shuffle", "cl_khr_subgroup_shuffle"),
    ("sub_group_clustered_", "cl_khr_subgroup_clustered_reduce"),
    ("sub_group_non_uniform_broadcast", "cl_khr_subgroup_ballot"),
    (
        "sub_group_non_uniform_reduce",
        "cl_khr_subgroup_non_uniform_arithmetic",
    ),
    (
        "sub_group_non_uniform_scan",
        "cl_khr_subgroup_non_uniform_arithmetic",
    ),
    ("sub_group_non_uniform_", "cl_khr_subgroup_non_uniform_vote"),
    ("sub_group_elect", "cl_khr_subgroup_non_uniform_vote"),
    ("sub_group_ballot", "cl_khr_subgroup_ballot"),
    ("sub_group_inverse_ballot", "cl_khr_subgroup_ballot"),
    ("sub_group_broadcast_first", "cl_khr_subgroup_ballot"),
    ("get_sub_group_eq_mask", "cl_khr_subgroup_ballot"),
    ("get_sub_group_ge_mask", "cl_khr_subgroup_ballot"),
    ("get_sub_group_gt_mask", "cl_khr_subgroup_ballot"),
    ("get_sub_group_le_mask", "cl_khr_subgroup_ballot"),
    ("get_sub_group_lt_mask", "cl_khr_subgroup_ballot"),
    ("sub_group_", "cl_khr_subgroups"),
    ("get_sub_group_", "cl_khr_subgroups"),
    ("get_max_sub_group_", "cl_khr_subgroups"),
    ("get_num_sub_groups", "cl_khr_subgroups"),
    ("get_enqueued_num_sub_groups", "cl_khr_subgroups"),
    ("intel_sub_group_", "cl_intel_subgroups"),
    ("atom_", "cl_khr_int64_base_atomics"),
    ("half", "cl_khr_fp16"),
    ("double", "cl_khr_fp64"),
    ("atomic_double", "cl_khr_int64_base_atomics"),
    ("atomic_long", "cl_khr_int64_base_atomics"),
    ("atomic_ulong", "cl_khr_int64_base_atomics"),
];

/// What a message about an extension that is missing ends with.
const NOT_LISTED: &str = "which the device does not list";

/// Extensions that these messages say the device lacks.
pub fn lacking(messages: &str) -> Vec<&str> {
    messages
        .lines()
        .filter_map(|line| {
            line.strip_suffix(NOT_LISTED)?
                .trim_end_matches([',', ' '])
                .rsplit(' ')
                .next()
        })
        .collect()
}

/// Lines behind clang's messages, one for each extension that the device
/// lacks and that would declare what a message names; empty where none would.
pub fn hints(messages: &str, extensions: Option<&[String]>) -> String {
    let Some(extensions) = extensions else {
        return String::new();
    };
    let mut lacking: Vec<(&str, &str)> = Vec::new();
    for line in messages.lines().filter(|l| l.contains("error: ")) {
        // What a message names stands in quotes; a type may stand without.
        let named = line.split('\'').skip(1).step_by(2);
        for name in named {
            let declares = DECLARES.iter().find(|(start, _)| name.starts_with(start));
            let Some(&(_, extension)) = declares else {
                continue;
            };
            let known = extensions.iter().any(|e| e == extension)
                || lacking.iter().any(|(_, e)| *e == extension);
            if !known {
                lacking.push((name, extension));
            }
        }
    }
    lacking
        .into_iter()
        .map(|(name, extension)| format!("\nnote: `{name}` belongs to {extension}, {NOT_LISTED}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lacking_is_read_back() {
        let text = hints("k.cl:1: error: unknown 'sub_group_elect'", Some(&[]));
        assert_eq!(lacking(&text), ["cl_khr_subgroup_non_uniform_vote"]);
    }

    #[test]
    fn the_extension_that_is_missing_is_named() {
        let has = ["cl_khr_fp64".to_owned()];
        let of = |message: &str| hints(message, Some(&has));
        assert!(of("k.cl:1:1: error: implicit declaration of function 'sub_group_shuffle_up' is …")
            .ends_with("`sub_group_shuffle_up` belongs to cl_khr_subgroup_shuffle_relative, which the device does not list"));
        assert!(
            of("k.cl:1:1: error: call to 'sub_group_any' is ambiguous")
                .contains("cl_khr_subgroups")
        );
        assert_eq!(of("k.cl:1:1: error: use of type 'double' requires …"), "");
        assert_eq!(of("k.cl:1:1: error: use of undeclared identifier 'x'"), "");
        assert_eq!(hints("error: 'sub_group_any'", None), "");
    }
}
