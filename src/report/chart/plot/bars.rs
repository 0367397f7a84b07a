use super::super::measure::{self, LABEL, TICK};
use super::super::picture::{BarRow, Bars};
use super::super::scale::{Scale, Ticks, ticks};
use super::super::scene::{Anchor, Scene};
use super::Frame;
use super::legend::legend;
use crate::unit::counted;
use std::cmp::Reverse;

/// Rows that are drawn; of more, the longest, in their order.
const MAX_ROWS: usize = 40;
const ROW: i32 = 22;
const BAR: i32 = 14;
/// Longest label, in pixels.
const MAX_LABEL: i32 = 320;

/// One row per bar: label, parts, value.
pub(in super::super) fn bars(scene: &mut Scene, frame: Frame, bars: &Bars) -> i32 {
    let rows = longest(&bars.rows);
    let parts = rows.iter().flat_map(|row| row.parts.iter().enumerate());
    let used = parts.filter(|(_, part)| **part > 0).map(|(nth, _)| nth).collect();
    let top = legend(scene, frame, &bars.series, &used);
    let widest = |of: fn(&BarRow) -> &str| rows.iter().map(|row| measure::width(of(row), LABEL)).max().unwrap_or(0);
    let label = widest(|row| &row.label).min(MAX_LABEL);
    let shown = widest(|row| &row.shown).min(MAX_LABEL);
    let highest = rows.iter().map(|row| row.total().max(row.bounds.map_or(0, |(_, high)| high))).max().unwrap_or(0);
    let Ticks { marks, high } = ticks(bars.measure, highest, 6);
    let x = Scale { low: 0, high, start: frame.left + label + 10, end: frame.right - shown - 14 };
    let bottom = top + ROW * i32::try_from(rows.len()).unwrap_or(0);
    let theme = scene.theme;
    for (value, text) in marks {
        let at = x.at(value);
        let color = if value == 0 { theme.axis() } else { theme.grid() };
        scene.line((at, top), (at, bottom + 4), color);
        scene.text((at, bottom + 14), Anchor::Middle, TICK, theme.faint(), text);
    }
    let mut middle = top + ROW / 2;
    for row in &rows {
        let name = measure::cut(&row.label, LABEL, label);
        scene.text((x.start - 8, middle), Anchor::End, LABEL, theme.text(), name);
        let end = bar(scene, x, middle, bars, row);
        let value = measure::cut(&row.shown, LABEL, MAX_LABEL);
        scene.text((end + 8, middle), Anchor::Start, LABEL, theme.text(), value);
        middle += ROW;
    }
    let left_out = bars.rows.len() - rows.len();
    if left_out == 0 {
        return bottom + 30;
    }
    scene.text((frame.left, bottom + 34), Anchor::Start, LABEL, theme.faint(), rest(bars, &rows, left_out));
    bottom + 50
}

/// What is not drawn: how many, how much together, and that none is longer than the shortest that is.
fn rest(bars: &Bars, drawn: &[&BarRow], left_out: usize) -> String {
    let sum = |rows: &mut dyn Iterator<Item = i64>| rows.fold(0_i64, i64::saturating_add);
    let all = sum(&mut bars.rows.iter().map(BarRow::total));
    let together = all.saturating_sub(sum(&mut drawn.iter().map(|row| row.total())));
    let least = drawn.iter().map(|row| row.total()).min().unwrap_or(0);
    let [together, least] = [together, least].map(|value| bars.measure.shown(value));
    format!("{} not drawn: {together} together, none above {least}", counted(left_out, &format!("more {}", bars.row)))
}

/// The longest bars in the order in which they came.
fn longest(rows: &[BarRow]) -> Vec<&BarRow> {
    let mut order: Vec<(usize, &BarRow)> = rows.iter().enumerate().collect();
    order.sort_by_key(|(at, row)| (Reverse(row.total()), *at));
    order.truncate(MAX_ROWS);
    order.sort_by_key(|(at, _)| *at);
    order.into_iter().map(|(_, row)| row).collect()
}

/// Draws the parts of a bar and its bounds, and returns the pixel at which it ends.
fn bar(scene: &mut Scene, x: Scale, middle: i32, bars: &Bars, row: &BarRow) -> i32 {
    let theme = scene.theme;
    let (top, bottom) = (middle - BAR / 2, middle + BAR / 2);
    let (mut sum, mut end) = (0_i64, x.start);
    for (part, series) in row.parts.iter().zip(&bars.series).filter(|(part, _)| **part > 0) {
        sum = sum.saturating_add(*part);
        // What is there is seen, however small.
        let to = x.at(sum).max(end + 1);
        // A line of ground tells neighbours apart without their colours.
        let gap = i32::from(end > x.start && to - end > 3);
        scene.rect((end + gap, top), (to, bottom), theme.fill(series.hue));
        end = to;
    }
    let Some((low, high)) = row.bounds.filter(|(low, high)| low < high) else { return end };
    let (low, high) = (x.at(low), x.at(high));
    scene.path(vec![(low, middle), (high, middle)], theme.text(), 1);
    for at in [low, high] {
        scene.line((at, middle - 4), (at, middle + 4), theme.text());
    }
    end.max(high)
}
