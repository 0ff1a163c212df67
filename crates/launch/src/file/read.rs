//! The reader of launch files. It walks the table by hand, so that every
//! message has a line, and every value of a launch keeps its own.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::LaunchError;
use crate::spec::{ArgKey, ArgSetting, LaunchSpec, Origin, Text};
use crate::suggest::nearest;

const KEYS: [&str; 12] = [
    "name",
    "kernel",
    "global",
    "local",
    "offset",
    "args",
    "defines",
    "include",
    "build_options",
    "prepend",
    "seed",
    "sizes",
];

/// The launches of a file's text.
pub(super) fn launches(text: &str, path: &Path) -> Result<Vec<LaunchSpec>, LaunchError> {
    let reader = Reader {
        text,
        path: path.into(),
    };
    let table = DeTable::parse(text)
        .map_err(|error| reader.error(error.span(), error.message().to_owned()))?;
    let mut launches = Vec::new();
    for (key, value) in table.get_ref() {
        if key.get_ref() != "launch" {
            let hint = match KEYS.contains(&key.get_ref().as_ref()) {
                true => "; it belongs below a line `[[launch]]`",
                false => "; the file consists of `[[launch]]` tables",
            };
            let message = format!("unknown key `{}`{hint}", key.get_ref());
            return Err(reader.error(Some(key.span()), message));
        }
        match value.get_ref() {
            DeValue::Table(table) => launches.push(reader.launch(table)?),
            DeValue::Array(tables) => {
                for item in tables.iter() {
                    let DeValue::Table(table) = item.get_ref() else {
                        return Err(reader.wrong_type(item, "launch", "a table"));
                    };
                    launches.push(reader.launch(table)?);
                }
            }
            _ => return Err(reader.wrong_type(value, "launch", "a table")),
        }
    }
    if launches.is_empty() {
        let message = "it holds no launch; begin one with a line `[[launch]]`".to_owned();
        return Err(reader.error(None, message));
    }
    Ok(launches)
}

struct Reader<'a> {
    text: &'a str,
    path: Arc<Path>,
}

type Value<'i> = Spanned<DeValue<'i>>;

impl Reader<'_> {
    fn error(&self, span: Option<Range<usize>>, message: String) -> LaunchError {
        let line = span.map(|span| self.line(span.start));
        let source_line = line
            .and_then(|n| self.text.lines().nth(n - 1))
            .unwrap_or("");
        LaunchError::LaunchFile {
            path: self.path.to_path_buf(),
            line,
            source_line: source_line.to_owned(),
            message,
        }
    }

    fn line(&self, offset: usize) -> usize {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        before.iter().filter(|b| **b == b'\n').count() + 1
    }

    fn wrong_type(&self, value: &Value<'_>, key: &str, wanted: &str) -> LaunchError {
        let found = value.get_ref().type_str();
        self.error(
            Some(value.span()),
            format!("`{key}` should be {wanted}, this is a TOML {found}"),
        )
    }

    fn launch(&self, table: &DeTable<'_>) -> Result<LaunchSpec, LaunchError> {
        let mut spec = LaunchSpec::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "name" => spec.name = Some(self.string(value, "name")?),
                "kernel" => spec.kernel = Some(self.string(value, "kernel")?),
                "global" => spec.global = Some(self.sizes(value, "global")?),
                "local" => spec.local = Some(self.sizes(value, "local")?),
                "offset" => spec.offset = Some(self.sizes(value, "offset")?),
                "args" => spec.args = self.args(value)?,
                "defines" => spec.defines = self.defines(value)?,
                "include" => spec.include = self.paths(value, "include")?,
                "build_options" => {
                    spec.build_options = Some(self.string(value, "build_options")?);
                }
                "prepend" => spec.prepend = self.paths(value, "prepend")?,
                "seed" => spec.seed = Some(self.seed(value)?),
                "sizes" => spec.sizes = self.strings(value, "sizes")?,
                unknown => {
                    let help = match nearest(unknown, KEYS) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("the keys are {}", KEYS.join(", ")),
                    };
                    let message = format!("unknown key `{unknown}`: {help}");
                    return Err(self.error(Some(key.span()), message));
                }
            }
        }
        Ok(spec)
    }

    fn string(&self, value: &Value<'_>, key: &str) -> Result<String, LaunchError> {
        let text = value.get_ref().as_str();
        text.map(str::to_owned)
            .ok_or_else(|| self.wrong_type(value, key, "a string"))
    }

    fn strings(&self, value: &Value<'_>, key: &str) -> Result<Vec<String>, LaunchError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(vec![text.to_string()]),
            DeValue::Array(items) => items.iter().map(|item| self.string(item, key)).collect(),
            _ => Err(self.wrong_type(value, key, "a list of strings")),
        }
    }

    fn paths(&self, value: &Value<'_>, key: &str) -> Result<Vec<PathBuf>, LaunchError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Ok(self
            .strings(value, key)?
            .into_iter()
            .map(|path| folder.join(path))
            .collect())
    }

    fn origin(&self, value: &Value<'_>) -> Origin {
        Origin::File {
            path: self.path.clone(),
            line: self.line(value.span().start),
        }
    }

    /// A string, a number, or a list of them, one per dimension.
    fn sizes(&self, value: &Value<'_>, key: &str) -> Result<Text, LaunchError> {
        let part = |value: &Value<'_>| match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(_) => self.number(value, key),
            _ => Err(self.wrong_type(value, key, "a string such as \"4096x4096\" or a number")),
        };
        let text = match value.get_ref() {
            DeValue::Array(items) => items
                .iter()
                .map(part)
                .collect::<Result<Vec<_>, _>>()?
                .join(","),
            _ => part(value)?,
        };
        Ok(Text {
            text,
            origin: self.origin(value),
        })
    }

    /// The number in decimal.
    fn number(&self, value: &Value<'_>, key: &str) -> Result<String, LaunchError> {
        match value.get_ref() {
            DeValue::Integer(int) => i128::from_str_radix(int.as_str(), int.radix())
                .map(|int| int.to_string())
                .map_err(|_| self.error(Some(value.span()), format!("`{key}` is too large"))),
            DeValue::Float(float) => Ok(float.as_str().to_owned()),
            _ => Err(self.wrong_type(value, key, "a number")),
        }
    }

    fn args(&self, value: &Value<'_>) -> Result<Vec<ArgSetting>, LaunchError> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong_type(value, "args", "a table"));
        };
        let mut entries: Vec<_> = table.iter().collect();
        // The table sorts by key; people read messages in the file's order.
        entries.sort_by_key(|(key, _)| key.span().start);
        for (i, (key, _)) in entries.iter().enumerate() {
            let name = key.get_ref().as_ref();
            let argument = ArgKey::new(name);
            let mut before = entries[..i].iter().map(|(key, _)| key.get_ref().as_ref());
            if let Some(first) = before.find(|first| ArgKey::new(first) == argument) {
                // TOML takes `0` and `00` for two keys.
                let message = format!(
                    "argument {argument} is given twice, as `{first}` and as `{name}`; remove one"
                );
                return Err(self.error(Some(key.span()), message));
            }
        }
        entries
            .into_iter()
            .map(|(key, value)| {
                let name = key.get_ref().as_ref();
                let text = match value.get_ref() {
                    DeValue::String(text) => text.to_string(),
                    DeValue::Integer(_) | DeValue::Float(_) => self.number(value, name)?,
                    DeValue::Boolean(flag) => flag.to_string(),
                    _ => {
                        return Err(self.wrong_type(
                            value,
                            name,
                            "a number or a string as after `--arg` (vectors \"(1,2)\", structures \
                             \"{nx:64}\", buffers \"[n]\")",
                        ));
                    }
                };
                Ok(ArgSetting {
                    key: ArgKey::new(name),
                    value: Text {
                        text,
                        origin: self.origin(value),
                    },
                })
            })
            .collect()
    }

    /// A list of `NAME=VALUE`, or a table of them.
    fn defines(&self, value: &Value<'_>) -> Result<Vec<String>, LaunchError> {
        let DeValue::Table(table) = value.get_ref() else {
            return self.strings(value, "defines");
        };
        table
            .iter()
            .map(|(key, value)| {
                let name = key.get_ref();
                match value.get_ref() {
                    DeValue::String(text) => Ok(format!("{name}={text}")),
                    DeValue::Integer(_) | DeValue::Float(_) => {
                        Ok(format!("{name}={}", self.number(value, name)?))
                    }
                    DeValue::Boolean(true) => Ok(name.to_string()),
                    _ => Err(self.wrong_type(value, name, "a string, a number or true")),
                }
            })
            .collect()
    }

    /// A number, or a string of digits where TOML's 63 bits don't hold it.
    fn seed(&self, value: &Value<'_>) -> Result<u64, LaunchError> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            _ => self.number(value, "seed")?,
        };
        let message = "`seed` is a whole number from 0 to 2^64 - 1".to_owned();
        text.parse()
            .map_err(|_| self.error(Some(value.span()), message))
    }
}
