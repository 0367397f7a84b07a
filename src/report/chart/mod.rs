//! Charts: plain data laid out as shapes, written as SVG, rendered as PNG. One figure per file; nothing here reads or
//! writes files but the fonts of the system, when `Fonts::of_system` is asked to.

mod cache;
mod clean;
mod context;
mod cost;
#[cfg(test)]
mod crowded;
mod drawn;
mod errors;
mod fonts;
#[cfg(test)]
mod gallery;
mod glyphs;
mod layout;
mod measure;
mod picture;
mod plot;
mod png;
mod ranked;
mod retries;
mod scale;
mod scene;
mod svg;
mod text;
mod theme;
mod time_axis;
mod timeline;
mod tools;

pub use cache::{CacheFigure, CacheTurn, cache};
pub use clean::CleanPicture;
pub use context::{ContextFigure, ContextTurn, context};
pub use cost::{CostFigure, CostRow, Spent, cost};
pub use drawn::{Chart, draw};
pub use errors::{ErrorsFigure, errors};
pub use fonts::Fonts;
pub use glyphs::Missing;
pub use picture::{
    Amount, Axis, BarRow, Bars, Flow, Hue, Lane, LaneSpan, Lanes, Mark, Measure, Panel, Picture, Plot, Series, Track,
};
pub use png::PngError;
pub use retries::{Attempt, RetriedStep, RetriesFigure, retries};
pub use svg::DrawError;
pub use theme::Theme;
pub use timeline::{Activity, TimelineFigure, TimelineRow, timeline};
pub use tools::{ToolUse, ToolsFigure, tools};
