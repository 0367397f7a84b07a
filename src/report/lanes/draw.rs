use super::super::axis::Axis;
use super::super::cell::Tone;
use super::super::page_lanes::Lanes;
use super::super::style::Style;
use super::super::text;
use super::fold::{Folded, fold};
use super::frame::Frame;
use super::notes::height_note;
use super::row::Row;

/// Part of the width that labels may take.
const LABEL_SHARE: usize = 3;
/// Shortest axis beside which remarks are shown.
const MIN_AXIS: usize = 40;
/// Widest remark.
const MAX_NOTE: usize = 36;

/// The lanes over one axis; what is folded, cut out or left out is said below.
pub(in super::super) fn draw(lanes: &Lanes, style: &Style) -> String {
    let groups: Vec<Folded<'_>> = lanes.groups.iter().filter(|group| !group.lanes.is_empty()).map(fold).collect();
    let makes_axis = groups.iter().filter(|group| !group.joins);
    let times = makes_axis.flat_map(Folded::marks).map(|mark| (mark.from, mark.to.max(mark.from))).collect();
    let drawn = || groups.iter().flat_map(|group| &group.lines);
    let seen = |part: &str| text::width(&style.plain(part));
    let label = drawn().map(|line| line.width(style)).max().unwrap_or(0).min(style.room() / LABEL_SHARE);
    let note = drawn().map(|line| seen(&line.note)).max().unwrap_or(0).min(MAX_NOTE);
    let room = style.room().saturating_sub(label + 2).max(1);
    let beside = note > 0 && room >= MIN_AXIS + note + 2;
    let Some(axis) = Axis::over(times, if beside { room - note - 2 } else { room }) else {
        return style.tint("(nothing has a time)", Tone::Faint) + "\n";
    };
    let frame = Frame { lanes, axis: &axis, label, note: if beside { note } else { 0 }, style };
    let mut out = frame.scale();
    let mut below = frame.signs(drawn());
    below.extend(frame.inks(drawn()));
    for group in &groups {
        if !group.heading.is_empty() {
            out.push(style.strong(&style.cut(&style.plain(&group.heading), style.room())));
        }
        let rows: Vec<Row> = group.lines.iter().map(|line| Row::of(line, &axis)).collect();
        let most = rows.iter().map(Row::most).max().unwrap_or(0);
        out.extend(group.lines.iter().zip(&rows).map(|(line, row)| frame.line(line, row, most)));
        below.extend(height_note(group.counted, most, style.unicode));
    }
    below.extend(frame.cut_notes());
    below.extend(groups.iter().filter_map(Folded::note));
    if note > 0 && !beside {
        below.push("not shown at this width: what stands behind the lanes".to_owned());
    }
    let wrapped = below.iter().flat_map(|line| text::wrap(&style.plain(line), style.room()));
    out.extend(wrapped.map(|line| style.tint(&line, Tone::Faint)));
    out.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::super::page_lanes::{Clock, Glyph, Ink, Lane, LaneGroup, Mark};
    use super::*;
    use crate::unit::{Timestamp, Zone};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_796_047_200_000 + seconds * 1000).unwrap()
    }

    fn mark(from: i64, to: i64, ink: Ink, tone: Tone) -> Mark {
        Mark { from: at(from), to: at(to), ink, tone }
    }

    fn step(number: i64) -> Lane {
        let names = ["inspect", "干活·判定#1", "写代码 👨‍👩‍👧", "delegate#round2"];
        let tone = if number % 5 == 1 { Tone::Bad } else { Tone::Good };
        let label = format!("{}{}", names[usize::try_from(number % 4).unwrap()], number / 4);
        let marks = vec![mark(number * 60, number * 60 + 55, Ink::Bar, tone)];
        Lane { label, marks, note: "ok, 55.0s".to_owned() }
    }

    fn run(steps: i64, calls: i64, zone: Zone) -> Lanes {
        let end = steps * 60;
        let active = mark(0, end, Ink::Line, Tone::Faint);
        let calls = (0..calls).map(|n| mark(n * n % end, n * n % end + 9, Ink::Count, Tone::Normal));
        let signs = [mark(end / 2, end / 2, Ink::Sign(1), Tone::Bad), mark(end / 2, end / 2, Ink::Sign(0), Tone::Bad)];
        let thread = Lane {
            label: "82f57757".to_owned(),
            marks: [active].into_iter().chain(calls).chain(signs).collect(),
            note: "many calls".to_owned(),
        };
        let glyph = |sign, ascii, meaning: &str| Glyph { sign, ascii, meaning: meaning.to_owned(), tone: Tone::Bad };
        Lanes {
            clock: Clock::Zone(zone),
            groups: vec![
                LaneGroup {
                    heading: "Steps".into(),
                    counted: String::new(),
                    joins: false,
                    lanes: (0..steps).map(step).collect(),
                },
                LaneGroup { heading: "Threads".into(), counted: "call".into(), joins: false, lanes: vec![thread] },
            ],
            key: vec![glyph('✗', '!', "error"), glyph('▾', 'v', "compaction")],
            inks: Vec::new(),
        }
    }

    fn drawn(lanes: &Lanes, width: usize, unicode: bool) -> String {
        let style = Style { width, color: false, unicode };
        Style::finish(&draw(lanes, &style))
    }

    #[test]
    fn one_step() {
        insta::assert_snapshot!(drawn(&run(1, 3, Zone::UTC), 80, true), @r"
                  2026-11-30 14:00:00     14:00:24    14:00:37    14:00:49
                  ┬───────────────────────┬───────────┬───────────┬─────────
        Steps
        inspect0  ██████████████████████████████████████████████████████      ok, 55.0s
        Threads
        82f57757  ▂▂▂▃▃▃▃▃▃▂▁▁▁───────────────✗─────────────────────────────  many calls
        ✗ 1 error, ▾ 1 compaction
        ▁ to ▃: 1 to 3 calls in a column
        ");
    }

    #[test]
    fn some_steps_without_unicode() {
        let text = drawn(&run(6, 40, Zone::named("Asia/Kolkata").unwrap()), 60, false);
        let names = |c: char| "干活·判定写代码👨\u{200d}👩👧".contains(c);
        assert!(text.chars().all(|c| c.is_ascii() || names(c)), "{text}");
        insta::assert_snapshot!(text, @r"
                          2026-11-30 19:30:00     19:33:25
                          +-----------------------+-----------------
        Steps
        inspect0          #######
        干活·判定#10            XXXXXXXX
        写代码 👨‍👩‍👧0                     ########
        delegate#round20                      ########
        inspect1                                     ########
        干活·判定#11                                        ########
        Threads
        82f57757          5851231234311-3322-2!121-2311221-221221---
        ! 1 error, v 1 compaction
        1 to 8: 1 to 9 calls in a column
        not shown at this width: what stands behind the lanes
        ");
    }

    #[test]
    fn hundreds_of_steps_and_thousands_of_calls() {
        let text = drawn(&run(300, 20_000, Zone::UTC), 120, true);
        assert_eq!(text.lines().filter(|line| line.contains(" lanes") && !line.contains("on")).count(), 38);
        let lines: Vec<&str> = text.lines().collect();
        insta::assert_snapshot!(lines[lines.len() - 6..].join("\n"), @r"
        inspect74 … delegate#round274                                                                             ╳╳  4 lanes
        Threads
        82f57757                       █▆▃▅▃▄▅▃▅▄▄▃▅▃▃▆▃▄▅▄▄▃▃▃▄▄▄▅▄▃▄▃▄▃▅▃▄▄✗▄▄▄▃▅▃▃▅▅▃▄▃▅▄▄▄▃▄▃▄▃▃▅▄▃▄▃▄▃▄▄▃▃▄▃▃▄▃  many calls
        ✗ 1 error, ▾ 1 compaction
        ▁ to █: 1 to 629 calls in a column
        Steps: 300 lanes on 38 lines, neighbours share one
        ");
    }

    #[test]
    fn nothing_is_wider_than_the_terminal() {
        for width in 20..200 {
            for line in drawn(&run(7, 50, Zone::UTC), width, true).lines() {
                assert!(text::width(line) <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn an_hour_that_comes_twice_is_told_apart() {
        let lanes = |text: &str, zone: &str| {
            let from = Timestamp::parse(text).unwrap();
            let to = Timestamp::from_millis(from.millis() + 7_200_000).unwrap();
            let marks = vec![Mark { from, to, ink: Ink::Bar, tone: Tone::Good }];
            let lane = Lane { label: "night".to_owned(), marks, ..Lane::default() };
            let group = LaneGroup { heading: "Steps".to_owned(), lanes: vec![lane], ..LaneGroup::default() };
            let clock = Clock::Zone(Zone::named(zone).unwrap());
            Lanes { clock, groups: vec![group], key: Vec::new(), inks: Vec::new() }
        };
        let scale = |text, zone| drawn(&lanes(text, zone), 100, true).lines().next().unwrap().trim_start().to_owned();
        insta::assert_snapshot!(scale("2026-10-25T00:00:00Z", "Europe/Berlin"), @"2026-10-25 02:00:00+02:00   02:36:07+02:00  02:56:46+02:00  02:17:25+01:00  02:38:03+01:00");
        insta::assert_snapshot!(scale("2026-03-29T00:00:00Z", "Europe/Berlin"), @"2026-03-29 01:00:00+01:00   01:36:07+01:00  01:56:46+01:00  03:17:25+02:00  03:38:03+02:00");
        insta::assert_snapshot!(scale("2026-10-25T00:00:00Z", "Asia/Kolkata"), @"2026-10-25 05:30:00     06:00:58    06:16:27    06:31:56    06:47:25    07:02:54    07:18:23");
    }

    #[test]
    fn lanes_without_a_time_are_said() {
        let clock = Clock::Zone(Zone::UTC);
        let empty = Lanes { clock, groups: vec![LaneGroup::default()], key: Vec::new(), inks: Vec::new() };
        assert_eq!(drawn(&empty, 80, true), "(nothing has a time)\n");
    }
}
