use super::rewrite::{Lists, strings};
use crate::environment::{Environment, masked};
use crate::masking::{Masker, Mode, sanitize};
use std::borrow::Cow;

/// Shorter values are no secrets but words, and would be replaced everywhere.
const SHORTEST: usize = 8;

/// Keeps credentials out of everything that is printed or written beside the store: the values that were given to the
/// runner, and whatever is shaped like a key.
#[derive(Debug, Clone)]
pub(super) struct Redactor {
    secrets: Vec<(String, String)>,
    masker: Masker,
}

impl Redactor {
    /// Hides the secrets of an environment.
    pub(super) fn new(environment: &Environment) -> Self {
        let secrets = environment.variables().filter_map(|(key, value)| {
            let shown = masked(key, value);
            let is_secret = shown.as_str() != value && value.len() >= SHORTEST;
            is_secret.then(|| (value.to_owned(), shown.as_str().to_owned()))
        });
        let mut secrets: Vec<_> = secrets.collect();
        // Of two secrets of which one begins the other, the longer one is looked for first.
        secrets.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Self { secrets, masker: Masker::masking() }
    }

    /// The text without secrets.
    pub(super) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut clean = Cow::Borrowed(text);
        for (secret, shown) in self.secrets.iter().filter(|(secret, _)| text.contains(secret.as_str())) {
            clean = Cow::Owned(clean.replace(secret.as_str(), shown));
        }
        match clean {
            Cow::Borrowed(text) => self.masker.mask(text),
            Cow::Owned(text) => Cow::Owned(self.masker.mask(&text).into_owned()),
        }
    }

    /// The JSON value without secrets in its strings.
    pub(super) fn json(&self, raw: &str) -> Option<String> {
        strings(raw, Lists::Enter, &mut |text| {
            let clean = self.text(text);
            (clean != text).then(|| clean.into_owned())
        })
    }

    /// The text as it may be printed: without secrets, and with everything active or hidden made visible.
    pub(super) fn printable(&self, text: &str, mode: Mode) -> String {
        sanitize(&self.text(text), mode).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn given_secrets_are_hidden_wherever_they_show_up() {
        let process = [("ANTHROPIC_AUTH_TOKEN", "plain-words-here"), ("MY_KEY", "plain-words-here-too"), ("KEY", "go")];
        let process: BTreeMap<_, _> = process.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let redactor = Redactor::new(&Environment::gather(&process, &[], |_| Err(std::io::ErrorKind::NotFound.into())));
        assert_eq!(
            redactor.text("go plain-words-here-too, plain-words-here"),
            "go plai***(共 20 位), plai***(共 16 位)"
        );
        assert!(!redactor.text("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789").contains("xyz0123"));
        let json = redactor.json(r#"{"a":["plain-words-here"]}"#);
        assert_eq!(json.as_deref(), Some(r#"{"a":["plai***(共 16 位)"]}"#));
        assert_eq!(redactor.json(r#"{"a":["other"]}"#), None);
        assert_eq!(redactor.printable("a\u{1b}[2Jb", Mode::Block), "a\\u{1b}[2Jb");
    }
}
