//! Values that are no objects and no lists, from their raw JSON.

use memchr::memchr;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::label::prefix;
use crate::run_dir::decode_json_text;

/// The text of a JSON string; `None` for any other value. A lone surrogate becomes U+FFFD.
pub fn text(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    decode_json_text(json).map(|decoded| Cow::Owned(decoded.text.into_owned()))
}

/// The same for equal texts, in every run of the program.
pub(super) fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Number of characters (Unicode code points, a lone surrogate counts as one) of a JSON string, and its beginning of at
/// most `excerpt_bytes` bytes.
pub(super) fn measure(json: &str, excerpt_bytes: usize) -> Option<(u64, Cow<'_, str>)> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    let Some(first) = memchr(b'\\', inner.as_bytes()) else {
        return Some((characters(inner), Cow::Borrowed(prefix(inner, excerpt_bytes))));
    };
    // What is written with escapes is at most twice as long where it is text: six bytes for a character of three.
    let cut = prefix(inner, excerpt_bytes * 2);
    let (longer, end) = escapes(inner, first, cut.len());
    let head = inner.get(..end).unwrap_or_default();
    let literal = format!("\"{head}\"");
    let excerpt = prefix(&text(&literal)?, excerpt_bytes).to_owned();
    Some((characters(inner) - longer, Cow::Owned(excerpt)))
}

/// Walks the escapes of a string from the `first` one. Tells by how many characters they are longer than what they stand
/// for, and the last place up to `limit` that is not inside of one.
fn escapes(inner: &str, first: usize, limit: usize) -> (u64, usize) {
    let bytes = inner.as_bytes();
    let is_surrogate = |at: usize, halves: &[u8]| {
        let half = bytes.get(at + 3).map(u8::to_ascii_lowercase);
        bytes.get(at..at + 2) == Some(b"\\u")
            && bytes.get(at + 2).map(u8::to_ascii_lowercase) == Some(b'd')
            && half.is_some_and(|half| halves.contains(&half))
    };
    let (mut longer, mut end, mut next) = (0, limit, Some(first));
    while let Some(at) = next {
        let length = match bytes.get(at + 1) {
            Some(b'u') if is_surrogate(at, b"89ab") && is_surrogate(at + 6, b"cdef") => 12,
            Some(b'u') => 6,
            _ => 2,
        };
        longer += length - 1;
        let after = at + usize::try_from(length).unwrap_or(2);
        if at < limit && limit < after {
            end = at;
        }
        next = bytes.get(after..).and_then(|rest| memchr(b'\\', rest)).map(|found| after + found);
    }
    (longer, end)
}

/// A whole, non-negative JSON number; a float counts if it is whole.
pub(super) fn number(json: &str) -> Option<u64> {
    json.parse().ok().or_else(|| {
        let float: f64 = json.parse().ok()?;
        ((0.0..1e15).contains(&float) && float.fract() == 0.0).then(|| format!("{float:.0}").parse().ok())?
    })
}

/// Characters of a JSON string, counted as in [`Block::characters`](super::Block::characters); `None` for any other value.
pub fn characters_of(json: &str) -> Option<u64> {
    measure(json, 0).map(|(characters, _)| characters)
}

/// Truth as Python sees it: not null, false, a number that is zero, an empty text or an empty container.
pub fn truthy(json: &str) -> bool {
    let is_empty = |open, close| {
        json.strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|inner| inner.trim_ascii().is_empty())
    };
    let is_zero = || json.parse::<f64>().is_ok_and(|number| number == 0.0);
    !(matches!(json, "null" | "false" | "\"\"") || is_empty('[', ']') || is_empty('{', '}') || is_zero())
}

/// Characters of a text as it is written: every byte that does not continue one.
fn characters(text: &str) -> u64 {
    u64::try_from(text.bytes().filter(|byte| (byte & 0xC0) != 0x80).count()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_are_code_points() {
        let cases =
            [(r#""abc""#, 3), (r#""界""#, 1), (r#""\ud83d\udee0""#, 1), (r#""\ud800x""#, 2), (r#""a\n\u0000""#, 3)];
        for (json, expected) in cases {
            assert_eq!(measure(json, 8).unwrap().0, expected, "{json}");
        }
        assert_eq!(measure("5", 8), None);
    }

    proptest! {
        #[test]
        fn characters_are_counted_without_decoding(text in "[a-c界🛠\"\\\\\n\u{1}]{0,20}", escaped in any::<bool>()) {
            let plain = serde_json::to_string(&text).unwrap();
            let units: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = if escaped { format!("\"{}\"", units.concat()) } else { plain };
            let (count, all) = measure(&json, 1000).unwrap();
            prop_assert_eq!(count, u64::try_from(text.chars().count()).unwrap());
            prop_assert_eq!(all, text);
        }
    }

    #[test]
    fn an_excerpt_ends_between_characters_and_escapes() {
        let excerpt = |json, bytes| measure(json, bytes).unwrap().1.into_owned();
        assert_eq!(excerpt(r#""界界""#, 4), "界");
        assert_eq!(excerpt(r#""\u754c\u754c""#, 4), "界");
        assert_eq!(excerpt(r#""a\ud83d\udee0b""#, 5), "a");
        assert_eq!(excerpt(r#""a\ud83d\udee0b""#, 7), "a🛠b");
        assert_eq!(excerpt(r#""ab\n""#, 2), "ab");
    }

    #[test]
    fn truth_is_that_of_python() {
        for no in ["null", "false", "0", "-0", "0.0", "0e7", "1e-999", "\"\"", "[]", "[ ]", "{\n}"] {
            assert!(!truthy(no), "{no}");
        }
        for yes in ["true", "1", "-0.5", "\"0\"", "\" \"", "\"false\"", "[0]", "{\"\":0}"] {
            assert!(truthy(yes), "{yes}");
        }
    }

    #[test]
    fn numbers_may_be_whole_floats() {
        assert_eq!(
            [number("12"), number("12.0"), number("1.5"), number("-1"), number("\"1\"")],
            [Some(12), Some(12), None, None, None]
        );
    }
}
