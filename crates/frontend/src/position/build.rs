//! Reads the preprocessor's output into compilable text and its position map.

use std::collections::HashMap;

use super::expander::{Macro, Macros, Traced, arguments, expand};
use super::token::{tokens, without_comments};
use super::{ColumnMap, LineMap, PositionMap};
use crate::compile::Source;

/// A macro call may span so many lines.
const MAX_CALL_LINES: u32 = 100;
/// Tokens are looked for so far ahead where two expansions differ.
const LOOK_AHEAD: usize = 32;

/// Splits what `clang -E -dD` prints into the text to compile, which has no
/// directives but pragmas, and where its lines come from.
pub fn read_expansion(output: &str, source: &Source) -> (String, PositionMap) {
    let mut reader = Reader::new(source);
    for line in output.lines() {
        reader.line(line);
    }
    let positions = PositionMap {
        files: reader.files.names,
        lines: reader.lines,
    };
    (reader.text, positions)
}

struct Reader {
    files: Files,
    macros: Macros,
    /// File and line that the next line of the output stands for.
    file: u32,
    line: u32,
    /// The next line belongs to the user, not to clang.
    is_users: bool,
    text: String,
    lines: Vec<LineMap>,
}

impl Reader {
    fn new(source: &Source) -> Self {
        let mut files = Files::default();
        files.add(&source.path.display().to_string(), Some(&source.text));
        for (path, text) in &source.prepend {
            files.add(&path.display().to_string(), Some(text));
        }
        // The preprocessor replaces these without a definition of theirs.
        let mut macros = Macros::new();
        for name in ["__LINE__", "__FILE__", "__COUNTER__"] {
            macros.insert(
                name.to_owned(),
                Macro {
                    params: None,
                    body: Vec::new(),
                },
            );
        }
        Self {
            files,
            macros,
            file: 0,
            line: 1,
            is_users: false,
            text: String::new(),
            lines: Vec::new(),
        }
    }

    fn line(&mut self, line: &str) {
        if let Some((number, name)) = marker(line) {
            self.is_users = !is_clangs_own(&name);
            if self.is_users {
                self.file = self.files.add(&name, None);
            }
            self.line = number;
            return;
        }
        if let Some(rest) = directive(line, "define") {
            self.define(rest);
        } else if let Some(rest) = directive(line, "undef") {
            self.macros.remove(rest.trim());
        } else if self.is_users && !line.trim().is_empty() {
            let columns = self.columns(line);
            self.lines.push(LineMap {
                file: self.file,
                line: self.line,
                columns,
            });
            self.text.push_str(line);
            self.text.push('\n');
        }
        self.line += 1;
    }

    /// Records a macro. Its text is taken from the source where that is there,
    /// since the preprocessor changes its columns.
    fn define(&mut self, printed: &str) {
        let own: Vec<Traced> = if self.is_users {
            let tokens = self.files.logical_line(self.file, self.line);
            match tokens.iter().position(|t| t.text == "define") {
                Some(at) => tokens[at + 1..]
                    .iter()
                    .map(|t| Traced {
                        in_code: false,
                        ..t.clone()
                    })
                    .collect(),
                None => Vec::new(),
            }
        } else {
            Vec::new()
        };
        let printed = tokens(printed, 0);
        // Parameters follow the name at once; else the parenthesis is text.
        let has_params = matches!(&printed[..], [name, next, ..]
            if next.text == "(" && next.column as usize == name.column as usize + name.text.len());
        let printed: Vec<Traced> = printed
            .iter()
            .map(|t| Traced {
                origin: None,
                in_code: false,
                ..Traced::of(t, 0)
            })
            .collect();
        let same =
            own.len() == printed.len() && own.iter().zip(&printed).all(|(a, b)| a.text == b.text);
        let tokens = if same { own } else { printed };
        let Some((name, rest)) = tokens.split_first() else {
            return;
        };
        let (params, body) = match arguments(rest).filter(|_| has_params) {
            Some((args, length)) => {
                let names = args
                    .iter()
                    .filter_map(|arg| arg.first().map(|t| t.text.clone()))
                    .collect();
                (Some(names), rest[length..].to_vec())
            }
            None => (None, rest.to_vec()),
        };
        self.macros
            .insert(name.text.clone(), Macro { params, body });
    }

    /// Where the columns of a line come from; empty where they are the same.
    fn columns(&mut self, line: &str) -> Vec<ColumnMap> {
        if self.files.text_line(self.file, self.line) == Some(line) {
            return Vec::new();
        }
        let source = self.source_tokens();
        let expected = expand(&source, &self.macros);
        let printed = tokens(line, 0);
        let mut out: Vec<ColumnMap> = Vec::new();
        let (mut p, mut e) = (0, 0);
        while p < printed.len() && e < expected.len() {
            if printed[p].text != expected[e].text {
                let Some((skip_p, skip_e)) = resynchronise(&printed[p..], &expected[e..]) else {
                    break;
                };
                p += skip_p;
                e += skip_e;
                continue;
            }
            if let Some(entry) = column_map(printed[p].column, &expected[e]) {
                let continues = out.last().is_some_and(|last| {
                    last.spelling.is_none()
                        && entry.spelling.is_none()
                        && last.line == entry.line
                        && i64::from(entry.from) - i64::from(last.from)
                            == i64::from(entry.column) - i64::from(last.column)
                });
                if !continues {
                    out.push(entry);
                }
            }
            p += 1;
            e += 1;
        }
        out
    }

    /// The tokens of the current source line, with the lines that a macro call
    /// on it goes on to.
    fn source_tokens(&mut self) -> Vec<Traced> {
        let mut all = self.files.logical_line(self.file, self.line);
        for next in 1..MAX_CALL_LINES {
            if !self.has_open_call(&all) {
                break;
            }
            let more = self.files.logical_line(self.file, self.line + next);
            // Lines between may be empty, or directives.
            if more.first().is_none_or(|t| t.text != "#") {
                all.extend(more);
            }
        }
        all
    }

    fn has_open_call(&self, tokens: &[Traced]) -> bool {
        tokens.iter().enumerate().any(|(i, token)| {
            let takes_arguments = self
                .macros
                .get(&token.text)
                .is_some_and(|m| m.params.is_some());
            let rest = &tokens[i + 1..];
            takes_arguments
                && match rest.first() {
                    Some(next) => next.text == "(" && arguments(rest).is_none(),
                    None => true,
                }
        })
    }
}

/// How many tokens to leave out on each side so that the next ones agree.
fn resynchronise(printed: &[super::token::Token], expected: &[Traced]) -> Option<(usize, usize)> {
    for distance in 1..=LOOK_AHEAD {
        for skip in 0..=distance {
            let (p, e) = (distance - skip, skip);
            if let (Some(a), Some(b)) = (printed.get(p), expected.get(e))
                && a.text == b.text
            {
                return Some((p, e));
            }
        }
    }
    None
}

fn column_map(from: u32, token: &Traced) -> Option<ColumnMap> {
    let (_, line, column) = token.position()?;
    Some(ColumnMap {
        from,
        line,
        column,
        spelling: token.spelling(),
    })
}

/// Line and file of a line marker, `# 12 "file" 2`.
fn marker(line: &str) -> Option<(u32, String)> {
    let rest = line.strip_prefix("# ")?;
    let (number, rest) = rest.split_once(' ')?;
    let number = number.parse().ok()?;
    let rest = rest.strip_prefix('"')?;
    let end = rest.rfind('"')?;
    Some((number, unescaped(&rest[..end])))
}

/// A file name as clang writes it: quotes, backslashes, and bytes that are no printable
/// ASCII as three octal digits.
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        let octal = |b: &u8| (b'0'..=b'7').contains(b);
        match (first, behind) {
            (b'\\', [a @ b'0'..=b'3', b, c, behind @ ..]) if octal(b) && octal(c) => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = behind;
            }
            (b'\\', [next, behind @ ..]) => {
                bytes.push(*next);
                rest = behind;
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn directive<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix(name)?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

/// Whether a file is one that clang includes by itself.
fn is_clangs_own(name: &str) -> bool {
    name.starts_with('<') || name.ends_with("opencl-c-base.h") || name.ends_with("opencl-c.h")
}

/// Source files by index, read when they are first needed.
#[derive(Default)]
struct Files {
    names: Vec<String>,
    /// Lines as they are, and without comments.
    lines: HashMap<u32, (Vec<String>, Vec<String>)>,
}

impl Files {
    fn add(&mut self, name: &str, text: Option<&str>) -> u32 {
        if let Some(index) = self.names.iter().position(|n| n == name) {
            return index as u32;
        }
        self.names.push(name.to_owned());
        let index = self.names.len() as u32 - 1;
        // A header that can't be read only costs columns.
        let read = match text {
            Some(_) => None,
            None => std::fs::read(name).ok(),
        };
        let read = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        if let Some(text) = text.or(read.as_deref()) {
            let split = |text: &str| text.lines().map(str::to_owned).collect();
            let lines = (split(text), split(&without_comments(text)));
            self.lines.insert(index, lines);
        }
        index
    }

    fn text_line(&self, file: u32, line: u32) -> Option<&str> {
        let (plain, _) = self.lines.get(&file)?;
        plain.get(line.checked_sub(1)? as usize).map(String::as_str)
    }

    /// The tokens of a line and of those that backslashes join to it.
    fn logical_line(&self, file: u32, line: u32) -> Vec<Traced> {
        let Some((_, bare)) = self.lines.get(&file) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        let mut number = line;
        while let Some(text) = number.checked_sub(1).and_then(|n| bare.get(n as usize)) {
            all.extend(tokens(text, number).iter().map(|t| Traced::of(t, file)));
            if !text.trim_end().ends_with('\\') {
                break;
            }
            number += 1;
        }
        all
    }
}
