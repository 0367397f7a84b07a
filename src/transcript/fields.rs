//! The one way in which JSON is taken apart: an object is a list of raw fields, in order, repeats included.
//!
//! Raw fields keep the bytes of what is not understood, and a field of an unexpected type cannot spoil its neighbours.
//! Objects are walked, not recursed into: nesting that would overflow a stack is skipped like any other value.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The fields of an object in their order, each with its raw JSON; of equal names the last one holds, as in the CLI itself.
pub type Fields<'a> = Vec<(String, &'a str)>;

/// All fields of the object in `json`; `None` if it is not one whole object.
pub fn fields(json: &str) -> Option<Fields<'_>> {
    let mut all = Vec::new();
    each_field(json, |name, value| all.push((name.to_owned(), value))).then_some(all)
}

/// Calls `each` with the name and the raw JSON of every field; false if `json` is not one whole object.
pub fn each_field<'a>(json: &'a str, each: impl FnMut(&str, &'a str)) -> bool {
    walk(json, &mut EachField(each))
}

/// Fields that are kept; all others are only checked. An inner object is taken apart in the same reading, which matters:
/// most of a transcript lies in one.
pub trait Slots<'a> {
    /// Where the raw JSON of this field goes.
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>>;

    /// The slots of the inner object of this name.
    fn inner(&mut self, _name: &str) -> Option<&mut dyn Slots<'a>> {
        None
    }
}

/// Fills the slots from `json`; `None` if it is not one whole object.
pub fn fill<'a, S: Slots<'a> + Default>(json: &'a str) -> Option<S> {
    // A name that is no text asks for a second reading; an inner one that is no object for a third, without it.
    [(false, false), (false, true), (true, true)].into_iter().find_map(|(flat, lenient)| {
        let mut slots = S::default();
        walk(json, &mut Fill { slots: &mut slots, flat, lenient }).then_some(slots)
    })
}

fn walk<'a>(json: &'a str, sink: &mut impl Sink<'a>) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    // The first byte is looked at before, because serde_json writes the whole value into its error.
    json.trim_ascii_start().starts_with('{')
        && ObjectWalk(sink).deserialize(&mut deserializer).and_then(|()| deserializer.end()).is_ok()
}

/// Calls `each` with the raw JSON of every element of the list in `json`; false if `json` is not one whole list.
pub fn each_element<'a>(json: &'a str, each: impl FnMut(&'a str)) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    json.trim_ascii_start().starts_with('[')
        && ListWalk(each).deserialize(&mut deserializer).and_then(|()| deserializer.end()).is_ok()
}

/// The elements of the list in `json`, each taken apart; what is no object is there with empty slots. Empty for anything
/// but one whole list.
pub fn fill_each<'a, S: Slots<'a> + Default>(json: &'a str, limit: usize) -> Vec<S> {
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

/// A field name. Half of a surrogate pair in it is an error, or becomes U+FFFD where `lenient`: that takes twice as long,
/// and names are a good part of a transcript.
struct Name {
    lenient: bool,
}

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.lenient { deserializer.deserialize_bytes(self) } else { deserializer.deserialize_str(self) }
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(String::from_utf8_lossy(bytes))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(String::from_utf8_lossy(bytes).into_owned()))
    }
}

/// What is done with the value that follows a name.
trait Sink<'de> {
    /// Whether names may hold halves of surrogate pairs.
    fn is_lenient(&self) -> bool;

    fn value<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error>;
}

struct EachField<F>(F);

impl<'de, F: FnMut(&str, &'de str)> Sink<'de> for EachField<F> {
    fn is_lenient(&self) -> bool {
        true
    }

    fn value<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        (self.0)(name, map.next_value::<&RawValue>()?.get());
        Ok(())
    }
}

struct Fill<'s, 'de> {
    slots: &'s mut dyn Slots<'de>,
    flat: bool,
    lenient: bool,
}

impl<'de> Sink<'de> for Fill<'_, 'de> {
    fn is_lenient(&self) -> bool {
        self.lenient
    }

    fn value<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        if let Some(slot) = self.slots.slot(name) {
            *slot = Some(map.next_value::<&RawValue>()?.get());
            return Ok(());
        }
        match self.slots.inner(name).filter(|_| !self.flat) {
            Some(slots) => map.next_value_seed(ObjectWalk(&mut Fill { slots, flat: true, lenient: self.lenient })),
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
        let lenient = self.0.is_lenient();
        while let Some(name) = map.next_key_seed(Name { lenient })? {
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
            let Some(()) =
                list.next_element_seed(ObjectWalk(&mut Fill { slots: &mut slots, flat: false, lenient: false }))?
            else {
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
        // An odd name on either level costs neither its neighbours nor the inner object.
        assert_eq!(fill(r#"{"a":1,"\udc00":2,"m":{"a":2}}"#), outer("1", Some("2")));
        assert_eq!(fill(r#"{"a":1,"m":{"\udc00":2,"a":2}}"#), outer("1", Some("2")));
        assert_eq!(fill::<Outer<'_>>(r#"{"a":1"#), None);
    }

    #[test]
    fn nesting_beyond_any_stack_is_walked() {
        let json = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(each_field(&json, |_, _| {}));
    }
}
