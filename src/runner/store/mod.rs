//! Writes `sessions.db` as flower does: every entry unchanged, numbered per store key, with a summary of each main thread.

mod append;
mod fold;
mod known;
mod open;
mod read;
mod summary_data;

pub(super) use open::{Store, StoreError};
