use crate::unit::Timestamp;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// One cell of a table or of the answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// There is none.
    Null,
    /// Text.
    Text(Cow<'a, str>),
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// Yes or no.
    Boolean(bool),
    /// A moment.
    Timestamp(Timestamp),
}

/// As JSON carries it: moments in RFC 3339, numbers as numbers; what is no number (NaN, infinity) as null.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::Boolean(yes) => serializer.serialize_bool(*yes),
            Self::Timestamp(at) => at.serialize(serializer),
        }
    }
}
