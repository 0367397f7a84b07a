use super::clean::CleanPicture;
use super::layout::scene;
use super::scene::Shape;
use super::svg::{DrawError, svg};
use super::theme::Theme;
use std::collections::BTreeSet;

/// A drawn chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// The drawing; the same on every machine.
    pub svg: String,
    /// Every character of its text.
    pub(super) characters: BTreeSet<char>,
}

/// Draws a picture.
pub fn draw(picture: &CleanPicture, theme: Theme) -> Result<Chart, DrawError> {
    let scene = scene(picture, theme);
    let texts = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Text { text, .. } => Some(text.chars()),
        Shape::Area { .. } | Shape::Rect { .. } | Shape::Path { .. } => None,
    });
    Ok(Chart { svg: svg(&scene)?, characters: texts.flatten().collect() })
}
