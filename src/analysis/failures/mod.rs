//! What failed: every failure that a source records, with its kind, read from machine fields first and from text last.

mod by_text;
mod collect;
mod failure;
mod judge;
mod kind;
mod plain_limit;
mod reset;
mod turn_end;

pub use collect::{Failures, failures};
pub use failure::{Failure, Source};
pub use judge::{Contradiction, Evidence, Judged, judge};
pub use kind::{Basis, FailureClass, FailureKind};
pub(in crate::analysis) use plain_limit::plain_limit;
pub use reset::Reset;
