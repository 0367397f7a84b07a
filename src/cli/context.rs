use super::args::CommonArgs;
use super::charts::ChartArgs;
use super::exit::Exit;
use super::load::load;
use super::range::RangeArgs;
use super::surroundings::zone;
use crate::analysis::context;
use crate::report::views::{self, Opening};
use crate::run_dir::names::DEFAULT_SOURCE;
use crate::unit::Tokens;
use anyhow::Result;
use std::path::PathBuf;

/// Show the context of the main threads: where it starts, how it grows, why it falls, what fills it, when it is full
///
/// --since and --until cut the curve and its falls; threads, and what fills them, are always those of the whole run.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE", default_value = DEFAULT_SOURCE)]
    source: PathBuf,
    /// Context window of every model, such as 200000, 200k or 1M, instead of the documented one
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    window: Option<Tokens>,
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
        let result = context(&loaded.model, &selection, inputs.readable_manifest(), self.window).within(range);
        let findings = loaded.findings_with(&selection, inputs.state_findings());
        let page = |opening: &Opening| views::context(&result, opening);
        loaded.finish_with(&self.common, "context", &result, &findings, page, |opening| {
            self.chart.write(&self.common, || views::context_chart(&result, &opening()))
        })
    }
}

/// A number of tokens, whole or in thousands or millions.
fn tokens(text: &str) -> Result<Tokens, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_000),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1), |digits| (digits, 1_000_000)),
    };
    let count: Option<u64> = digits.parse().ok().and_then(|count: u64| count.checked_mul(unit));
    let count = count.filter(|count| *count > 0);
    count.map(Tokens).ok_or_else(|| "expected a number of tokens above zero, such as 200000, 200k or 1M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_given_whole_or_short() {
        let all =
            ["200000", "200k", "1M", "0", "-1", "", "k", "1.5M", "99999999999999999999"].map(|text| tokens(text).ok());
        assert_eq!(all[..3], [200_000, 200_000, 1_000_000].map(|count| Some(Tokens(count))));
        assert_eq!(all[3..], [None; 6]);
    }
}
