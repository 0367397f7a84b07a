//! JSON that JavaScript reads and `serde_json` does not: deep nesting, numbers beyond the range of `f64`, and halves of
//! surrogate pairs. It is written anew without them, in one pass and without recursion.

use serde::de::IgnoredAny;

/// Levels of nesting that are kept; below, a list or an object is empty. No rule looks deeper than eight levels.
const MAX_KEPT: usize = 100;

/// What stands for a number beyond the range of `f64`: the largest within it, which is called `Infinity` in messages, as
/// JavaScript calls what it makes of such a number.
pub(super) const INFINITE: f64 = f64::MAX;

/// What stands for half of a surrogate pair: a character that nobody sees either.
const HALF: &str = "\\u200b";

/// The text without what `serde_json` does not read; `None` if it is no JSON even so, as far as that was looked at.
pub(super) fn tamed(text: &str) -> Option<String> {
    // What is open: the text of each container from its bracket on.
    let mut open: Vec<String> = vec![String::with_capacity(text.len())];
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let (token, after) = rest.split_at(token_length(rest, next)?);
        rest = after;
        match next {
            '{' | '[' if open.len() > MAX_KEPT => open.push(token.to_owned()),
            '{' | '[' => {
                open.last_mut()?.push_str(token);
                open.push(String::new());
            }
            '}' | ']' => {
                let mut inner = open.pop()?;
                inner.push_str(token);
                let is_too_deep = open.len() > MAX_KEPT;
                if is_too_deep {
                    serde_json::from_str::<IgnoredAny>(&inner).ok()?;
                }
                let empty = if next == '}' { "{}" } else { "[]" };
                open.last_mut()?.push_str(if is_too_deep { empty } else { &inner });
            }
            '"' => push_string(open.last_mut()?, token),
            _ => open.last_mut()?.push_str(&number(token)),
        }
    }
    if open.len() == 1 { open.pop() } else { None }
}

/// Bytes of the token at the beginning of `rest`: a string, a bracket, or what stands up to the next of these, a comma or a
/// blank.
fn token_length(rest: &str, next: char) -> Option<usize> {
    if next == '"' {
        let mut is_escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, c)| {
            let is_end = *c == '"' && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            is_end
        });
        return end.map(|(at, _)| at + 1);
    }
    let is_number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
    Some(if end == 0 { next.len_utf8() } else { end })
}

/// A number beyond the range becomes [`INFINITE`]; any other token stays.
fn number(token: &str) -> String {
    let is_number =
        token.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && token.ends_with(|c: char| c.is_ascii_digit());
    match token.parse::<f64>() {
        Ok(number) if is_number && number.is_infinite() => format!("{:e}", INFINITE.copysign(number)),
        _ => token.to_owned(),
    }
}

/// Copies a string; half of a surrogate pair becomes [`HALF`].
fn push_string(out: &mut String, string: &str) {
    let mut rest = string;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let pair = escape.get(6..).and_then(unit);
        let (kept, length) = match (unit(escape), pair) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => (escape.get(..12), 12),
            (Some(0xd800..0xe000), _) => (Some(HALF), 6),
            _ => (escape.get(..2), 2),
        };
        out.push_str(kept.unwrap_or(escape));
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// The UTF-16 unit of an escape `\uXXXX`.
fn unit(escape: &str) -> Option<u16> {
    u16::from_str_radix(escape.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(text: &str) -> Option<Value> {
        serde_json::from_str(&tamed(text)?).ok()
    }

    #[test]
    fn what_javascript_reads_is_read() {
        assert_eq!(
            read(r#"{"a": "\ud800x\ud83d\ude00\\ud800 \" \udc00"}"#),
            Some(json!({"a": "\u{200b}x😀\\ud800 \" \u{200b}"}))
        );
        assert_eq!(read("[1e999, -1e999, 1.5, true]"), Some(json!([INFINITE, -INFINITE, 1.5, true])));
        let long = format!("{{\"a\": {}}}", "9".repeat(5000));
        assert_eq!(read(&long), Some(json!({ "a": INFINITE })));
    }

    #[test]
    fn nesting_is_read_at_any_depth_and_its_syntax_is_checked() {
        let nested =
            |inner: &str| format!("{{\"b\": 1, \"a\": {}{inner}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(&nested("{\"x\": [1]}")).unwrap()["b"], json!(1));
        for broken in ["1 2", "{", "]", "[1,]", "{\"a\"}", "\"a"] {
            assert_eq!(read(&nested(broken)), None, "{broken}");
        }
    }
}
