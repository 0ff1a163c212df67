//! A staged form: the change as a diff, what it stages, its proof, and what the
//! host has to set.

use super::{footer, header, section};
use crate::number;
use crate::phrase;
use crate::run::{Candidate, Run, Staging};
use crate::style::Style;

/// Renders `tilewise stage`.
pub(super) fn stage(run: &Run, style: Style) -> String {
    let mut out = header(run, style);
    let staged: Vec<(&Candidate, &Staging)> = run
        .candidates
        .iter()
        .filter_map(|c| Some((c, c.staging.as_ref()?)))
        .collect();
    if staged.is_empty() {
        out.push_str(match run.removal {
            true => "\nno tile was removed\n",
            false => "\nnothing was staged\n",
        });
    }
    for (candidate, staging) in &staged {
        let proved = candidate.verified.as_ref().is_some_and(|v| v.equal);
        if !staging.diff.is_empty() {
            let remark = if proved { "" } else { "NOT PROVED" };
            out.push_str(&section("Change", remark, style));
            out.push_str(&diff(&staging.diff, style));
        }
        if !staging.tiles.is_empty() {
            out.push_str(&section("Staged", "", style));
        }
        for tile in &staging.tiles {
            let bytes = tile.bytes.map_or(String::new(), |b| {
                format!(", {} B per group at this launch", number::count(b))
            });
            out.push_str(&format!(
                "  {} in {}: {} elements{bytes}\n",
                tile.buffer, tile.name, tile.elements
            ));
        }
    }
    out.push_str(&super::verify::body_of(
        run,
        &staged.iter().map(|(c, _)| *c).collect::<Vec<_>>(),
        style,
    ));
    for (_, staging) in &staged {
        if !staging.host.is_empty() {
            out.push_str(&section("Host", "", style));
            for line in &staging.host {
                out.push_str(&format!("  {}\n", phrase::printable(line)));
            }
        }
    }
    out.push_str(&super::check::brief(run, style));
    out.push_str(&footer(run, style));
    out
}

/// A diff with its added and removed lines coloured.
fn diff(text: &str, style: Style) -> String {
    let mut out = String::new();
    for line in text.lines() {
        // Tabs are part of the change.
        let shown: String = line
            .chars()
            .map(|c| {
                if c.is_control() && c != '\t' {
                    '\u{fffd}'
                } else {
                    c
                }
            })
            .collect();
        let shown = match line.as_bytes().first() {
            Some(b'+') => style.good(shown),
            Some(b'-') => style.bad(shown),
            Some(b'@') => style.quiet(shown),
            _ => shown,
        };
        out.push_str(&shown);
        out.push('\n');
    }
    out
}
