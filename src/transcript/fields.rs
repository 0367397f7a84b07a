//! The one way in which JSON is taken apart: an object is a list of raw fields, in order, repeats included.
//!
//! Raw fields keep the bytes of what is not understood, and a field of an unexpected type cannot spoil its neighbours.
//! Objects are walked, not recursed into: nesting that would overflow a stack is skipped like any other value.

use memchr::memchr;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

use super::label::prefix;
use crate::run_dir::decode_json_text;

/// The fields of an object in their order; of equal names the last one holds, as in the CLI itself.
pub type Fields<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// All fields of the object in `json`.
pub fn fields(json: &str) -> Result<Fields<'_>, serde_json::Error> {
    let mut all = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(json);
    ObjectWalk(|name: Cow<'_, str>, value| all.push((Cow::Owned(name.into_owned()), value)))
        .deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(all)
}

/// Calls `each` with the name and the raw JSON of every field; false if `json` is not one whole object.
pub(super) fn each_field<'a>(json: &'a str, mut each: impl FnMut(&str, &'a str)) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    // The first byte is looked at before, because serde_json writes the whole value into its error.
    json.trim_ascii_start().starts_with('{')
        && ObjectWalk(|name: Cow<'_, str>, value: &'a RawValue| each(&name, value.get()))
            .deserialize(&mut deserializer)
            .and_then(|()| deserializer.end())
            .is_ok()
}

/// Calls `each` with the raw JSON of every element of the list in `json`; false if `json` is not one whole list.
pub(super) fn each_element<'a>(json: &'a str, each: impl FnMut(&'a str)) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    json.trim_ascii_start().starts_with('[')
        && ListWalk(each).deserialize(&mut deserializer).and_then(|()| deserializer.end()).is_ok()
}

/// Whether `json` is one whole value; its error tells where it breaks.
pub(super) fn check(json: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(json).map(|_| ())
}

/// The text of a JSON string; `None` for any other value. A lone surrogate becomes U+FFFD.
pub(super) fn text(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    decode_json_text(json).map(|decoded| Cow::Owned(decoded.text.into_owned()))
}

/// Number of characters (Unicode code points, a lone surrogate counts as one) and the beginning of a JSON string.
pub(super) fn measure(json: &str, excerpt_bytes: usize) -> Option<(u64, Cow<'_, str>)> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if memchr(b'\\', inner.as_bytes()).is_none() {
        return Some((characters(inner.as_bytes()), Cow::Borrowed(prefix(inner, excerpt_bytes))));
    }
    let counted = serde_json::Deserializer::from_str(json).deserialize_bytes(Measure { excerpt_bytes }).ok()?;
    Some((counted.0, Cow::Owned(counted.1)))
}

/// A whole, non-negative JSON number; a float counts if it is whole.
pub(super) fn number(json: &str) -> Option<u64> {
    json.parse().ok().or_else(|| {
        let float: f64 = json.parse().ok()?;
        ((0.0..1e15).contains(&float) && float.fract() == 0.0).then(|| format!("{float:.0}").parse().ok())?
    })
}

/// Truth as Python and JavaScript see it: not null, false, 0, "" or an empty container.
pub(super) fn truthy(json: &str) -> bool {
    !matches!(json, "null" | "false" | "0" | "0.0" | "\"\"" | "[]" | "{}")
}

/// Characters of UTF-8 (or of its superset with surrogates): every byte that does not continue one.
fn characters(bytes: &[u8]) -> u64 {
    let count = bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
    u64::try_from(count).unwrap_or(u64::MAX)
}

struct Measure {
    excerpt_bytes: usize,
}

impl Visitor<'_> for Measure {
    type Value = (u64, String);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        let head = bytes.get(..self.excerpt_bytes).unwrap_or(bytes);
        let excerpt = match str::from_utf8(head) {
            Ok(text) => text.to_owned(),
            Err(error) if error.error_len().is_none() => {
                String::from_utf8_lossy(head.get(..error.valid_up_to()).unwrap_or_default()).into_owned()
            }
            Err(_) => String::from_utf8_lossy(head).into_owned(),
        };
        Ok((characters(bytes), excerpt))
    }
}

/// A field name; lone surrogates become U+FFFD, so that a strange name cannot hide its neighbours.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(String::from_utf8_lossy(bytes).into_owned()))
    }
}

struct ObjectWalk<F>(F);

impl<'de, F: FnMut(Cow<'de, str>, &'de RawValue)> DeserializeSeed<'de> for ObjectWalk<F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnMut(Cow<'de, str>, &'de RawValue)> Visitor<'de> for ObjectWalk<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Name)? {
            (self.0)(name, map.next_value()?);
        }
        Ok(())
    }
}

struct ListWalk<F>(F);

impl<'de, F: FnMut(&'de str)> DeserializeSeed<'de> for ListWalk<F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&'de str)> Visitor<'de> for ListWalk<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(element) = list.next_element::<&RawValue>()? {
            (self.0)(element.get());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_in_order_with_repeats_and_odd_names() {
        let json = r#"{"b":1,"a":{"deep":[1]},"b":"\ud800","\ud83d":null}"#;
        let all = fields(json).unwrap();
        let shown: Vec<_> = all.iter().map(|(name, value)| format!("{name}={}", value.get())).collect();
        assert_eq!(shown[..3], ["b=1", r#"a={"deep":[1]}"#, r#"b="\ud800""#]);
        assert!(shown[3].contains('\u{fffd}'));
        assert!(fields("[1]").is_err());
        assert!(fields("{} {}").is_err());
    }

    #[test]
    fn nesting_beyond_any_stack_is_walked() {
        let json = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(each_field(&json, |_, _| {}));
    }

    #[test]
    fn characters_are_code_points() {
        let cases =
            [(r#""abc""#, 3), (r#""界""#, 1), (r#""\ud83d\udee0""#, 1), (r#""\ud800x""#, 2), (r#""a\n\u0000""#, 3)];
        for (json, expected) in cases {
            assert_eq!(measure(json, 8).unwrap().0, expected, "{json}");
        }
        assert_eq!(measure("5", 8), None);
    }

    #[test]
    fn an_excerpt_ends_between_characters() {
        assert_eq!(measure(r#""界界""#, 4).unwrap().1, "界");
        assert_eq!(measure(r#""\u754c\u754c""#, 4).unwrap().1, "界");
    }

    #[test]
    fn numbers_may_be_whole_floats() {
        assert_eq!(
            [number("12"), number("12.0"), number("1.5"), number("-1"), number("\"1\"")],
            [Some(12), Some(12), None, None, None]
        );
    }
}
