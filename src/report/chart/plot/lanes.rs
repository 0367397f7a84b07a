use super::super::measure::{self, LABEL};
use super::super::picture::{Lane, LaneSpan, Lanes};
use super::super::scale::Scale;
use super::super::scene::{Anchor, Scene};
use super::Frame;
use super::broken::Broken;
use super::frame::Ruler;
use super::legend::legend;
use crate::unit::counted;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Rows that are drawn; of more, those of the longest spans, in their order.
const MAX_LANES: usize = 300;
/// Height that the rows share, before they get too thin.
const ROOM: i32 = 900;
const LANE: i32 = 20;
const THINNEST: i32 = 4;
/// Rows of at least this height all have their label.
const LABELLED: i32 = 14;
/// Longest label, in pixels.
const MAX_LABEL: i32 = 280;
/// Pixels by which a nested label is indented.
const INDENT: i32 = 12;

/// One row per lane, under each other on one axis.
pub(in super::super) fn lanes(scene: &mut Scene, frame: Frame, lanes: &Lanes) -> i32 {
    let used: BTreeSet<usize> = lanes.lanes.iter().flat_map(kinds).collect();
    let top = legend(scene, frame, &lanes.kinds, &used);
    let rows = longest(&lanes.lanes);
    let count = i32::try_from(rows.len()).unwrap_or(1).max(1);
    let lane = (ROOM / count).clamp(THINNEST, LANE);
    let indent = |row: &Lane| INDENT * i32::try_from(row.depth.min(4)).unwrap_or(0);
    let widest = rows.iter().map(|row| measure::width(&row.label, LABEL) + indent(row)).max().unwrap_or(0);
    let label = widest.min(MAX_LABEL);
    let (first, last) = ends(lanes);
    let (low, high) = lanes.axis.range(first, last);
    let whole = Scale { low, high, start: frame.left + label + 10, end: frame.right - 8 };
    let x = Broken::new(whole, &lanes.idle);
    let bottom = top + lane * count;
    x.draw(scene, (top, bottom), &Ruler::new(&lanes.axis, low, high));
    let mut free = i32::MIN;
    let mut middle = top + lane / 2;
    for row in &rows {
        if lane >= LABELLED || middle >= free {
            free = middle + LABELLED;
            let name = measure::cut(&row.label, LABEL, label - indent(row));
            scene.text((frame.left + indent(row), middle), Anchor::Start, LABEL, scene.theme.text(), name);
        }
        draw(scene, &x, (middle, lane), lanes, row);
        middle += lane;
    }
    note(scene, frame, bottom + 62, lane, lanes.lanes.len() - rows.len())
}

/// What is not seen: rows left out, labels left out.
fn note(scene: &mut Scene, frame: Frame, at: i32, lane: i32, left_out: usize) -> i32 {
    let rest = (left_out > 0).then(|| format!("{} with shorter spans not drawn", counted(left_out, "more row")));
    let thin = (lane < LABELLED).then(|| "not every row has room for its label".to_owned());
    let said: Vec<String> = rest.into_iter().chain(thin).collect();
    if said.is_empty() {
        return at - 6;
    }
    scene.text((frame.left, at), Anchor::Start, LABEL, scene.theme.faint(), said.join("; "));
    at + 12
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

fn longest(lanes: &[Lane]) -> Vec<&Lane> {
    let length = |span: &LaneSpan| span.to.saturating_sub(span.from).max(0);
    let total = |lane: &Lane| lane.spans.iter().map(length).fold(0_i64, i64::saturating_add);
    let mut order: Vec<(usize, &Lane)> = lanes.iter().enumerate().collect();
    order.sort_by_key(|(at, lane)| (Reverse(total(lane)), *at));
    order.truncate(MAX_LANES);
    order.sort_by_key(|(at, _)| *at);
    order.into_iter().map(|(_, lane)| lane).collect()
}

fn draw(scene: &mut Scene, x: &Broken, (middle, lane): (i32, i32), lanes: &Lanes, row: &Lane) {
    let half = (lane / 2 - 1 - lane / 10).max(1);
    // A million spans have no more pixels than a thousand.
    let mut drawn = BTreeSet::new();
    for span in &row.spans {
        let Some(series) = lanes.kinds.get(span.kind) else { continue };
        let from = x.at(span.from);
        let to = x.at(span.to).max(from + 1);
        if drawn.insert((from, to, span.kind)) {
            scene.rect((from, middle - half), (to, middle + half), scene.theme.fill(series.hue));
        }
    }
    let marks: BTreeSet<(i32, usize)> = row.marks.iter().map(|mark| (x.at(mark.at), mark.kind)).collect();
    for (at, kind) in marks {
        let Some(series) = lanes.kinds.get(kind) else { continue };
        let color = scene.theme.fill(series.hue).color;
        let wide = half.clamp(2, 5);
        scene.area(vec![(at, middle - half), (at + wide, middle), (at, middle + half), (at - wide, middle)], color);
    }
}
