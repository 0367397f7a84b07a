//! What happened when: steps, sessions, subagents, tool calls and what befell them, on one axis.

mod activity;
mod believed;
mod events;
mod gather;
mod span;
mod within;

pub use events::{EventKind, TimelineEvent};
pub use gather::{Timeline, timeline};
pub use span::{SpanKind, SpanOutcome, TimelineSpan, Unplaced};
