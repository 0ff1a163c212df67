//! Indices that come from contents which nobody chose are no findings: the message
//! asks for real ones, and names only what selects.

use tilewise::KernelInput;
use tilewise::commands::check::check;

use crate::common::{have_clang, simulated, with_args, with_range};

const GATHER: &str = "\
kernel void k(global const int *next, global const int *other, global int *x, int n)
{
    local int kept[64];
    int lid = get_local_id(0);
    kept[lid] = next[get_global_id(0)] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[kept[63 - lid]] = other[get_global_id(0)];
}
";

fn checked(args: &[&str]) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.cl");
    std::fs::write(&path, GATHER).expect("a file");
    let input = KernelInput {
        path,
        ..KernelInput::default()
    };
    let input = with_range(with_args(input, args), "64", "64");
    let run = check(&simulated(), &input).map_err(|e| e.to_string())?;
    let codes = run[0].findings.iter().map(|f| f.code.clone());
    Ok(codes.collect())
}

#[test]
fn generated_indices_ask_for_data() {
    if !have_clang() {
        return;
    }
    let sized = ["n=64", "next=[64]", "other=[64]", "x=[64]"];
    let error = checked(&sized).expect_err("generated values are all over the place");
    assert!(error.contains("next selects elements of x"), "{error}");
    let chosen = ["n=64", "next=[64]:random(0,64)", "other=[64]", "x=[64]"];
    let found = checked(&chosen).expect("the range was chosen");
    assert!(found.contains(&"TW104".to_owned()), "{found:?}");
    let right = [
        "n=64",
        "next=[64]:random(0,63)",
        "other=[64]",
        "x=[64]:zero",
    ];
    let found = checked(&right).expect("the range was chosen");
    assert!(!found.contains(&"TW104".to_owned()), "{found:?}");
}
