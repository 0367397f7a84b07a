//! What the load layers do to each session, whether the result would be accepted, and what it costs.

mod answer;
mod changes;
mod context;
mod fed;
mod finding;
mod harm;
mod key_load;
mod outcome;
mod pairing;
mod path;
mod result;
mod spills;

pub use crate::layers::{Layer, Policy, Ruling};
pub use answer::{Answer, Reason, Verdict, verdict};
pub use changes::ChangeRow;
pub use context::{CacheLoss, Context, LayerSize, Sized};
pub use finding::LayerFinding;
pub use key_load::{Explained, KeyLoad, Question, key_load};
pub use outcome::{InsertedEntry, Outcome, ReplacedResult, StrippedEntry};
pub use result::{Layers, LoadTotals, PolicyLoad};
pub use spills::{SpillCheck, SpillFolder, SpillState, spill_folder};
