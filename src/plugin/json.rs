use super::issue::Issue;
use serde_json::Value;
use serde_json::error::Category;

/// The mark that some editors put at the beginning of a file.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads JSON; an error is worded as by the CLI, as far as its words are known (spec/plugins.md, Discovery).
pub(super) fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("JSON Parse error: {}", words(text, &error)))
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
        assert_eq!(parse_manifest("\u{feff}{}"), Ok(Value::Object(serde_json::Map::new())));
    }
}
