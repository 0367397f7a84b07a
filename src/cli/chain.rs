use super::args::CommonArgs;
use super::exit::Exit;
use super::load::load;
use super::output;
use super::target::Target;
use crate::analysis::{Selection, View, chains};
use crate::report::views::{self, Opening};
use anyhow::{Result, bail};

/// Show the order of the entries as a tree: turns, branches, compactions, breaks
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts [default: runs]
    #[arg(value_name = "SOURCE", allow_hyphen_values = true)]
    first: Option<String>,
    /// Any unique beginning of a session's id, agent id or store key [default: all sessions]
    #[arg(value_name = "SESSION", allow_hyphen_values = true)]
    second: Option<String>,
    /// Which part is shown
    #[arg(long, value_enum, default_value_t = ViewArg::All)]
    view: ViewArg,
    /// Show only what is wrong: breaks, branches, tool calls without result, rows that cannot be read
    #[arg(long, conflicts_with = "dot")]
    check: bool,
    /// Print the forest as a Graphviz digraph
    #[arg(long, conflicts_with = "format")]
    dot: bool,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ViewArg {
    /// What the model sees, up to the last compaction
    Loaded,
    /// What happened, across compactions
    History,
    /// The live chain, abandoned branches and detached trees
    All,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let target = Target::of(&[&self.first, &self.second])?;
        let loaded = load(&self.common, &target.source)?;
        let selection = match (&target.name, &self.common.session) {
            (Some(_), Some(_)) => bail!("give the session either as an argument or with --session, not both"),
            (Some(name), None) => Selection::only(&loaded.model, Selection::one(&loaded.model, name)?),
            (None, prefix) => loaded.selection(prefix.as_deref())?,
        };
        let view = match self.view {
            ViewArg::Loaded => View::Loaded,
            ViewArg::History => View::History,
            ViewArg::All => View::All,
        };
        let result = chains(selection.sessions(&loaded.model).map(|(_, session)| session), view);
        let findings = loaded.findings(&selection);
        if self.dot {
            output::write(&self.common, &views::dot(&result, self.common.reveal))?;
            return Ok(Exit::of(&findings, self.common.fail_on));
        }
        let page = |opening: &Opening| {
            if self.check { views::chain_check(&findings, opening) } else { views::chain(&result, opening) }
        };
        loaded.finish(&self.common, "chain", &result, &findings, page)
    }
}
