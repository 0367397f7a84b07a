use super::picture::{Amount, Axis, BarRow, Bars, Flow, Measure, Picture, Series};
use super::ranked::Ranked;
use crate::unit::{Timestamp, Zone, counted};
use std::collections::BTreeMap;

/// What the figure of errors shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorsFigure {
    /// First line of the picture.
    pub title: String,
    /// Every error: its kind, and when it happened.
    pub errors: Vec<(String, Option<Timestamp>)>,
    /// The zone of its times.
    pub zone: Zone,
}

/// Errors over time by kind, and how many of each.
pub fn errors(figure: ErrorsFigure) -> Picture {
    let ranked = Ranked::new(figure.errors.iter().map(|(kind, _)| (kind.as_str(), 1)), "kind", |sum| sum.to_string());
    let amounts = figure.errors.iter().filter_map(|(kind, at)| Some(Amount::timed((*at)?, ranked.place(kind), 1)));
    let flow = Flow {
        axis: Axis::Time(figure.zone),
        measure: Measure::Count,
        sums_up: false,
        series: ranked.series.clone(),
        amounts: amounts.collect(),
    };
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for (kind, _) in &figure.errors {
        *counts.entry(kind).or_default() += 1;
    }
    let rows = counts.into_iter().map(|(kind, count)| {
        let mut parts = vec![0; ranked.series.len()];
        if let Some(part) = parts.get_mut(ranked.place(kind)) {
            *part = count;
        }
        BarRow { label: kind.to_owned(), parts, shown: count.to_string(), bounds: None }
    });
    let mut rows: Vec<BarRow> = rows.collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.total()));
    let unnamed = ranked.series.iter().map(|series| Series::new("", series.hue)).collect();
    let bars = Bars { measure: Measure::Count, row: "kind".into(), series: unnamed, rows };
    let untimed = figure.errors.iter().filter(|(_, at)| at.is_none()).count();
    let note = (untimed > 0).then(|| format!("{} without a time: only in the bars.", counted(untimed, "error")));
    Picture::new(figure.title, "")
        .panel("Errors over time, by kind", flow, "No error has a time.")
        .panel("Errors by kind", bars, "The source has no error.")
        .note(note)
}
