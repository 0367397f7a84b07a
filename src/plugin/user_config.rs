use super::frontmatter::trimmed;
use super::issue::{
    Faults, Field, boolean, expected, list_of, number, one_of, record_of, some_text, strict_object, string, strings,
    union,
};
use super::names::is_hidden;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const TYPES: [&str; 5] = ["string", "number", "boolean", "directory", "file"];

/// Longest option, in code points.
const MAX_OPTION: usize = 64;

const FIELDS: [Field; 10] = [
    ("type", true, |path, value| one_of(path, value, &TYPES)),
    ("title", true, string),
    ("description", true, string),
    ("required", false, boolean),
    ("default", false, default),
    ("multiple", false, boolean),
    ("sensitive", false, boolean),
    ("min", false, number),
    ("max", false, number),
    ("options", false, options),
];

/// The options that a plugin asks of its user, with names that can be variables (spec/plugins.md, userConfig).
pub(super) fn user_config(path: &str, value: &Value) -> Faults {
    record_of(path, value, |path, name, value| {
        if is_variable(name) { field(path, value) } else { Faults::wrong_kind(path, "Invalid key in record") }
    })
}

/// The options of a channel, whose names are not looked at.
pub(super) fn channel_config(path: &str, value: &Value) -> Faults {
    record_of(path, value, |path, _, value| field(path, value))
}

/// The channels of a plugin (spec/plugins.md, channels).
pub(super) fn channels(path: &str, value: &Value) -> Faults {
    const CHANNEL: [Field; 3] =
        [("server", true, some_text), ("displayName", false, string), ("userConfig", false, channel_config)];
    list_of(path, value, |path, channel| strict_object(path, channel, &CHANNEL))
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn default(path: &str, value: &Value) -> Faults {
    let scalar = value.is_string() || value.is_number() || value.is_boolean();
    if scalar { Faults::none() } else { union(path, [expected(path, "string", Some(value)), strings(path, value)]) }
}

fn field(path: &str, value: &Value) -> Faults {
    let mut faults = strict_object(path, value, &FIELDS);
    if let (true, Some(field)) = (faults.is_empty(), value.as_object())
        && field.contains_key("options")
    {
        faults.add(options_of(path, field));
    }
    faults
}

/// The options by themselves.
fn options(path: &str, value: &Value) -> Faults {
    let mut faults = list_of(path, value, option);
    let texts: Vec<String> =
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_lowercase).collect();
    if texts.iter().collect::<BTreeSet<_>>().len() < texts.len() {
        faults.add(Faults::broken_rule(path, "options cannot repeat a value (in any letter case)"));
    }
    if value.as_array().is_some_and(Vec::is_empty) {
        faults.add(Faults::broken_rule(path, "options needs at least one value"));
    }
    faults
}

fn option(path: &str, value: &Value) -> Faults {
    let Some(text) = value.as_str() else { return string(path, value) };
    let mut faults = Faults::none();
    let mut rule = |broken: bool, said: &str| {
        if broken {
            faults.add(Faults::broken_rule(path, said));
        }
    };
    rule(text.is_empty(), "An option cannot be empty");
    rule(text.chars().count() > MAX_OPTION, "An option can be at most 64 characters");
    rule(trimmed(text) != text, "An option cannot start or end with a space");
    rule(
        text.chars().any(is_hidden),
        "An option cannot contain control, invisible or bidirectional-formatting characters",
    );
    faults
}

/// The options together with the rest of their field.
fn options_of(path: &str, field: &Map<String, Value>) -> Faults {
    let is_true = |name: &str| field.get(name) == Some(&Value::Bool(true));
    if field.get("type").and_then(Value::as_str) != Some("string") || is_true("multiple") || is_true("sensitive") {
        let said = "options is only for a field of type \"string\" that is neither multiple nor sensitive";
        return Faults::broken_rule(&format!("{path}.options"), said);
    }
    let options: Vec<&str> =
        field.get("options").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let path = format!("{path}.default");
    match field.get("default") {
        Some(default) if !default.as_str().is_some_and(|default| options.contains(&default)) => {
            Faults::broken_rule(&path, format!("default must be one of the options: {}", options.join(", ")))
        }
        None if !is_true("required") => {
            Faults::broken_rule(&path, "a field with options needs a default among them, or required: true")
        }
        _ => Faults::none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(field: &Value) -> Vec<String> {
        let issues = user_config("u", &json!({ "k": field })).issues;
        issues.into_iter().map(|issue| format!("{} {}", issue.path.trim_start_matches("u.k"), issue.message)).collect()
    }

    #[test]
    fn options_are_checked_one_by_one_and_then_together() {
        let field = |options: Value, more: Value| {
            let mut field = json!({"type": "string", "title": "T", "description": "D", "options": options});
            field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            said(&field)
        };
        let required = json!({"required": true});
        let emoji = |n: usize| json!(["😀".repeat(n)]);
        assert!(field(emoji(64), required.clone()).is_empty());
        assert_eq!(field(emoji(65), required.clone()), [".options.0 An option can be at most 64 characters"]);
        assert_eq!(field(json!([" a"]), json!({})), [".options.0 An option cannot start or end with a space"]);
        assert_eq!(field(json!([""]), json!({})), [".options.0 An option cannot be empty"]);
        assert_eq!(field(json!([]), json!({})), [".options options needs at least one value"]);
        let repeat = [".options options cannot repeat a value (in any letter case)"];
        assert_eq!(field(json!(["é", "É"]), json!({})), repeat);
        assert!(field(json!(["straße", "STRASSE"]), required.clone()).is_empty());
        assert_eq!(
            field(json!(["a", "b"]), json!({"default": "A"})),
            [".default default must be one of the options: a, b"]
        );
        let missing = [".default a field with options needs a default among them, or required: true"];
        assert_eq!(field(json!(["a"]), json!({})), missing);
    }
}
