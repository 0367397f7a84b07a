//! The result of the command `errors`: every failure with its place, kind and outcome, and where flower's verdict and the
//! fields disagree.

mod denials;
mod distribution;
mod explain;
mod finding;
mod outcome;
mod rows;

pub use denials::Denials;
pub use distribution::{HourRow, KindRow};
pub use explain::{Explained, explain};
pub use finding::ErrorFinding;
pub use outcome::{Outcome, Outcomes};
pub use rows::{ErrorRow, Errors, FlowerVerdict, Repeated, errors};
