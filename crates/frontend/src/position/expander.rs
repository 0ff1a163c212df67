//! A macro expander that remembers where each token comes from.
//!
//! It follows the C standard's rules (arguments are expanded before they are
//! put in, a macro is not expanded within itself) but for rescanning together
//! with the text that follows, which hardly any kernel relies on.

use std::collections::HashMap;

use super::token::Token;

/// A place: file index, line, column.
pub type Place = (u32, u32, u32);

/// A token with its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// Its text.
    pub text: String,
    /// Where the text stands; `None` where that is no user's file.
    pub origin: Option<Place>,
    /// It stands in the code itself, not in the text of a macro.
    pub in_code: bool,
    /// Where the parameter stands in a macro's text that it was put in for.
    pub via: Option<Place>,
    /// Where the outermost macro is used; `None` outside of macros.
    pub expansion: Option<Place>,
}

/// A macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    /// Names of its parameters; `None` for one without parentheses.
    pub params: Option<Vec<String>>,
    /// Its text.
    pub body: Vec<Traced>,
}

/// The macros that are defined at some place.
pub type Macros = HashMap<String, Macro>;

/// More tokens than this are not expanded.
const MAX_TOKENS: usize = 50_000;
/// Macros within macros deeper than this are not expanded.
const MAX_DEPTH: usize = 64;

impl Traced {
    /// A token of the code in a file.
    pub fn of(token: &Token, file: u32) -> Self {
        Self {
            text: token.text.clone(),
            origin: Some((file, token.line, token.column)),
            in_code: true,
            via: None,
            expansion: None,
        }
    }

    /// Where the user's code stands: the text itself, or the use of the macro
    /// whose text it is.
    pub fn position(&self) -> Option<Place> {
        match self.in_code {
            true => self.origin,
            false => self.expansion,
        }
    }

    /// Inside a macro: where its text stands. Two uses of one parameter are
    /// two places.
    pub fn spelling(&self) -> Option<Place> {
        self.expansion?;
        self.via.or(self.origin)
    }
}

/// Expands tokens.
pub fn expand(tokens: &[Traced], macros: &Macros) -> Vec<Traced> {
    let mut out = Vec::new();
    expand_into(tokens, macros, &mut Vec::new(), &mut out);
    out
}

fn expand_into<'a>(
    tokens: &'a [Traced],
    macros: &'a Macros,
    hidden: &mut Vec<String>,
    out: &mut Vec<Traced>,
) {
    let mut at = 0;
    while at < tokens.len() && out.len() < MAX_TOKENS {
        let token = &tokens[at];
        at += 1;
        let found = macros.get(&token.text);
        let usable = hidden.len() < MAX_DEPTH && !hidden.contains(&token.text);
        let (Some(definition), true) = (found, usable) else {
            out.push(token.clone());
            continue;
        };
        let args = match &definition.params {
            None => Vec::new(),
            Some(_) => match arguments(&tokens[at..]) {
                Some((args, length)) => {
                    at += length;
                    args
                }
                // Without parentheses it is an ordinary name.
                None => {
                    out.push(token.clone());
                    continue;
                }
            },
        };
        let args: Vec<(Vec<Traced>, Vec<Traced>)> = args
            .into_iter()
            .map(|arg| {
                let mut expanded = Vec::new();
                expand_into(arg, macros, hidden, &mut expanded);
                (arg.to_vec(), expanded)
            })
            .collect();
        let body = substitute(definition, &args);
        hidden.push(token.text.clone());
        let start = out.len();
        expand_into(&body, macros, hidden, out);
        hidden.pop();
        let place = token.expansion.or(token.origin);
        for token in &mut out[start..] {
            token.expansion = place;
        }
    }
}

/// The arguments in parentheses at the start, and the number of tokens that
/// they take; `None` where there is no such list, or it does not end.
pub fn arguments(tokens: &[Traced]) -> Option<(Vec<&[Traced]>, usize)> {
    if tokens.first()?.text != "(" {
        return None;
    }
    let mut depth = 0;
    let mut args = Vec::new();
    let mut start = 1;
    for (i, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => {
                depth -= 1;
                if depth == 0 {
                    args.push(&tokens[start..i]);
                    return Some((args, i + 1));
                }
            }
            "," if depth == 1 => {
                args.push(&tokens[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    None
}

/// Puts arguments (as given, and expanded) in the place of parameters.
fn substitute(definition: &Macro, args: &[(Vec<Traced>, Vec<Traced>)]) -> Vec<Traced> {
    let params = definition.params.as_deref().unwrap_or(&[]);
    let body = &definition.body;
    let mut out: Vec<Traced> = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let token = &body[at];
        if token.text == "##" {
            // Pastes what was put out last and what comes next.
            at += 1;
            if let (Some(left), Some(right)) = (out.last_mut(), body.get(at)) {
                match argument(right, params, args) {
                    Some((given, _)) => {
                        if let Some((first, rest)) = given.split_first() {
                            left.text.push_str(&first.text);
                            out.extend(rest.iter().cloned());
                        }
                    }
                    None => left.text.push_str(&right.text),
                }
            }
            at += 1;
            continue;
        }
        if token.text == "#"
            && let Some((given, _)) = body.get(at + 1).and_then(|t| argument(t, params, args))
        {
            let text: Vec<&str> = given.iter().map(|t| t.text.as_str()).collect();
            out.push(Traced {
                text: format!("\"{}\"", text.join(" ")),
                ..token.clone()
            });
            at += 2;
            continue;
        }
        let pasted = body.get(at + 1).is_some_and(|t| t.text == "##");
        match argument(token, params, args) {
            Some((given, expanded)) => {
                let tokens = if pasted { given } else { expanded };
                out.extend(tokens.iter().map(|t| Traced {
                    via: token.origin,
                    ..t.clone()
                }));
            }
            None => out.push(token.clone()),
        }
        at += 1;
    }
    out
}

fn argument<'a>(
    token: &Traced,
    params: &[String],
    args: &'a [(Vec<Traced>, Vec<Traced>)],
) -> Option<&'a (Vec<Traced>, Vec<Traced>)> {
    let index = params.iter().position(|p| *p == token.text)?;
    args.get(index)
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn traced(text: &str, line: u32) -> Vec<Traced> {
        tokens(text, line)
            .iter()
            .map(|t| Traced::of(t, 0))
            .collect()
    }

    fn define(macros: &mut Macros, name: &str, params: Option<&[&str]>, body: &str) {
        macros.insert(
            name.to_owned(),
            Macro {
                params: params.map(|p| p.iter().map(|s| (*s).to_owned()).collect()),
                body: traced(body, 1)
                    .into_iter()
                    .map(|t| Traced {
                        in_code: false,
                        ..t
                    })
                    .collect(),
            },
        );
    }

    fn text(tokens: &[Traced]) -> String {
        let words: Vec<&str> = tokens.iter().map(|t| t.text.as_str()).collect();
        words.join(" ")
    }

    #[test]
    fn arguments_keep_their_places() {
        let mut macros = Macros::new();
        define(&mut macros, "IDX", Some(&["x", "y"]), "((y)*W+(x))");
        let out = expand(&traced("in[IDX(i, j)]", 5), &macros);
        assert_eq!(text(&out), "in [ ( ( j ) * W + ( i ) ) ]");
        // `j`: written at column 11 of line 5, put in for the `y` of the macro.
        assert_eq!(out[4].position(), Some((0, 5, 11)));
        assert_eq!(out[4].spelling(), Some((0, 1, 3)));
        // `W`: written in the macro, which is used at column 4.
        assert_eq!(out[7].position(), Some((0, 5, 4)));
        assert_eq!(out[7].spelling(), Some((0, 1, 6)));
        assert_eq!(out[0].spelling(), None);
    }

    #[test]
    fn two_uses_of_a_parameter_are_two_places() {
        let mut macros = Macros::new();
        define(&mut macros, "PAIR", Some(&["p"]), "p[0]+p[1]");
        define(&mut macros, "TWICE", Some(&["p"]), "PAIR(p)*PAIR(p)");
        let out = expand(&traced("PAIR(a)", 5), &macros);
        assert_eq!(out[0].position(), out[5].position());
        assert_ne!(out[0].spelling(), out[5].spelling());
    }

    #[test]
    fn a_macro_is_not_expanded_within_itself() {
        let mut macros = Macros::new();
        define(&mut macros, "f", Some(&["x"]), "f(x+1)");
        define(&mut macros, "MAX", Some(&["a", "b"]), "(a>b?a:b)");
        assert_eq!(text(&expand(&traced("f(2)", 1), &macros)), "f ( 2 + 1 )");
        assert_eq!(
            text(&expand(&traced("MAX(MAX(1,2),3)", 1), &macros)),
            "( ( 1 > 2 ? 1 : 2 ) > 3 ? ( 1 > 2 ? 1 : 2 ) : 3 )"
        );
    }

    #[test]
    fn pastes_and_quotes() {
        let mut macros = Macros::new();
        define(&mut macros, "NAME", Some(&["t"]), "get_##t #t");
        assert_eq!(
            text(&expand(&traced("NAME(float)", 1), &macros)),
            "get_float \"float\""
        );
    }
}
