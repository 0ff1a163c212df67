#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target, fuzzer_mutate};
use tilewise_fuzz::instructions::change_module;
use tilewise_fuzz::random::Random;

fuzz_target!(|bytes: &[u8]| tilewise_fuzz::spirv::run(bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = Random::new(seed.into());
    // libFuzzer's own changes, which know the constants that are compared, find
    // much in what reads single words.
    if random.below(3) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut bytes = data[..size].to_vec();
    let other = bytes.clone();
    change_module(&mut bytes, &other, &mut random);
    if bytes.len() > max_size || bytes == other {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..bytes.len()].copy_from_slice(&bytes);
    bytes.len()
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    let mut bytes = one.to_vec();
    change_module(&mut bytes, other, &mut Random::new(seed.into()));
    let len = bytes.len().min(out.len());
    out[..len].copy_from_slice(&bytes[..len]);
    len
});
