//! `tilewise explain`: the page of a finding.

/// Pages by code, in the order of the codes.
const PAGES: [(&str, &str); 28] = [
    ("TW101", include_str!("../explain/TW101.md")),
    ("TW102", include_str!("../explain/TW102.md")),
    ("TW103", include_str!("../explain/TW103.md")),
    ("TW104", include_str!("../explain/TW104.md")),
    ("TW105", include_str!("../explain/TW105.md")),
    ("TW106", include_str!("../explain/TW106.md")),
    ("TW107", include_str!("../explain/TW107.md")),
    ("TW108", include_str!("../explain/TW108.md")),
    ("TW109", include_str!("../explain/TW109.md")),
    ("TW110", include_str!("../explain/TW110.md")),
    ("TW201", include_str!("../explain/TW201.md")),
    ("TW202", include_str!("../explain/TW202.md")),
    ("TW203", include_str!("../explain/TW203.md")),
    ("TW204", include_str!("../explain/TW204.md")),
    ("TW205", include_str!("../explain/TW205.md")),
    ("TW206", include_str!("../explain/TW206.md")),
    ("TW207", include_str!("../explain/TW207.md")),
    ("TW301", include_str!("../explain/TW301.md")),
    ("TW302", include_str!("../explain/TW302.md")),
    ("TW303", include_str!("../explain/TW303.md")),
    ("TW304", include_str!("../explain/TW304.md")),
    ("TW305", include_str!("../explain/TW305.md")),
    ("TW306", include_str!("../explain/TW306.md")),
    ("TW307", include_str!("../explain/TW307.md")),
    ("TW308", include_str!("../explain/TW308.md")),
    ("TW309", include_str!("../explain/TW309.md")),
    ("TW310", include_str!("../explain/TW310.md")),
    ("TW311", include_str!("../explain/TW311.md")),
];

/// The page of a code, if there is one.
pub fn explain(code: &str) -> Option<&'static str> {
    PAGES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(code))
        .map(|(_, page)| *page)
}

/// All codes that have a page.
pub fn codes() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(code, _)| *code)
}
