//! Entries to the model: chain forest, turns, tool calls, subagents, usage counted once.

mod agents;
mod backoff;
mod branches;
mod break_kind;
mod breaks;
mod calls;
mod chain;
mod finding;
mod forest;
mod index;
mod leaf;
mod model;
mod reach;
mod requests;
mod segments;
mod turns;
mod usage;
mod verdict;

pub use agents::{Agent, Spawn};
pub use backoff::Backoff;
pub use branches::{Branch, BranchKind, BranchLine};
pub use break_kind::BreakKind;
pub use breaks::Break;
pub use calls::{Answer, Call, CallFault, CallFaultKind};
pub use chain::{Chain, Standing};
pub use finding::SessionFinding;
pub use forest::{Forest, Link, Trust};
pub use index::{Ix, PerEntry};
pub use leaf::{Leaf, LeafWitness};
pub use model::{Model, SessionModel};
pub use reach::Reachable;
pub use segments::Segment;
pub use turns::{TurnId, Turns};
pub use usage::{ModelTurn, StoreUsage, Totals};
pub use verdict::{Classified, PatternMatch, Verdict, classify};
