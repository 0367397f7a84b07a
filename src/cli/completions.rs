use super::args::Cli;
use super::exit::Exit;
use super::output;
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

/// Print the completions for a shell
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let mut script = Vec::new();
        let mut command = Cli::command();
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        output::standard(&script)?;
        Ok(Exit::Done)
    }
}
