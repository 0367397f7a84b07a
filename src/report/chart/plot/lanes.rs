use super::super::measure::{self, LABEL};
use super::super::picture::{Lane, LaneSpan, Lanes};
use super::super::scale::Scale;
use super::super::scene::{Anchor, Scene};
use super::Frame;
use super::broken::Broken;
use super::frame::Ruler;
use super::legend::legend;
use crate::unit::counted;
use std::collections::BTreeSet;

/// Lines that are drawn; of more lanes, neighbours share one.
const MAX_LINES: usize = 64;
/// Height that the lines share, before they get too thin for their labels.
const ROOM: i32 = 900;
const LANE: i32 = 20;
const THINNEST: i32 = 14;
/// Least width of what took time, in pixels: what is there is seen.
const SHORTEST: i32 = 2;
/// Longest label, in pixels.
const MAX_LABEL: i32 = 280;
/// Pixels by which a nested label is indented.
const INDENT: i32 = 12;
/// Between the names of the first and the last lane of a line.
const TO: &str = " … ";

/// Under each other on one axis, a line for each lane or for several neighbours.
pub(in super::super) fn lanes(scene: &mut Scene, frame: Frame, lanes: &Lanes) -> i32 {
    let used: BTreeSet<usize> = lanes.lanes.iter().flat_map(kinds).collect();
    let top = legend(scene, frame, &lanes.kinds, &used);
    let rows = rows(&lanes.lanes);
    let count = i32::try_from(rows.len()).unwrap_or(1).max(1);
    let high = (ROOM / count).clamp(THINNEST, LANE);
    let label = rows.iter().map(|row| row.indent() + row.width()).max().unwrap_or(0).min(MAX_LABEL);
    let (first, last) = ends(lanes);
    let (low, end) = lanes.axis.range(first, last);
    let whole = Scale { low, high: end, start: frame.left + label + 10, end: frame.right - 8 };
    let x = Broken::new(whole, &lanes.idle);
    let bottom = top + high * count;
    x.draw(scene, (top, bottom), &Ruler::new(&lanes.axis, low, end));
    let mut middle = top + high / 2;
    for row in &rows {
        let name = row.label(label - row.indent());
        scene.text((frame.left + row.indent(), middle), Anchor::Start, LABEL, scene.theme.text(), name);
        draw(scene, &x, (middle, high), lanes, row.0);
        middle += high;
    }
    note(scene, frame, bottom + 62, lanes.lanes.len(), rows.len())
}

/// Says that lanes share lines, where they do.
fn note(scene: &mut Scene, frame: Frame, at: i32, lanes: usize, rows: usize) -> i32 {
    if lanes == rows {
        return at - 6;
    }
    let said = format!("{lanes} lanes on {}, neighbours share one", counted(rows, "line"));
    scene.text((frame.left, at), Anchor::Start, LABEL, scene.theme.faint(), said);
    at + 12
}

/// The lanes of one line: a lane, or several neighbours of one section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row<'a>(&'a [Lane]);

impl Row<'_> {
    fn indent(self) -> i32 {
        let depth = self.0.iter().map(|lane| lane.depth).min().unwrap_or(0);
        INDENT * i32::try_from(depth.min(4)).unwrap_or(0)
    }

    /// The room that the whole label takes.
    fn width(self) -> i32 {
        let parts = match self.0 {
            [] => [const { String::new() }; 3],
            [only] => [only.label.clone(), remark(only), String::new()],
            [first, .., last] => [first.label.clone(), TO.to_owned(), last.label.clone()],
        };
        parts.iter().map(|part| measure::width(part, LABEL).min(MAX_LABEL)).sum()
    }

    /// The label in `room` pixels; of several lanes the first and the last are named.
    fn label(self, room: i32) -> String {
        match self.0 {
            [] => String::new(),
            [only] => {
                let remark = remark(only);
                measure::cut(&only.label, LABEL, room - measure::width(&remark, LABEL)) + &remark
            }
            [first, .., last] => {
                let room = room - measure::width(TO, LABEL);
                let first =
                    measure::cut(&first.label, LABEL, (room - measure::width(&last.label, LABEL)).max(room / 2));
                let last = measure::cut(&last.label, LABEL, room - measure::width(&first, LABEL));
                format!("{first}{TO}{last}")
            }
        }
    }
}

fn remark(lane: &Lane) -> String {
    if lane.remark.is_empty() { String::new() } else { format!(" ({})", lane.remark) }
}

/// Each lane its own line where there are few of them; of many, neighbours share one.
fn rows(lanes: &[Lane]) -> Vec<Row<'_>> {
    let sections: Vec<&[Lane]> = lanes.chunk_by(|a, b| a.section == b.section).collect();
    let mut order: Vec<(usize, &[Lane])> = sections.into_iter().enumerate().collect();
    // What a small section leaves of its share goes to the larger ones.
    order.sort_by_key(|(_, section)| section.len());
    let mut left = MAX_LINES;
    let mut sharing = order.len();
    let mut rows: Vec<(usize, Vec<Row<'_>>)> = Vec::new();
    for (at, section) in order {
        let share = (left / sharing.max(1)).max(1);
        let own: Vec<Row<'_>> = section.chunks(section.len().div_ceil(share)).map(Row).collect();
        left = left.saturating_sub(own.len());
        sharing -= 1;
        rows.push((at, own));
    }
    rows.sort_by_key(|(at, _)| *at);
    rows.into_iter().flat_map(|(_, own)| own).collect()
}

/// The first and the last moment of all lanes.
fn ends(lanes: &Lanes) -> (i64, i64) {
    let spans = lanes.lanes.iter().flat_map(|lane| &lane.spans).flat_map(|span| [span.from, span.to]);
    let marks = lanes.lanes.iter().flat_map(|lane| &lane.marks).map(|mark| mark.at);
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    for at in spans.chain(marks) {
        (first, last) = (first.min(at), last.max(at));
    }
    if first > last { (0, 0) } else { (first, last) }
}

/// The kinds of what is in a lane.
fn kinds(lane: &Lane) -> impl Iterator<Item = usize> {
    lane.spans.iter().map(|span| span.kind).chain(lane.marks.iter().map(|mark| mark.kind))
}

fn draw(scene: &mut Scene, x: &Broken, (middle, high): (i32, i32), lanes: &Lanes, row: &[Lane]) {
    let half = (high / 2 - 1 - high / 10).max(1);
    let mut spans: Vec<&LaneSpan> = row.iter().flat_map(|lane| &lane.spans).collect();
    if row.len() > 1 {
        spans.sort_by_key(|span| span.kind);
    }
    // A million spans have no more pixels than a thousand.
    let mut drawn = BTreeSet::new();
    for span in spans {
        let Some(series) = lanes.kinds.get(span.kind) else { continue };
        let from = x.at(span.from);
        let to = x.at(span.to).max(from + SHORTEST);
        if drawn.insert((from, to, span.kind)) {
            scene.rect((from, middle - half), (to, middle + half), scene.theme.fill(series.hue));
        }
    }
    let marks = row.iter().flat_map(|lane| &lane.marks);
    let marks: BTreeSet<(usize, i32)> = marks.map(|mark| (mark.kind, x.at(mark.at))).collect();
    for (kind, at) in marks {
        let Some(series) = lanes.kinds.get(kind) else { continue };
        let color = scene.theme.fill(series.hue).color;
        let wide = half.clamp(2, 5);
        scene.area(vec![(at, middle - half), (at + wide, middle), (at, middle + half), (at - wide, middle)], color);
    }
}
