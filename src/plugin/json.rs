use super::issue::Issue;
use super::json_extremes::tamed;
use serde_json::error::Category;
use serde_json::{Map, Value};

/// The mark that some editors put at the beginning of a file.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads JSON as JavaScript does; an error is worded as by the CLI, as far as its words are known (spec/plugins.md, Discovery).
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let read = serde_json::from_str(text).or_else(|error| {
        tamed(text).and_then(|tamed| serde_json::from_str(&tamed).ok()).ok_or_else(|| words(text, &error))
    });
    let mut value = read.map_err(|words| format!("JSON Parse error: {words}"))?;
    order_keys(&mut value);
    Ok(value)
}

/// Puts the fields of objects into the order of JavaScript: whole numbers first, by size, then the others as they stand.
fn order_keys(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.keys().any(|name| index(name).is_some()) {
                let (mut numbers, others): (Vec<_>, Vec<_>) =
                    std::mem::take(fields).into_iter().partition(|(name, _)| index(name).is_some());
                numbers.sort_by_key(|(name, _)| index(name));
                *fields = numbers.into_iter().chain(others).collect::<Map<_, _>>();
            }
            fields.values_mut().for_each(order_keys);
        }
        Value::Array(items) => items.iter_mut().for_each(order_keys),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A name that JavaScript takes for the index of an array.
fn index(name: &str) -> Option<u32> {
    name.parse().ok().filter(|index: &u32| *index < u32::MAX && index.to_string() == name)
}

/// Reads a manifest, which may begin with a byte-order mark.
pub(super) fn parse_manifest(text: &str) -> Result<Value, Issue> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    parse(text).map_err(|message| Issue::new("json", format!("Invalid JSON syntax: {message}")))
}

fn words(text: &str, error: &serde_json::Error) -> String {
    let at = offset(text, error);
    let rest = text.get(at..).unwrap_or_default();
    let before = text.get(..at).unwrap_or_default().trim_end();
    let said = error.to_string();
    let next = rest.chars().next();
    if error.classify() == Category::Eof {
        return match (text.trim().is_empty(), before_is_open(text)) {
            (true, _) | (_, None) => "Unexpected EOF".to_owned(),
            (_, Some(closing)) => format!("Expected '{closing}'"),
        };
    }
    match next {
        _ if said.starts_with("control character") => "Unterminated string".to_owned(),
        _ if said.starts_with("trailing characters") => "Unable to parse JSON string".to_owned(),
        Some('\'') => "Single quotes (') are not allowed in JSON".to_owned(),
        Some('}') if before.ends_with(',') => "Property name must be a string literal".to_owned(),
        Some(token) if said.starts_with("key must be a string") && token != '/' => "Expected '}'".to_owned(),
        Some(token) => format!("Unrecognized token '{token}'"),
        None => "Unexpected EOF".to_owned(),
    }
}

/// The bracket that would close what is open at the end, if the text stops where it could be closed.
fn before_is_open(text: &str) -> Option<char> {
    let text = text.trim_end();
    match text.chars().next_back()? {
        '{' => Some('}'),
        '[' => Some(']'),
        _ => None,
    }
}

/// Where the error is, in bytes. Columns are counted in bytes, from 1; the offending byte is the one at the column.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let line = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let at = (line + error.column().saturating_sub(1)).min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_worded_as_by_the_cli() {
        for (text, expected) in [
            ("", "Unexpected EOF"),
            ("{", "Expected '}'"),
            ("{\"a\":1,}", "Property name must be a string literal"),
            ("// x", "Unrecognized token '/'"),
            ("{ // x\n}", "Unrecognized token '/'"),
            ("'x'", "Single quotes (') are not allowed in JSON"),
            ("{} x", "Unable to parse JSON string"),
            ("{\"a\": \"x\ny\"}", "Unterminated string"),
            ("\u{feff}{}", "Unrecognized token '\u{feff}'"),
        ] {
            assert_eq!(parse(text).unwrap_err(), format!("JSON Parse error: {expected}"), "{text:?}");
        }
        let names = parse(r#"{"b": 1, "10": {"1": 0, "a": 0, "0": 0}, "9": 1, "01": 1}"#).unwrap();
        assert_eq!(names.to_string(), r#"{"9":1,"10":{"0":0,"1":0,"a":0},"b":1,"01":1}"#);
        assert_eq!(parse_manifest("\u{feff}{}"), Ok(Value::Object(Map::new())));
    }
}
