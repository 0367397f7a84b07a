//! The result of the command `retries`: the attempts of each step, their waits, and the CLI's own retries.

mod ladder;
mod report;

pub use ladder::{Ladder, LadderEnd, ladders};
pub use report::{AttemptRow, Retries, RetriesTotals, RetryFinding, retries};
