//! The attempts of each step, rebuilt from the manifest and the transcripts together.

mod attempt;
mod money;
mod pairing;
mod rebuild;
mod segment;
mod steps_of;
mod wait;

pub use attempt::{Attempt, Begun, Ending, KnownBy};
pub use money::Money;
pub use rebuild::{Attempts, attempts};
pub use wait::{Wait, WaitVerdict};
