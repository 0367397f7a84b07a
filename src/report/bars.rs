use super::cell::Tone;
use super::page::{Bar, Bars};
use super::style::Style;
use super::text;

/// Longest bar in columns: beyond, the eye no longer compares better.
const MAX_BAR: usize = 40;
/// Shortest bar that still tells something.
const MIN_BAR: usize = 8;
/// A column filled by so many eighths.
const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/// How the parts of a bar look, from the left; those beyond share the last.
const TEXTURES: [char; 4] = ['█', '▓', '▒', '░'];
const ASCII_TEXTURES: [char; 4] = ['#', '=', '+', '-'];
/// Part of the width that labels may take.
const LABEL_SHARE: usize = 3;

/// Label, bar, value and note in columns; notes go below where they do not fit.
pub(super) fn draw(all: &Bars, style: &Style) -> String {
    if all.rows.is_empty() {
        return style.tint("(none)", Tone::Faint) + "\n";
    }
    let mut lines = rows(&all.rows, style);
    let parts = (0..).zip(&all.parts).map(|(nth, name)| format!("{} {name}", texture(nth, style)));
    let legend = parts.collect::<Vec<_>>().join(", ");
    if !legend.is_empty() {
        let wrapped = text::wrap(&style.plain(&legend), style.room());
        lines.extend(wrapped.iter().map(|line| style.tint(line, Tone::Faint)));
    }
    lines.join("\n") + "\n"
}

fn rows(bars: &[Bar], style: &Style) -> Vec<String> {
    let widest = |of: fn(&Bar) -> &str| bars.iter().map(|b| text::width(&style.plain(of(b)))).max().unwrap_or(0);
    let label = widest(|b| &b.label).min(style.room() / LABEL_SHARE);
    let shown = widest(|b| &b.shown);
    let note = widest(|b| b.note.as_deref().unwrap_or_default());
    let room = style.room().saturating_sub(label + shown + 4);
    let beside = note > 0 && room >= note + 2 + MIN_BAR;
    let bar_room = if beside { room - note - 2 } else { room }.clamp(1, MAX_BAR);
    let longest = bars.iter().map(|b| b.value).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let mut lines = Vec::new();
    for bar in bars {
        let drawn = style.tint(&drawn(bar, longest, bar_room, style), bar.tone);
        let name = text::pad(&style.cut(&style.plain(&bar.label), label), label);
        let value = text::pad_left(&style.plain(&bar.shown), shown);
        let line = format!("{name}  {}  {value}", text::pad(&drawn, bar_room));
        let remark = bar.note.as_deref().map(|note| style.plain(note)).unwrap_or_default();
        if beside {
            lines.push(format!("{line}  {}", style.tint(&remark, Tone::Faint)));
            continue;
        }
        lines.push(line);
        if !remark.is_empty() {
            let below = text::wrap(&remark, style.room().saturating_sub(2));
            lines.extend(below.iter().map(|part| format!("  {}", style.tint(part, Tone::Faint))));
        }
    }
    lines
}

fn drawn(bar: &Bar, longest: f64, columns: usize, style: &Style) -> String {
    if bar.parts.is_empty() {
        return strip(fraction(bar.value, longest, columns), columns, style);
    }
    let (mut out, mut sum, mut end) = (String::new(), 0.0, 0);
    for (nth, part) in bar.parts.iter().enumerate().filter(|(_, part)| **part > 0.0) {
        sum += part;
        // Half a column is drawn; of less only the first part of a bar, so that no bar vanishes.
        let to = (fraction(sum, longest, columns) + 4) / 8;
        let to = if end == 0 { to.max(1) } else { to };
        out.extend(std::iter::repeat_n(texture(nth, style), to.saturating_sub(end)));
        end = to.max(end);
    }
    out
}

fn texture(part: usize, style: &Style) -> char {
    let looks = if style.unicode { TEXTURES } else { ASCII_TEXTURES };
    let [.., last] = looks;
    looks.get(part).copied().unwrap_or(last)
}

/// Eighths of a column that `value` takes if `longest` takes `columns`; anything above zero takes at least one.
fn fraction(value: f64, longest: f64, columns: usize) -> usize {
    if !value.is_finite() || value <= 0.0 || longest <= 0.0 {
        return 0;
    }
    let eighths = f64::from(u16::try_from(columns * 8).unwrap_or(u16::MAX));
    // Through text, the only conversion without a cast.
    format!("{:.0}", value / longest * eighths).parse::<usize>().unwrap_or(0).max(1)
}

fn strip(eighths: usize, columns: usize, style: &Style) -> String {
    if !style.unicode {
        return "#".repeat(eighths.div_ceil(8).min(columns));
    }
    "█".repeat(eighths / 8) + PARTS.get(eighths % 8).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_in_proportion() {
        assert_eq!(fraction(1.0, 2.0, 10), 40);
        assert_eq!(fraction(0.000_1, 2.0, 10), 1);
        assert_eq!([fraction(-1.0, 2.0, 10), fraction(f64::NAN, 2.0, 10), fraction(0.0, 0.0, 10)], [0, 0, 0]);
        let style = Style { width: 80, color: false, unicode: true };
        assert_eq!(strip(20, 10, &style), "██▌");
        assert_eq!(strip(20, 10, &Style { unicode: false, ..style }), "###");
    }
}
