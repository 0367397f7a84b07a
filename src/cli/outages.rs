use super::args::CommonArgs;
use super::exit::Exit;
use super::failing::Failing;
use super::load::load;
use super::prices::PriceArgs;
use super::range::RangeArgs;
use super::surroundings::zone;
use crate::analysis::outages;
use crate::report::views;
use crate::run_dir::names::DEFAULT_SOURCE;
use crate::session::SessionModel;
use anyhow::Result;
use std::path::PathBuf;

/// Cluster failures of the service and the network into outages: what each hit, how it ended, what was lost
///
/// For every main thread that was hit: whether it can be resumed now, judged as `layers` does under flower's own policy.
/// Money is measured, a lower bound on the bill.
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
    common: CommonArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let prices = self.prices.table()?;
        let range = self.range.range(zone(self.common.tz.as_deref())?)?;
        let loaded = load(&self.common, &self.source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let failing = Failing::of(&loaded)?;
        let costs = failing.costs(&loaded, &prices);
        let Failing { inputs, failures, attempts } = failing;
        let judge = |session: &SessionModel| loaded.resumable(session);
        let result = outages(&loaded.model, &selection, &failures, &attempts, &costs, &judge, range)?;
        let findings = loaded.findings_with(&selection, inputs.state_findings());
        loaded
            .finish(&self.common, "outages", &result, &findings, |opening| views::outages(&result, &findings, opening))
    }
}
