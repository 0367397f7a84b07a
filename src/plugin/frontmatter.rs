use super::issue::kind_of;
use super::json::BYTE_ORDER_MARK;
use super::limits::{MAX_FRONTMATTER_BYTES, MAX_YAML_DEPTH, MAX_YAML_VALUES};
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The head of a Markdown file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Frontmatter {
    /// The file does not begin with a block between `---` lines.
    Absent,
    /// The block is no YAML; what the parser says.
    Broken(String),
    /// The block is YAML, but no mapping; its kind.
    NoMapping(&'static str),
    Fields(Map<String, Value>),
}

/// A Markdown file, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Document<'a> {
    pub(super) head: Frontmatter,
    /// What follows the block; everything if there is none.
    pub(super) body: &'a str,
}

impl<'a> Document<'a> {
    pub(super) fn parse(text: &'a str) -> Self {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        match split(text) {
            Some((block, body)) => Self { head: head(block), body },
            None => Self { head: Frontmatter::Absent, body: text },
        }
    }

    /// A field that can be shown as text: a number is written out.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        let Frontmatter::Fields(fields) = &self.head else { return None };
        match fields.get(name)? {
            Value::String(text) => Some(Cow::Borrowed(text.trim())),
            Value::Number(number) => Some(Cow::Owned(number.to_string())),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// The block between the first line and the next line that are `---`, and what follows.
fn split(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end_matches(['\r', '\n']) == "---" {
            return Some((rest.get(..at)?, rest.get(at + line.len()..)?));
        }
        at += line.len();
    }
    None
}

fn head(block: &str) -> Frontmatter {
    if block.len() > MAX_FRONTMATTER_BYTES {
        return Frontmatter::Broken(format!("longer than {MAX_FRONTMATTER_BYTES} bytes"));
    }
    // What is not YAML because of a special character in a plain value is read once more with that value in quotes.
    let value = yaml(block).or_else(|error| yaml(&quoted(block)).map_err(|_| error));
    match value {
        Ok(Value::Object(fields)) => Frontmatter::Fields(fields),
        Ok(other) => Frontmatter::NoMapping(kind_of(Some(&other))),
        Err(error) => Frontmatter::Broken(error),
    }
}

/// Characters that mean something in YAML when they stand in a plain value.
const SPECIAL: [char; 13] = ['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`'];

/// The block with quotes around plain values of the first level that hold special characters.
fn quoted(block: &str) -> String {
    let mut out = String::with_capacity(block.len() + 64);
    for line in block.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']);
        match plain_value(bare) {
            Some((name, value)) => {
                let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                out.extend([name, ": \"", &value, "\"\n"]);
            }
            None => out.push_str(line),
        }
    }
    out
}

/// Name and value of a line `name: value` whose value needs quotes and has none.
fn plain_value(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let value = value.strip_prefix([' ', '\t'])?.trim();
    let in_quotes = |quote: char| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    let needs_quotes = value.contains(SPECIAL) || value.contains(": ");
    (is_name && needs_quotes && !in_quotes('"') && !in_quotes('\'')).then_some((name, value))
}

/// A collection that is being read.
enum Open {
    List(Vec<Value>),
    Mapping(Map<String, Value>, Option<String>),
}

/// The first document of a YAML text. Aliases stand for the scalar that they name, or for an empty value of the same kind:
/// no text can grow by them.
fn yaml(text: &str) -> Result<Value, String> {
    let mut open: Vec<(Open, usize)> = Vec::new();
    let mut anchors: BTreeMap<usize, Value> = BTreeMap::new();
    let mut values = 0;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        let done = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                let value = if style == ScalarStyle::Plain && !is_text { plain(&text) } else { text.as_ref().into() };
                Some((value, anchor))
            }
            Event::Alias(anchor) => Some((anchors.get(&anchor).cloned().unwrap_or_default(), 0)),
            Event::SequenceStart(anchor, _) => {
                open.push((Open::List(Vec::new()), anchor));
                None
            }
            Event::MappingStart(anchor, _) => {
                open.push((Open::Mapping(Map::new(), None), anchor));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|(ended, anchor)| (ended.value(), anchor)),
            Event::DocumentEnd | Event::StreamEnd => return Ok(Value::Null),
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => None,
        };
        if open.len() > MAX_YAML_DEPTH {
            return Err(format!("nested deeper than {MAX_YAML_DEPTH} levels"));
        }
        let Some((value, anchor)) = done else { continue };
        values += 1;
        if values > MAX_YAML_VALUES {
            return Err(format!("more than {MAX_YAML_VALUES} values"));
        }
        if anchor > 0 {
            anchors.insert(anchor, outline(&value));
        }
        match open.last_mut() {
            Some((parent, _)) => parent.take(value),
            None => return Ok(value),
        }
    }
    Ok(Value::Null)
}

impl Open {
    fn take(&mut self, value: Value) {
        match self {
            Self::List(items) => items.push(value),
            Self::Mapping(fields, name) => match name.take() {
                Some(name) => {
                    fields.insert(name, value);
                }
                None => *name = Some(value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)),
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

/// A scalar as it is; a collection without what is in it.
fn outline(value: &Value) -> Value {
    match value {
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(_) => Value::Object(Map::new()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The value of a plain scalar, by the core schema of YAML 1.2.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => {
            let is_numeric = text.starts_with(|c: char| c.is_ascii_digit() || ['+', '-', '.'].contains(&c));
            let whole = text.strip_prefix('+').unwrap_or(text).parse::<i64>().ok().map(Value::from);
            let number = || text.parse::<f64>().ok().filter(|n| n.is_finite()).map(Value::from);
            whole.or_else(number).filter(|_| is_numeric).unwrap_or_else(|| text.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(text: &str) -> Value {
        let Frontmatter::Fields(fields) = Document::parse(text).head else { panic!("no fields in {text}") };
        Value::Object(fields)
    }

    #[test]
    fn plain_values_with_special_characters_are_repaired() {
        let text = "---\na: foo: bar\nb: [x\nc: *star & more\nd: |\n  two\n  lines\ne: 5\nf: {x: y}\n---\nBody.";
        let expected = json!({"a": "foo: bar", "b": "[x", "c": "*star & more"});
        let read = fields("---\na: foo: bar\nb: [x\nc: *star & more\n---\nBody.");
        assert_eq!(read, expected);
        assert!(matches!(Document::parse(text).head, Frontmatter::Broken(_)), "a block scalar cannot be in quotes");
        assert_eq!(fields("---\r\nd: |\r\n  two\r\n  lines\r\ne: 5\r\nf: {x: y}\r\n---\r\n")["e"], json!(5));
    }

    #[test]
    fn broken_quotes_lone_brackets_and_stray_indentation_stay_broken() {
        for block in ["name: \"a\n", "{unclosed: [\n", "a: b\n   c: d\n"] {
            let text = format!("---\n{block}---\n");
            assert!(matches!(Document::parse(&text).head, Frontmatter::Broken(_)), "{block}");
        }
    }

    #[test]
    fn a_head_is_only_one_between_two_lines() {
        let heads = ["x", "---\na: b\n", "--- x\n---\n", "\u{feff}---\n- a\n---\n", "---\n---\nBody"];
        let heads = heads.map(|text| Document::parse(text).head);
        let absent = Frontmatter::Absent;
        assert_eq!(heads[..3], [absent.clone(), absent.clone(), absent]);
        assert_eq!(heads[3..], [Frontmatter::NoMapping("array"), Frontmatter::NoMapping("null")]);
    }

    #[test]
    fn aliases_do_not_grow_and_nesting_ends() {
        let level = |n: usize| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}, *a{0}]", n - 1);
        let levels: Vec<String> = (1..60).map(level).collect();
        let bomb = format!("---\na0: &a0 [x, x]\n{}\nb: &b text\nc: *b\n---\n", levels.join("\n"));
        let read = fields(&bomb);
        assert_eq!((&read["a59"], &read["c"]), (&json!([[], [], [], [], []]), &json!("text")));
        let deep = format!("---\na: {}\n---\n", "[".repeat(100_000));
        // In quotes it is a long text, and no value is nested.
        assert!(matches!(Document::parse(&deep).head, Frontmatter::Fields(_)));
        let deep = format!("---\n{}\n---\n", "[".repeat(100_000));
        assert!(matches!(Document::parse(&deep).head, Frontmatter::Broken(_)));
        let deep: Vec<String> = (0..200).map(|level| " ".repeat(level) + "a:").collect();
        assert!(matches!(Document::parse(&format!("---\n{}\n---\n", deep.join("\n"))).head, Frontmatter::Broken(_)));
    }
}
