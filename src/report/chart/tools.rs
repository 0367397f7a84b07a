use super::picture::{BarRow, Bars, Hue, Measure, Picture, Series};
use crate::unit::{Span, counted, short_count};

/// What the figure of tools shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsFigure {
    /// First line of the picture.
    pub title: String,
    /// The most used first.
    pub tools: Vec<ToolUse>,
}

/// How a tool was used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolUse {
    /// Its name.
    pub name: String,
    /// Calls with a good result.
    pub good: u64,
    /// Calls whose result is an error.
    pub errors: u64,
    /// Calls that were denied.
    pub denied: u64,
    /// Calls without a result.
    pub unanswered: u64,
    /// Characters of all results.
    pub characters: u64,
    /// Time of all calls, of those that have one.
    pub time: Option<Span>,
}

/// Calls by how they ended, characters of results, and time, by tool.
pub fn tools(figure: ToolsFigure) -> Picture {
    let amount = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let bars = |measure, series, rows| Bars { measure, row: "tool".into(), series, rows };
    let calls = figure.tools.iter().map(|tool| {
        let parts = [tool.good, tool.errors, tool.denied, tool.unanswered];
        let all = parts.iter().copied().fold(0, u64::saturating_add);
        let failed =
            if tool.errors > 0 { format!(", {}", counted(count(tool.errors), "error")) } else { String::new() };
        BarRow {
            label: tool.name.clone(),
            parts: parts.map(amount).to_vec(),
            shown: format!("{}{failed}", short_count(all)),
            bounds: None,
        }
    });
    let ends = vec![
        Series::new("good result", Hue::Good),
        Series::new("error", Hue::Bad),
        Series::new("denied", Hue::Warn),
        Series::new("no result", Hue::Rest),
    ];
    let sizes = figure.tools.iter().map(|tool| row(&tool.name, amount(tool.characters), short_count(tool.characters)));
    let times =
        figure.tools.iter().filter_map(|tool| tool.time.map(|time| row(&tool.name, time.millis(), time.to_string())));
    let plain = |n| vec![Series::new("", Hue::Nth(n))];
    let calls = bars(Measure::Count, ends, calls.collect());
    let sizes = bars(Measure::Count, plain(2), sizes.collect());
    let times = bars(Measure::Span, plain(4), times.collect());
    Picture::new(figure.title, "")
        .panel("Calls by tool", calls, "No tool was called.")
        .panel("Characters of results", sizes, "No tool was called.")
        .panel("Time from call to result", times, "No call has a begin and an end.")
}

fn count(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

fn row(name: &str, value: i64, shown: String) -> BarRow {
    BarRow { label: name.to_owned(), parts: vec![value], shown, bounds: None }
}
