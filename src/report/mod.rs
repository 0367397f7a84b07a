//! Results to text and pictures: terminal tables, JSON, CSV, Markdown, charts; writes nothing. What a page shows has its secrets masked and
//! its control characters made visible, because the renderers take only pages that went through `CleanPage`.

mod axis;
mod bars;
mod cell;
pub mod chart;
mod clean;
mod columns;
mod csv;
mod curve;
mod findings;
#[cfg(test)]
mod gallery;
mod json;
mod lanes;
mod markdown;
mod page;
mod page_lanes;
mod page_table;
mod render;
mod style;
mod table;
mod table_file;
mod terminal;
mod text;
mod tree;
pub mod views;

pub use crate::masking::{Masker, Mode, sanitize};
pub use cell::{Cell, Tone};
pub use clean::CleanPage;
pub use csv::{CsvError, csv};
pub use findings::findings_table;
pub use json::{document, envelope};
pub use markdown::markdown;
pub use page::{Bar, Bars, Body, Curve, Facts, Page, Section, TreeLine};
pub use page_lanes::{Clock, Glyph, Ink, InkKey, Lane, LaneGroup, Lanes, Mark};
pub use page_table::{Align, Column, Fold, Table};
pub use render::{Format, Options, RenderError, Report, UnknownFormat, render};
pub use style::Style;
pub use table_file::{FileSchema, write_csv, write_ndjson};
pub use terminal::terminal;
