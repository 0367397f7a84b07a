//! The four load layers as pure functions: what is changed in the copy of a session that the model is fed, and why.
//! Rows by sequence number go through expire, trim, prune with relink, and heal; the stored session stays as it is.

mod calls;
mod change;
mod command;
mod expire;
mod fault;
mod heal;
mod line;
mod load;
mod object;
mod policy;
mod prune;
mod python_text;
mod record;
mod relink;
mod report;
mod ruling;
mod trim;

pub use change::{Change, Edit, Layer, Reason, Size};
pub use command::is_ephemeral;
pub use fault::LoadFault;
pub use line::{Line, Source};
pub use load::{Loaded, Payload, Spill, load, load_through};
pub use policy::{ExpirePolicy, HealPolicy, Policy, PrunePolicy, RelinkFallback, TrimPolicy};
pub use report::Report;
pub use ruling::{Mark, Ruling, Segment};
