use super::args::CommonArgs;
use super::charts::ChartArgs;
use super::exit::Exit;
use super::failing::Failing;
use super::load::load;
use super::output;
use super::range::RangeArgs;
use super::surroundings::{options, zone};
use crate::analysis::{errors, explain};
use crate::report::views::{self, Opening};
use crate::report::{Report, render};
use crate::run_dir::names::DEFAULT_SOURCE;
use anyhow::Result;
use std::path::PathBuf;

/// List what failed: when, where, of which kind, what flower makes of it, what became of it; and denied tool calls
///
/// Kinds are read from machine fields first and from text last; what is only read from text, or from what is missing, is
/// shown as likely. A failure that is told twice, such as in the manifest, is listed twice and counted once.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE", default_value = DEFAULT_SOURCE)]
    source: PathBuf,
    /// Explain this text instead: its kind, and flower's verdict with the pattern that matched; no source is read
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["source", "session", "hash", "chart", "since", "until"])]
    explain: Option<String>,
    #[command(flatten)]
    range: RangeArgs,
    #[command(flatten)]
    chart: ChartArgs,
    #[command(flatten)]
    common: CommonArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        if let Some(text) = &self.explain {
            return self.explained(text);
        }
        let range = self.range.range(zone(self.common.tz.as_deref())?)?;
        self.chart.check(&self.common, &self.source)?;
        let loaded = load(&self.common, &self.source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let Failing { inputs, failures, attempts } = Failing::of(&loaded)?;
        let manifest = inputs.readable_manifest();
        let (result, found) = errors(&loaded.model, &selection, manifest, &failures, &attempts, range);
        let findings = loaded.findings_with(&selection, found.into_iter().chain(inputs.state_findings()));
        let page = |opening: &Opening| views::errors(&result, &findings, opening);
        loaded.finish_with(&self.common, "errors", &result, &findings, page, |opening| {
            self.chart.write(&self.common, || views::errors_chart(&result, &opening()))
        })
    }

    fn explained(&self, text: &str) -> Result<Exit> {
        let result = explain(text);
        let report = Report { command: "errors-explain", source: &(), findings: &[], result: &result };
        output::write(&self.common, &render(&report, || views::explained(&result), &options(&self.common))?)?;
        Ok(Exit::Done)
    }
}
