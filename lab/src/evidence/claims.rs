//! The claims, one function per subject.

use serde_json::Value;

use super::{Bench, Claim, checks, language, runs, speed, staging};

/// All claims, in the order of the table.
///
/// # Errors
/// The committed runs can't be read.
pub fn all(bench: &Bench) -> anyhow::Result<Vec<Claim>> {
    let mut claims = counters();
    claims.extend(article());
    claims.extend(predictions());
    claims.extend(bad_input());
    claims.extend(demo());
    claims.extend(runs::measured(bench)?);
    claims.extend(language::claims());
    claims.extend(checks::claims());
    claims.extend(staging::claims());
    claims.extend(speed::claims());
    Ok(claims)
}

/// Simulated counters against the figures that an H200's hardware counters
/// gave for the same kernels.
fn counters() -> Vec<Claim> {
    let blur = "examples/blur/blur.cl";
    let matmul = "examples/matmul/matmul.cl";
    let transpose = "examples/transpose/transpose.cl";
    let rows: [(&str, &str, &str, &str, f64); 19] = [
        (
            blur,
            "blur_naive",
            "global_load_requests",
            "/profile/counters/global_load_requests",
            1_572_864.0,
        ),
        (
            blur,
            "blur_naive",
            "global_load_sectors",
            "/profile/counters/global_load_sectors",
            7_340_030.0,
        ),
        (
            blur,
            "blur_naive",
            "accesses of in",
            "/profile/buffers/0/accesses",
            50_331_646.0,
        ),
        (
            blur,
            "blur_naive",
            "distinct elements of in",
            "/profile/buffers/0/distinct",
            16_908_286.0,
        ),
        (
            blur,
            "blur_naive",
            "reuse of in",
            "/profile/buffers/0/reuse",
            2.977,
        ),
        (
            blur,
            "blur_tiled",
            "global_load_requests",
            "/profile/counters/global_load_requests",
            655_358.0,
        ),
        (
            blur,
            "blur_tiled",
            "global_load_sectors",
            "/profile/counters/global_load_sectors",
            2_228_222.0,
        ),
        (
            blur,
            "blur_tiled",
            "local_load_requests",
            "/profile/counters/local_load_requests",
            1_572_864.0,
        ),
        (
            blur,
            "blur_tiled",
            "accesses of in",
            "/profile/buffers/0/accesses",
            16_908_286.0,
        ),
        (
            blur,
            "blur_tiled",
            "distinct elements of in",
            "/profile/buffers/0/distinct",
            16_908_286.0,
        ),
        (
            blur,
            "blur_tiled",
            "reuse of in",
            "/profile/buffers/0/reuse",
            1.0,
        ),
        (
            matmul,
            "matmul_naive",
            "global_load_requests",
            "/profile/counters/global_load_requests",
            8_388_608.0,
        ),
        (
            matmul,
            "matmul_naive",
            "global_load_sectors",
            "/profile/counters/global_load_sectors",
            16_777_216.0,
        ),
        (
            matmul,
            "matmul_tiled",
            "local_load_requests",
            "/profile/counters/local_load_requests",
            5_242_880.0,
        ),
        (
            transpose,
            "transpose_tiled",
            "global_load_sectors",
            "/profile/counters/global_load_sectors",
            2_097_152.0,
        ),
        (
            transpose,
            "transpose_tiled",
            "local_load_requests",
            "/profile/counters/local_load_requests",
            524_288.0,
        ),
        (
            transpose,
            "transpose_tiled",
            "local_load_passes",
            "/profile/counters/local_load_passes",
            16_777_216.0,
        ),
        (
            transpose,
            "transpose_padded",
            "global_load_sectors",
            "/profile/counters/global_load_sectors",
            2_097_152.0,
        ),
        (
            transpose,
            "transpose_padded",
            "local_load_passes",
            "/profile/counters/local_load_passes",
            524_288.0,
        ),
    ];
    rows.into_iter()
        .map(|(file, kernel, what, pointer, target)| {
            let input = format!("{file}::{kernel}");
            Claim::new(
                format!("{kernel}: {what}, simulated as the hardware counts"),
                number(target),
                move |bench| {
                    let run = profile(bench, &input)?;
                    let found = run.pointer(pointer).and_then(Value::as_f64);
                    let found = found.unwrap_or(f64::NAN);
                    // Counts are exact; the reuse factor is stated to three places.
                    let ok = (found - target).abs() < 0.0005;
                    Ok((number(found), ok))
                },
            )
        })
        .collect()
}

fn profile(bench: &Bench, input: &str) -> anyhow::Result<Value> {
    bench.json(&[
        "profile",
        input,
        "--launch-name",
        "counters",
        "--device",
        "sim:h200",
    ])
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value}")
    } else {
        format!("{value:.3}")
    }
}

/// The article's own kernel is wrong when its range is padded by more than a
/// group.
fn article() -> Vec<Claim> {
    let check = |global: &'static str| {
        move |bench: &Bench| {
            bench.json(&[
                "check",
                "examples/blur/blur.cl::blur_tiled",
                "--arg",
                "n=100",
                "--arg",
                "in=[100]",
                "--arg",
                "out=[100]",
                "--global",
                global,
                "--local",
                "64",
                "--device",
                "sim:h200",
            ])
        }
    };
    let padded = check("256");
    let fitting = check("128");
    vec![
        Claim::new(
            "the article's blur at n = 100, global 256, local 64 reads outside `in`",
            "TW104, 2 accesses",
            move |bench| {
                let run = padded(bench)?;
                let found = &run["findings"][0];
                let code = found["code"].as_str().unwrap_or("none");
                let text = format!("{code}, {} accesses", found["count"]);
                let ok = text == "TW104, 2 accesses";
                Ok((text, ok))
            },
        ),
        Claim::new(
            "the same at global 128 is clean",
            "0 findings",
            move |bench| {
                let run = fitting(bench)?;
                let n = run["findings"].as_array().map_or(usize::MAX, Vec::len);
                Ok((format!("{n} findings"), n == 0))
            },
        ),
    ]
}

/// Predicted verdicts for the simulated H200.
fn predictions() -> Vec<Claim> {
    let pays = "pays";
    [
        ("blur", "blur_naive", "blur_tiled", &[][..], "loses"),
        ("matmul", "matmul_naive", "matmul_tiled", &[], pays),
        (
            "conv2d",
            "conv2d_naive",
            "conv2d_tiled",
            &["--arg", "R=7"],
            pays,
        ),
        ("nbody", "nbody_naive", "nbody_tiled", &[], pays),
        (
            "transpose",
            "transpose_naive",
            "transpose_padded",
            &[],
            pays,
        ),
    ]
    .into_iter()
    .map(|(topic, unstaged, staged, flags, target)| {
        Claim::new(
            format!("{staged} against {unstaged}, predicted for sim:h200"),
            target,
            move |bench| {
                let input = format!("examples/{topic}/{topic}.cl::{unstaged}");
                let against = format!("::{staged}");
                let mut args = vec!["advise", &input, "--against", &against];
                args.extend(flags);
                args.extend(["--device", "sim:h200"]);
                let run = bench.json(&args)?;
                let verdict = &run["verdict"];
                let kind = verdict["kind"].as_str().unwrap_or("none");
                let speedup = verdict["speedup"].as_f64().unwrap_or(f64::NAN);
                Ok((format!("{kind} {speedup:.2}x"), kind == target))
            },
        )
    })
    .collect()
}

/// Input that can't be used: exit code, and a word that the message must hold.
fn bad_input() -> Vec<Claim> {
    let blur = "examples/blur/blur.cl";
    let naive = "examples/blur/blur.cl::blur_naive";
    let tiled = "examples/blur/blur.cl::blur_tiled";
    let rows: [(&str, Vec<&str>, i32, &str); 11] = [
        (
            "a missing file",
            vec!["profile", "examples/no.cl"],
            2,
            "no.cl",
        ),
        ("an empty file", vec!["profile", "/dev/null"], 2, "empty"),
        (
            "several kernels and none named",
            vec!["profile", blur],
            2,
            "blur_tiled",
        ),
        (
            "an unknown argument name",
            vec!["profile", naive, "--arg", "m=5"],
            2,
            "no argument",
        ),
        (
            "an argument index too high",
            vec!["profile", naive, "--arg", "7=5"],
            2,
            "arguments",
        ),
        (
            "a wrong argument type",
            vec!["profile", naive, "--arg", "in=f64[n]"],
            2,
            "f64",
        ),
        (
            "a group that does not divide the range",
            vec!["profile", naive, "--global", "1000", "--local", "256"],
            2,
            "--global",
        ),
        (
            "a group above the device's limit",
            vec!["profile", naive, "--local", "2048"],
            2,
            "1024",
        ),
        (
            "a size of zero",
            vec!["profile", naive, "--global", "0"],
            2,
            "0",
        ),
        (
            "a buffer too small for what the kernel reads",
            vec!["check", naive, "--arg", "n=1000", "--arg", "in=[900]"],
            1,
            "TW104",
        ),
        (
            "an unknown device",
            vec!["profile", tiled, "--device", "sim:h2000"],
            2,
            "sim:h200",
        ),
    ];
    let mut claims: Vec<Claim> = rows
        .into_iter()
        .map(|(what, args, code, word)| {
            Claim::new(
                format!("{what}: a clear message and the exit code"),
                format!("exit {code}, names {word:?}"),
                move |bench| {
                    let output = bench.tilewise(&args)?;
                    let text = [&output.stdout[..], &output.stderr[..]].concat();
                    let text = String::from_utf8_lossy(&text).into_owned();
                    let found = output.status.code().unwrap_or(-1);
                    let line = text.lines().find(|l| l.contains(word)).unwrap_or("");
                    let shown: String = line.trim().chars().take(60).collect();
                    Ok((
                        format!("exit {found}: {shown}"),
                        found == code && !line.is_empty(),
                    ))
                },
            )
        })
        .collect();
    claims.push(Claim::new(
        "clang or its translator missing: the line that installs it",
        "exit 3, names \"install\"",
        move |bench| {
            let output = bench
                .command(&["profile", naive])
                .env("PATH", "/nonexistent")
                .output()?;
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let code = output.status.code().unwrap_or(-1);
            let shown: String = text.lines().last().unwrap_or("").chars().take(60).collect();
            Ok((
                format!("exit {code}: {shown}"),
                code == 3 && text.contains("install"),
            ))
        },
    ));
    claims
}

/// The demo needs neither clang nor OpenCL.
fn demo() -> Vec<Claim> {
    vec![Claim::new(
        "the demo without clang and without OpenCL",
        "exit 0, both kernels equal the reference, verdict last",
        |bench| {
            let output = bench
                .command(&["demo"])
                .env("PATH", "/nonexistent")
                .env("TILEWISE_OPENCL_LIB", "/nonexistent/libOpenCL.so")
                .output()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let last = text.lines().last().unwrap_or("").to_owned();
            let ok = output.status.success()
                && last.starts_with("verdict: ")
                && text.contains("against a reference in Rust");
            Ok((last.chars().take(60).collect(), ok))
        },
    )]
}
