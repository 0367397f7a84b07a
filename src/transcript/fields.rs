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

/// The fields of an object in their order, each with its raw JSON; of equal names the last one holds, as in the CLI itself.
pub type Fields<'a> = Vec<(String, &'a str)>;

/// All fields of the object in `json`; `None` if it is not one whole object.
pub fn fields(json: &str) -> Option<Fields<'_>> {
    let mut all = Vec::new();
    each_field(json, |name, value| all.push((name.to_owned(), value))).then_some(all)
}

/// Calls `each` with the name and the raw JSON of every field; false if `json` is not one whole object.
pub(super) fn each_field<'a>(json: &'a str, each: impl FnMut(&str, &'a str)) -> bool {
    walk(json, &mut EachField(each))
}

/// Fields that are kept; all others are only checked. An inner object is taken apart in the same reading, which matters:
/// most of a transcript lies in one.
pub(super) trait Slots<'a> {
    /// Where the raw JSON of this field goes.
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>>;

    /// The slots of the inner object of this name.
    fn inner(&mut self, _name: &str) -> Option<&mut dyn Slots<'a>> {
        None
    }
}

/// Fills the slots from `json`; `None` if it is not one whole object.
pub(super) fn fill<'a, S: Slots<'a> + Default>(json: &'a str) -> Option<S> {
    let mut slots = S::default();
    if walk(json, &mut Fill { slots: &mut slots, flat: false }) {
        return Some(slots);
    }
    // Where the inner one is no object, it is left out in a second reading.
    slots = S::default();
    walk(json, &mut Fill { slots: &mut slots, flat: true }).then_some(slots)
}

fn walk<'a>(json: &'a str, sink: &mut impl Sink<'a>) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    // The first byte is looked at before, because serde_json writes the whole value into its error.
    json.trim_ascii_start().starts_with('{')
        && ObjectWalk(sink).deserialize(&mut deserializer).and_then(|()| deserializer.end()).is_ok()
}

/// Calls `each` with the raw JSON of every element of the list in `json`; false if `json` is not one whole list.
pub(super) fn each_element<'a>(json: &'a str, each: impl FnMut(&'a str)) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    json.trim_ascii_start().starts_with('[')
        && ListWalk(each).deserialize(&mut deserializer).and_then(|()| deserializer.end()).is_ok()
}

/// The elements of the list in `json`, each taken apart; what is no object is there with empty slots. Empty for anything
/// but one whole list.
pub(super) fn fill_each<'a, S: Slots<'a> + Default>(json: &'a str, limit: usize) -> Vec<S> {
    let mut all = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let walk = FillList { all: &mut all, limit };
    let is_list = json.trim_ascii_start().starts_with('[');
    if is_list && walk.deserialize(&mut deserializer).and_then(|()| deserializer.end()).is_err() {
        // Where an element is no object, or its inner one is none, each is looked at by itself.
        all.clear();
        each_element(json, |element| {
            if all.len() < limit {
                all.push(fill(element).unwrap_or_default());
            }
        });
    }
    all
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

/// Truth as Python and JavaScript see it: not null, false, 0, "" or an empty container.
pub(super) fn truthy(json: &str) -> bool {
    !matches!(json, "null" | "false" | "0" | "0.0" | "\"\"" | "[]" | "{}")
}

/// Characters of a text as it is written: every byte that does not continue one.
fn characters(text: &str) -> u64 {
    u64::try_from(text.bytes().filter(|byte| (byte & 0xC0) != 0x80).count()).unwrap_or(u64::MAX)
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

/// What is done with the value that follows a name.
trait Sink<'de> {
    fn value<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error>;
}

struct EachField<F>(F);

impl<'de, F: FnMut(&str, &'de str)> Sink<'de> for EachField<F> {
    fn value<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        (self.0)(name, map.next_value::<&RawValue>()?.get());
        Ok(())
    }
}

struct Fill<'s, 'de> {
    slots: &'s mut dyn Slots<'de>,
    flat: bool,
}

impl<'de> Sink<'de> for Fill<'_, 'de> {
    fn value<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        if let Some(slot) = self.slots.slot(name) {
            *slot = Some(map.next_value::<&RawValue>()?.get());
            return Ok(());
        }
        match self.slots.inner(name).filter(|_| !self.flat) {
            Some(slots) => map.next_value_seed(ObjectWalk(&mut Fill { slots, flat: true })),
            None => map.next_value::<IgnoredAny>().map(|_| ()),
        }
    }
}

struct ObjectWalk<'s, S>(&'s mut S);

impl<'de, S: Sink<'de>> DeserializeSeed<'de> for ObjectWalk<'_, S> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, S: Sink<'de>> Visitor<'de> for ObjectWalk<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Name)? {
            self.0.value(&name, &mut map)?;
        }
        Ok(())
    }
}

struct FillList<'s, S> {
    all: &'s mut Vec<S>,
    limit: usize,
}

impl<'de, S: Slots<'de> + Default> DeserializeSeed<'de> for FillList<'_, S> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: Slots<'de> + Default> Visitor<'de> for FillList<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        loop {
            let mut slots = S::default();
            let Some(()) = list.next_element_seed(ObjectWalk(&mut Fill { slots: &mut slots, flat: false }))? else {
                return Ok(());
            };
            if self.all.len() < self.limit {
                self.all.push(slots);
            }
        }
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
    use proptest::prelude::*;

    #[test]
    fn fields_come_in_order_with_repeats_and_odd_names() {
        let json = r#"{"b":1,"a":{"deep":[1]},"b":"\ud800","\ud83d":null}"#;
        let all = fields(json).unwrap();
        let shown: Vec<_> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(shown[..3], ["b=1", r#"a={"deep":[1]}"#, r#"b="\ud800""#]);
        assert!(shown[3].contains('\u{fffd}'));
        assert_eq!(fields("[1]"), None);
        assert_eq!(fields("{} {}"), None);
    }

    #[derive(Debug, Default, PartialEq)]
    struct Outer<'a> {
        a: Option<&'a str>,
        inner: Inner<'a>,
    }

    #[derive(Debug, Default, PartialEq)]
    struct Inner<'a>(Option<&'a str>);

    impl<'a> Slots<'a> for Inner<'a> {
        fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
            (name == "a").then_some(&mut self.0)
        }
    }

    impl<'a> Slots<'a> for Outer<'a> {
        fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
            (name == "a").then_some(&mut self.a)
        }

        fn inner(&mut self, name: &str) -> Option<&mut dyn Slots<'a>> {
            (name == "m").then_some(&mut self.inner)
        }
    }

    #[test]
    fn an_inner_object_is_filled_in_the_same_reading() {
        let outer = |a, inner| Some(Outer { a: Some(a), inner: Inner(inner) });
        assert_eq!(fill(r#"{"a":1,"m":{"a":2,"b":[]},"b":3}"#), outer("1", Some("2")));
        for odd in [r#"{"a":1,"m":null}"#, r#"{"m":"\ud800","a":1}"#, r#"{"a":1,"m":[{"a":2}]}"#] {
            assert_eq!(fill(odd), outer("1", None), "{odd}");
        }
        assert_eq!(fill::<Outer<'_>>(r#"{"a":1"#), None);
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
    fn numbers_may_be_whole_floats() {
        assert_eq!(
            [number("12"), number("12.0"), number("1.5"), number("-1"), number("\"1\"")],
            [Some(12), Some(12), None, None, None]
        );
    }
}
