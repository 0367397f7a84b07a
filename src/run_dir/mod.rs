//! What a run directory is: names, store keys, rows, limits, manifest, lineage. Shared by reader and writer.

pub mod json_text;
pub mod limits;
pub mod names;
mod row;
mod store_key;
mod tables;

pub use row::{Position, Row};
pub use store_key::{Kind, StoreKey};
pub use tables::{MetaRow, SummaryRow};
