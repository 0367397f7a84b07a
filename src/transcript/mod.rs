//! Rows to entries: bytes in, values out. No I/O, and never a failure as a whole: a row becomes an entry or a defect.

mod collector;
mod content;
mod cost_state;
mod decode;
mod defect;
mod entry;
mod fields;
mod label;
mod line;
mod message;
mod readable;
mod scalar;
mod uid;
mod usage;

pub use collector::{Collector, Notes, Session, Transcripts};
pub use content::{Block, BlockKind};
pub use cost_state::{ClientModel, CostState};
pub use decode::{Outcome, decode_row};
pub use defect::{Defect, DefectKind};
pub use entry::{AgentMetadata, Compaction, Entry, Extra, Flags, Kind, Parent};
pub use fields::{Fields, fields};
pub use label::{Interner, Label};
pub use line::record;
pub use message::Message;
pub use readable::{Readable, ReadableBlock};
pub use uid::Uid;
pub use usage::{Service, Usage};
