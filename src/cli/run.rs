use super::args::{Cli, Command};
use super::exit::Exit;
use super::interrupt::{self, Interrupted};
use crate::report::{Masker, Mode, sanitize};
use anyhow::Result;
use clap::Parser;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Parses the arguments, runs the command, says what went wrong, and tells the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Failed } else { Exit::Done };
            // Where help cannot be printed, nobody is listening.
            let _ = error.print();
            return exit.into();
        }
    };
    interrupt::watch();
    match dispatch(cli) {
        Ok(exit) => exit.into(),
        Err(error) if error.is::<Interrupted>() || interrupt::is_interrupted() => Exit::Interrupted.into(),
        Err(error) => {
            // A message names sessions and files; whoever reads it has not asked to see their secrets.
            let message = Masker::masking().mask(&format!("{error:#}")).into_owned();
            let _ = writeln!(std::io::stderr(), "error: {}", sanitize(&message, Mode::Block));
            Exit::Failed.into()
        }
    }
}

fn dispatch(cli: Cli) -> Result<Exit> {
    match cli.command.unwrap_or(Command::Summary(cli.summary)) {
        Command::Summary(args) => args.run(),
        Command::Sessions(args) => args.run(),
        Command::Chain(args) => args.run(),
        Command::Show(args) => args.run(),
        Command::Cost(args) => args.run(),
        Command::Layers(args) => args.run(),
        Command::Plugin(args) => args.run(),
        Command::Errors(args) => args.run(),
        Command::Retries(args) => args.run(),
        Command::Outages(args) => args.run(),
        Command::Context(args) => args.run(),
        Command::Tools(args) => args.run(),
        Command::Timeline(args) => args.run(),
        Command::Query(args) => args.run(),
        Command::Export(args) => args.run(),
        Command::Env(args) => args.run(),
        Command::Completions(args) => args.run(),
    }
}
