//! Rows to entries: bytes in, values out. No I/O, and never a failure as a whole: a row becomes an entry or a defect.

mod attachment;
mod call_input;
mod collector;
mod content;
mod cost_state;
mod decode;
mod defect;
mod entry;
mod failure;
mod fields;
mod label;
mod line;
mod message;
mod readable;
mod scalar;
mod script_use;
mod uid;
mod usage;

pub use call_input::{CallInput, writes_file};
pub use collector::{Collector, Notes, Session, Transcripts};
pub use content::{Block, BlockKind, RawBlock, blocks};
pub use cost_state::{ClientModel, CostState};
pub use decode::{Outcome, decode_row};
pub use defect::{Defect, DefectKind};
pub use entry::{AgentMetadata, Compaction, Entry, Extra, Flags, HookRun, Kind, Parent};
pub use failure::{FailureFields, Retry};
pub use fields::{Fields, Slots, each_element, each_field, fields, fill, fill_each};
pub use label::{Interner, Label};
pub use line::{BYTE_ORDER_MARK, record};
pub use message::{Message, SYNTHETIC};
pub use readable::{Readable, ReadableBlock};
pub use scalar::{characters_of, text, truthy};
pub use script_use::{ScriptDeed, ScriptUse};
pub use uid::Uid;
pub use usage::{Service, Usage};
