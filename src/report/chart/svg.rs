use super::scene::{Anchor, Scene, Shape};
use super::theme::Rgb;
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea, PathElement, Polygon, Rectangle, SVGBackend, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, ShapeStyle, TextStyle};
use thiserror::Error;

/// What a viewer looks for, in this order: the font that stands inside of this program, fonts with many scripts, fonts for
/// Chinese, Japanese and Korean by the names they have on Linux, macOS and Windows, fonts for emoji, anything without serifs.
pub(super) const FONT_STACK: &str = "DejaVu Sans, Noto Sans, Noto Sans CJK SC, Noto Sans SC, Source Han Sans SC, \
    PingFang SC, Hiragino Sans GB, Microsoft YaHei, WenQuanYi Micro Hei, Noto Color Emoji, Apple Color Emoji, \
    Segoe UI Emoji, sans-serif";

/// Pixels of the library's size of a font per pixel that it writes.
const FONT_SIZE: f64 = 1.24;

/// A drawing that could not be written.
#[derive(Debug, Error)]
#[error("the chart cannot be drawn: {0}")]
pub struct DrawError(String);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The drawing as SVG. Text stays text, so that a viewer can find and copy it.
pub(super) fn svg(scene: &Scene) -> Result<String, DrawError> {
    let side = |pixels: i32| u32::try_from(pixels).unwrap_or(1).max(1);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (side(scene.width), side(scene.height))).into_drawing_area();
        let said = |error: &dyn std::fmt::Display| DrawError(error.to_string());
        area.fill(&color(scene.theme.ground())).map_err(|e| said(&e))?;
        for shape in &scene.shapes {
            draw(&area, shape).map_err(|e| said(&e))?;
        }
        area.present().map_err(|e| said(&e))?;
    }
    Ok(text)
}

type Drawn = Result<(), plotters::drawing::DrawingAreaErrorKind<std::io::Error>>;

fn draw(area: &Area<'_>, shape: &Shape) -> Drawn {
    match shape {
        Shape::Area { points, color: c } => area.draw(&Polygon::new(points.clone(), color(*c).filled())),
        Shape::Rect { from, to, color: c } => area.draw(&Rectangle::new([*from, *to], color(*c).filled())),
        Shape::Path { points, color: c, width } => {
            let style = ShapeStyle { color: color(*c).to_rgba(), filled: false, stroke_width: *width };
            area.draw(&PathElement::new(points.clone(), style))
        }
        Shape::Text { at, anchor, size, color: c, text } => {
            let font = FontDesc::new(FontFamily::Name(FONT_STACK), f64::from(*size) * FONT_SIZE, FontStyle::Normal);
            let h_pos = match anchor {
                Anchor::Start => HPos::Left,
                Anchor::Middle => HPos::Center,
                Anchor::End => HPos::Right,
            };
            // The library puts the line of a text that hangs from its top 0.76 of its size below; capitals are 0.73 high.
            let top = at.1 - size * 40 / 100;
            let color = color(*c);
            let style = TextStyle::from(font).color(&color).pos(Pos::new(h_pos, VPos::Top));
            area.draw(&Text::new(text.as_str(), (at.0, top), style))
        }
    }
}

const fn color(Rgb(r, g, b): Rgb) -> RGBColor {
    RGBColor(r, g, b)
}
