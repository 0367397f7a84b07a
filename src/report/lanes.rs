//! Lanes as text: a label, the axis, a remark.

use super::axis::{Axis, Cut};
use super::cell::Tone;
use super::page_lanes::{Ink, Lane, LaneGroup, Lanes, Mark};
use super::style::Style;
use super::text;
use crate::unit::{Timestamp, counted};

/// Lanes of a group that are drawn one by one; of more, neighbours share a line.
const MAX_LINES: usize = 40;
/// Part of the width that labels may take.
const LABEL_SHARE: usize = 3;
/// Shortest axis beside which remarks are shown.
const MIN_AXIS: usize = 40;
/// Widest remark.
const MAX_NOTE: usize = 36;
/// Heights of what is counted.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_HEIGHTS: [char; 8] = ['1', '2', '3', '4', '5', '6', '7', '8'];
/// Cuts that are named below the drawing.
const MAX_NAMED: usize = 6;

/// The lanes over one axis; what is folded, cut out or left out is said below.
pub(super) fn draw(lanes: &Lanes, style: &Style) -> String {
    let groups: Vec<Folded<'_>> = lanes.groups.iter().filter(|group| !group.lanes.is_empty()).map(fold).collect();
    let makes_axis = groups.iter().filter(|group| !group.joins);
    let times = makes_axis.flat_map(Folded::marks).map(|mark| (mark.from, mark.to.max(mark.from))).collect();
    let drawn = || groups.iter().flat_map(|group| &group.lines);
    let seen = |part: &str| text::width(&style.plain(part));
    let label = drawn().map(|line| seen(&line.label)).max().unwrap_or(0).min(style.room() / LABEL_SHARE);
    let note = drawn().map(|line| seen(&line.note)).max().unwrap_or(0).min(MAX_NOTE);
    let room = style.room().saturating_sub(label + 2).max(1);
    let beside = note > 0 && room >= MIN_AXIS + note + 2;
    let Some(axis) = Axis::over(times, if beside { room - note - 2 } else { room }) else {
        return style.tint("(nothing has a time)", Tone::Faint) + "\n";
    };
    let frame = Frame { lanes, axis: &axis, label, note: if beside { note } else { 0 }, style };
    let mut out = frame.scale();
    let mut below = frame.signs(drawn());
    for group in &groups {
        out.push(style.strong(&style.cut(&style.plain(&group.heading), style.room())));
        let rows: Vec<Row> = group.lines.iter().map(|line| frame.row(line)).collect();
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

/// A group as it is drawn.
struct Folded<'a> {
    heading: String,
    counted: &'a str,
    joins: bool,
    lines: Vec<Line<'a>>,
    lanes: usize,
}

/// One or several neighbouring lanes on one line.
struct Line<'a> {
    label: String,
    note: String,
    lanes: &'a [Lane],
}

fn fold(group: &LaneGroup) -> Folded<'_> {
    let each = group.lanes.len().div_ceil(MAX_LINES).max(1);
    let line = |lanes: &'_ [Lane]| match lanes {
        [only] => (only.label.clone(), only.note.clone()),
        [first, .., last] => (format!("{} … {}", first.label, last.label), format!("{} lanes", lanes.len())),
        [] => (String::new(), String::new()),
    };
    let lines = group.lanes.chunks(each).map(|lanes| {
        let (label, note) = line(lanes);
        Line { label, note, lanes }
    });
    Folded {
        heading: group.heading.clone(),
        counted: &group.counted,
        joins: group.joins,
        lines: lines.collect(),
        lanes: group.lanes.len(),
    }
}

impl Folded<'_> {
    fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.lines.iter().flat_map(|line| line.lanes).flat_map(|lane| &lane.marks)
    }

    fn note(&self) -> Option<String> {
        let (all, drawn) = (self.lanes, self.lines.len());
        (all > drawn).then(|| format!("{}: {all} lanes on {drawn} lines, neighbours share one", self.heading))
    }
}

/// How high `count` is drawn: each number has its own height up to eight, beyond that the highest stands for `most`.
fn height(count: usize, most: usize, unicode: bool) -> char {
    let heights = if unicode { HEIGHTS } else { ASCII_HEIGHTS };
    let step = count.saturating_mul(heights.len()).div_ceil(most.max(heights.len()));
    heights.get(step.saturating_sub(1)).copied().unwrap_or('?')
}

/// What the height of a column tells.
fn height_note(noun: &str, most: usize, unicode: bool) -> Option<String> {
    let sign = |count| height(count, most, unicode);
    match most {
        0 => None,
        1 => Some(format!("{}: {}", sign(1), counted(1, noun))),
        _ => Some(format!("{} to {}: 1 to {} in a column", sign(1), sign(most), counted(most, noun))),
    }
}

/// What a lane shows in each column.
struct Row {
    base: Vec<Option<(Ink, Tone)>>,
    counts: Vec<usize>,
    tones: Vec<Tone>,
    signs: Vec<Option<usize>>,
}

impl Row {
    fn most(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

struct Frame<'a> {
    lanes: &'a Lanes,
    axis: &'a Axis,
    label: usize,
    note: usize,
    style: &'a Style,
}

impl Frame<'_> {
    /// Each mark is looked at once, and each column of its time; counts only at its ends, since there may be thousands.
    fn row(&self, line: &Line<'_>) -> Row {
        let columns = self.axis.columns();
        let mut row = Row {
            base: vec![None; columns],
            counts: vec![0; columns],
            tones: vec![Tone::Normal; columns],
            signs: vec![None; columns],
        };
        let mut changes = vec![(0_usize, 0_usize); columns + 1];
        for mark in line.lanes.iter().flat_map(|lane| &lane.marks) {
            let (from, to) = (self.axis.column(mark.from), self.axis.column(mark.to.max(mark.from)));
            match mark.ink {
                Ink::Bar | Ink::Dots | Ink::Line => {
                    for cell in row.base.iter_mut().take(to + 1).skip(from) {
                        *cell = Some(worse(*cell, (mark.ink, mark.tone)));
                    }
                }
                Ink::Count => {
                    if let Some((begin, _)) = changes.get_mut(from) {
                        *begin += 1;
                    }
                    if let Some((_, end)) = changes.get_mut(to + 1) {
                        *end += 1;
                    }
                    if let Some(tone) = row.tones.get_mut(to).filter(|tone| rank(**tone) < rank(mark.tone)) {
                        *tone = mark.tone;
                    }
                }
                Ink::Sign(sign) => {
                    if let Some(seen) = row.signs.get_mut(from).filter(|seen| seen.is_none_or(|seen| sign < seen)) {
                        *seen = Some(sign);
                    }
                }
            }
        }
        let mut open = 0_usize;
        for (count, (begin, end)) in row.counts.iter_mut().zip(&changes) {
            open = (open + begin).saturating_sub(*end);
            *count = open;
        }
        row
    }

    fn line(&self, line: &Line<'_>, row: &Row, most: usize) -> String {
        let cuts: Vec<usize> = self.axis.cuts().map(|cut| cut.column).collect();
        let mut drawn = String::new();
        for column in 0..self.axis.columns() {
            let (sign, tone) = if cuts.binary_search(&column).is_ok() {
                (if self.style.unicode { '┊' } else { ':' }, Tone::Faint)
            } else {
                self.cell(row, column, most)
            };
            drawn.push_str(&self.style.tint(&sign.to_string(), tone));
        }
        let label = text::pad(&self.style.cut(&self.style.plain(&line.label), self.label), self.label);
        let note = self.style.cut(&self.style.plain(&line.note), self.note);
        format!("{label}  {}  {}", drawn, self.style.tint(&note, Tone::Faint)).trim_end().to_owned()
    }

    /// A sign hides a count, a count hides a bar or line.
    fn cell(&self, row: &Row, column: usize, most: usize) -> (char, Tone) {
        let unicode = self.style.unicode;
        let sign = row.signs.get(column).copied().flatten().and_then(|sign| self.lanes.key.get(sign));
        if let Some(glyph) = sign {
            return (if unicode { glyph.sign } else { glyph.ascii }, glyph.tone);
        }
        if let Some(count) = row.counts.get(column).copied().filter(|count| *count > 0) {
            return (height(count, most, unicode), row.tones.get(column).copied().unwrap_or_default());
        }
        match row.base.get(column).copied().flatten() {
            Some((Ink::Bar, tone)) => (bar(tone, unicode), tone),
            Some((Ink::Dots, tone)) => (if unicode { '┄' } else { '.' }, tone),
            Some((_, tone)) => (if unicode { '─' } else { '-' }, tone),
            None => (' ', Tone::Normal),
        }
    }

    /// Times over the axis, and the axis itself.
    fn scale(&self) -> Vec<String> {
        let indent = " ".repeat(self.label + 2);
        let cuts: Vec<Cut> = self.axis.cuts().collect();
        let (mut times, mut rule) = (String::new(), String::new());
        let unicode = self.style.unicode;
        let mut day = String::new();
        for column in 0..self.axis.columns() {
            let is_cut = cuts.iter().any(|cut| cut.column == column);
            let named = self.axis.moment(column).filter(|_| column == 0 || text::width(&times) + 2 <= column);
            let begins = column == 0 || cuts.iter().any(|cut| cut.column + 1 == column);
            let named = named.filter(|_| begins || column % 4 == 0);
            let label = named.map(|t| self.time(t, &mut day));
            let fits = label.filter(|label| column == 0 || column + text::width(label) <= self.axis.columns());
            rule.push(match (is_cut, fits.is_some(), unicode) {
                (true, _, true) => '┊',
                (true, _, false) => ':',
                (false, true, true) => '┬',
                (false, true, false) => '+',
                (false, false, true) => '─',
                (false, false, false) => '-',
            });
            if let Some(label) = fits {
                times = format!("{}{label}", text::pad(&times, column));
            }
        }
        let times = self.style.cut(&format!("{indent}{times}"), self.style.room());
        [times, format!("{indent}{rule}")].map(|line| self.style.tint(&line, Tone::Faint)).into()
    }

    /// The time of a moment, with its day where that is another one than before; with the offset from UTC where the
    /// clocks of the zone are set on the axis, since then one time may stand twice.
    fn time(&self, t: Timestamp, day: &mut String) -> String {
        let zone = self.lanes.zone;
        let today = zone.day(t);
        let ends = [0, self.axis.columns().saturating_sub(1)].map(|column| self.axis.moment(column));
        let offset = match ends {
            [Some(first), Some(last)] if zone.offset(first) != zone.offset(last) => zone.offset(t),
            _ => String::new(),
        };
        let time = format!("{}{offset}", zone.time(t));
        if *day == today {
            return time;
        }
        *day = today;
        format!("{day} {time}")
    }

    /// What the signs mean that are drawn.
    fn signs<'l>(&self, lines: impl Iterator<Item = &'l Line<'l>>) -> Vec<String> {
        let mut counts = vec![0_usize; self.lanes.key.len()];
        for mark in lines.flat_map(|line| line.lanes).flat_map(|lane| &lane.marks) {
            if let Ink::Sign(sign) = mark.ink
                && let Some(count) = counts.get_mut(sign)
            {
                *count += 1;
            }
        }
        let named = self.lanes.key.iter().zip(counts).filter(|(_, count)| *count > 0);
        let named = named.map(|(glyph, count)| {
            let sign = if self.style.unicode { glyph.sign } else { glyph.ascii };
            format!("{sign} {}", counted(count, &glyph.meaning))
        });
        let all: Vec<String> = named.collect();
        if all.is_empty() { Vec::new() } else { vec![all.join(", ")] }
    }

    fn cut_notes(&self) -> Option<String> {
        let cuts: Vec<Cut> = self.axis.cuts().collect();
        let sign = if self.style.unicode { '┊' } else { ':' };
        let named = cuts.iter().take(MAX_NAMED);
        let named: Vec<String> =
            named.map(|cut| format!("{} after {}", cut.length, self.lanes.zone.date_time(cut.after))).collect();
        let more = cuts.len().saturating_sub(MAX_NAMED);
        let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
        (!cuts.is_empty()).then(|| format!("{sign} nothing happened, not drawn to scale: {}{rest}", named.join(", ")))
    }
}

/// A bar looks different where it is not as it should be, also without colours.
const fn bar(tone: Tone, unicode: bool) -> char {
    match (tone, unicode) {
        (Tone::Bad, true) => '╳',
        (Tone::Bad, false) => 'X',
        (Tone::Warn, true) => '▒',
        (Tone::Warn, false) => '%',
        (_, true) => '█',
        (_, false) => '#',
    }
}

/// A bar hides dots, dots hide a line; of two bars the worse one is seen.
fn worse(seen: Option<(Ink, Tone)>, new: (Ink, Tone)) -> (Ink, Tone) {
    let weight = |(ink, tone): (Ink, Tone)| (ink == Ink::Bar, ink == Ink::Dots, rank(tone));
    seen.filter(|seen| weight(*seen) >= weight(new)).unwrap_or(new)
}

const fn rank(tone: Tone) -> u8 {
    match tone {
        Tone::Faint => 0,
        Tone::Normal => 1,
        Tone::Good => 2,
        Tone::Warn => 3,
        Tone::Bad => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::super::page_lanes::Glyph;
    use super::*;
    use crate::unit::Zone;

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
            zone,
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
            Lanes { zone: Zone::named(zone).unwrap(), groups: vec![group], key: Vec::new() }
        };
        let scale = |text, zone| drawn(&lanes(text, zone), 100, true).lines().next().unwrap().trim_start().to_owned();
        insta::assert_snapshot!(scale("2026-10-25T00:00:00Z", "Europe/Berlin"), @"2026-10-25 02:00:00+02:00   02:36:07+02:00  02:56:46+02:00  02:17:25+01:00  02:38:03+01:00");
        insta::assert_snapshot!(scale("2026-03-29T00:00:00Z", "Europe/Berlin"), @"2026-03-29 01:00:00+01:00   01:36:07+01:00  01:56:46+01:00  03:17:25+02:00  03:38:03+02:00");
        insta::assert_snapshot!(scale("2026-10-25T00:00:00Z", "Asia/Kolkata"), @"2026-10-25 05:30:00     06:00:58    06:16:27    06:31:56    06:47:25    07:02:54    07:18:23");
    }

    #[test]
    fn lanes_without_a_time_are_said() {
        let empty = Lanes { zone: Zone::UTC, groups: vec![LaneGroup::default()], key: Vec::new() };
        assert_eq!(drawn(&empty, 80, true), "(nothing has a time)\n");
    }
}
