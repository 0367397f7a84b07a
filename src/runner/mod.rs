//! Drives the real Claude Code CLI: mirrors its transcript into `sessions.db`, waits out a dead network, resumes instead of
//! restarting, and keeps `manifest.json` and `lineage.json` (spec/runner.md).

mod args;
mod attempt_folder;
mod backlog;
mod child;
mod clock;
mod closing;
mod conversation;
mod driver;
mod event;
mod explain;
mod flow;
mod flow_run;
mod frame;
mod hooks;
mod inbox;
mod json;
mod leftovers;
mod lineage;
mod machine;
mod manifest;
mod materialise;
mod mirror;
mod network;
mod once;
mod outcome;
mod probe;
mod progress;
mod redact;
mod reporter;
mod rewrite;
mod run;
mod runtime;
mod settings;
mod setup;
mod spawn_line;
mod spill;
mod state_file;
mod step;
mod store;
mod terminal;
mod workbench;

pub use run::main;
