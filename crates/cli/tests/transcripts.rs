//! What the binary says, word for word: help, and messages for wrong input.
//! `TRYCMD=overwrite cargo test -p tilewise-cli` rewrites the transcripts.

#[test]
fn transcripts() {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .env("TILEWISE_DEVICE", "")
        .case("tests/cmd/*.trycmd");
}
