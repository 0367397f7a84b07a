use serde::Serialize;

use super::render::RenderError;
use crate::masking::{Masker, Mode, sanitize};
use crate::run_dir::decode_json_text;
use crate::unit::Finding;

/// The JSON contract: `{"schema", "tool", "source", "findings", "result"}`, indented, with a final newline.
///
/// Secrets are masked in every string, in keys too. Characters that hide something are written as `\u` escapes, which
/// read back as the same characters.
pub fn envelope<S: Serialize + ?Sized, T: Serialize + ?Sized>(
    command: &str,
    source: &S,
    findings: &[Finding],
    result: &T,
    masker: &Masker,
) -> Result<String, RenderError> {
    let envelope = Envelope {
        schema: format!("flower-analyze/{command}/1"),
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        source,
        findings,
        result,
    };
    let mut text = serde_json::to_string_pretty(&envelope)?;
    text.push('\n');
    masked(&text, masker)
}

/// A document that is no report of ours, such as the verdict of the agent CLI, so that it is printed as that prints it:
/// indented, with a final newline, and with nothing masked.
pub fn document<T: Serialize + ?Sized>(value: &T) -> Result<String, RenderError> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    masked(&text, &Masker::revealing())
}

#[derive(Serialize)]
struct Envelope<'a, S: ?Sized, T: ?Sized> {
    schema: String,
    tool: Tool,
    source: &'a S,
    findings: &'a [Finding],
    result: &'a T,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

/// Masks the string literals of `json`. On the text, because a tree of values would lose the order of the fields, and
/// raw JSON inside of the result would not be reached by a serializer.
fn masked(json: &str, masker: &Masker) -> Result<String, RenderError> {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut name: Option<String> = None;
    while let Some((before, literal, after)) = next_literal(rest) {
        out.push_str(before);
        // A name counts for the value that follows it, not for what stands behind a comma or a bracket.
        if before.contains([',', '{', '[', '}', ']']) {
            name = None;
        }
        let decoded = decode_json_text(literal).map(|d| d.text);
        let value = decoded.as_deref().unwrap_or(literal);
        let shown = match &name {
            Some(name) => masker.mask_field(name, value),
            None => masker.mask(value),
        };
        if shown == value {
            out.push_str(&escaped(literal));
        } else {
            out.push_str(&escaped(&serde_json::to_string(&shown)?));
        }
        name = after.trim_start().starts_with(':').then(|| value.to_owned());
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// Text up to the next string literal, the literal with its quotes, and what follows.
fn next_literal(json: &str) -> Option<(&str, &str, &str)> {
    let (before, from) = json.split_at_checked(json.find('"')?)?;
    let mut escaped = false;
    let end = from.bytes().skip(1).position(|b| {
        let closes = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        closes
    })?;
    let (literal, after) = from.split_at_checked(end + 2)?;
    Some((before, literal, after))
}

/// A literal with hidden characters as escapes. Code points above U+FFFF take two.
pub(super) fn escaped(literal: &str) -> String {
    let clean = sanitize(literal, Mode::Line);
    if clean == literal {
        return literal.to_owned();
    }
    let mut out = String::with_capacity(literal.len() + 16);
    for c in literal.chars() {
        let mut single = [0_u8; 4];
        let shown = sanitize(c.encode_utf8(&mut single), Mode::Line);
        if shown.chars().eq([c]) {
            out.push(c);
        } else {
            let mut units = [0_u16; 2];
            let escapes = c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"));
            out.extend(escapes);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::{Level, Place, Usd};
    use proptest::prelude::*;
    use serde_json::{Value, json, value::RawValue};

    #[derive(Serialize)]
    struct Result_ {
        zeta: Usd,
        alpha: String,
        raw: Box<RawValue>,
    }

    #[test]
    fn fields_keep_their_order_and_secrets_are_masked() {
        let result = Result_ {
            zeta: Usd::from_nanos(238_406_000),
            alpha: "a \u{202e}b sk-ant-fake-0000".to_owned(),
            raw: RawValue::from_string(
                r#"{"k\u0065y":"sk-ant\u002dapi03-abcdefgh","password":"x","n":1.50}"#.to_owned(),
            )
            .unwrap(),
        };
        let findings = [Finding {
            code: "some-code",
            level: Level::Error,
            place: Place::entry("-w/1", 3),
            message: "saw Bearer abcdefgh1".to_owned(),
        }];
        let text = envelope("summary", "runs", &findings, &result, &Masker::masking()).unwrap();
        insta::assert_snapshot!(text, @r#"
        {
          "schema": "flower-analyze/summary/1",
          "tool": {
            "name": "flower-analyze",
            "version": "0.1.0"
          },
          "source": "runs",
          "findings": [
            {
              "code": "some-code",
              "level": "error",
              "place": {
                "store_key": "-w/1",
                "seq": 3
              },
              "message": "saw Bearer …[masked 9 chars]"
            }
          ],
          "result": {
            "zeta": 0.238406,
            "alpha": "a \u202eb sk-ant-fake-…[masked 4 chars]",
            "raw": {"k\u0065y":"sk-ant-api03-…[masked 8 chars]","password":"…[masked 1 chars]","n":1.50}
          }
        }
        "#);
    }

    #[test]
    fn keys_are_masked_and_reveal_shows_all() {
        let value = json!({ "ghp_abcdefghijklmnopqrstuvwxyz0123456789": 1, "authorization": ["x"] });
        let hidden = envelope("x", "s", &[], &value, &Masker::masking()).unwrap();
        assert!(hidden.contains("\"ghp_…[masked 36 chars]\": 1"), "{hidden}");
        assert!(hidden.contains("\"x\""), "{hidden}");
        let shown = envelope("x", "s", &[], &value, &Masker::revealing()).unwrap();
        assert!(shown.contains("ghp_abc"), "{shown}");
    }

    proptest! {
        #[test]
        fn revealed_text_reads_back_the_same(text in "(\\PC|[\u{0}-\u{9f}\u{200b}-\u{206f}\u{e0000}-\u{e007f}\"\\\\])*") {
            let json = envelope("x", &text, &[], &json!({ text.clone(): [text.clone()] }), &Masker::revealing()).unwrap();
            let back: Value = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(&back["source"], &Value::from(text.clone()));
            prop_assert_eq!(&back["result"][&text][0], &Value::from(text.clone()));
        }
    }
}
