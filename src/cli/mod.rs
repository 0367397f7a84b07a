//! One file per command: its arguments and its run. The only layer that writes to stdout, stderr or files, and the only
//! one that looks at the clock, the environment and the terminal.

mod args;
mod chain;
mod charts;
mod completions;
mod context;
mod cost;
mod environment;
mod errors;
mod exit;
mod export;
mod failing;
mod folder;
mod given_file;
mod interrupt;
mod layers;
mod load;
mod outages;
mod output;
mod plugin;
mod plugin_details;
mod plugin_used;
mod plugin_validate;
mod policy;
mod policy_file;
mod prices;
mod progress;
mod query;
mod range;
mod retries;
mod run;
mod sessions;
mod show;
mod summary;
mod surroundings;
mod target;
mod timeline;
mod tools;

pub use args::Cli;
pub use run::main;
