use super::json_extremes::INFINITE;
use super::names::visible;
use serde::Serialize;
use serde_json::{Map, Value};

/// One error or warning, as the agent CLI words it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Issue {
    /// Field of the file, or a word such as `json`, `root` or `directory` for the file as a whole.
    pub path: String,
    /// The CLI's sentence.
    pub message: String,
    /// The CLI has this field and leaves it `null`.
    pub code: (),
}

impl Issue {
    pub(super) fn new(path: impl AsRef<str>, message: impl AsRef<str>) -> Self {
        Self { path: visible(path.as_ref()).trim().to_owned(), message: visible(message.as_ref()), code: () }
    }
}

/// What a schema finds wrong with a value, in the CLI's words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) issues: Vec<Issue>,
    /// The value is of the wrong kind, so that its other rules were not asked.
    wrong_kind: bool,
}

impl Faults {
    pub(super) fn none() -> Self {
        Self::default()
    }

    /// The value is of the wrong kind.
    pub(super) fn wrong_kind(path: &str, message: impl AsRef<str>) -> Self {
        Self { issues: vec![Issue::new(path, message)], wrong_kind: true }
    }

    /// The value is of the right kind and breaks a rule.
    pub(super) fn broken_rule(path: &str, message: impl AsRef<str>) -> Self {
        Self { issues: vec![Issue::new(path, message)], wrong_kind: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.issues.is_empty()
    }

    pub(super) fn is_wrong_kind(&self) -> bool {
        self.wrong_kind
    }

    pub(super) fn add(&mut self, other: Self) {
        self.issues.extend(other.issues);
        self.wrong_kind |= other.wrong_kind;
    }
}

impl FromIterator<Self> for Faults {
    fn from_iter<I: IntoIterator<Item = Self>>(all: I) -> Self {
        all.into_iter().fold(Self::default(), |mut faults, other| {
            faults.add(other);
            faults
        })
    }
}

/// A value that may be one of several kinds: it fits if one of them does. Where it is of one kind alone and breaks a rule
/// of that, the rule is told; else only that the input is invalid (spec/plugins.md, Types and how a wrong type is treated).
pub(super) fn union(path: &str, kinds: impl IntoIterator<Item = Faults>) -> Faults {
    let kinds: Vec<Faults> = kinds.into_iter().collect();
    if kinds.iter().any(Faults::is_empty) {
        return Faults::none();
    }
    let mut of_right_kind = kinds.into_iter().filter(|faults| !faults.wrong_kind);
    match (of_right_kind.next(), of_right_kind.next()) {
        (Some(only), None) => only,
        _ => Faults::wrong_kind(path, "Invalid input"),
    }
}

/// The name that the CLI has for the kind of a value; `undefined` for one that is missing.
pub(super) fn kind_of(value: Option<&Value>) -> &'static str {
    match value {
        None => "undefined",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "boolean",
        Some(value) if is_infinite(value) => "Infinity",
        Some(Value::Number(_)) => "number",
        Some(Value::String(_)) => "string",
        Some(Value::Array(_)) => "array",
        Some(Value::Object(_)) => "object",
    }
}

/// Whether this stands for a number beyond the range of `f64`, which is none for the CLI's schemas.
fn is_infinite(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.abs() >= INFINITE)
}

pub(super) fn expected(path: &str, kind: &str, value: Option<&Value>) -> Faults {
    Faults::wrong_kind(path, format!("Invalid input: expected {kind}, received {}", kind_of(value)))
}

pub(super) fn string(path: &str, value: &Value) -> Faults {
    if value.is_string() { Faults::none() } else { expected(path, "string", Some(value)) }
}

/// A string of at least one character.
pub(super) fn some_text(path: &str, value: &Value) -> Faults {
    if value.as_str() == Some("") {
        return Faults::broken_rule(path, "Too small: expected string to have >=1 characters");
    }
    string(path, value)
}

pub(super) fn boolean(path: &str, value: &Value) -> Faults {
    if value.is_boolean() { Faults::none() } else { expected(path, "boolean", Some(value)) }
}

pub(super) fn number(path: &str, value: &Value) -> Faults {
    if value.is_number() && !is_infinite(value) { Faults::none() } else { expected(path, "number", Some(value)) }
}

/// A number above zero.
pub(super) fn above_zero(path: &str, value: &Value) -> Faults {
    match value.as_f64() {
        Some(number) if number <= 0.0 => Faults::broken_rule(path, "Too small: expected number to be >0"),
        _ => number(path, value),
    }
}

/// A whole number.
pub(super) fn whole(path: &str, value: &Value) -> Faults {
    match value.as_f64() {
        Some(number) if number.fract() != 0.0 => expected(path, "int", Some(value)),
        _ => number(path, value),
    }
}

pub(super) fn any_object(path: &str, value: &Value) -> Faults {
    if value.is_object() { Faults::none() } else { expected(path, "object", Some(value)) }
}

pub(super) fn one_of(path: &str, value: &Value, options: &[&str]) -> Faults {
    if value.as_str().is_some_and(|text| options.contains(&text)) {
        return Faults::none();
    }
    let options: Vec<String> = options.iter().map(|option| format!("\"{option}\"")).collect();
    Faults::wrong_kind(path, format!("Invalid option: expected one of {}", options.join("|")))
}

/// A list, each element checked at its place.
pub(super) fn list_of(path: &str, value: &Value, element: impl Fn(&str, &Value) -> Faults) -> Faults {
    let Value::Array(items) = value else { return expected(path, "array", Some(value)) };
    items.iter().enumerate().map(|(at, item)| element(&format!("{path}.{at}"), item)).collect()
}

/// An object whose names are data, each value checked at its place.
pub(super) fn record_of(path: &str, value: &Value, field: impl Fn(&str, &str, &Value) -> Faults) -> Faults {
    let Value::Object(fields) = value else { return expected(path, "record", Some(value)) };
    fields.iter().map(|(name, value)| field(&format!("{path}.{name}"), name, value)).collect()
}

pub(super) fn strings(path: &str, value: &Value) -> Faults {
    list_of(path, value, string)
}

pub(super) fn string_record(path: &str, value: &Value) -> Faults {
    record_of(path, value, |path, _, value| string(path, value))
}

/// How one field of an object is checked.
pub(super) type Rule = fn(&str, &Value) -> Faults;

/// A field by its name, whether it must be there, and its rule.
pub(super) type Field = (&'static str, bool, Rule);

/// The fields of an object. A missing one counts as `undefined`; without a table entry a field is not looked at.
pub(super) fn fields(path: &str, object: &Map<String, Value>, table: &[Field]) -> Faults {
    let check = |(name, required, rule): &Field| {
        let path = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
        match object.get(*name) {
            Some(value) => rule(&path, value),
            None if *required => undefined(&path, *rule),
            None => Faults::none(),
        }
    };
    table.iter().map(check).collect()
}

/// What the rule says about a field that is not there: it is asked about `null`, which fits no rule that is required.
fn undefined(path: &str, rule: Rule) -> Faults {
    let mut faults = rule(path, &Value::Null);
    for issue in &mut faults.issues {
        issue.message = issue.message.replace("received null", "received undefined");
    }
    faults
}

/// As [`fields`], and fields without a table entry are refused.
pub(super) fn strict_fields(path: &str, object: &Map<String, Value>, table: &[Field]) -> Faults {
    let mut faults = fields(path, object, table);
    let is_known = |name: &str| table.iter().any(|(known, _, _)| *known == name);
    let unknown: Vec<String> = object.keys().filter(|name| !is_known(name)).map(|name| format!("\"{name}\"")).collect();
    match unknown.as_slice() {
        [] => {}
        [one] => faults.add(Faults::broken_rule(path, format!("Unrecognized key: {one}"))),
        several => faults.add(Faults::broken_rule(path, format!("Unrecognized keys: {}", several.join(", ")))),
    }
    faults
}

/// An object with these fields; others are not looked at.
pub(super) fn object(path: &str, value: &Value, table: &[Field]) -> Faults {
    let Value::Object(object) = value else { return expected(path, "object", Some(value)) };
    fields(path, object, table)
}

/// An object with exactly these fields.
pub(super) fn strict_object(path: &str, value: &Value, table: &[Field]) -> Faults {
    let Value::Object(object) = value else { return expected(path, "object", Some(value)) };
    strict_fields(path, object, table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_union_tells_the_broken_rule_of_the_only_kind_that_fits() {
        let check = |value: Value| union("f", [some_text("f", &value), strings("f", &value)]);
        let said = |value| check(value).issues.into_iter().map(|issue| issue.message).collect::<Vec<_>>();
        assert!(said(json!("x")).is_empty() && said(json!([])).is_empty());
        assert_eq!(said(json!("")), ["Too small: expected string to have >=1 characters"]);
        assert_eq!(said(json!(5)), ["Invalid input"]);
        assert_eq!(said(json!([1])), ["Invalid input"]);
    }

    #[test]
    fn missing_and_unknown_fields_are_told_at_their_place() {
        let table: [Field; 2] = [("a", true, string), ("b", false, number)];
        let faults = strict_object("x", &json!({"b": true, "c": 1, "d": 2}), &table);
        let said: Vec<_> = faults.issues.iter().map(|issue| (issue.path.as_str(), issue.message.as_str())).collect();
        let expected = [
            ("x.a", "Invalid input: expected string, received undefined"),
            ("x.b", "Invalid input: expected number, received boolean"),
            ("x", "Unrecognized keys: \"c\", \"d\""),
        ];
        assert_eq!(said, expected);
    }
}
