use std::borrow::Cow;

/// A decoded JSON string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText<'a> {
    /// The text; U+FFFD stands where half of a surrogate pair stood.
    pub text: Cow<'a, str>,
    /// The literal held half of a surrogate pair: a character that was cut in two before it was written.
    pub had_lone_surrogate: bool,
}

/// Decodes a JSON string literal, given with its quotes, where `serde_json` refuses: halves of surrogate pairs become
/// U+FFFD, raw control characters stay. `None` if it is no string literal.
pub fn decode_json_text(raw: &str) -> Option<JsonText<'_>> {
    let body = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !body.contains(['\\', '"']) {
        return Some(JsonText { text: Cow::Borrowed(body), had_lone_surrogate: false });
    }
    let mut out = String::with_capacity(body.len());
    let mut had_lone_surrogate = false;
    let mut rest = body;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(unquoted(plain)?);
        let mut chars = escape.chars();
        let simple = match chars.next()? {
            '"' => '"',
            '\\' => '\\',
            '/' => '/',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (c, after) = unicode(chars.as_str())?;
                had_lone_surrogate |= c.is_none();
                out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = after;
                continue;
            }
            _ => return None,
        };
        out.push(simple);
        rest = chars.as_str();
    }
    out.push_str(unquoted(rest)?);
    Some(JsonText { text: Cow::Owned(out), had_lone_surrogate })
}

/// A quote inside of a literal ends it: what follows is not part of it.
fn unquoted(plain: &str) -> Option<&str> {
    (!plain.contains('"')).then_some(plain)
}

/// The character behind `\u`, `None` for half a pair, and the text after it.
fn unicode(text: &str) -> Option<(Option<char>, &str)> {
    let (first, after) = unit(text)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((Some(c), after));
    }
    let pair = after.strip_prefix("\\u").and_then(unit).and_then(|(second, after_both)| {
        let c = char::decode_utf16([first, second]).next()?.ok()?;
        Some((Some(c), after_both))
    });
    Some(pair.unwrap_or((None, after)))
}

fn unit(text: &str) -> Option<(u16, &str)> {
    let (digits, after) = text.split_at_checked(4)?;
    let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    Some((u16::from_str_radix(digits, 16).ok().filter(|_| hex)?, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_of_pairs_are_replaced_and_told() {
        for (raw, text, lone) in [
            (r#""plain""#, "plain", false),
            (r#""a\n\"\/\u0041""#, "a\n\"/A", false),
            (r#""\ud83d\ude00""#, "😀", false),
            (r#""\ud83d""#, "\u{fffd}", true),
            (r#""\ude00x""#, "\u{fffd}x", true),
            (r#""\ud83d\u0041""#, "\u{fffd}A", true),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀", true),
            (r#""\ud83d\n""#, "\u{fffd}\n", true),
        ] {
            let decoded = decode_json_text(raw).unwrap();
            assert_eq!((decoded.text.as_ref(), decoded.had_lone_surrogate), (text, lone), "{raw}");
        }
    }

    #[test]
    fn what_is_no_literal_is_none() {
        for raw in ["", "\"", "x", "\"a", r#""a"b""#, r#""\x""#, r#""\u12""#, r#""\u+123""#, r#""a\""#, "\"\\u12é\""] {
            assert_eq!(decode_json_text(raw), None, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn what_serde_writes_is_read(text in any::<String>()) {
            let raw = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(decode_json_text(&raw).unwrap().text, text);
        }

        #[test]
        fn any_text_is_decoded_or_refused(raw in "\"?([a-f0-9u\\\\\"]|\\PC)*\"?") {
            let _ = decode_json_text(&raw);
        }
    }
}
