//! The result of the command `outages`: episodes in which the service or the way to it failed.

mod damage;
mod episode;
mod report;

pub(super) use episode::episodes;
pub use report::{HitThread, InFlight, Outage, Outages, outages};
