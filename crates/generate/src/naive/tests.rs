//! The drawn kernels are what they are said to be.

use super::Naive;

#[test]
fn a_seed_gives_the_same_kernel() {
    for seed in 0..50 {
        let (a, b) = (Naive::draw(seed), Naive::draw(seed));
        assert_eq!(a, b);
        assert_eq!(a.text(), b.text());
    }
}

#[test]
fn simpler_kernels_end() {
    for seed in 0..200 {
        let mut asked = 0;
        let simplest = Naive::draw(seed).reduced(1000, &mut |_| {
            asked += 1;
            true
        });
        assert!(
            asked < 100,
            "seed {seed} went round in circles: {simplest:?}"
        );
    }
}
