use super::args::CommonArgs;
use super::exit::Exit;
use super::load::load;
use super::plugin;
use crate::analysis::plugins::plugin_used;
use crate::plugin::details;
use crate::report::views;
use anyhow::{Result, bail};
use std::path::PathBuf;

/// Tell what a run made of a plugin: what was offered, used, denied or failed, and what was paid for and never used
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE")]
    source: PathBuf,
    /// Folder of the plugin
    #[arg(long, value_name = "PATH")]
    plugin: PathBuf,
    #[command(flatten)]
    common: CommonArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let path = plugin::target(&self.common, &self.plugin)?;
        let details = details(&path)?;
        if !details.loads {
            bail!(
                "no session loads {}, so no run can have used it: `flower-analyze plugin validate` says why",
                path.display()
            );
        }
        let loaded = load(&self.common, &self.source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let result = plugin_used(&loaded.model, &selection, &details);
        let findings = loaded.findings(&selection);
        loaded.finish(&self.common, "plugin-used", &result, &findings, |opening| views::plugin_used(&result, opening))
    }
}
