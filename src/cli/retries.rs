use super::args::CommonArgs;
use super::charts::ChartArgs;
use super::exit::Exit;
use super::failing::Failing;
use super::load::load;
use super::prices::PriceArgs;
use super::range::RangeArgs;
use super::surroundings::zone;
use crate::analysis::retries;
use crate::report::views::{self, Opening};
use crate::run_dir::names::DEFAULT_SOURCE;
use anyhow::Result;
use std::path::PathBuf;

/// Rebuild the attempts of each step: how each ended, how long flower waited, what it cost; and the retries of the CLI
///
/// Observed waits hold the end of one process and the start of the next; they are held against the backoff of the formula
/// with what the CLI took to start. Money is measured, a lower bound on the bill. Attempts that --since and --until meet are
/// told whole, with all their money.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE", default_value = DEFAULT_SOURCE)]
    source: PathBuf,
    #[command(flatten)]
    prices: PriceArgs,
    #[command(flatten)]
    range: RangeArgs,
    #[command(flatten)]
    chart: ChartArgs,
    #[command(flatten)]
    common: CommonArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let prices = self.prices.table()?;
        let range = self.range.range(zone(self.common.tz.as_deref())?)?;
        self.chart.check(&self.common, &self.source)?;
        let loaded = load(&self.common, &self.source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let failing = Failing::of(&loaded)?;
        let costs = failing.costs(&loaded, &prices);
        let Failing { inputs, failures, attempts } = failing;
        let spends = attempts.spends(&loaded.model, &costs);
        let (result, found) =
            retries(&loaded.model, &selection, inputs.readable_manifest(), &failures, &attempts, &spends, range);
        let findings = loaded.findings_with(&selection, found.into_iter().chain(inputs.state_findings()));
        let page = |opening: &Opening| views::retries(&result, &findings, opening);
        loaded.finish_with(&self.common, "retries", &result, &findings, page, |opening| {
            self.chart.write(&self.common, || views::retries_chart(&result, &opening()))
        })
    }
}
