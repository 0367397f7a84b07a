use super::args::CommonArgs;
use super::exit::Exit;
use super::load::load;
use crate::analysis::summary;
use crate::report::views::{self, Opening};
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
        let loaded = load(&self.common, &self.source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let inputs = loaded.inputs()?;
        let (result, findings) = summary(&loaded.model, &selection, &inputs, loaded.evidence.findings());
        let page = |opening: &Opening| views::summary(&result, &findings, opening, self.all_findings);
        loaded.finish(&self.common, "summary", &result, &findings, page)
    }
}
