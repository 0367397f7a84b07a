use super::args::CommonArgs;
use super::exit::Exit;
use super::load::{load, opening};
use super::output;
use super::surroundings::{options, zone};
use crate::analysis::summary;
use crate::report::{Report, render, views};
use crate::run_dir::names::DEFAULT_SOURCE;
use anyhow::Result;
use std::path::PathBuf;

/// Show what happened on one screen: steps, money, tokens, context, tools, findings
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE", default_value = DEFAULT_SOURCE)]
    source: PathBuf,
    /// List every finding instead of the first of each kind
    #[arg(long)]
    all_findings: bool,
    #[command(flatten)]
    common: CommonArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let zone = zone(self.common.tz.as_deref())?;
        output::check(&self.common, &self.source)?;
        let loaded = load(&self.source, self.common.hash)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let inputs = loaded.inputs()?;
        let (result, findings) = summary(&loaded.model, &selection, &inputs, loaded.evidence.findings());
        let opened = loaded.evidence.close();
        let report = Report { command: "summary", source: &opened, findings: &findings, result: &result };
        let page = || views::summary(&result, &findings, &opening(&opened, &loaded.model, zone), self.all_findings);
        output::write(&self.common, &render(&report, page, &options(&self.common))?)?;
        Ok(Exit::of(&findings, self.common.fail_on))
    }
}
