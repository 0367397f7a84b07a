//! Text as the rule's own language sees it: which characters are blank, which end a line, which make a word.

use regex::Regex;
use std::sync::LazyLock;

/// `str.isspace`: the white space of Unicode, and the four separators FS to US.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `str.strip`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// The first of `str.splitlines`.
pub(super) fn first_line(text: &str) -> &str {
    let ends = |c| matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    text.split(ends).next().unwrap_or_default()
}

/// What `\w` matches: letters, numbers and the underscore; no marks, which are alphabetic in other languages.
pub(super) fn is_word(c: char) -> bool {
    static LETTER_OR_NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{L}\p{N}]$").ok());
    if c.is_ascii() {
        return c == '_' || c.is_ascii_alphanumeric();
    }
    let mut bytes = [0; 4];
    LETTER_OR_NUMBER.as_ref().is_some_and(|regex| regex.is_match(c.encode_utf8(&mut bytes)))
}

/// Whether `\b` matches between `before` and `after`.
pub(super) fn is_boundary(before: Option<char>, after: Option<char>) -> bool {
    before.is_some_and(is_word) != after.is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_line_ends_are_those_of_python() {
        assert_eq!(strip("\u{1c}\u{1f}\u{85}\u{3000}\t a b\u{a0}\n"), "a b");
        assert_eq!(strip("\u{200b}a\u{feff}"), "\u{200b}a\u{feff}");
        for end in ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'] {
            assert_eq!(first_line(&format!("a{end}b")), "a", "{end:?}");
        }
        for inside in ['\u{1f}', '\t', '\u{a0}', '\u{3000}'] {
            assert_eq!(first_line(&format!("a{inside}b")), format!("a{inside}b"), "{inside:?}");
        }
    }

    #[test]
    fn words_are_letters_and_numbers_of_any_script() {
        assert!("aZ_9中éⅫ²ª〇".chars().all(is_word));
        assert!(!"-.+🛠 Ⓐ\u{300}\u{903}\u{94d}".chars().any(is_word));
        assert!(is_boundary(Some('s'), None) && is_boundary(Some('s'), Some('-')) && is_boundary(None, Some('s')));
        assert!(!is_boundary(Some('s'), Some('中')) && !is_boundary(None, Some('-')));
    }
}
