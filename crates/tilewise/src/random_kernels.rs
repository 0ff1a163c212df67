//! Random naive kernels, each staged and proved, or refused with a code.
//!
//! The generator crosses dimension, radius, border, style and sign of the index,
//! guards at the load or around it, early returns and element types. A seed gives
//! always the same kernel, so a failure names its seed.

use tilewise_launch::{ArgKey, ArgSetting, LaunchSpec, Text};

use crate::commands::stage::{StageOptions, stage};
use crate::input::KernelInput;
use crate::session::{DeviceChoice, Session};

/// SplitMix64, as the launches' random fills use it.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

/// A kernel and its launch.
struct Case {
    text: String,
    dims: usize,
}

fn kernel(seed: u64) -> Case {
    let mut random = Random(seed);
    let dims = 1 + random.below(3) as usize;
    let index = random.pick(&["int", "int", "uint", "size_t"]);
    let element = random.pick(&["float", "int", "uchar", "float2", "double"]);
    let border = random.pick(&["clamp", "zero", "inside", "return", "wrap", "padded"]);
    let radius = random.pick(&["1", "1", "2", "R"]);
    let style = random.pick(&["direct", "pointer", "macro"]);
    // Without a sign, only tests that are made before anything is taken away.
    let signed = index == "int";
    let border = match border {
        "clamp" | "zero" | "wrap" if !signed => "inside",
        other => other,
    };
    let names = ["x", "y", "z"];
    let sizes = ["W", "H", "D"];
    let mut text = String::new();
    if style == "macro" {
        text.push_str("#define IDX(a) (a)\n");
    }
    if border == "wrap" {
        text.push_str("static int wrap(int i, int n)\n{\n    int r = i % n;\n\n    return r < 0 ? r + n : r;\n}\n\n");
    }
    let size_type = if signed { "int" } else { "uint" };
    text.push_str(&format!(
        "__kernel void k(__global const {element} *restrict in, __global {element} *restrict out"
    ));
    for size in &sizes[..dims] {
        text.push_str(&format!(", {size_type} {size}"));
    }
    text.push_str(&format!(", {size_type} R)\n{{\n"));
    for (d, name) in names.iter().enumerate().take(dims) {
        text.push_str(&format!("    {index} {name} = get_global_id({d});\n"));
    }
    let all = |f: &dyn Fn(usize) -> String, by: &str| -> String {
        (0..dims).map(f).collect::<Vec<_>>().join(by)
    };
    let beyond = all(&|d| format!("{} >= {}", names[d], sizes[d]), " || ");
    let within = all(&|d| format!("{} < {}", names[d], sizes[d]), " && ");
    let early = random.below(2) == 0;
    if early {
        text.push_str(&format!("\n    if ({beyond})\n        return;\n\n"));
    }
    let linear = |at: &dyn Fn(usize) -> String, pad: &str| -> String {
        let mut sum = at(0);
        let mut pitch = String::new();
        for d in 1..dims {
            let row = format!("({}{pad})", sizes[d - 1]);
            pitch = if pitch.is_empty() {
                row
            } else {
                format!("{pitch} * {row}")
            };
            sum = format!("({}) * {pitch} + {sum}", at(d));
        }
        sum
    };
    let here = linear(&|d| names[d].to_owned(), "");
    text.push_str(&format!("    {element} sum = ({element})(0);\n"));
    // The offsets: a loop per dimension, or a list.
    let loops = radius == "R" || random.below(2) == 0;
    let inside = all(
        &|d| {
            format!(
                "{0} >= {radius} && {0} + {radius} < {1}",
                names[d], sizes[d]
            )
        },
        " && ",
    );
    let pad = if border == "padded" {
        format!(" + 2 * {radius}")
    } else {
        String::new()
    };
    let load = |offset: &dyn Fn(usize) -> String| -> String {
        let moved = |d: usize| format!("{} + {}", names[d], offset(d));
        let index = match border {
            "clamp" => linear(&|d| format!("clamp({}, 0, {} - 1)", moved(d), sizes[d]), ""),
            "wrap" => linear(&|d| format!("wrap({}, {})", moved(d), sizes[d]), ""),
            "padded" => linear(&|d| format!("{} + {radius}", moved(d)), &pad),
            _ => linear(&|d| moved(d), ""),
        };
        let read = match style {
            "macro" => format!("in[IDX({index})]"),
            "pointer" => format!("*(in + ({index}))"),
            _ => format!("in[{index}]"),
        };
        match border {
            "zero" => {
                let test = all(
                    &|d| format!("{0} >= 0 && {0} < {1}", moved(d), sizes[d]),
                    " && ",
                );
                format!("({test} ? {read} : ({element})(0))")
            }
            _ => read,
        }
    };
    let mut body = String::new();
    if loops {
        let mut indent = "        ".to_owned();
        for d in (0..dims).rev() {
            let variable = format!("d{}", names[d]);
            body.push_str(&format!(
                "{indent}for (int {variable} = -(int){radius}; {variable} <= (int){radius}; ++{variable})\n"
            ));
            indent.push_str("    ");
        }
        body.push_str(&format!(
            "{indent}sum += {};\n",
            load(&|d| format!("d{}", names[d]))
        ));
    } else {
        let reach: i64 = radius.parse().unwrap_or(1);
        let taps = 2 + random.below(4);
        for _ in 0..taps {
            let offsets: Vec<i64> = (0..dims)
                .map(|_| random.below(2 * reach as u64 + 1) as i64 - reach)
                .collect();
            body.push_str(&format!(
                "        sum += {};\n",
                load(&|d| offsets[d].to_string())
            ));
        }
    }
    let guard = match (border, early) {
        ("inside" | "return", true) => inside.clone(),
        ("inside" | "return", false) => format!("{within} && {inside}"),
        (_, false) => within.clone(),
        (_, true) => String::new(),
    };
    if guard.is_empty() {
        text.push_str(&body);
    } else {
        text.push_str(&format!("    if ({guard}) {{\n{body}    }}\n"));
    }
    let store = format!("out[{here}] = sum;");
    text.push_str(&match early {
        true => format!("    {store}\n}}\n"),
        false => format!("    if ({within})\n        {store}\n}}\n"),
    });
    Case { text, dims }
}

/// What became of a seed.
enum Outcome {
    Proved,
    Refused(String),
}

fn run(seed: u64, folder: &std::path::Path) -> Outcome {
    let case = kernel(seed);
    let path = folder.join(format!("k{seed}.cl"));
    std::fs::write(&path, &case.text).expect("a file in a temporary folder");
    let local = [[16, 1, 1], [8, 4, 1], [4, 4, 2]][case.dims - 1];
    let shape = |f: &dyn Fn(usize) -> String| (0..case.dims).map(f).collect::<Vec<_>>();
    let sizes = ["W", "H", "D"];
    let mut args = vec![];
    for (d, value) in [37, 11, 5].iter().take(case.dims).enumerate() {
        args.push((sizes[d].to_owned(), value.to_string()));
    }
    args.push(("R".to_owned(), "2".to_owned()));
    let length = shape(&|d| format!("({}+2*R)", sizes[d])).join("*");
    args.push(("in".to_owned(), format!("[{length}]")));
    args.push((
        "out".to_owned(),
        format!("[{}]", shape(&|d| sizes[d].to_owned()).join("*")),
    ));
    let flags = LaunchSpec {
        global: Some(Text::flag(
            shape(&|d| format!("roundup({},{})", sizes[d], local[d])).join(","),
        )),
        local: Some(Text::flag(shape(&|d| local[d].to_string()).join("x"))),
        args: args
            .into_iter()
            .map(|(name, value)| ArgSetting {
                key: ArgKey::Name(name),
                value: Text::flag(value),
            })
            .collect(),
        ..LaunchSpec::default()
    };
    let input = KernelInput {
        path,
        flags,
        ..KernelInput::default()
    };
    let session = Session {
        device: DeviceChoice::Simulated("h200".to_owned()),
        threads: Some(1),
        ..Session::default()
    };
    let run = stage(&session, &input, &StageOptions::default())
        .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", case.text))
        .swap_remove(0);
    match run.candidates.first().and_then(|c| c.verified.as_ref()) {
        Some(verified) if verified.equal => Outcome::Proved,
        Some(verified) => {
            let wrong = verified.trials.iter().find(|t| !t.equal);
            panic!("seed {seed}: {wrong:?} {:?}\n{}", run.findings, case.text)
        }
        None => {
            let code = run.findings.first().map(|f| f.code.clone());
            Outcome::Refused(code.unwrap_or_else(|| panic!("seed {seed}: no reason")))
        }
    }
}

/// A short form of the search: none is wrong, and nine of ten are staged.
#[test]
fn random_kernels_are_staged_and_proved_or_refused() {
    let from: u64 = std::env::var("TILEWISE_SEED").map_or(1, |s| s.parse().expect("a number"));
    let count: u64 = std::env::var("TILEWISE_SEEDS").map_or(6, |s| s.parse().expect("a number"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut refused = Vec::new();
    for seed in from..from + count {
        if let Outcome::Refused(code) = run(seed, folder.path()) {
            refused.push((seed, code));
        }
    }
    println!("{} of {count} refused: {refused:?}", refused.len());
    // A single tap has nothing to reuse; that is no miss.
    refused.retain(|(_, code)| code != "TW310");
    assert!(refused.len() as u64 * 10 <= count, "{refused:?}");
}
