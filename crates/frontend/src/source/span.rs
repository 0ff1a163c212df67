//! Places of nodes in the user's file, through macros.

use std::ops::Range;

use clang_ast::{BareSourceLocation, SourceLocation, SourceRange};

/// Name under which clang knows its standard input.
const STDIN: &str = "<stdin>";

/// Where a node stands in the user's file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte. For code out of a macro: where the macro's name stands.
    pub begin: usize,
    /// One behind the last byte. For code out of a macro: behind its call.
    pub end: usize,
    /// Where the text comes from.
    pub origin: Origin,
}

/// Where the text of a node comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The bytes of the span are the node.
    Text,
    /// The node is part of what one macro expands to.
    Macro,
    /// The node is written as an argument of a macro: these bytes.
    Argument {
        /// First byte of the argument's text.
        begin: usize,
        /// One behind its last byte.
        end: usize,
    },
    /// Another file, or nowhere.
    #[default]
    Elsewhere,
}

impl Span {
    /// The bytes that can be replaced to replace this node and nothing else.
    pub fn editable(&self) -> Option<Range<usize>> {
        match self.origin {
            Origin::Text => Some(self.begin..self.end),
            Origin::Argument { begin, end } => Some(begin..end),
            Origin::Macro | Origin::Elsewhere => None,
        }
    }
}

/// The user's text, to which places lead.
pub struct Places<'s> {
    text: &'s str,
    /// Bytes in front of the user's text in what clang read.
    skipped: usize,
}

/// A location with its part in a macro.
struct Point<'l> {
    at: &'l BareSourceLocation,
    /// In an argument of a macro: where that is written.
    argument: Option<&'l BareSourceLocation>,
    in_macro: bool,
}

impl<'s> Places<'s> {
    /// Places in a text that follows so many bytes in what clang read.
    pub fn new(text: &'s str, skipped: usize) -> Self {
        Self { text, skipped }
    }

    /// The user's text.
    pub fn text(&self) -> &'s str {
        self.text
    }

    /// The span of clang's range.
    pub fn span(&self, range: Option<&SourceRange>) -> Span {
        range.and_then(|r| self.of(r)).unwrap_or_default()
    }

    fn of(&self, range: &SourceRange) -> Option<Span> {
        let (begin, end) = (point(&range.begin)?, point(&range.end)?);
        let first = self.offset(begin.at)?;
        let last = self.offset(end.at)?;
        let argument = match (begin.argument, end.argument) {
            (Some(a), Some(b)) if first == last => {
                let (begin, end) = (self.offset(a), self.offset(b).map(|e| e + b.tok_len));
                begin.zip(end).filter(|(begin, end)| begin < end)
            }
            _ => None,
        };
        let end_of_text = if end.in_macro {
            self.end_of_call(last, end.at.tok_len)
        } else {
            last + end.at.tok_len
        };
        // Clang ends `(float4)(0)` in front of its last parenthesis.
        let end_of_text = self.balanced(first, end_of_text);
        let origin = match argument {
            Some((begin, end)) => Origin::Argument { begin, end },
            None if begin.in_macro && end.in_macro && first == last => Origin::Macro,
            None => Origin::Text,
        };
        (first <= end_of_text && end_of_text <= self.text.len()).then_some(Span {
            begin: first,
            end: end_of_text,
            origin,
        })
    }

    /// The end of a text with the parentheses that close those opened in it.
    fn balanced(&self, first: usize, end: usize) -> usize {
        let Some(text) = self.text.get(first..end) else {
            return end;
        };
        let count = |c: char| text.chars().filter(|other| *other == c).count();
        let mut end = end;
        for _ in count(')')..count('(') {
            let rest = &self.text[end..];
            let Some(at) = rest.find(|c: char| !c.is_whitespace()) else {
                break;
            };
            if !rest[at..].starts_with(')') {
                break;
            }
            end += at + 1;
        }
        end
    }

    /// Offset in the user's text.
    fn offset(&self, at: &BareSourceLocation) -> Option<usize> {
        let inside = &*at.file == STDIN || at.file.is_empty();
        let offset = at.offset.checked_sub(self.skipped)?;
        (inside && offset <= self.text.len()).then_some(offset)
    }

    /// The end of a macro's use whose name stands at an offset: behind its
    /// arguments, if the macro takes any.
    fn end_of_call(&self, name: usize, name_len: usize) -> usize {
        let behind = name + name_len;
        let Some(word) = self.text.get(name..behind) else {
            return behind;
        };
        if !self.takes_arguments(word) {
            return behind;
        }
        let mut depth = 0usize;
        for (i, c) in self.text[behind..].char_indices() {
            match c {
                '(' => depth += 1,
                ')' if depth <= 1 => return behind + i + 1,
                ')' => depth -= 1,
                c if depth == 0 && !c.is_whitespace() => return behind,
                _ => {}
            }
        }
        behind
    }

    fn takes_arguments(&self, name: &str) -> bool {
        self.text.lines().any(|line| {
            let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
            let rest = rest.and_then(|r| r.strip_prefix("define"));
            rest.and_then(|r| r.trim_start().strip_prefix(name))
                .is_some_and(|r| r.starts_with('('))
        })
    }
}

fn point(location: &SourceLocation) -> Option<Point<'_>> {
    let expansion = location.expansion_loc.as_ref();
    let spelling = location.spelling_loc.as_ref();
    let at = expansion.or(spelling)?;
    let in_macro = match (expansion, spelling) {
        (Some(e), Some(s)) => e.offset != s.offset || e.file != s.file,
        _ => false,
    };
    Some(Point {
        at,
        argument: spelling.filter(|_| in_macro && at.is_macro_arg_expansion),
        in_macro,
    })
}
