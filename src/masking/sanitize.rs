//! Text of a transcript before a terminal, Markdown or a spreadsheet sees it.

use std::borrow::Cow;
use std::fmt::Write as _;

/// What becomes of line ends and tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One line: a line end becomes `⏎`, a tab a blank.
    Line,
    /// Lines and tabs are kept; carriage returns before a line end go.
    Block,
}

/// `text` with everything invisible or active made visible as `\u{1b}`: control, bidi, zero-width and tag characters.
///
/// A zero-width joiner between two emoji and a variation selector behind one are kept: families and coloured hearts are
/// ordinary text, and their width is known. Elsewhere both only hide something.
pub fn sanitize(text: &str, mode: Mode) -> Cow<'_, str> {
    if is_clean(text, mode) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut previous = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match (c, mode) {
            ('\r', _) if next == Some('\n') => continue,
            ('\n', Mode::Line) => out.push('⏎'),
            ('\t', Mode::Line) => out.push(' '),
            ('\n' | '\t', Mode::Block) => out.push(c),
            _ if is_shown(c, previous, next) => out.push(c),
            // Writing to a String cannot fail.
            _ => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
        }
        previous = Some(c);
    }
    Cow::Owned(out)
}

fn is_clean(text: &str, mode: Mode) -> bool {
    if text.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return true;
    }
    let mut previous = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let kept = matches!(c, '\n' | '\t') && mode == Mode::Block;
        if !kept && !is_shown(c, previous, chars.peek().copied()) {
            return false;
        }
        previous = Some(c);
    }
    true
}

fn is_shown(c: char, previous: Option<char>, next: Option<char>) -> bool {
    match c {
        '\u{200d}' => previous.is_some_and(joins) && next.is_some_and(is_pictograph),
        '\u{fe0e}' | '\u{fe0f}' => previous.is_some_and(|p| is_pictograph(p) || matches!(p, '#' | '*' | '0'..='9')),
        _ => !is_hidden(c),
    }
}

fn joins(c: char) -> bool {
    is_pictograph(c) || c == '\u{fe0f}'
}

fn is_pictograph(c: char) -> bool {
    matches!(c,
        '©' | '®' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{27bf}'
        | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Characters that move the cursor, reorder text or show nothing.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_hides_is_made_visible() {
        for (text, shown) in [
            ("plain", "plain"),
            ("干活·判定#1 é ✓", "干活·判定#1 é ✓"),
            ("\u{1b}]52;c;Zm9v\u{7}", "\\u{1b}]52;c;Zm9v\\u{7}"),
            ("a\u{9b}31mb\u{7f}", "a\\u{9b}31mb\\u{7f}"),
            ("\u{202e}txt.exe\u{2069}\u{200f}\u{61c}", "\\u{202e}txt.exe\\u{2069}\\u{200f}\\u{61c}"),
            ("a\u{200b}b\u{2060}c\u{feff}", "a\\u{200b}b\\u{2060}c\\u{feff}"),
            ("a\u{2028}b\u{e0041}\u{fff9}", "a\\u{2028}b\\u{e0041}\\u{fff9}"),
            ("one\r\ntwo\tthree\rfour", "one⏎two three\\u{d}four"),
            (
                "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
                "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
            ),
            ("p\u{200d}q a\u{fe0f} 👨\u{200d}", "p\\u{200d}q a\\u{fe0f} 👨\\u{200d}"),
        ] {
            assert_eq!(sanitize(text, Mode::Line), shown);
        }
        assert_eq!(sanitize("one\r\n\ttwo\u{1b}", Mode::Block), "one\n\ttwo\\u{1b}");
    }

    #[test]
    fn clean_text_is_borrowed() {
        assert!(matches!(sanitize("干活 ok", Mode::Line), Cow::Borrowed(_)));
        assert!(matches!(sanitize("a\n\tb", Mode::Block), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(text in "(\\PC|[\u{0}-\u{1f}\u{7f}-\u{9f}\u{200b}-\u{206f}\u{feff}\u{fe0f}\u{e0000}-\u{e007f}👨❤])*") {
            let line = sanitize(&text, Mode::Line);
            let left: Vec<char> = line.chars().filter(|&c| is_hidden(c) && !matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')).collect();
            prop_assert_eq!(left, Vec::<char>::new());
            prop_assert!(is_clean(&line, Mode::Line));
            let block = sanitize(&text, Mode::Block);
            prop_assert!(is_clean(&block, Mode::Block));
        }
    }
}
