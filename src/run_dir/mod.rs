//! What a run directory is: names, store keys, rows, limits, manifest, lineage. Shared by reader and writer.

mod json_scan;
mod json_text;
pub mod limits;
mod lineage;
mod manifest;
pub mod names;
mod project_key;
mod row;
mod short_names;
mod state_problem;
mod state_reader;
mod step_name;
mod store_key;
mod tables;
mod workbench;

pub use json_text::{JsonText, decode_json_text};
pub use lineage::Lineage;
pub use manifest::{Manifest, ManifestRow};
pub use project_key::{flower_project_key, project_key, project_keys};
pub use row::{Position, Row, RowName};
pub use short_names::ShortNames;
pub use state_problem::{StateFault, StateProblem};
pub use state_reader::UnknownKey;
pub use step_name::{StepKind, StepName};
pub use store_key::{Kind, StoreKey};
pub use tables::{MetaRow, SummaryRow};
pub use workbench::{FolderCount, ScriptFile, SpillFile, Workbench};
