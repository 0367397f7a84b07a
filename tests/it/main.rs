//! The integration tests, in one binary.
#![expect(clippy::disallowed_methods, reason = "tests build evidence and damage copies of it")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here fails the test"
)]

mod architecture;
mod causes;
mod charts;
mod commands;
mod corpus;
mod cost;
mod cost_bounds;
mod cost_doubts;
mod cost_laws;
mod damage;
mod documents;
mod duckdb;
mod errors;
mod evidence;
mod exports;
mod failure_laws;
mod failure_sources;
mod failures;
mod golden;
mod hostile_plugins;
#[path = "../laws/mod.rs"]
mod laws;
mod layers;
mod live_writer;
mod long_runs;
mod odd_stores;
mod outputs;
mod plugins;
mod program;
mod properties;
mod read_only;
mod refusals;
mod resume_verdicts;
mod row_order;
mod runner;
mod rust_text;
mod small_runs;
mod sources;
mod store;
mod tables;
mod time_and_context;
mod transcripts;
