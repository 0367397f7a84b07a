use super::args::{CommonArgs, OutputArgs};
use super::exit::Exit;
use super::plugin;
use super::prices::PriceArgs;
use crate::analysis::plugins::{context_price, plugin_details};
use crate::plugin::details;
use crate::report::views;
use anyhow::Result;
use std::path::PathBuf;

/// Tell what a plugin brings and what it adds to the context of every session, the dearest first
///
/// Exit codes: 0 a session loads it; 1 it does not; 2 the path is no plugin.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder of a plugin
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Price the part that is always on with this model, named as in transcripts
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    #[command(flatten)]
    prices: PriceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let common = CommonArgs::from(self.output);
        let path = plugin::target(&common, &self.path)?;
        let details = details(&path)?;
        let prices = self.prices.table()?;
        let price = self.model.as_ref().map(|model| context_price(details.always_on, model, &prices)).transpose()?;
        let result = plugin_details(&details, price);
        let page = || views::plugin_details(&result, &details.lint);
        plugin::write(&common, "plugin-details", &path, &result, &details.lint, page)?;
        if details.loads { Ok(Exit::of(&details.lint, common.fail_on)) } else { Ok(Exit::Findings) }
    }
}
