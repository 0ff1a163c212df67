//! The name that was probably meant.

/// The candidate nearest to `name`, if one is near enough to be a slip of the
/// pen: at most a third of the letters wrong (Damerau and Levenshtein's
/// distance), or different only in case.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The readers are what is fuzzed: here each letter would look like a new way.
    if cfg!(fuzzing) {
        return None;
    }
    let lower = name.to_lowercase();
    let length = name.chars().count();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let other_length = candidate.chars().count();
            let allowed = (length.max(other_length) / 3).max(1);
            // Names of such lengths are farther apart than that.
            if length.abs_diff(other_length) > allowed {
                return None;
            }
            let other = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&lower, &other);
            // Of two short names every pair is "near" (n, m): nothing is known.
            let shared = lower.chars().any(|c| other.contains(c));
            (distance <= allowed && shared).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        assert_eq!(nearest("widht", ["width", "height"]), Some("width"));
        assert_eq!(nearest("N", ["in", "n"]), Some("n"));
        assert_eq!(nearest("m", ["n"]), None);
        assert_eq!(nearest("radius", ["in", "out"]), None);
    }
}
