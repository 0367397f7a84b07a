use super::super::picture::{Amount, Axis, Flow};
use super::super::scene::Scene;
use super::Frame;
use super::frame::{Axes, Ruler};
use super::growth::growth;
use super::legend::legend;
use std::collections::BTreeMap;

/// Columns that are drawn at most, more or less.
const COLUMNS: i64 = 110;
const HEIGHT: i32 = 240;
/// Widest column, in pixels.
const MAX_COLUMN: i32 = 56;

/// Amounts along an axis: stacked columns, or stacked areas where they add up.
pub(in super::super) fn flow(scene: &mut Scene, frame: Frame, flow: &Flow) -> i32 {
    let used = flow.amounts.iter().filter(|amount| amount.value > 0).map(|amount| amount.series).collect();
    let top = legend(scene, frame, &flow.series, &used);
    let frame = frame.below(top + 6);
    let first = flow.amounts.iter().map(|amount| amount.at).min().unwrap_or(0);
    let last = flow.amounts.iter().map(|amount| amount.at).max().unwrap_or(0);
    if flow.sums_up { growth(scene, frame, flow, (first, last)) } else { columns(scene, frame, flow, (first, last)) }
}

/// The width of the columns of a range.
pub(in super::super) fn column_step(axis: &Axis, first: i64, last: i64) -> i64 {
    let (low, high) = axis.range(first, last);
    axis.step(high.saturating_sub(low), COLUMNS)
}

/// Amounts of the columns by their beginnings, one per series.
pub(in super::super) fn gathered(flow: &Flow, step: i64) -> BTreeMap<i64, Vec<i64>> {
    let mut columns: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for Amount { at, series, value } in &flow.amounts {
        let column = columns.entry(flow.axis.bucket(*at, step)).or_insert_with(|| vec![0; flow.series.len()]);
        if let Some(sum) = column.get_mut(*series) {
            *sum = sum.saturating_add((*value).max(0));
        }
    }
    columns
}

fn columns(scene: &mut Scene, frame: Frame, flow: &Flow, (first, last): (i64, i64)) -> i32 {
    let step = column_step(&flow.axis, first, last);
    let columns = gathered(flow, step);
    let sum = |parts: &Vec<i64>| parts.iter().fold(0_i64, |sum, part| sum.saturating_add(*part));
    let highest = columns.values().map(sum).max().unwrap_or(0);
    let (low, high) = flow.axis.range(first, last);
    let low = columns.keys().next().copied().unwrap_or(low).min(low);
    let high = columns.keys().next_back().copied().unwrap_or(high).saturating_add(step).max(high);
    let mut ruler = Ruler::new(&flow.axis, low, high);
    match flow.axis.column(step) {
        Some(column) => ruler.caption = format!("{}; a column is {column}", ruler.caption),
        None => ruler.thing = Some(step),
    }
    let axes = frame.axes(scene, HEIGHT, (flow.measure, highest), &ruler);
    for (begin, parts) in &columns {
        column(scene, &axes, flow, (axes.x.at(*begin), axes.x.at(begin.saturating_add(step))), parts);
    }
    axes.end()
}

fn column(scene: &mut Scene, axes: &Axes, flow: &Flow, (left, right): (i32, i32), parts: &[i64]) {
    // A moment has its place on the axis; a thing has a place of its own, however few there are.
    let spare = if matches!(flow.axis, Axis::Number(_)) { (right - left - MAX_COLUMN).max(0) } else { 0 };
    let (left, right) = (left + spare / 2, right - (spare - spare / 2));
    let right = if right - left > 3 { right - 1 } else { right.max(left + 1) };
    let (mut sum, mut end) = (0_i64, axes.bottom());
    for (part, series) in parts.iter().zip(&flow.series).filter(|(part, _)| **part > 0) {
        sum = sum.saturating_add(*part);
        let to = axes.y.at(sum).min(end - 1);
        let gap = i32::from(end < axes.bottom() && end - to > 3);
        scene.rect((left, to), (right, end - gap), scene.theme.fill(series.hue));
        end = to;
    }
}
