//! Findings as [SARIF 2.1.0](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html),
//! the form that GitHub's code scanning reads: the rules with their help, and a
//! result for each finding. Columns count UTF-16 units in SARIF and bytes in a
//! finding; they are converted where the finding carries its source line.
//!
//! What [code scanning](https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning)
//! asks for beyond the standard is there: every rule has a short and a full
//! description and help, every result a line, and a fingerprint by which a finding
//! is known again when lines move; files are named relative to the root of the
//! source, where the user named them so.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::diagnostic::{Diagnostic, Severity};
use crate::fingerprint::fingerprints;
use crate::run::Run;

/// What a code means, for the list of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Code such as `TW104`.
    pub code: String,
    /// A few words: `access outside its buffer`.
    pub title: String,
    /// The page of `explain`, in Markdown.
    pub help: String,
    /// Severity of its findings.
    pub severity: Severity,
}

/// Renders the findings of runs. A code that `rules` lacks gets a rule without
/// help, so that every result has one.
///
/// # Errors
/// Only what `serde_json` reports when it writes.
pub fn render(runs: &[Run], rules: &[Rule]) -> Result<String, serde_json::Error> {
    let findings: Vec<&Diagnostic> = runs.iter().flat_map(|run| &run.findings).collect();
    let mut listed: Vec<ReportingDescriptor> = rules.iter().map(ReportingDescriptor::of).collect();
    for finding in &findings {
        if !listed.iter().any(|rule| rule.id == finding.code) {
            listed.push(ReportingDescriptor::of(&Rule {
                code: finding.code.clone(),
                title: finding.code.clone(),
                help: String::new(),
                severity: finding.severity,
            }));
        }
    }
    let index: BTreeMap<&str, usize> = listed
        .iter()
        .enumerate()
        .map(|(i, rule)| (rule.id.as_str(), i))
        .collect();
    let results = findings
        .iter()
        .zip(fingerprints(&findings))
        .map(|(finding, fingerprint)| {
            let rule = index.get(finding.code.as_str()).copied();
            SarifResult::of(finding, rule, fingerprint)
        })
        .collect();
    let version = runs
        .first()
        .map_or(env!("CARGO_PKG_VERSION"), |run| run.tilewise.as_str())
        .to_owned();
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [SarifRun {
            tool: Tool {
                driver: Driver {
                    name: "tilewise",
                    version,
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    rules: listed,
                },
            },
            column_kind: "utf16CodeUnits",
            results,
        }],
    };
    let mut text = serde_json::to_string_pretty(&log)?;
    text.push('\n');
    Ok(text)
}

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: String,
    information_uri: &'static str,
    rules: Vec<ReportingDescriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportingDescriptor {
    id: String,
    short_description: Message,
    full_description: Message,
    help: Help,
    default_configuration: Configuration,
    properties: RuleProperties,
}

/// What code scanning sorts and filters by.
#[derive(Serialize)]
struct RuleProperties {
    tags: [&'static str; 2],
    precision: &'static str,
    #[serde(rename = "problem.severity")]
    severity: &'static str,
}

impl ReportingDescriptor {
    fn of(rule: &Rule) -> Self {
        // Code scanning shows nothing of a rule without help.
        let help = match rule.help.as_str() {
            "" => format!("Run `tilewise explain {}`.", rule.code),
            help => help.to_owned(),
        };
        Self {
            id: rule.code.clone(),
            short_description: Message {
                text: rule.title.clone(),
            },
            full_description: Message {
                text: first_paragraph(&rule.help).unwrap_or_else(|| rule.title.clone()),
            },
            help: Help {
                text: help.clone(),
                markdown: help,
            },
            default_configuration: Configuration {
                level: level(rule.severity),
            },
            properties: RuleProperties {
                tags: [
                    "opencl",
                    match rule.severity {
                        Severity::Error => "correctness",
                        Severity::Warning | Severity::Note => "performance",
                    },
                ],
                // A finding is something that a run has done.
                precision: "very-high",
                severity: match rule.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                    Severity::Note => "recommendation",
                },
            },
        }
    }
}

/// The first paragraph of a page behind its title, as one line.
fn first_paragraph(page: &str) -> Option<String> {
    let mut blocks = page.split("\n\n").map(str::trim);
    let block = blocks.find(|block| !block.is_empty() && !block.starts_with('#'))?;
    Some(block.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrence_count: Option<u64>,
}

/// What a result is known by when lines move.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints {
    /// The name that code scanning looks for.
    primary_location_line_hash: String,
}

impl SarifResult {
    fn of(finding: &Diagnostic, rule_index: Option<usize>, fingerprint: String) -> Self {
        let mut text = finding.message.clone();
        for line in finding.notes.iter().chain(&finding.help) {
            text.push('\n');
            text.push_str(line);
        }
        let related_locations = finding
            .labels
            .iter()
            .enumerate()
            .map(|(id, label)| Location {
                id: Some(id),
                physical_location: PhysicalLocation::of(
                    &label.file,
                    label.line,
                    utf16_column(finding, &label.file, label.line, label.column),
                ),
                message: Some(Message {
                    text: label.message.clone(),
                }),
            })
            .collect();
        Self {
            rule_id: finding.code.clone(),
            rule_index,
            level: level(finding.severity),
            message: Message { text },
            locations: vec![Location {
                id: None,
                physical_location: PhysicalLocation::of(
                    &finding.file,
                    finding.line,
                    utf16_column(finding, &finding.file, finding.line, finding.column),
                ),
                message: None,
            }],
            partial_fingerprints: Fingerprints {
                primary_location_line_hash: fingerprint,
            },
            related_locations,
            occurrence_count: (finding.count > 1).then_some(finding.count),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

impl PhysicalLocation {
    fn of(file: &str, line: u32, column: u32) -> Self {
        Self {
            artifact_location: ArtifactLocation::of(file),
            // Code scanning refuses a place without a line.
            region: Region {
                start_line: line.max(1),
                start_column: (line > 0 && column > 0).then_some(column),
            },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

impl ArtifactLocation {
    /// A relative path is one below the root of the source; an absolute one
    /// becomes a URI of its own.
    fn of(file: &str) -> Self {
        let path = file.replace('\\', "/");
        let absolute = match path.split_once(':') {
            Some((drive, rest)) if drive.len() == 1 && rest.starts_with('/') => {
                Some(format!("file:///{drive}:{}", uri(rest)))
            }
            _ if path.starts_with('/') => Some(format!("file://{}", uri(&path))),
            _ => None,
        };
        if let Some(uri) = absolute {
            return Self {
                uri,
                uri_base_id: None,
            };
        }
        let path = path.strip_prefix("./").unwrap_or(&path);
        Self {
            uri: uri(path),
            uri_base_id: Some("%SRCROOT%"),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A byte column as a column in UTF-16 units, where the source line is known.
fn utf16_column(finding: &Diagnostic, file: &str, line: u32, column: u32) -> u32 {
    let source = finding
        .snippet
        .as_ref()
        .filter(|_| file == finding.file)
        .and_then(|s| s.lines.get(line.checked_sub(s.first_line)? as usize));
    let (Some(source), Some(bytes)) = (source, (column as usize).checked_sub(1)) else {
        return column;
    };
    let before = &source[..source.floor_char_boundary(bytes.min(source.len()))];
    let shorter = before.len() - before.encode_utf16().count();
    column - u32::try_from(shorter).unwrap_or(0)
}

/// A path as a URI reference: `/` between parts, other bytes escaped.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
