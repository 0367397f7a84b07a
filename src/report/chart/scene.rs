//! A drawing before it is written: shapes at pixels, which tests can look at.

use super::theme::{Fill, Rgb, Theme};

/// Between two stripes, in pixels.
const STRIPE: i32 = 6;

/// At which end of a text its position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Area { points: Vec<(i32, i32)>, color: Rgb },
    Rect { from: (i32, i32), to: (i32, i32), color: Rgb },
    Path { points: Vec<(i32, i32)>, color: Rgb, width: u32 },
    Text { at: (i32, i32), anchor: Anchor, size: i32, color: Rgb, text: String },
}

/// Shapes on a ground of a size, the first one lowest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scene {
    pub(super) theme: Theme,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) shapes: Vec<Shape>,
}

impl Scene {
    pub(super) const fn new(theme: Theme, width: i32) -> Self {
        Self { theme, width, height: 0, shapes: Vec::new() }
    }

    pub(super) fn line(&mut self, from: (i32, i32), to: (i32, i32), color: Rgb) {
        self.path(vec![from, to], color, 1);
    }

    pub(super) fn path(&mut self, points: Vec<(i32, i32)>, color: Rgb, width: u32) {
        self.shapes.push(Shape::Path { points, color, width });
    }

    pub(super) fn area(&mut self, points: Vec<(i32, i32)>, color: Rgb) {
        self.shapes.push(Shape::Area { points, color });
    }

    /// A filled rectangle; stripes, if there is room for one, tell its colour from an equal one.
    pub(super) fn rect(&mut self, from: (i32, i32), to: (i32, i32), fill: Fill) {
        if to.0 <= from.0 || to.1 <= from.1 {
            return;
        }
        self.shapes.push(Shape::Rect { from, to, color: fill.color });
        let Some(color) = fill.stripes else { return };
        let mut x = from.0 + STRIPE / 2;
        while x < to.0 - 1 {
            self.shapes.push(Shape::Rect { from: (x, from.1), to: (x + 1, to.1), color });
            x += STRIPE;
        }
    }

    /// A text whose middle is at the height of `at`.
    pub(super) fn text(&mut self, at: (i32, i32), anchor: Anchor, size: i32, color: Rgb, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.shapes.push(Shape::Text { at, anchor, size, color, text });
        }
    }
}

impl Shape {
    /// The room that a text takes: left, top, right, bottom.
    #[cfg(test)]
    pub(super) fn text_box(&self) -> Option<(i32, i32, i32, i32)> {
        let Self::Text { at, anchor, size, text, .. } = self else { return None };
        let wide = super::measure::width(text, *size);
        let left = match anchor {
            Anchor::Start => at.0,
            Anchor::Middle => at.0 - wide / 2,
            Anchor::End => at.0 - wide,
        };
        Some((left, at.1 - size / 2, left + wide, at.1 + size / 2))
    }
}
