//! What the binary says, word for word: help, and messages for wrong input.
//! `TRYCMD=overwrite cargo test -p tilewise-cli` rewrites the transcripts.

#[test]
fn transcripts() {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .env("TILEWISE_DEVICE", "")
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .case("tests/cmd/*.trycmd");
}
