//! The attempts of each step, rebuilt from the manifest and the transcripts together.

mod attempt;
mod pairing;
mod rebuild;
mod segment;
mod spends;
mod steps_of;
mod wait;

pub use attempt::{Attempt, Begun, Ending, KnownBy};
pub use rebuild::{Attempts, attempts};
pub use wait::{Wait, WaitVerdict};
