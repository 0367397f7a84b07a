//! Reads the values of a state file and notes what is wrong with them.

use std::collections::BTreeSet;

use super::json_scan::{Break, Item, Scanner, Shape};
use super::json_text::decode_json_text;
use super::limits::{MAX_STATE_LIST, MAX_STATE_PROBLEMS};
use super::state_problem::{StateFault, StateProblem};
use crate::unit::{Span, Timestamp, Usd};

/// A key that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// The key.
    pub name: String,
    /// Its value, as JSON text.
    pub json: String,
}

/// A state file on its way from bytes to values.
pub(super) struct StateReader<'a> {
    file: &'static str,
    bytes: &'a [u8],
    row: Option<usize>,
    /// Offset up to which lines are counted, and the line there.
    counted: (usize, u64),
    problems: Vec<StateProblem>,
    unnoted: usize,
}

impl<'a> StateReader<'a> {
    pub(super) const fn new(file: &'static str, bytes: &'a [u8]) -> Self {
        Self { file, bytes, row: None, counted: (0, 1), problems: Vec::new(), unnoted: 0 }
    }

    pub(super) fn enter_row(&mut self, row: Option<usize>) {
        self.row = row;
    }

    /// The problems in the order of the file.
    pub(super) fn finish(mut self) -> Vec<StateProblem> {
        let more = self.unnoted;
        if more > 0 {
            let fault = StateFault::TooMany { what: "problems", kept: self.problems.len(), more };
            self.problems.push(StateProblem { file: self.file, line: self.counted.1, row: None, fault });
        }
        self.problems
    }

    /// The line of a byte. Asked in the order of the file nearly always, so that the file is counted once.
    pub(super) fn line(&mut self, at: usize) -> u64 {
        let (from, line) = if at < self.counted.0 { (0, 1) } else { self.counted };
        let passed = self.bytes.get(from..at).unwrap_or_default();
        let breaks = u64::try_from(memchr::memchr_iter(b'\n', passed).count()).unwrap_or(0);
        self.counted = (at, line + breaks);
        self.counted.1
    }

    pub(super) fn note(&mut self, at: usize, fault: StateFault) {
        if self.problems.len() >= MAX_STATE_PROBLEMS {
            self.unnoted += 1;
            return;
        }
        let line = self.line(at);
        self.problems.push(StateProblem { file: self.file, line, row: self.row, fault });
    }

    /// Notes a break; `resumed` is where reading goes on.
    pub(super) fn note_break(&mut self, found: Break, resumed: usize) {
        let Break { at, expected } = found;
        let fault = match self.bytes.get(at) {
            None => StateFault::Truncated { byte: at, expected },
            Some(byte) if byte.is_ascii_graphic() => {
                let found = format!("`{}`", char::from(*byte));
                StateFault::Broken { byte: at, expected, found, skipped: resumed.saturating_sub(at) }
            }
            Some(byte) => {
                let found = format!("byte 0x{byte:02x}");
                StateFault::Broken { byte: at, expected, found, skipped: resumed.saturating_sub(at) }
            }
        };
        self.note(at, fault);
    }

    pub(super) fn wrong(&mut self, key: &str, item: Item<'_>, expected: &'static str) {
        let found = match item.shape {
            Shape::Number => lossy(item.raw),
            Shape::Null
            | Shape::True
            | Shape::False
            | Shape::NotFinite
            | Shape::Text
            | Shape::Array
            | Shape::Object => item.shape.name().to_owned(),
        };
        self.note(item.at, StateFault::WrongType { key: key.to_owned(), expected, found });
    }

    /// The text of a string literal, whatever is in it.
    pub(super) fn literal(&mut self, key: &str, raw: &[u8], at: usize) -> String {
        let text = String::from_utf8_lossy(raw);
        // Told once, not per replaced byte.
        if matches!(text, std::borrow::Cow::Owned(_)) {
            self.note(at, StateFault::InvalidUtf8 { key: key.to_owned() });
        }
        let Some(decoded) = decode_json_text(&text) else {
            self.note(at, StateFault::BadEscape { key: key.to_owned() });
            let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
            return inner.unwrap_or(&text).to_owned();
        };
        if decoded.had_lone_surrogate {
            self.note(at, StateFault::LoneSurrogate { key: key.to_owned() });
        }
        decoded.text.into_owned()
    }

    /// A key; told if it occurred before.
    pub(super) fn key(&mut self, literal: Item<'_>, seen: &mut BTreeSet<String>) -> String {
        let key = self.literal("a key", literal.raw, literal.at);
        if seen.contains(&key) {
            self.note(literal.at, StateFault::DuplicateKey { key: key.clone() });
        } else if seen.len() < MAX_STATE_LIST {
            seen.insert(key.clone());
        }
        key
    }

    pub(super) fn text(&mut self, key: &str, item: Item<'_>) -> Option<String> {
        if item.shape == Shape::Text {
            return Some(self.literal(key, item.raw, item.at));
        }
        self.wrong(key, item, "a string");
        None
    }

    pub(super) fn text_or_null(&mut self, key: &str, item: Item<'_>) -> Option<String> {
        if item.shape == Shape::Null { None } else { self.text(key, item) }
    }

    pub(super) fn flag(&mut self, key: &str, item: Item<'_>) -> Option<bool> {
        match item.shape {
            Shape::True => Some(true),
            Shape::False => Some(false),
            Shape::Null | Shape::Number | Shape::NotFinite | Shape::Text | Shape::Array | Shape::Object => {
                self.wrong(key, item, "true or false");
                None
            }
        }
    }

    pub(super) fn texts(&mut self, key: &str, item: Item<'_>) -> Option<Vec<String>> {
        if item.shape != Shape::Array {
            self.wrong(key, item, "an array of strings");
            return None;
        }
        let mut items = Vec::new();
        let mut more = 0;
        let end = Scanner::new(item.raw).array(|inner| {
            if items.len() < MAX_STATE_LIST { items.push(Item { at: item.at + inner.at, ..inner }) } else { more += 1 }
        });
        let texts = items.into_iter().filter_map(|inner| self.text(key, inner)).collect();
        if let Err(found) = end {
            self.note_break(Break { at: item.at + found.at, ..found }, item.at + item.raw.len());
        }
        if more > 0 {
            self.note(item.at, StateFault::TooMany { what: "entries of a list", kept: MAX_STATE_LIST, more });
        }
        Some(texts)
    }

    fn number(&mut self, key: &str, item: Item<'_>) -> Option<f64> {
        let raw = lossy(item.raw);
        match item.shape {
            Shape::Number => match raw.parse::<f64>() {
                Ok(number) if number.is_finite() => return Some(number),
                Ok(_) => self.note(item.at, StateFault::TooLarge { key: key.to_owned(), number: raw }),
                Err(_) => self.wrong(key, item, "a number"),
            },
            Shape::NotFinite => self.note(item.at, StateFault::NotFinite { key: key.to_owned(), literal: raw }),
            Shape::Null | Shape::True | Shape::False | Shape::Text | Shape::Array | Shape::Object => {
                self.wrong(key, item, "a number");
            }
        }
        None
    }

    /// A number as `read` takes it; what it refuses is too large.
    fn measure<T>(&mut self, key: &str, item: Item<'_>, read: impl Fn(f64) -> Option<T>) -> Option<T> {
        let number = self.number(key, item)?;
        let value = read(number);
        if value.is_none() {
            self.note(item.at, StateFault::TooLarge { key: key.to_owned(), number: lossy(item.raw) });
        } else if number < 0.0 {
            self.note(item.at, StateFault::Negative { key: key.to_owned(), number: lossy(item.raw) });
        }
        value
    }

    pub(super) fn money(&mut self, key: &str, item: Item<'_>) -> Option<Usd> {
        self.measure(key, item, Usd::from_dollars)
    }

    pub(super) fn span(&mut self, key: &str, item: Item<'_>) -> Option<Span> {
        self.measure(key, item, Span::from_seconds)
    }

    /// A moment; zero means never.
    pub(super) fn moment(&mut self, key: &str, item: Item<'_>) -> Option<Timestamp> {
        let never = |n: f64| n == 0.0;
        self.measure(key, item, |n| if never(n) { Some(None) } else { Timestamp::from_epoch_seconds(n).map(Some) })?
    }

    pub(super) fn count(&mut self, key: &str, item: Item<'_>) -> Option<u64> {
        let number = self.number(key, item)?;
        if number < 0.0 {
            self.note(item.at, StateFault::Negative { key: key.to_owned(), number: lossy(item.raw) });
            return None;
        }
        // `3.0` is a whole number too.
        let whole = lossy(item.raw).parse().ok().or_else(|| format!("{number}").parse().ok());
        if whole.is_none() {
            if number < 1.8e19 {
                self.wrong(key, item, "a whole number");
            } else {
                self.note(item.at, StateFault::TooLarge { key: key.to_owned(), number: lossy(item.raw) });
            }
        }
        whole
    }

    /// A key that is not known here, with its value as it stands.
    pub(super) fn unknown(&mut self, key: &str, item: Item<'_>) -> UnknownKey {
        let json = lossy(item.raw);
        if serde_json::from_str::<serde::de::IgnoredAny>(&json).is_err() {
            self.note(item.at, StateFault::NotJson { key: key.to_owned() });
        }
        UnknownKey { name: key.to_owned(), json }
    }

    /// What follows the end of the JSON text.
    pub(super) fn end(&mut self, scanner: &mut Scanner<'_>) {
        if scanner.peek().is_some() {
            let byte = scanner.at();
            self.note(byte, StateFault::Trailing { byte, bytes: self.bytes.len() - byte });
        }
    }

    /// A scanner at the first value, or `None` if there is none.
    pub(super) fn start(&mut self) -> Option<Scanner<'a>> {
        let mut scanner = Scanner::new(self.bytes);
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.note(0, StateFault::ByteOrderMark);
            scanner.jump(3);
        }
        if scanner.peek().is_none() {
            self.note(0, StateFault::Empty);
            return None;
        }
        Some(scanner)
    }
}

fn lossy(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw).into_owned()
}
