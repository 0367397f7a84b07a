//! `flower-run`: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    flower_analyze::runner::main(std::env::args_os())
}
