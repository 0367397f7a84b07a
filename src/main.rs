//! `flower-analyze`: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    flower_analyze::cli::main(std::env::args_os())
}
