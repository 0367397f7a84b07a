use super::drawn::Chart;
use super::fonts::{Coverage, FAMILY, Fonts};
use super::glyphs::Missing;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{FontResolver, Options, Tree};
use thiserror::Error;

/// Pixels of the image per pixel of the drawing.
const ZOOM: u16 = 2;

/// A chart that could not be rendered.
#[derive(Debug, Error)]
pub enum PngError {
    /// The SVG is not understood.
    #[error("the drawing cannot be read back: {0}")]
    Svg(#[from] resvg::usvg::Error),
    /// There is no memory for an image of this size.
    #[error("no image of {width} x {height} pixels can be made: write an .svg file instead")]
    Size {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// The image cannot be packed.
    #[error("the image cannot be encoded: {0}")]
    Encode(String),
}

impl Chart {
    /// The drawing as PNG, and the characters for which there was no font: in their place stand boxes.
    pub fn png(&self, fonts: &Fonts) -> Result<(Vec<u8>, Vec<Missing>), PngError> {
        let coverage = fonts.coverage(&self.characters);
        let tree = Tree::from_str(&self.svg, &options(fonts, &coverage))?;
        let size = tree.size().to_int_size();
        let zoomed = |pixels: u32| pixels.saturating_mul(u32::from(ZOOM));
        let (width, height) = (zoomed(size.width()), zoomed(size.height()));
        let mut pixels = Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
        let zoom = Transform::from_scale(f32::from(ZOOM), f32::from(ZOOM));
        resvg::render(&tree, zoom, &mut pixels.as_mut());
        let png = pixels.encode_png().map_err(|error| PngError::Encode(error.to_string()))?;
        Ok((png, Missing::of(&coverage.missing())))
    }
}

/// Everything is first tried with the embedded font, then each character with the face that has it.
fn options<'a>(fonts: &'a Fonts, coverage: &'a Coverage) -> Options<'a> {
    let resolver = FontResolver {
        select_font: Box::new(move |_, _| fonts.first()),
        select_fallback: Box::new(move |c, tried, _| coverage.face(c, tried)),
    };
    Options {
        fontdb: fonts.faces.clone(),
        font_resolver: resolver,
        font_family: FAMILY.to_owned(),
        ..Options::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure;
    use super::super::scene::{Anchor, Scene};
    use super::super::svg::svg;
    use super::super::theme::Theme;
    use super::*;
    use resvg::usvg::Node;

    /// Text takes about as much room as was reckoned with, and never more by a fifth: so it does not run into its neighbours.
    #[test]
    fn text_is_as_wide_as_measured() {
        let fonts = Fonts::embedded();
        for text in [
            "inspect",
            "delegate#round2",
            "2026-11-30 14:21",
            "$38.24",
            "claude-opus-4-5-20251101",
            "WAITING",
            "illicit",
        ] {
            let mut scene = Scene::new(Theme::Light, 900);
            scene.height = 40;
            scene.text((10, 20), Anchor::Start, 12, Theme::Light.text(), text);
            let options = Options { fontdb: fonts.faces.clone(), ..Options::default() };
            let tree = Tree::from_str(&svg(&scene).unwrap(), &options).unwrap();
            let drawn = tree.root().children().iter().find_map(|node| match node {
                Node::Text(text) => Some(text.bounding_box().width()),
                Node::Group(_) | Node::Path(_) | Node::Image(_) => None,
            });
            let drawn = f64::from(drawn.unwrap());
            let reckoned = f64::from(measure::width(text, 12));
            assert!(drawn <= reckoned * 1.2 && drawn >= reckoned * 0.6, "{text}: drawn {drawn}, reckoned {reckoned}");
        }
    }
}
