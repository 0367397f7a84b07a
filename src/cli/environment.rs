use super::args::CommonArgs;
use super::exit::Exit;
use super::output;
use super::surroundings::{options, variables};
use crate::environment::{Environment, candidates, only};
use crate::report::{Report, render, views};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// Show where each setting and credential of a run would come from, what is shadowed, and which lines are traps
///
/// Looks at what `flower-run` started in this folder would look at; reads only, and always masks secrets.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Look only at this file, beside the environment
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let current = std::env::current_dir().context("the current folder is gone: go to another one")?;
        let process = variables();
        let files = match &self.env_file {
            Some(file) => only(file, &current),
            None => candidates(&process, &current),
        };
        let environment = Environment::gather(&process, &files, |path| fs::read(path));
        let (result, findings) = (environment.explanation(), environment.findings());
        let report = Report { command: "env", source: &(), findings: &findings, result: &result };
        let page = || views::environment(&result, &findings);
        output::write(&self.common, &render(&report, page, &options(&self.common))?)?;
        Ok(Exit::of(&findings, self.common.fail_on))
    }
}
