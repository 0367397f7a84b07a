//! The integration tests, in one binary.
#![expect(clippy::disallowed_methods, reason = "tests build evidence and damage copies of it")]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]

mod architecture;
mod corpus;
mod damage;
mod evidence;
#[path = "../laws/mod.rs"]
mod laws;
mod live_writer;
mod odd_stores;
mod refusals;
mod rust_text;
mod sources;
mod transcripts;
