use super::args::CommonArgs;
use super::charts::ChartArgs;
use super::exit::Exit;
use super::load::load;
use super::range::RangeArgs;
use super::surroundings::zone;
use crate::analysis::timeline;
use crate::report::views::{self, Opening};
use crate::run_dir::names::DEFAULT_SOURCE;
use anyhow::Result;
use std::path::PathBuf;

/// Show what happened beside what: steps, sessions, subagents, tool calls and errors on one axis of time
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE", default_value = DEFAULT_SOURCE)]
    source: PathBuf,
    #[command(flatten)]
    range: RangeArgs,
    #[command(flatten)]
    chart: ChartArgs,
    #[command(flatten)]
    common: CommonArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let range = self.range.range(zone(self.common.tz.as_deref())?)?;
        self.chart.check(&self.common, &self.source)?;
        let loaded = load(&self.common, &self.source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let inputs = loaded.inputs()?;
        let result = timeline(&loaded.model, &selection, inputs.readable_manifest()).within(range);
        let findings = loaded.findings_with(&selection, inputs.state_findings());
        let page = |opening: &Opening| views::timeline(&result, opening);
        loaded.finish_with(&self.common, "timeline", &result, &findings, page, |opening| {
            self.chart.write(&self.common, || views::timeline_chart(&result, &opening()))
        })
    }
}
