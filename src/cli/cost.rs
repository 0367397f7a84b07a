use super::args::CommonArgs;
use super::charts::ChartArgs;
use super::exit::Exit;
use super::load::load;
use super::prices::PriceArgs;
use super::range::RangeArgs;
use crate::analysis::cost::{By, CostQuery, cost, turn_costs, turn_spends};
use crate::report::views::{self, Opening};
use crate::run_dir::names::DEFAULT_SOURCE;
use anyhow::Result;
use clap::builder::TypedValueParser;
use std::path::PathBuf;
use strum::IntoEnumIterator;

/// Show where the money went: reported, measured, bounds, and why they differ
///
/// Reported is what the client estimated, as the manifest has it. Measured is the usage of the transcript, every message
/// counted once, at the prices of its day: a lower bound on the bill, since calls in the background and streams that died
/// leave no entry. The bounds say what the data leaves open.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE", default_value = DEFAULT_SOURCE)]
    source: PathBuf,
    /// By what to group the spend
    #[arg(long, value_name = "WHAT", default_value = "step", value_parser = groups())]
    by: By,
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
        let range = self.range.range(super::surroundings::zone(self.common.tz.as_deref())?)?;
        self.chart.check(&self.common, &self.source)?;
        let loaded = load(&self.common, &self.source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let inputs = loaded.inputs()?;
        let query = CostQuery { by: self.by, range, zone: loaded.zone };
        let manifest = inputs.readable_manifest();
        let costs = turn_costs(&loaded.model, manifest, &prices);
        let (result, found) = cost(&loaded.model, &selection, manifest, &costs, &prices, query);
        let findings = loaded.findings_with(&selection, found.iter().cloned().chain(inputs.state_findings()));
        let turns = turn_spends(&loaded.model, &selection, &costs, range);
        let page = |opening: &Opening| views::cost(&result, &turns, &found, opening);
        loaded.finish_with(&self.common, "cost", &result, &findings, page, |opening| {
            self.chart.write(&self.common, || views::cost_chart(&result, &turns, &opening()))
        })
    }
}

fn groups() -> impl TypedValueParser<Value = By> {
    let names = By::iter().map(<&'static str>::from);
    clap::builder::PossibleValuesParser::new(names).map(|name| name.parse().unwrap_or_default())
}
