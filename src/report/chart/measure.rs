//! Room that text takes in a drawing. A viewer may have other fonts than this machine, so widths are those of a wide sans
//! serif by classes of characters: they do not depend on what is installed, and the drawing is the same everywhere.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Size of names and values, in pixels.
pub(super) const LABEL: i32 = 12;
/// Size of what stands at the marks of an axis, in pixels.
pub(super) const TICK: i32 = 11;

/// Pixels that `text` takes at `size` pixels.
pub(super) fn width(text: &str, size: i32) -> i32 {
    let hundredths = text.graphemes(true).map(grapheme).fold(0_i64, i64::saturating_add);
    i32::try_from(hundredths.saturating_mul(i64::from(size)).saturating_add(99) / 100).unwrap_or(i32::MAX)
}

/// Hundredths of the size of a letter that a character takes.
fn grapheme(text: &str) -> i64 {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '·'), None) => 36,
        (Some('f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | '"'), None) => 44,
        (Some('m' | 'w' | 'M' | 'W' | '@' | '%'), None) => 99,
        (Some('A'..='Z' | '+' | '=' | '<' | '>' | '#' | '~' | '…' | '→' | '–' | '▾'), None) => 84,
        (Some('a'..='z' | '0'..='9' | '$' | '_'), None) => 64,
        // A column of a terminal is half as wide as a Chinese character.
        _ => {
            i64::try_from(text.width()).unwrap_or(2).clamp(0, 4).saturating_mul(if text.width() > 1 { 52 } else { 84 })
        }
    }
}

/// `text` cut in its middle to `room` pixels: names of steps often differ only in their end.
pub(super) fn cut(text: &str, size: i32, room: i32) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let left = room.saturating_sub(width("…", size)).max(0);
    let tail_room = left / 3;
    let tail = fitting(text.graphemes(true).rev(), size, tail_room);
    let tail: String = tail.into_iter().rev().collect();
    let head: String = fitting(text.graphemes(true), size, left.saturating_sub(width(&tail, size))).concat();
    format!("{}…{}", head.trim_end(), tail.trim_start())
}

fn fitting<'a>(graphemes: impl Iterator<Item = &'a str>, size: i32, room: i32) -> Vec<&'a str> {
    let mut used = 0_i64;
    let room = i64::from(room).saturating_mul(100);
    let fits = |text: &&str| {
        used = used.saturating_add(grapheme(text).saturating_mul(i64::from(size)));
        used <= room
    };
    graphemes.take_while(fits).collect()
}

/// `text` in lines of at most `room` pixels, broken at blanks where possible.
pub(super) fn wrap(text: &str, size: i32, room: i32) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&joined, size) <= room {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        line = broken(word, size, room, &mut lines);
    }
    lines.push(line);
    lines
}

/// Breaks a word into full lines, and returns what is left of it.
fn broken(word: &str, size: i32, room: i32, lines: &mut Vec<String>) -> String {
    let room = i64::from(room).saturating_mul(100);
    let (mut line, mut used) = (String::new(), 0_i64);
    for grapheme in word.graphemes(true) {
        let wide = self::grapheme(grapheme).saturating_mul(i64::from(size));
        if used.saturating_add(wide) > room && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        line.push_str(grapheme);
        used = used.saturating_add(wide);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_end_of_a_name_survives_cutting() {
        let cut = cut("a-rather-long-name-of-a-step#17", 12, 120);
        assert!(cut.ends_with("#17") && cut.starts_with("a-rat") && cut.contains('…'), "{cut}");
        assert_eq!(super::cut("short", 12, 120), "short");
        assert!(width("干活", 12) >= 24 && width("干活", 12) < 27);
    }

    proptest! {
        #[test]
        fn what_is_cut_or_wrapped_fits(text in "[a-zW干活👧 #]{0,60}", room in 40_i32..200) {
            prop_assert!(width(&cut(&text, 12, room), 12) <= room);
            let lines = wrap(&text, 12, room);
            prop_assert!(lines.iter().all(|line| width(line, 12) <= room), "{:?}", lines);
            prop_assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }
}
