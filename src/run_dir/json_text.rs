//! Interim.
use serde::de::{Deserializer, Visitor};
use std::borrow::Cow;

/// Decodes a JSON string literal.
pub fn decode(raw: &str) -> Option<Cow<'_, str>> {
    struct V;
    impl Visitor<'_> for V {
        type Value = String;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string")
        }
        fn visit_bytes<E>(self, b: &[u8]) -> Result<String, E> {
            Ok(String::from_utf8_lossy(b).into_owned())
        }
    }
    serde_json::Deserializer::from_str(raw).deserialize_bytes(V).ok().map(Cow::Owned)
}
