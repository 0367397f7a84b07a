use super::args::CommonArgs;
use super::exit::Exit;
use super::load::load;
use crate::analysis::sessions;
use crate::report::views;
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
        let loaded = load(&self.common, &self.source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let result = sessions(&loaded.model, &selection);
        let findings = loaded.findings(&selection);
        loaded.finish(&self.common, "sessions", &result, &findings, |opening| views::sessions(&result, opening))
    }
}
