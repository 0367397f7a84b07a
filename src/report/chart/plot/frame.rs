use super::super::measure::{self, LABEL, TICK};
use super::super::picture::{Axis, Measure};
use super::super::scale::{Scale, Ticks, ticks};
use super::super::scene::{Anchor, Scene};

/// Pixels that a label of a horizontal axis needs with its distance to the next.
const MARK_ROOM: i32 = 92;
/// Height of the labels below a horizontal axis.
const BELOW: i32 = 56;

/// The room of a plot on its scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Frame {
    pub(in super::super) left: i32,
    pub(in super::super) right: i32,
    pub(in super::super) top: i32,
}

/// A plot between two axes: where its values stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Axes {
    pub(super) x: Scale,
    pub(super) y: Scale,
}

/// A horizontal axis and the part of it that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ruler<'a> {
    pub(super) axis: &'a Axis,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) caption: String,
    /// How much of the axis one thing takes, if marks stand in the middle of things and not at their beginning.
    pub(super) thing: Option<i64>,
}

impl<'a> Ruler<'a> {
    pub(super) fn new(axis: &'a Axis, low: i64, high: i64) -> Self {
        Self { axis, low, high, caption: axis.caption(), thing: None }
    }
}

impl Axes {
    pub(super) const fn bottom(&self) -> i32 {
        self.y.start
    }

    /// Where the labels below end.
    pub(super) const fn end(&self) -> i32 {
        self.y.start + BELOW
    }
}

impl Frame {
    /// The room below `top`.
    pub(super) const fn below(self, top: i32) -> Self {
        Self { top, ..self }
    }

    /// Draws both axes of a plot of `height` pixels, and returns where values stand.
    pub(super) fn axes(
        self,
        scene: &mut Scene,
        height: i32,
        (measure, highest): (Measure, i64),
        ruler: &Ruler<'_>,
    ) -> Axes {
        let Ticks { marks, high: top } = ticks(measure, highest, 5);
        let label = marks.iter().map(|(_, text)| measure::width(text, TICK)).max().unwrap_or(0);
        let x = Scale { low: ruler.low, high: ruler.high, start: self.left + label + 10, end: self.right };
        let y = Scale { low: 0, high: top, start: self.top + height, end: self.top };
        let theme = scene.theme;
        for (value, text) in marks {
            let height = y.at(value);
            let color = if value == 0 { theme.axis() } else { theme.grid() };
            scene.line((x.start, height), (x.end, height), color);
            scene.text((x.start - 8, height), Anchor::End, TICK, theme.faint(), text);
        }
        ruler.marks(scene, x, y.start, None, i32::MIN);
        ruler.caption(scene, (x.start, x.end), y.start);
        Axes { x, y }
    }
}

impl Ruler<'_> {
    /// Draws marks below the height `bottom`; with `top`, also lines up to there. No label stands before `free`; returns
    /// where the next one may.
    pub(super) fn marks(&self, scene: &mut Scene, x: Scale, bottom: i32, top: Option<i32>, free: i32) -> i32 {
        let theme = scene.theme;
        let shift = self.thing.map_or(0, |thing| (x.at(x.low.saturating_add(thing)) - x.start) / 2);
        let parts = i64::from(((x.end - x.start) / MARK_ROOM).clamp(1, 12));
        let mut free = free;
        for mark in self.axis.marks(x.low, x.high.saturating_sub(self.thing.unwrap_or(0)), parts) {
            let at = x.at(mark.at) + shift;
            let day = mark.day.as_ref().map_or(0, |day| measure::width(day, TICK));
            let wide = measure::width(&mark.label, TICK).max(day);
            // Half of a label may stand beyond the end of the axis, but not beyond the picture.
            let left = (at - wide / 2).min(scene.width - wide - 4);
            if left < free {
                continue;
            }
            free = left + wide + 8;
            if let Some(top) = top {
                scene.line((at, top), (at, bottom), theme.grid());
            }
            scene.line((at, bottom), (at, bottom + 4), theme.axis());
            let middle = left + wide / 2;
            scene.text((middle, bottom + 14), Anchor::Middle, TICK, theme.faint(), mark.label);
            scene.text((middle, bottom + 28), Anchor::Middle, TICK, theme.faint(), mark.day.unwrap_or_default());
        }
        free
    }

    /// Writes what runs along the axis below its marks.
    pub(super) fn caption(&self, scene: &mut Scene, (start, end): (i32, i32), bottom: i32) {
        let at = (i32::midpoint(start, end), bottom + 43);
        scene.text(at, Anchor::Middle, LABEL, scene.theme.faint(), self.caption.as_str());
    }
}
