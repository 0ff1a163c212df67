//! Installs what the tests need, with the system's package manager.
//!
//! Only Debian and Ubuntu are known; elsewhere the task says what is missing
//! and what it is called there is for the user to find. Nothing is installed
//! that is already there.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

/// A program or library that the tests need.
struct Need {
    /// What it is for, in words.
    what: &'static str,
    /// Debian's package.
    package: &'static str,
    present: fn() -> bool,
}

const NEEDS: [Need; 4] = [
    Need {
        what: "clang 14, which reads OpenCL C",
        package: "clang-14",
        present: || has_program("clang-14"),
    },
    Need {
        what: "the LLVM to SPIR-V translator",
        package: "llvm-spirv-14",
        present: || has_program("llvm-spirv-14"),
    },
    Need {
        what: "PoCL, an OpenCL device that runs on the CPU",
        package: "pocl-opencl-icd",
        present: || Path::new("/etc/OpenCL/vendors/pocl.icd").exists(),
    },
    Need {
        what: "a loader for OpenCL drivers",
        package: "ocl-icd-libopencl1",
        present: || has_library("libOpenCL.so.1"),
    },
];

/// Installs what is missing, or says how.
pub fn run() -> anyhow::Result<()> {
    let missing: Vec<&Need> = NEEDS.iter().filter(|n| !(n.present)()).collect();
    if missing.is_empty() {
        eprintln!("setup: clang, llvm-spirv, PoCL and an OpenCL loader are here");
        return Ok(());
    }
    for need in &missing {
        eprintln!("setup: missing {} (package {})", need.what, need.package);
    }
    let packages: Vec<&str> = missing.iter().map(|n| n.package).collect();
    let line = format!("apt-get install -y {}", packages.join(" "));
    if !has_program("apt-get") {
        bail!(
            "this machine has no apt-get. Install with its own package manager what Debian calls: {}",
            packages.join(" ")
        );
    }
    let Some(prefix) = root_prefix() else {
        bail!("setup needs root. Run this, then start again:\n\n    sudo {line}\n");
    };
    apt(prefix, &["update"])?;
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(&packages);
    apt(prefix, &install)?;
    if let Some(need) = NEEDS.iter().find(|n| !(n.present)()) {
        bail!(
            "`{line}` went through, but {} is still not found",
            need.what
        );
    }
    Ok(())
}

/// How to become root: nothing to do, by `sudo` without a password, or not.
fn root_prefix() -> Option<&'static [&'static str]> {
    let output = |program: &str, args: &[&str]| Command::new(program).args(args).output();
    let is_root = output("id", &["-u"]).is_ok_and(|o| o.stdout.trim_ascii() == b"0");
    if is_root {
        Some(&[])
    } else if output("sudo", &["-n", "true"]).is_ok_and(|o| o.status.success()) {
        Some(&["sudo", "-n"])
    } else {
        None
    }
}

fn apt(prefix: &[&str], args: &[&str]) -> anyhow::Result<()> {
    let mut words: Vec<&str> = prefix.to_vec();
    words.push("apt-get");
    words.extend(args);
    eprintln!("setup: {}", words.join(" "));
    let status = Command::new(words[0])
        .args(&words[1..])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .status()
        .with_context(|| format!("can't start {}", words[0]))?;
    if !status.success() {
        bail!("`{}` failed: {status}", words.join(" "));
    }
    Ok(())
}

fn has_program(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(name).is_file()))
}

fn has_library(name: &str) -> bool {
    let known = Command::new("ldconfig")
        .arg("-p")
        .output()
        .is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains(name));
    known
        || [
            "/usr/lib/x86_64-linux-gnu",
            "/usr/lib/aarch64-linux-gnu",
            "/usr/lib64",
        ]
        .iter()
        .any(|dir| Path::new(dir).join(name).exists())
}
