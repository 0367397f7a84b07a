//! Offline analysis and forensics for the run directories of long-horizon agents.
//!
//! # Codemap
//!
//! The modules stand in the order in which the data flows:
//!
//! - `unit`: money, tokens, spans, time stamps, findings; the words of every layer.
//! - `run_dir`: what a run directory is: file names, store keys, rows, manifest, lineage, limits.
//! - `masking`: secrets masked and active characters made visible, before anybody sees the text of a transcript.
//! - `environment`: which source gives each setting of a run, and the traps of `.env` files.
//! - `evidence`: opens a source without changing it and hands out rows. Beside it only `plugin` reads files.
//! - `transcript`: bytes to entries. Total: a row becomes an entry or a defect. No I/O.
//! - `session`: entries to chains, turns, tool calls and usage counted once.
//! - `layers`: what the load layers make of a session before it is fed to the model again. Pure.
//! - `plugin`: plugin directories of the agent CLI: what they bring, what is wrong with them. Reads files in one place only.
//! - `analysis`: the model to the typed result of each command.
//! - `report`: results to text: terminal tables, JSON, CSV, Markdown; and to charts, SVG and PNG. Writes nothing.
//! - `cli`: one file per command; the only layer that writes to stdout, stderr or files.
//! - `runner`: the program `flower-run`, which writes run directories; it knows nothing of `evidence`, `analysis`, `report`.
//!
//! # Invariants
//!
//! - Nothing below `cli` knows the clock, the environment or where output goes.
//! - `evidence` and `transcript` meet only in `run_dir::Row`.
//! - Rows read = entries + defects, always.
//! - Layers use only what the table in `tests/it/architecture.rs` allows; the test there reads the `use` lines.

pub mod analysis;
pub mod cli;
pub mod environment;
pub mod evidence;
pub mod layers;
pub mod masking;
pub mod plugin;
pub mod report;
pub mod run_dir;
pub mod runner;
pub mod session;
pub mod transcript;
pub mod unit;
