use super::issue::kind_of;
use super::json::BYTE_ORDER_MARK;
use super::json_extremes::INFINITE;
use super::limits::MAX_FRONTMATTER_BYTES;
use super::names::{ESCAPE, without_sequences};
use super::yaml::yaml;
use serde_json::{Map, Number, Value};
use std::borrow::Cow;

/// The head of a Markdown file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Frontmatter {
    /// The file does not begin with a block between `---` lines.
    Absent,
    /// The block is no YAML; what the parser says.
    Broken(String),
    /// The block is YAML, but no mapping; its kind.
    NoMapping(String),
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

    /// A field as text, trimmed: a number or a truth value is written out as JavaScript does.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        match self.field(name)? {
            Value::String(text) => Some(Cow::Borrowed(trimmed(text))),
            Value::Number(number) => Some(Cow::Owned(written(number))),
            Value::Bool(is) => Some(Cow::Owned(is.to_string())),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// As [`Document::text`], without the sequences that steer a terminal.
    pub(super) fn shown(&self, name: &str) -> Option<Cow<'_, str>> {
        let text = self.text(name)?;
        Some(if text.contains(ESCAPE) { Cow::Owned(without_sequences(&text)) } else { text })
    }

    /// As [`Document::text`]; of a list, its texts with commas between them.
    pub(super) fn joined(&self, name: &str) -> Option<Cow<'_, str>> {
        let Some(Value::Array(items)) = self.field(name) else { return self.text(name) };
        let text = |item: &Value| match item {
            Value::String(text) => text.clone(),
            Value::Number(number) => written(number),
            Value::Bool(is) => is.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
        };
        Some(Cow::Owned(items.iter().map(text).collect::<Vec<_>>().join(",")))
    }

    /// The name, if it is a text with something in it; as it stands.
    pub(super) fn name(&self) -> Option<&str> {
        self.field("name")?.as_str().filter(|name| !name.trim().is_empty())
    }

    fn field(&self, name: &str) -> Option<&Value> {
        let Frontmatter::Fields(fields) = &self.head else { return None };
        fields.get(name)
    }
}

/// A text without blanks around it, as JavaScript takes blanks.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// A number in the form of JavaScript.
fn written(number: &Number) -> String {
    match number.as_f64() {
        Some(infinite) if infinite.abs() >= INFINITE => {
            if infinite > 0.0 {
                "Infinity".to_owned()
            } else {
                "-Infinity".to_owned()
            }
        }
        Some(real) if number.is_f64() && !(1e-6..1e21).contains(&real.abs()) && real != 0.0 => {
            let digits = format!("{real:e}");
            if digits.contains("e-") { digits } else { digits.replace('e', "e+") }
        }
        Some(real) if number.is_f64() => real.to_string(),
        _ => number.to_string(),
    }
}

/// The block between a first line `---` and the next three dashes, wherever they stand, and what follows them: the CLI looks
/// for `^---\s*\n([\s\S]*?)---\s*\n?`, so that three dashes in a value end the block too.
fn split(text: &str) -> Option<(&str, &str)> {
    let opened = text.strip_prefix(FENCE)?;
    let blank = opened.len() - opened.trim_start_matches(is_blank).len();
    let start = opened.get(..blank)?.rfind('\n')? + 1;
    let (block, body) = opened.get(start..)?.split_once(FENCE)?;
    Some((block, body.trim_start_matches(is_blank)))
}

const FENCE: &str = "---";

/// A blank character, as JavaScript takes it.
fn is_blank(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == BYTE_ORDER_MARK
}

fn head(block: &str) -> Frontmatter {
    if block.len() > MAX_FRONTMATTER_BYTES {
        return Frontmatter::Broken(format!("longer than {MAX_FRONTMATTER_BYTES} bytes"));
    }
    // What is not YAML because of a tab, or of a special character in a plain value, is read once more without it.
    let value =
        yaml(block).or_else(|error| yaml(&untabbed(block)).or_else(|_| yaml(&quoted(block))).map_err(|_| error));
    match value {
        Ok(Value::Object(fields)) => Frontmatter::Fields(fields),
        Ok(Value::Null) => Frontmatter::Fields(Map::new()),
        Ok(Value::Array(_)) => Frontmatter::NoMapping("an array".to_owned()),
        Ok(other) => Frontmatter::NoMapping(kind_of(Some(&other)).to_owned()),
        Err(error) => Frontmatter::Broken(error),
    }
}

/// Characters that mean something in YAML when they stand in a plain value.
const SPECIAL: [char; 13] = ['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`'];

/// The block as the CLI's parser takes it: a tab before a name indents, one after a colon is a blank, and a plain value may
/// begin with a comma.
fn untabbed(block: &str) -> String {
    let mut out = String::with_capacity(block.len() + 64);
    for line in block.split_inclusive('\n') {
        let rest = line.trim_start_matches(['\t', ' ']);
        let indent = line.get(..line.len() - rest.len()).unwrap_or_default();
        out.push_str(&indent.replace('\t', "  "));
        match rest.split_once(":\t") {
            Some((name, value)) if is_name(name) => out.extend([name, ": ", value]),
            _ => match rest.split_once(": ,") {
                Some((name, value)) if is_name(name) => {
                    let value = value.trim_end().replace('\\', "\\\\").replace('"', "\\\"");
                    out.extend([name, ": \",", &value, "\"\n"]);
                }
                _ => out.push_str(rest),
            },
        }
    }
    out
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

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
    let value = value.strip_prefix([' ', '\t'])?.trim();
    let in_quotes = |quote: char| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    let needs_quotes = value.contains(SPECIAL) || value.contains(": ");
    (is_name(name) && needs_quotes && !in_quotes('"') && !in_quotes('\'')).then_some((name, value))
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
        for text in ["x", "---\na: b\n", "--- x\n---\n"] {
            assert_eq!(Document::parse(text).head, Frontmatter::Absent, "{text:?}");
        }
        let list = Document::parse("\u{feff}---\n- a\n---\n");
        assert_eq!(list.head, Frontmatter::NoMapping("an array".to_owned()));
        for text in ["---\n---\nBody", "--- \n# nothing\n---\t\nBody", "---\n\nnull\n ---Body"] {
            let document = Document::parse(text);
            assert_eq!((document.head, document.body), (Frontmatter::Fields(Map::new()), "Body"), "{text:?}");
        }
        assert_eq!(Document::parse("---\na: b --- c\n---\n").body, "c\n---\n");
    }

    #[test]
    fn values_are_those_of_the_cli() {
        let text = "---\na:\tx\nb: ,y\nc:\n\td: 1\ne: [.inf, 0x1f, 0o17, 1e3, -.5, 1_0, .5.6, +5]\nf: &f {g: h}\n<<: *f\n---\n";
        let e = json!([INFINITE, 31, 15, 1000.0, -0.5, "1_0", ".5.6", 5]);
        let expected = json!({"a": "x", "b": ",y", "c": {"d": 1}, "e": e, "f": {"g": "h"}, "g": "h"});
        assert_eq!(fields(text), expected);
        let document = Document::parse("---\na: 123456789012345678901234567890\nb: true\nc: -.inf\nd: 0x10\n---\n");
        let texts = ["a", "b", "c", "d"].map(|name| document.text(name).unwrap().into_owned());
        assert_eq!(texts, ["1.2345678901234568e+29", "true", "-Infinity", "16"]);
        assert!(matches!(Document::parse("---\n  a: 1\nb: 2\n---\n").head, Frontmatter::Broken(_)));
    }

    #[test]
    fn aliases_do_not_grow_and_nesting_ends() {
        let level = |n: usize| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}, *a{0}]", n - 1);
        let levels: Vec<String> = (1..60).map(level).collect();
        let bomb = format!("---\na0: &a0 [x, x]\n{}\nb: &b text\nc: *b\n---\n", levels.join("\n"));
        let read = fields(&bomb);
        assert_eq!((&read["a59"], &read["c"]), (&json!([[], [], [], [], []]), &json!("text")));
        let long = format!("a: &a {{x: {}}}\n", "y".repeat(10_000)) + &"- *a\n".repeat(100);
        assert!(matches!(Document::parse(&format!("---\n{long}---\n")).head, Frontmatter::Broken(_)));
        let deep = format!("---\na: {}\n---\n", "[".repeat(100_000));
        // In quotes it is a long text, and no value is nested.
        assert!(matches!(Document::parse(&deep).head, Frontmatter::Fields(_)));
        let deep = format!("---\n{}\n---\n", "[".repeat(100_000));
        assert!(matches!(Document::parse(&deep).head, Frontmatter::Broken(_)));
        let deep: Vec<String> = (0..200).map(|level| " ".repeat(level) + "a:").collect();
        assert!(matches!(Document::parse(&format!("---\n{}\n---\n", deep.join("\n"))).head, Frontmatter::Broken(_)));
    }
}
