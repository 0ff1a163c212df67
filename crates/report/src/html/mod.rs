//! One page that needs nothing else: no script, no font, no other file. The
//! verdict stands on top, then the procedure, the forms side by side, time,
//! memory, occupancy and findings. The markup is in `templates/`, where askama
//! escapes every value; figures are inline SVG.

mod axis;
mod heat;
mod occupancy;
mod scale;
mod strip;
mod view;

use askama::Template;

use crate::control::harmless;
use crate::run::Run;
use crate::style::Style;
use view::RunView;

/// Why the page can't be rendered.
#[derive(Debug, thiserror::Error)]
#[error("the HTML page can't be rendered: {0}")]
pub struct HtmlError(#[from] askama::Error);

#[derive(Template)]
#[template(path = "page.html")]
struct Page {
    title: String,
    version: String,
    runs: Vec<RunView>,
}

/// Renders runs as one page, in the order given.
///
/// # Errors
/// Only what the template engine reports.
pub fn render(runs: &[Run]) -> Result<String, HtmlError> {
    let title = match runs {
        [] => "tilewise".to_owned(),
        [run] => format!("{} on {}", run.kernel, run.device.name),
        [run, ..] => format!("{}, {} runs", run.kernel, runs.len()),
    };
    let page = Page {
        title,
        version: runs.first().map(|r| r.tilewise.clone()).unwrap_or_default(),
        runs: runs
            .iter()
            .map(RunView::new)
            .collect::<Result<_, askama::Error>>()?,
    };
    Ok(harmless(&page.render()?, Style::plain()))
}
