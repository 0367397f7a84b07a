use super::cell::Tone;
use super::text;

/// How a terminal page is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Colours by tone.
    pub color: bool,
    /// Box and block characters; without, everything that is drawn is ASCII. Text of the run is shown as it is.
    pub unicode: bool,
}

/// Colours are put into the text as invisible operators of no width and become escape sequences when the page is done,
/// so that every width is measured without them. Cleaned text holds none of these characters.
const INKS: [(char, &str); 5] = [
    ('\u{2061}', "\u{1b}[32m"),
    ('\u{2062}', "\u{1b}[33m"),
    ('\u{2063}', "\u{1b}[31m"),
    ('\u{2064}', "\u{1b}[2m"),
    ('\u{206a}', "\u{1b}[1m"),
];
const END: char = '\u{2060}';
const RESET: &str = "\u{1b}[0m";

impl Style {
    /// Narrowest width that is drawn; below, lines become longer than the terminal.
    pub const MIN_WIDTH: usize = 20;

    pub(super) fn room(&self) -> usize {
        self.width.max(Self::MIN_WIDTH)
    }

    pub(super) fn tint(&self, text: &str, tone: Tone) -> String {
        let [(good, _), (warn, _), (bad, _), (faint, _), _] = INKS;
        match tone {
            Tone::Normal => text.to_owned(),
            Tone::Good => self.ink(text, good),
            Tone::Warn => self.ink(text, warn),
            Tone::Bad => self.ink(text, bad),
            Tone::Faint => self.ink(text, faint),
        }
    }

    pub(super) fn strong(&self, text: &str) -> String {
        let [.., (strong, _)] = INKS;
        self.ink(text, strong)
    }

    fn ink(&self, text: &str, ink: char) -> String {
        if self.color && !text.trim().is_empty() { format!("{ink}{text}{END}") } else { text.to_owned() }
    }

    /// The finished page: colours in place, no blanks at the ends of lines.
    pub(super) fn finish(page: &str) -> String {
        let mut out = String::with_capacity(page.len() + page.len() / 8);
        for line in page.lines() {
            let mut rest = line.trim_end();
            while let Some(at) = rest.find(|c: char| c == END || INKS.iter().any(|(ink, _)| *ink == c)) {
                let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
                let mut chars = from.chars();
                let code = chars.next().and_then(|c| INKS.iter().find(|(ink, _)| *ink == c)).map_or(RESET, |i| i.1);
                out.push_str(before);
                out.push_str(code);
                rest = chars.as_str();
            }
            out.push_str(rest);
            out.push('\n');
        }
        out
    }

    /// Text with the marks this program puts into it, in characters the terminal has.
    pub(super) fn plain(&self, text: &str) -> String {
        if self.unicode {
            text.to_owned()
        } else {
            text.replace('…', "...").replace('⏎', "\\n").replace('–', "-")
        }
    }

    pub(super) const fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    pub(super) const fn dash(&self) -> &'static str {
        if self.unicode { "–" } else { "-" }
    }

    pub(super) const fn rule(&self) -> char {
        if self.unicode { '─' } else { '-' }
    }

    pub(super) fn cut(&self, text: &str, room: usize) -> String {
        text::cut(text, room, self.ellipsis())
    }

    /// A name cut in its middle.
    pub(super) fn cut_inside(&self, name: &str, room: usize) -> String {
        text::cut_inside(name, room, self.ellipsis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_room() {
        let style = Style { width: 80, color: true, unicode: true };
        let inked = style.strong("a") + &style.tint("b", Tone::Bad);
        assert_eq!(text::width(&inked), 2);
        assert_eq!(Style::finish(&(inked + "  ")), "\u{1b}[1ma\u{1b}[0m\u{1b}[31mb\u{1b}[0m\n");
    }
}
