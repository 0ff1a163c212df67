#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tilewise_fuzz::expression::run(bytes));
