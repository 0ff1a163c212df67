//! Quoting of words for a POSIX shell.

use std::borrow::Cow;

/// The word as a shell reads it back unchanged. Words in which no shell changes
/// anything, such as `n=1024` or `16,16`, stay as they are: shown commands
/// should look as people type them. All else is quoted by `shlex`.
pub fn shell_quote(word: &str) -> Cow<'_, str> {
    let plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '-' | '+' | '.' | '/' | ':' | '@' | ',' | '=')
    };
    // A leading `=` is expanded by zsh.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    // A zero byte can't stand in any argument of a process; it is dropped here
    // so that the rest can be shown.
    match shlex::try_quote(word) {
        Ok(quoted) => quoted,
        Err(_) => {
            let rest = word.replace('\0', "");
            Cow::Owned(
                shlex::Quoter::new()
                    .allow_nul(true)
                    .quote(&rest)
                    .unwrap_or_default()
                    .into_owned(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::shell_quote;

    #[test]
    fn plain_words_stay() {
        for word in ["n=1024", "16,16", "a/b.cl::blur", "same:in", "out=@ref.npy"] {
            assert_eq!(shell_quote(word), word);
        }
        assert_eq!(
            shell_quote("in=[W*H]:random(0,1)"),
            "'in=[W*H]:random(0,1)'"
        );
    }

    #[test]
    fn a_shell_reads_the_words_back() {
        let words = [
            "in=[W*H]:random(0,1)",
            "p={nx:64,dt:0.1}",
            "2^26",
            "a b",
            "it's",
            "$HOME",
            "`id`",
            "",
            "=x",
            "~",
            "a\"b",
            "back\\slash",
            "*",
            "#",
            "é",
            "a;b",
            "!x",
            "a\nb",
        ];
        let quoted: Vec<_> = words.iter().map(|w| shell_quote(w)).collect();
        let script = format!("printf '%s\\0' {}", quoted.join(" "));
        let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let read: Vec<&str> = text.split_terminator('\0').collect();
        assert_eq!(read, words);
    }
}
