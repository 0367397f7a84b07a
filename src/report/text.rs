//! Width of text on a terminal, and cutting and wrapping by it.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns that `text` takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// `text` cut to `room` columns, ending in `mark` if something is missing.
pub(super) fn cut(text: &str, room: usize, mark: &str) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    match room.checked_sub(width(mark)) {
        Some(left) => format!("{}{mark}", fitting(text, left).0.trim_end()),
        None => fitting(mark, room).0.to_owned(),
    }
}

/// `text` cut in its middle to `room` columns, with `mark` there: names of steps often differ only in their end.
pub(super) fn cut_inside(text: &str, room: usize, mark: &str) -> String {
    let left = room.saturating_sub(width(mark));
    let mut used = 0;
    let ends = text.grapheme_indices(true).rev().take_while(|(_, grapheme)| {
        used += width(grapheme);
        used <= left / 3
    });
    let tail = ends.last().and_then(|(at, _)| text.get(at..)).unwrap_or("").trim_start();
    if tail.is_empty() || width(text) <= room {
        return cut(text, room, mark);
    }
    let (head, _) = fitting(text, left - width(tail));
    format!("{}{mark}{tail}", head.trim_end())
}

/// `text` in lines of at most `room` columns, broken at blanks where possible. A single character wider than `room`
/// stands alone.
pub(super) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word = word;
        if !line.is_empty() && width(&line) + 1 + width(word) <= room {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        while width(word) > room {
            let (start, rest) = match fitting(word, room) {
                ("", _) => first(word),
                parts => parts,
            };
            lines.push(start.to_owned());
            word = rest;
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// `text` in at most `max` lines of `room` columns; the last one ends in `mark` if something is missing.
pub(super) fn wrap_at_most(text: &str, room: usize, max: usize, mark: &str) -> Vec<String> {
    let mut lines = wrap(text, room);
    if lines.len() > max {
        let rest = lines.split_off(max.saturating_sub(1)).join(" ");
        lines.push(cut(&format!("{rest} "), room.min(width(&rest)), mark));
    }
    lines
}

/// `text` with blanks up to `room` columns.
pub(super) fn pad(text: &str, room: usize) -> String {
    format!("{text}{}", " ".repeat(room.saturating_sub(width(text))))
}

/// `text` with blanks before it up to `room` columns.
pub(super) fn pad_left(text: &str, room: usize) -> String {
    format!("{}{text}", " ".repeat(room.saturating_sub(width(text))))
}

/// As many characters of `text` as fit into `room` columns, and the rest.
fn fitting(text: &str, room: usize) -> (&str, &str) {
    let mut used = 0;
    let end = text.grapheme_indices(true).find(|(_, grapheme)| {
        used += width(grapheme);
        used > room
    });
    text.split_at_checked(end.map_or(text.len(), |(at, _)| at)).unwrap_or((text, ""))
}

/// The first character and the rest.
fn first(text: &str) -> (&str, &str) {
    let end = text.grapheme_indices(true).nth(1).map_or(text.len(), |(at, _)| at);
    text.split_at_checked(end).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!((width("干活·判定#1"), width("👨\u{200d}👩\u{200d}👧"), width("e\u{301}")), (11, 2, 1));
        assert_eq!(cut("干活·判定#1", 6, "…"), "干活·…");
        assert_eq!(cut("short", 6, "…"), "short");
        assert_eq!(cut("longer text", 3, "..."), "...");
        assert_eq!(cut_inside("build-the-thing·判定#12", 14, "…"), "build-the-…#12");
        assert_eq!(["", "short", "long#1"].map(|name| cut_inside(name, 5, "…")), ["", "short", "lon…1"]);
        assert_eq!(wrap("干活·判定 ok", 4), ["干活", "·判", "定", "ok"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap_at_most("one two three four", 5, 2, "…"), ["one", "two…"]);
        assert_eq!(wrap_at_most("one two three four", 9, 2, "…"), ["one two", "three fo…"]);
    }

    proptest! {
        #[test]
        fn lines_fit_and_lose_nothing(text in "[a-z干活👧 ]{0,40}", room in 2_usize..12) {
            let lines = wrap(&text, room);
            prop_assert!(lines.iter().all(|l| width(l) <= room), "{:?}", lines);
            let blankless = |s: &str| s.replace(' ', "");
            prop_assert_eq!(blankless(&lines.concat()), blankless(&text));
            prop_assert!(width(&cut(&text, room, "…")) <= room);
            prop_assert!(width(&cut_inside(&text, room, "…")) <= room);
        }
    }
}
