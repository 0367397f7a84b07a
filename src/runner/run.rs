use super::args::{Cli, Command, Globals};
use super::probe::{Verdict, probe};
use super::redact::Redactor;
use super::setup::{Typed, setup, user_file};
use super::{clock, explain, flow_run, once, settings};
use crate::environment::Environment;
use crate::masking::Mode;
use anyhow::{Result, bail};
use clap::Parser;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

/// How long the probe before a run may take.
const PROBE: Duration = Duration::from_secs(20);

/// The exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Done,
    /// The step failed, or something before it.
    Failed,
    /// The command line is wrong.
    Usage,
    /// Stopped by a person.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Interrupted => 130,
        })
    }
}

/// Parses the arguments, runs the command, says what went wrong, and tells the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            // Where help cannot be printed, nobody is listening.
            let _ = error.print();
            return exit.into();
        }
    };
    let environment = match settings::environment() {
        Ok(environment) => environment,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error:#}");
            return Exit::Failed.into();
        }
    };
    match dispatch(&cli, &environment) {
        Ok(exit) => exit.into(),
        Err(error) => {
            let text = Redactor::new(&environment).printable(&format!("{error:#}"), Mode::Block);
            let _ = writeln!(io::stderr(), "error: {text}");
            Exit::Failed.into()
        }
    }
}

fn dispatch(cli: &Cli, environment: &Environment) -> Result<Exit> {
    match &cli.command {
        Command::Once(args) => {
            check(&cli.globals, environment)?;
            once::once(&cli.globals, args, environment)
        }
        Command::Run { flowfile } => {
            check(&cli.globals, environment)?;
            flow_run::run(&cli.globals, flowfile, environment)
        }
        Command::Probe { timeout } => {
            environment.credentials()?;
            let (verdict, reason) = probe(environment, Duration::from_secs(*timeout));
            say(environment, &format!("{verdict}: {reason}\n"))?;
            Ok(if verdict == Verdict::Ok { Exit::Done } else { Exit::Failed })
        }
        Command::Setup { stdin } => set_up(*stdin),
        Command::EnvExplain { json } => {
            let text = if *json { explain::json(environment)? + "\n" } else { explain::text(environment) };
            say(environment, &text)?;
            Ok(Exit::Done)
        }
    }
}

/// There is a credential, and it is worth trying.
fn check(globals: &Globals, environment: &Environment) -> Result<()> {
    environment.credentials()?;
    if globals.no_probe {
        return Ok(());
    }
    match probe(environment, PROBE) {
        (Verdict::Ok, _) => Ok(()),
        (Verdict::Net, reason) => {
            let text = Redactor::new(environment).printable(&reason, Mode::Line);
            let _ = writeln!(io::stderr(), "the API cannot be reached ({text}); the run begins all the same");
            Ok(())
        }
        (verdict @ (Verdict::Auth | Verdict::Config), reason) => {
            bail!(
                "the API refuses this setup ({verdict}): {reason}; see `flower-run env-explain`, or skip this with --no-probe"
            )
        }
    }
}

fn set_up(from_stdin: bool) -> Result<Exit> {
    let process = clock::environment();
    let file = user_file(&process, &clock::current_folder()?)?;
    let is_terminal = io::stdin().is_terminal();
    if !is_terminal && !from_stdin {
        bail!("standard input is no terminal: use --stdin to read the answers from it");
    }
    let mut ask = io::stderr();
    let done = if is_terminal {
        let typed: Typed = |question| rpassword::prompt_password(question);
        setup(io::stdin().lock(), Some(&mut ask), Some(typed), &file)?
    } else {
        setup(io::stdin().lock(), None, None, &file)?
    };
    writeln!(io::stdout(), "{done}")?;
    Ok(Exit::Done)
}

/// Prints text whose secrets are masked already.
fn say(environment: &Environment, text: &str) -> Result<()> {
    let text = Redactor::new(environment).printable(text, Mode::Block);
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(Into::into),
    }
}
