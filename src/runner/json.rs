use crate::run_dir::decode_json_text;
use crate::transcript::{Fields, fields};
use std::borrow::Cow;

/// A JSON object as it stands: its fields are read one by one, whatever their neighbours hold.
///
/// Halves of surrogate pairs, which the CLI writes, and fields of unexpected types spoil nothing; bytes are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Object<'a>(Fields<'a>);

impl<'a> Object<'a> {
    /// The object in `json`; `None` if it is not one whole object.
    pub(super) fn parse(json: &'a str) -> Option<Self> {
        fields(json).map(Self)
    }

    /// The raw JSON of a field; of equal names the last one holds.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(field, _)| field == name).map(|(_, raw)| *raw)
    }

    /// A field that is a string.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.raw(name).and_then(text)
    }

    /// A field that is an object; empty for anything else.
    pub(super) fn object(&self, name: &str) -> Self {
        self.raw(name).and_then(Self::parse).unwrap_or_default()
    }

    /// The elements of a field that is a list; none for anything else.
    pub(super) fn list(&self, name: &str) -> Vec<&'a str> {
        self.raw(name).map(list).unwrap_or_default()
    }

    /// A field that is `true`.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.raw(name) == Some("true")
    }

    /// A field that is a whole number, not below zero.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        self.raw(name)?.parse().ok()
    }

    /// A field that is a number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.raw(name)?.parse().ok()
    }

    /// All fields in their order.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, raw)| (name.as_str(), *raw))
    }
}

/// A JSON string as text; half of a surrogate pair becomes U+FFFD.
pub(super) fn text(raw: &str) -> Option<Cow<'_, str>> {
    decode_json_text(raw).map(|decoded| decoded.text)
}

/// The elements of a list, raw; none for anything else.
pub(super) fn list(raw: &str) -> Vec<&str> {
    let elements: Option<Vec<&serde_json::value::RawValue>> =
        raw.starts_with('[').then(|| serde_json::from_str(raw).ok()).flatten();
    elements.unwrap_or_default().into_iter().map(serde_json::value::RawValue::get).collect()
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    // Text is always valid JSON.
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_field_spoils_no_other() {
        let object =
            Object::parse(r#"{"a":"\ud83d x","b":[1,"\ude00"],"c":{"d":true},"n":0.5,"n":3,"z":null}"#).unwrap();
        assert_eq!(object.text("a").as_deref(), Some("\u{fffd} x"));
        assert_eq!(object.list("b"), ["1", r#""\ude00""#]);
        assert!(object.object("c").is_true("d"));
        assert_eq!((object.count("n"), object.number("n"), object.text("n")), (Some(3), Some(3.0), None));
        assert!(object.object("z").fields().next().is_none() && object.list("z").is_empty());
        assert!(Object::parse("[1]").is_none() && Object::parse("{").is_none());
    }
}
