use super::super::picture::Flow;
use super::super::scale::Scale;
use super::super::scene::Scene;
use super::super::theme::Rgb;
use super::Frame;
use super::frame::Ruler;

const HEIGHT: i32 = 240;
/// Between two stripes of an area, in pixels.
const STRIPE: i32 = 6;
/// The part of the axis behind the last amount, on which the whole sum is seen.
const REST: i64 = 40;

/// Stacked areas whose height is the sum of everything up to there.
pub(super) fn growth(scene: &mut Scene, frame: Frame, flow: &Flow, (first, last): (i64, i64)) -> i32 {
    let whole = flow.amounts.iter().fold(0_i64, |sum, amount| sum.saturating_add(amount.value.max(0)));
    let (low, high) = flow.axis.range(first, last);
    let high = high.saturating_add(high.saturating_sub(low) / REST);
    let axes = frame.axes(scene, HEIGHT, (flow.measure, whole), &Ruler::new(&flow.axis, low, high));
    let mut amounts = flow.amounts.clone();
    amounts.sort_by_key(|amount| amount.at);
    let mut sums = vec![0_i64; flow.series.len()];
    // Heights of the upper edges of all series, from the pixel on at which they change.
    let mut edges: Vec<(i32, Vec<i32>)> = vec![(axes.x.start, edge(&sums, axes.y))];
    for amount in &amounts {
        if let Some(sum) = sums.get_mut(amount.series) {
            *sum = sum.saturating_add(amount.value.max(0));
        }
        let at = axes.x.at(amount.at);
        match edges.last_mut().filter(|(last, _)| *last == at) {
            Some((_, heights)) => *heights = edge(&sums, axes.y),
            None => edges.push((at, edge(&sums, axes.y))),
        }
    }
    for (nth, series) in flow.series.iter().enumerate() {
        let upper = stairs(&edges, nth, axes.x.end, axes.bottom());
        let lower = match nth.checked_sub(1) {
            Some(below) => stairs(&edges, below, axes.x.end, axes.bottom()),
            None => vec![(axes.x.start, axes.bottom()), (axes.x.end, axes.bottom())],
        };
        let fill = scene.theme.fill(series.hue);
        let outline: Vec<(i32, i32)> = upper.iter().chain(lower.iter().rev()).copied().collect();
        scene.area(outline, fill.color);
        if let Some(stripe) = fill.stripes {
            stripes(scene, &edges, nth, axes.x, axes.bottom(), stripe);
        }
        let ground = scene.theme.ground();
        scene.path(upper, ground, 1);
    }
    axes.end()
}

/// Upper edges of the series, one on the other.
fn edge(sums: &[i64], y: Scale) -> Vec<i32> {
    let mut sum = 0_i64;
    let height = |part: &i64| {
        sum = sum.saturating_add(*part);
        y.at(sum)
    };
    sums.iter().map(height).collect()
}

fn height(edges: &[i32], nth: usize, bottom: i32) -> i32 {
    edges.get(nth).copied().unwrap_or(bottom)
}

/// The upper edge of a series as steps up to the end of the axis.
fn stairs(edges: &[(i32, Vec<i32>)], nth: usize, end: i32, bottom: i32) -> Vec<(i32, i32)> {
    let mut points: Vec<(i32, i32)> = Vec::new();
    for (x, heights) in edges {
        let to = height(heights, nth, bottom);
        match points.last().map(|(_, y)| *y) {
            Some(y) if y == to => {}
            Some(y) => points.extend([(*x, y), (*x, to)]),
            None => points.push((*x, to)),
        }
    }
    let last = points.last().map_or(bottom, |(_, y)| *y);
    points.push((end, last));
    points
}

fn stripes(scene: &mut Scene, edges: &[(i32, Vec<i32>)], nth: usize, x: Scale, bottom: i32, color: Rgb) {
    let mut at = x.start + STRIPE / 2;
    let mut next = edges.iter().peekable();
    let mut current: &[i32] = &[];
    while at < x.end {
        while let Some((_, heights)) = next.next_if(|(from, _)| *from <= at) {
            current = heights;
        }
        let top = height(current, nth, bottom);
        let foot = nth.checked_sub(1).map_or(bottom, |below| height(current, below, bottom));
        if foot - top > 1 {
            scene.line((at, top), (at, foot), color);
        }
        at += STRIPE;
    }
}
