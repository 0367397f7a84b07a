//! What a run directory is: names, store keys, rows, limits, manifest, lineage. Shared by reader and writer.

mod json_text;
pub mod limits;
pub mod names;
mod row;
mod store_key;
mod tables;

pub use json_text::{JsonText, decode_json_text};
pub use row::{Position, Row};
pub use store_key::{Kind, StoreKey};
pub use tables::{MetaRow, SummaryRow};
