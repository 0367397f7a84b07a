use super::cell::Tone;
use super::page::TreeLine;
use super::style::Style;
use super::text;

/// Deepest level that is still indented; below, the depth is written instead.
const MAX_INDENT: usize = 12;

/// Room that a note must have beside its line; with less it goes below.
const MIN_NOTE: usize = 12;

/// The outline with lines from each entry to the next on its level.
pub(super) fn draw(lines: &[TreeLine], style: &Style) -> String {
    if lines.is_empty() {
        return style.tint("(none)", Tone::Faint) + "\n";
    }
    let deepest = MAX_INDENT.min(style.room() / 8);
    let guides = guides(lines, deepest, style);
    let mut out = Vec::new();
    for (line, guide) in lines.iter().zip(guides) {
        let depth = if line.depth > deepest { format!("[{}] ", line.depth) } else { String::new() };
        let room = style.room().saturating_sub(text::width(&guide));
        let shown = style.cut(&(depth + &style.plain(&line.text)), room);
        let left = room.saturating_sub(text::width(&shown) + 2);
        let drawn = format!("{guide}{}", style.tint(&shown, line.tone));
        let note = style.plain(line.note.as_deref().unwrap_or_default());
        if note.is_empty() {
            out.push(drawn);
        } else if text::width(&note).min(MIN_NOTE) <= left {
            out.push(format!("{drawn}  {}", style.tint(&style.cut(&note, left), Tone::Faint)));
        } else {
            let blank = " ".repeat(text::width(&guide) + 2);
            let below = style.cut(&note, room.saturating_sub(2));
            out.extend([drawn, format!("{blank}{}", style.tint(&below, Tone::Faint))]);
        }
    }
    out.join("\n") + "\n"
}

/// What stands before each line. Read from the end: a level is open while a later line stands on it.
fn guides(lines: &[TreeLine], deepest: usize, style: &Style) -> Vec<String> {
    let (through, more, last) = if style.unicode { ("│  ", "├─ ", "└─ ") } else { ("|  ", "|- ", "`- ") };
    let mut open = vec![false; deepest + 1];
    let mut guides: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines.iter().rev() {
        let depth = line.depth.min(deepest);
        let mut guide: String =
            open.iter().take(depth).skip(1).map(|open| if *open { through } else { "   " }).collect();
        if depth > 0 {
            guide.push_str(if open.get(depth) == Some(&true) { more } else { last });
        }
        guides.push(guide);
        open.iter_mut().skip(depth + 1).for_each(|o| *o = false);
        if let Some(here) = open.get_mut(depth) {
            *here = true;
        }
    }
    guides.reverse();
    guides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lead_to_the_next_on_their_level() {
        let lines = [(0, "a"), (1, "b"), (2, "c"), (1, "d"), (0, "e"), (99, "deep")].map(|(d, t)| TreeLine::new(d, t));
        let style = Style { width: 60, color: false, unicode: true };
        insta::assert_snapshot!(draw(&lines, &style), @r"
        a
        ├─ b
        │  └─ c
        └─ d
        e
                          └─ [99] deep
        ");
    }
}
