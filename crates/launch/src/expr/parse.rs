//! Recursive descent over the tokens. The same parser reads the argument
//! values of [`crate::parse`], which hold expressions.

use std::ops::Range;
use std::sync::Arc;

use super::{Expr, Func, Geometry, Node, NodeKind, Op};
use crate::suggest::nearest;
use crate::text::TextError;
use crate::text::lex::{Token, lex};

/// Nesting beyond this is refused, so that no text can exhaust the stack.
const MAX_DEPTH: usize = 64;

pub(crate) struct Parser {
    text: Arc<str>,
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
}

impl Parser {
    /// A parser of `text[range]`; errors show the whole text.
    pub(crate) fn new(text: &str, range: Range<usize>) -> Result<Self, TextError> {
        Ok(Self {
            text: text.into(),
            tokens: lex(text, range)?,
            at: 0,
            depth: 0,
        })
    }

    /// A parser of `read` whose expressions and errors show `text`, in which
    /// every token stands at the same place.
    pub(crate) fn shown_as(read: &str, text: &str) -> Result<Self, TextError> {
        let tokens = lex(read, 0..read.len())
            .map_err(|error| TextError::new(text, error.span, error.message))?;
        Ok(Self {
            text: text.into(),
            tokens,
            at: 0,
            depth: 0,
        })
    }

    /// The token ahead by `n`, [`Token::End`] beyond the last.
    pub(crate) fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].0
    }

    pub(crate) fn peek(&self) -> &Token {
        self.ahead(0)
    }

    /// Place of the next token.
    pub(crate) fn span(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    /// Steps over the next token (the end is never passed).
    pub(crate) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(crate) fn is(&self, punct: &str) -> bool {
        matches!(self.peek(), Token::Punct(p) if *p == punct)
    }

    pub(crate) fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expect(&mut self, punct: &str) -> Result<(), TextError> {
        if self.eat(punct) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{punct}`")))
        }
    }

    /// A name, stepped over.
    pub(crate) fn name(&mut self, what: &str) -> Result<String, TextError> {
        match self.peek() {
            Token::Name(name) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    pub(crate) fn end(&self) -> Result<(), TextError> {
        match self.peek() {
            Token::End => Ok(()),
            _ => Err(self.unexpected("the end")),
        }
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> TextError {
        self.error(
            self.span(),
            format!("expected {wanted}, found {}", self.peek()),
        )
    }

    pub(crate) fn error(&self, span: Range<usize>, message: impl Into<String>) -> TextError {
        TextError::new(&self.text, span, message)
    }

    /// Runs `inner` one level deeper.
    pub(crate) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, TextError>,
    ) -> Result<T, TextError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(self.span(), format!("nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// An expression, up to the first token that can't belong to it.
    pub(crate) fn expr(&mut self) -> Result<Expr, TextError> {
        let root = self.binary(0)?;
        Ok(Expr {
            text: self.text.clone(),
            root,
        })
    }

    fn binary(&mut self, level: usize) -> Result<Node, TextError> {
        const LEVELS: [&[(&str, Op)]; 3] = [
            &[("<<", Op::Shl), (">>", Op::Shr)],
            &[("+", Op::Add), ("-", Op::Sub)],
            &[("*", Op::Mul), ("/", Op::Div), ("%", Op::Rem)],
        ];
        if level == LEVELS.len() {
            return self.signed();
        }
        let mut left = self.binary(level + 1)?;
        // Each operator makes the tree one deeper, and the tree is walked
        // recursively: a long chain is refused as deep nesting is.
        let mut chain = 0;
        while let Some((_, op)) = LEVELS[level].iter().find(|(p, _)| self.is(p)) {
            chain += 1;
            if chain > MAX_DEPTH {
                return Err(self.error(self.span(), "this expression is too long"));
            }
            self.advance();
            let right = self.binary(level + 1)?;
            left = binary_node(*op, left, right);
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Node, TextError> {
        let start = self.span().start;
        if self.eat("-") {
            let inner = self.nested(Self::signed)?;
            let span = start..inner.span.end;
            return Ok(Node {
                kind: NodeKind::Neg(Box::new(inner)),
                span,
            });
        }
        if self.eat("+") {
            return self.nested(Self::signed);
        }
        let base = self.primary()?;
        if self.eat("^") {
            // Right associative, and the exponent may carry a sign.
            let exponent = self.nested(Self::signed)?;
            return Ok(binary_node(Op::Pow, base, exponent));
        }
        Ok(base)
    }

    fn primary(&mut self) -> Result<Node, TextError> {
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Int(value) => NodeKind::Int(value),
            Token::Float(value) => NodeKind::Float(value),
            Token::Name(name) => {
                self.advance();
                if self.is("(") {
                    return self.nested(|p| p.call(&name, span));
                }
                return Ok(Node {
                    kind: NodeKind::Name(name),
                    span,
                });
            }
            Token::Punct("(") => {
                self.advance();
                let inner = self.nested(|p| p.binary(0))?;
                let end = self.span().end;
                self.expect(")")?;
                return Ok(Node {
                    kind: inner.kind,
                    span: span.start..end,
                });
            }
            _ => return Err(self.unexpected("a number, a name or `(`")),
        };
        self.advance();
        Ok(Node { kind, span })
    }

    /// The call of `name`, which stands at `span` and is stepped over.
    fn call(&mut self, name: &str, span: Range<usize>) -> Result<Node, TextError> {
        self.expect("(")?;
        let mut args = Vec::new();
        if !self.is(")") {
            args.push(self.binary(0)?);
            while self.eat(",") {
                args.push(self.binary(0)?);
            }
        }
        let whole = span.start..self.span().end;
        self.expect(")")?;

        // Kernels say get_local_size(0); whoever copies that means this.
        let plain = name.strip_prefix("get_").unwrap_or(name);
        if let Some((_, geometry)) = Geometry::ALL.iter().find(|(n, _)| *n == plain) {
            let found = args.len();
            let mut args = args.into_iter();
            return match (args.next(), args.next()) {
                (Some(dim), None) => Ok(Node {
                    kind: NodeKind::Geometry(*geometry, Box::new(dim)),
                    span: whole,
                }),
                _ => {
                    let message = format!("{name} takes one dimension, 0 to 2; found {found}");
                    Err(self.error(whole, message))
                }
            };
        }
        let Some((_, func)) = Func::ALL.iter().find(|(n, _)| *n == name) else {
            let known: Vec<&str> = Func::ALL
                .iter()
                .map(|(n, _)| *n)
                .chain(Geometry::ALL.iter().map(|(n, _)| *n))
                .collect();
            let help = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            return Err(self.error(span, format!("unknown function `{name}`: {help}")));
        };
        let right_count = match func {
            Func::Min | Func::Max => args.len() >= 2,
            Func::RoundUp | Func::RoundDown | Func::CeilDiv => args.len() == 2,
        };
        if !right_count {
            let message = format!("{name} takes two values, found {}", args.len());
            return Err(self.error(whole, message));
        }
        Ok(Node {
            kind: NodeKind::Call(*func, args),
            span: whole,
        })
    }
}

fn binary_node(op: Op, left: Node, right: Node) -> Node {
    let span = left.span.start..right.span.end;
    Node {
        kind: NodeKind::Binary(op, Box::new(left), Box::new(right)),
        span,
    }
}
