use super::json_extremes::INFINITE;
use super::limits::{MAX_FRONTMATTER_BYTES, MAX_YAML_DEPTH, MAX_YAML_VALUES};
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A collection that is being read.
enum Open {
    List(Vec<Value>),
    Mapping(Map<String, Value>, Option<String>),
}

/// The first document of a YAML text. Aliases stand for what they name, a collection for its own scalars without what is
/// nested in it; all of them together for no more text than a frontmatter may have.
pub(super) fn yaml(text: &str) -> Result<Value, String> {
    let mut open: Vec<(Open, usize)> = Vec::new();
    let mut anchors: BTreeMap<usize, Value> = BTreeMap::new();
    let (mut values, mut copied) = (0, 0);
    let mut root = Value::Null;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        let done = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                Some((scalar(&text, style == ScalarStyle::Plain && !is_text), anchor))
            }
            Event::Alias(anchor) => {
                let value = anchors.get(&anchor).cloned().unwrap_or_default();
                copied += text_in(&value);
                Some((value, 0))
            }
            Event::SequenceStart(anchor, _) => {
                open.push((Open::List(Vec::new()), anchor));
                None
            }
            Event::MappingStart(anchor, _) => {
                open.push((Open::Mapping(Map::new(), None), anchor));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|(ended, anchor)| (ended.value(), anchor)),
            Event::DocumentEnd | Event::StreamEnd => return Ok(root),
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => None,
        };
        if open.len() > MAX_YAML_DEPTH {
            return Err(format!("nested deeper than {MAX_YAML_DEPTH} levels"));
        }
        let Some((value, anchor)) = done else { continue };
        values += 1;
        if anchor > 0 {
            copied += text_in(&value);
            anchors.insert(anchor, outline(&value));
        }
        if values > MAX_YAML_VALUES || copied > MAX_FRONTMATTER_BYTES {
            return Err(format!("more than {MAX_YAML_VALUES} values, or aliases for {MAX_FRONTMATTER_BYTES} bytes"));
        }
        match open.last_mut() {
            Some((parent, _)) => parent.take(value),
            None => root = value,
        }
    }
    Ok(root)
}

impl Open {
    fn take(&mut self, value: Value) {
        match self {
            Self::List(items) => items.push(value),
            Self::Mapping(fields, name) => match (name.take(), value) {
                // The fields of another mapping are taken where there are none of the same name.
                (Some(name), Value::Object(merged)) if name == "<<" => {
                    for (name, value) in merged {
                        fields.entry(name).or_insert(value);
                    }
                }
                (Some(name), value) => {
                    fields.insert(name, value);
                }
                (None, value) => *name = Some(value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)),
            },
        }
    }

    fn value(self) -> Value {
        match self {
            Self::List(items) => Value::Array(items),
            Self::Mapping(fields, _) => Value::Object(fields),
        }
    }
}

/// A scalar as it is; a collection with its own scalars.
fn outline(value: &Value) -> Value {
    let is_scalar = |value: &Value| !value.is_array() && !value.is_object();
    match value {
        Value::Array(items) => items.iter().filter(|item| is_scalar(item)).cloned().collect(),
        Value::Object(fields) => fields.iter().filter(|(_, value)| is_scalar(value)).map(clone_pair).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn clone_pair((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// Bytes of text in a value, about.
fn text_in(value: &Value) -> usize {
    let text = |value: &Value| value.as_str().map_or(8, str::len);
    match value {
        Value::Array(items) => items.iter().map(text).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + text(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => text(value),
    }
}

fn scalar(text: &str, is_plain: bool) -> Value {
    if is_plain { plain(text) } else { text.into() }
}

/// The value of a plain scalar, by the core schema of YAML 1.2.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return INFINITE.into(),
        _ => {}
    }
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => (-1.0, size),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let based = |prefix: &str, base| i64::from_str_radix(size.strip_prefix(prefix)?, base).ok();
    if let Some(whole) = text.parse::<i64>().ok().or_else(|| based("0x", 16)).or_else(|| based("0o", 8)) {
        return whole.into();
    }
    let is_numeric = size.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit());
    match size.parse::<f64>() {
        Ok(number) if is_numeric => (sign * number.min(INFINITE)).into(),
        _ if matches!(size, ".inf" | ".Inf" | ".INF") => (sign * INFINITE).into(),
        _ => text.into(),
    }
}
