//! The words and measures that every layer speaks: money, tokens, spans, time stamps, findings.

mod finding;
mod noun;
mod span;
mod times;
mod timestamp;
mod tokens;
mod usd;

pub use finding::{Diagnosis, Finding, Level, Place};
pub use noun::counted;
pub use span::Span;
pub use times::without_overlaps;
pub use timestamp::{Timestamp, UnknownZone, Zone};
pub use tokens::{Tokens, short_count};
pub use usd::Usd;
