//! What a person reads in a terminal: one form per command, calm and aligned.
//! Every block of figures says how they were obtained. Colours are terminal
//! escape sequences or absent ([`Style`]); nothing is laid out to the width of
//! the terminal but the source excerpts, which are cut.

mod advise;
mod bench;
mod check;
mod compare;
mod demo;
mod devices;
mod profile;
mod stage;
mod table;
mod verify;

pub use demo::chapter;
pub use devices::{DeviceRow, devices};

use crate::control::harmless;
use crate::phrase;
use crate::run::{Command, Run};
use crate::style::Style;

/// Renders runs of one invocation, each in the form of its command. With
/// several verdicts, their lines are repeated together at the end, so that they
/// are the last thing on the screen. Ends with a line feed, unless `runs` is
/// empty.
pub fn render(runs: &[Run], style: Style) -> String {
    let mut out = runs
        .iter()
        .map(|run| one(run, style))
        .collect::<Vec<_>>()
        .join("\n");
    let verdicts: Vec<String> = runs
        .iter()
        .filter_map(|run| advise::verdict_line(run, style))
        .collect();
    if verdicts.len() > 1 {
        out.push('\n');
        for line in verdicts {
            out.push_str(&line);
            out.push('\n');
        }
    }
    harmless(&out, style)
}

/// The verdict in one line, without a line feed: `verdict: loses 0.83x (95% CI
/// 0.82-0.84) | blur_naive, staged: in | global 67108864 local 256 | NVIDIA H200
/// | measured`. `None` without a verdict.
pub fn verdict_line(run: &Run, style: Style) -> Option<String> {
    advise::verdict_line(run, style).map(|line| harmless(&line, style))
}

fn one(run: &Run, style: Style) -> String {
    match run.command {
        Command::Check => check::check(run, style),
        Command::Profile => profile::profile(run, style),
        Command::Verify => verify::verify(run, style),
        Command::Bench => bench::bench(run, style),
        Command::Advise => advise::advise(run, style),
        Command::Demo => demo::demo(run, style),
        Command::Stage => stage::stage(run, style),
    }
}

/// The kernel and its file, then the launch and the device.
fn header(run: &Run, style: Style) -> String {
    let mut out = format!(
        "{}  {}\n{} | {}",
        style.heading(&run.kernel),
        style.quiet(phrase::printable(&run.file)),
        phrase::launch(&run.launch),
        phrase::device(&run.device)
    );
    if let Some(profile) = &run.profile {
        out.push_str(" | ");
        out.push_str(&phrase::sampled(&profile.sampled));
    }
    out.push('\n');
    if !run.launch.args.is_empty() {
        let args: Vec<String> = run
            .launch
            .args
            .iter()
            .map(|arg| format!("{}={}", arg.name, arg.value))
            .collect();
        out.push_str(&style.quiet(phrase::printable(&args.join("  "))));
        out.push('\n');
    }
    out
}

/// A heading, with a quiet remark on how the figures below it were obtained.
fn section(title: &str, remark: &str, style: Style) -> String {
    if remark.is_empty() {
        format!("\n{}\n", style.heading(title))
    } else {
        format!(
            "\n{}  {}\n",
            style.heading(title),
            style.quiet(format_args!("({remark})"))
        )
    }
}

/// The `note:` lines and the timings, after an empty line if there are any.
fn footer(run: &Run, style: Style) -> String {
    let mut out = String::new();
    for note in phrase::notes(run) {
        // What a compiler said has several lines.
        for (i, line) in note.lines().enumerate() {
            let head = match i {
                0 => style.quiet("note:"),
                _ => "     ".to_owned(),
            };
            let line = format!("{head} {}", phrase::printable(line));
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    for timing in &run.timings {
        out.push_str(&style.quiet(format_args!(
            "time: {} {} s",
            timing.phase,
            crate::number::fixed(timing.seconds, 3)
        )));
        out.push('\n');
    }
    if !out.is_empty() {
        out.insert(0, '\n');
    }
    out
}
