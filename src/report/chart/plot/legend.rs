use super::super::measure::{self, LABEL};
use super::super::picture::Series;
use super::super::scene::{Anchor, Scene};
use super::Frame;
use std::collections::BTreeSet;

/// Longest name in a legend, in pixels.
const MAX_NAME: i32 = 600;
const SWATCH: i32 = 14;
const LINE: i32 = 20;

/// Names the colours that are used, in the order in which they are stacked, and returns the height at which the plot may
/// begin. A nameless series needs no legend.
pub(super) fn legend(scene: &mut Scene, frame: Frame, series: &[Series], used: &BTreeSet<usize>) -> i32 {
    let shown = series.iter().enumerate().filter(|(nth, _)| used.contains(nth));
    let named: Vec<&Series> = shown.map(|(_, series)| series).filter(|series| !series.name.is_empty()).collect();
    if named.is_empty() {
        return frame.top;
    }
    let (mut x, mut y) = (frame.left, frame.top + LINE / 2);
    for series in named {
        let name = measure::cut(&series.name, LABEL, MAX_NAME);
        let wide = SWATCH + 6 + measure::width(&name, LABEL) + 18;
        if x + wide > frame.right && x > frame.left {
            (x, y) = (frame.left, y + LINE);
        }
        scene.rect((x, y - 6), (x + SWATCH, y + 6), scene.theme.fill(series.hue));
        scene.text((x + SWATCH + 6, y), Anchor::Start, LABEL, scene.theme.text(), name);
        x += wide;
    }
    y + LINE / 2 + 10
}
