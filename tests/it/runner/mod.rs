//! The program `flower-run`: against a stand-in that replays what the CLI said, and against the CLI itself.

mod api;
mod books;
mod claude_code;
mod commands;
mod fake_claude;
mod faults;
mod flows;
mod frames;
mod probe;
mod real;
mod retries;
mod stage;
mod terminal;
