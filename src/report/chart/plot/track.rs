use super::super::measure::{self, LABEL};
use super::super::picture::{Axis, Hue, Measure, Track};
use super::super::scene::{Anchor, Scene};
use super::super::theme::Fill;
use super::Frame;
use super::flow::column_step;
use super::frame::{Axes, Ruler};
use super::legend::legend;
use std::collections::{BTreeMap, BTreeSet};

const HEIGHT: i32 = 300;
/// Greatest width of a point that stands alone, in pixels.
const COLUMN: i32 = 56;
/// Marks that have a line through the plot; of more, only strokes above it are drawn.
const MAX_LINES: usize = 40;
/// Height of the strip above the plot in which marks stand.
const STRIP: i32 = 14;

/// Curves, lines at levels, and marks above them.
pub(in super::super) fn track(scene: &mut Scene, frame: Frame, track: &Track) -> i32 {
    let top = legend(scene, frame, &track.kinds, &track.marks.iter().map(|mark| mark.kind).collect()) + STRIP + 4;
    let count = i64::try_from(track.points.len()).unwrap_or(i64::MAX);
    let values = track.points.iter().flatten().copied();
    let highest = values.chain(track.levels.iter().map(|(_, level)| *level)).max().unwrap_or(0);
    let turns = Axis::Number(track.point.clone());
    // Each point has a place of its own, as in a flow.
    let mut ruler = Ruler::new(&turns, 0, count);
    ruler.thing = Some(1);
    let step = column_step(&turns, 0, count.saturating_sub(1));
    let is_share = track.measure == Measure::Share && count > 1;
    if is_share && step > 1 {
        ruler.caption = format!("{}; a column is the mean of {step}", ruler.caption);
    }
    let axes = frame.below(top).axes(scene, HEIGHT, (track.measure, highest), &ruler);
    marks(scene, &axes, track);
    let color = scene.theme.fill(Hue::Nth(0)).color;
    let pale = scene.theme.pale(color);
    let pieces = if is_share { stairs(track, &axes, step) } else { pieces(track, &axes) };
    for piece in &pieces {
        let (Some(first), Some(last)) = (piece.first(), piece.last()) else { continue };
        let foot = [(last.0, axes.bottom()), (first.0, axes.bottom())];
        scene.area(piece.iter().copied().chain(foot).collect(), pale);
    }
    for piece in pieces {
        scene.path(piece, color, 2);
    }
    levels(scene, &axes, track);
    axes.end()
}

/// A line at each level, with its name.
fn levels(scene: &mut Scene, axes: &Axes, track: &Track) {
    for (name, level) in &track.levels {
        let y = axes.y.at(*level);
        scene.line((axes.x.start, y), (axes.x.end, y), scene.theme.text());
        let name = measure::cut(name, LABEL, axes.x.end - axes.x.start);
        // Below the line, where no mark stands; on a ground of its own, where a line of a mark may cross.
        let wide = measure::width(&name, LABEL);
        let ground = Fill { color: scene.theme.ground(), stripes: None };
        scene.rect((axes.x.end - wide - 8, y + 3), (axes.x.end, y + 19), ground);
        scene.text((axes.x.end - 4, y + 11), Anchor::End, LABEL, scene.theme.text(), name);
    }
}

/// The means of so many neighbours each, as columns: shares that go up and down from turn to turn would be a solid block.
fn stairs(track: &Track, axes: &Axes, step: i64) -> Vec<Vec<(i32, i32)>> {
    let width = usize::try_from(step).unwrap_or(1).max(1);
    let mut pieces: Vec<Vec<(i32, i32)>> = vec![Vec::new()];
    for (nth, points) in (0_i64..).zip(track.points.chunks(width)) {
        let known: Vec<i128> = points.iter().flatten().copied().map(i128::from).collect();
        let mean = known.iter().sum::<i128>().checked_div(i128::try_from(known.len()).unwrap_or(0));
        match (mean.and_then(|mean| i64::try_from(mean).ok()), pieces.last_mut()) {
            (Some(mean), Some(piece)) => {
                let [from, to] = [nth, nth + 1].map(|nth| axes.x.at(nth.saturating_mul(step)));
                piece.extend([(from, axes.y.at(mean)), (to, axes.y.at(mean))]);
            }
            _ => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The curves between gaps; a point that stands alone is a column. Where several points of a curve share a pixel, the lowest
/// and the highest are kept.
fn pieces(track: &Track, axes: &Axes) -> Vec<Vec<(i32, i32)>> {
    let mut pieces: Vec<Vec<(i32, i32)>> = Vec::new();
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    let curves = track.curves.iter().copied().chain(std::iter::repeat(0));
    for ((at, point), curve) in (0_i64..).zip(&track.points).zip(curves) {
        let Some(value) = point else {
            open.remove(&curve);
            continue;
        };
        let (x, y) = (i32::midpoint(axes.x.at(at), axes.x.at(at.saturating_add(1))), axes.y.at(*value));
        let nth = *open.entry(curve).or_insert_with(|| {
            pieces.push(Vec::new());
            pieces.len() - 1
        });
        let Some(piece) = pieces.get_mut(nth) else { continue };
        match piece.as_mut_slice() {
            [.., (x1, low), (x2, high)] if *x1 == x && *x2 == x => {
                (*low, *high) = ((*low).max(y), (*high).min(y));
            }
            _ => piece.push((x, y)),
        }
    }
    let half = (axes.x.at(1) - axes.x.at(0)).clamp(6, COLUMN) / 2;
    for piece in &mut pieces {
        if let [(x, y)] = piece.as_slice() {
            *piece = vec![(x - half, *y), (x + half, *y)];
        }
    }
    pieces
}

/// A wedge above the plot and a line through it for each mark; of many only a stroke above it. Marks of one kind at one
/// pixel are one.
fn marks(scene: &mut Scene, axes: &Axes, track: &Track) {
    let at = |at: i64| axes.x.at(at);
    let marks: BTreeSet<(i32, usize)> = track.marks.iter().map(|mark| (at(mark.at), mark.kind)).collect();
    let top = axes.y.end;
    let crowded = marks.len() > MAX_LINES;
    for (x, kind) in marks {
        let Some(series) = track.kinds.get(kind) else { continue };
        let color = scene.theme.fill(series.hue).color;
        if crowded {
            scene.line((x, top - STRIP + 2), (x, top - 2), color);
            continue;
        }
        scene.line((x, top), (x, axes.bottom()), color);
        scene.area(vec![(x - 5, top - STRIP + 2), (x + 5, top - STRIP + 2), (x, top - 2)], color);
    }
}
