use super::args::CommonArgs;
use super::exit::Exit;
use super::load::{load, opening};
use super::output;
use super::surroundings::{options, zone};
use crate::analysis::sessions;
use crate::report::{Report, render, views};
use crate::run_dir::names::DEFAULT_SOURCE;
use anyhow::Result;
use std::path::PathBuf;

/// List every session and subagent: what for, entries, model turns, tokens, errors, health of the chain
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE", default_value = DEFAULT_SOURCE)]
    source: PathBuf,
    #[command(flatten)]
    common: CommonArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let zone = zone(self.common.tz.as_deref())?;
        output::check(&self.common, &self.source)?;
        let loaded = load(&self.source, self.common.hash)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let result = sessions(&loaded.model, &selection);
        let findings = loaded.findings(&selection);
        let opened = loaded.evidence.close();
        let report = Report { command: "sessions", source: &opened, findings: &findings, result: &result };
        let page = || views::sessions(&result, &opening(&opened, &loaded.model, zone));
        output::write(&self.common, &render(&report, page, &options(&self.common))?)?;
        Ok(Exit::of(&findings, self.common.fail_on))
    }
}
