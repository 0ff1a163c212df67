//! Where a finding stands in the source, and who it happened to.

use tilewise_ir::{Form, InstId, Kernel, Op, SiteId};
use tilewise_report::{Diagnostic, Label, Severity, Snippet};
use tilewise_sim::RegionInfo;

use crate::load::Loaded;

/// Lines shown around a finding.
const CONTEXT: u32 = 1;
/// A snippet covers the other places of a finding, too, where it is no longer
/// than this.
const LONGEST_SNIPPET: u32 = 60;

/// A diagnostic at a site of the form as written, without text.
pub(super) fn at(loaded: &Loaded, site: SiteId) -> Diagnostic {
    at_in(loaded, Form::AsWritten, site)
}

/// A diagnostic at a site of a form, without text.
pub(super) fn at_in(loaded: &Loaded, form: Form, site: SiteId) -> Diagnostic {
    let sites = &loaded.program(form).sites;
    let site = sites.get(site);
    let file = sites.file_name(site.position.file).to_owned();
    let mut labels = Vec::new();
    if let Some(spelling) = site.spelling {
        labels.push(Label {
            message: "inside this macro".to_owned(),
            file: sites.file_name(spelling.file).to_owned(),
            line: spelling.line,
            column: spelling.column,
        });
    }
    for call in site.inlined_at.into_iter().flat_map(|id| sites.chain(id)) {
        labels.push(Label {
            message: "called from here".to_owned(),
            file: sites.file_name(call.position.file).to_owned(),
            line: call.position.line,
            column: call.position.column,
        });
    }
    Diagnostic {
        code: String::new(),
        severity: Severity::Error,
        message: String::new(),
        snippet: snippet(loaded, &file, site.position.line),
        file,
        line: site.position.line,
        column: site.position.column,
        kernel: loaded.signature.kernel.clone(),
        labels,
        notes: Vec::new(),
        help: Vec::new(),
        count: 1,
    }
}

/// A diagnostic at the kernel's name where it is defined, without text.
pub(super) fn at_kernel(loaded: &Loaded) -> Diagnostic {
    let kernel = &loaded.signature.kernel;
    let found = loaded.unit.files.iter().find_map(|(file, text)| {
        let at = definition(text, kernel)?;
        Some((file.clone(), text, at))
    });
    let (file, line, column) = match found {
        Some((file, text, at)) => {
            let line = text[..at].matches('\n').count() as u32 + 1;
            let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
            (file, line, (at - start) as u32 + 1)
        }
        None => (loaded.path.display().to_string(), 0, 0),
    };
    Diagnostic {
        code: String::new(),
        severity: Severity::Warning,
        message: String::new(),
        snippet: snippet(loaded, &file, line).filter(|_| line > 0),
        file,
        line,
        column,
        kernel: kernel.clone(),
        labels: Vec::new(),
        notes: Vec::new(),
        help: Vec::new(),
        count: 1,
    }
}

/// Where a text defines a function that returns nothing.
fn definition(text: &str, name: &str) -> Option<usize> {
    text.match_indices(name).map(|(at, _)| at).find(|&at| {
        let before = text[..at].trim_end();
        let after = text[at + name.len()..].trim_start();
        before.len() < at && before.ends_with("void") && after.starts_with('(')
    })
}

/// The lines of a file around one of them.
pub(super) fn snippet(loaded: &Loaded, file: &str, line: u32) -> Option<Snippet> {
    lines_between(loaded, file, line, line)
}

/// The lines from one to another, and some around them.
fn lines_between(loaded: &Loaded, file: &str, first: u32, last: u32) -> Option<Snippet> {
    let text = loaded.file_text(file)?;
    let first_line = first.saturating_sub(CONTEXT).max(1);
    let count = last.saturating_add(CONTEXT + 1).saturating_sub(first_line);
    let lines: Vec<String> = text
        .lines()
        .skip(first_line as usize - 1)
        .take(count as usize)
        .map(str::to_owned)
        .collect();
    (!lines.is_empty()).then_some(Snippet { first_line, lines })
}

pub(super) fn work_item(loaded: &Loaded, id: [u64; 3]) -> String {
    let dims = usize::from(loaded.resolved.launch.range.dims);
    match &id[..dims] {
        [one] => one.to_string(),
        several => format!(
            "({})",
            several
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// A label at another site of the form as written.
pub(super) fn label(loaded: &Loaded, site: SiteId, message: String) -> Label {
    let place = at(loaded, site);
    Label {
        message,
        file: place.file,
        line: place.line,
        column: place.column,
    }
}

/// Makes the snippet long enough to show the labels of the same file.
pub(super) fn widen_snippet(loaded: &Loaded, diagnostic: &mut Diagnostic) {
    let lines = || {
        let labels = diagnostic.labels.iter();
        let here = labels.filter(|l| l.file == diagnostic.file && l.line > 0);
        here.map(|l| l.line).chain([diagnostic.line])
    };
    let (Some(first), Some(last)) = (lines().min(), lines().max()) else {
        return;
    };
    if last - first < LONGEST_SNIPPET {
        diagnostic.snippet = lines_between(loaded, &diagnostic.file, first, last);
    }
}

/// An element of a region as the source names it, such as `tile[33]`, with the
/// byte within it where the offset is not that of an element.
pub(super) fn element(info: &RegionInfo, offset: u64) -> String {
    let elem = info.elem_bytes.max(1);
    let index = offset / elem;
    match offset % elem {
        _ if info.bytes == Some(elem) => info.name.clone(),
        0 => format!("{}[{index}]", info.name),
        byte => format!("{}[{index}] at byte {byte}", info.name),
    }
}

/// The operation of an instruction; `None` of a terminator.
pub(super) fn op(kernel: &Kernel, inst: InstId) -> Option<&Op> {
    let (block, at) = kernel.numbering().position(inst);
    kernel.block(block).insts.get(at).map(|inst| &inst.op)
}

/// The site of an instruction or terminator.
pub(super) fn site(kernel: &Kernel, inst: InstId) -> SiteId {
    let (block, at) = kernel.numbering().position(inst);
    let block = kernel.block(block);
    block.insts.get(at).map_or(block.term_site, |i| i.site)
}
