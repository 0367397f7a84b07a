use super::picture::{Amount, Axis, BarRow, Bars, Flow, Measure, Picture, Series};
use super::ranked::Ranked;
use crate::unit::{Timestamp, Usd, Zone, counted};

/// What the figure of costs shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostFigure {
    /// First line of the picture.
    pub title: String,
    /// What a row is, in the singular: `step`.
    pub row: String,
    /// Classes of tokens, from the left of a bar to its right.
    pub classes: Vec<String>,
    /// In the order of the run.
    pub rows: Vec<CostRow>,
    /// Money by moment, in any order.
    pub spent: Vec<Spent>,
    /// Model turns without a price: they are in none of the sums.
    pub unpriced: usize,
    /// The zone of its times.
    pub zone: Zone,
}

/// The cost of a step, or of what else the rows are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostRow {
    /// Its name.
    pub name: String,
    /// One sum per class.
    pub by_class: Vec<Usd>,
    /// The whole as people read it.
    pub shown: String,
    /// The lowest and the highest sum that the evidence allows.
    pub bounds: Option<(Usd, Usd)>,
}

/// Money that was spent at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    /// When; where that is not recorded, it is told below the picture.
    pub at: Option<Timestamp>,
    /// The model.
    pub model: String,
    /// How much.
    pub usd: Usd,
}

/// Bars by row, and the sum over time by model.
pub fn cost(figure: CostFigure) -> Picture {
    let row = |row: CostRow| BarRow {
        label: row.name,
        parts: row.by_class.iter().map(|usd| usd.nanos()).collect(),
        shown: row.shown,
        bounds: row.bounds.map(|(low, high)| (low.nanos(), high.nanos())),
    };
    let bars = Bars {
        measure: Measure::Money,
        row: figure.row.clone(),
        series: Series::numbered(figure.classes),
        rows: figure.rows.into_iter().map(row).collect(),
    };
    let timed = || figure.spent.iter().filter_map(|spent| Some((spent.at?, spent)));
    let weights = timed().map(|(_, spent)| (spent.model.as_str(), spent.usd.nanos()));
    let models = Ranked::new(weights, "model", |nanos| Usd::from_nanos(nanos).to_string());
    let amounts = timed().map(|(at, spent)| Amount::timed(at, models.place(&spent.model), spent.usd.nanos())).collect();
    let flow =
        Flow { axis: Axis::Time(figure.zone), measure: Measure::Money, sums_up: true, series: models.series, amounts };
    let untimed: Vec<&Spent> = figure.spent.iter().filter(|spent| spent.at.is_none()).collect();
    let lost: Usd = untimed.iter().map(|spent| spent.usd).sum();
    let note = (!untimed.is_empty()).then(|| {
        format!("Without a time, and so not in the sum over time: {}, {lost}.", counted(untimed.len(), "model turn"))
    });
    let unpriced = (figure.unpriced > 0)
        .then(|| format!("Without a price, and so in none of the sums: {}.", counted(figure.unpriced, "model turn")));
    Picture::new(figure.title, "Measured from the usage of each model turn. A line across a bar's end: lowest and highest sum that the evidence allows.")
        .panel(format!("Cost by {}, by class of tokens", figure.row), bars, "There is no cost to show.")
        .panel("Sum of the cost over time, by model", flow, if timed().next().is_some() { "What has a price and a time cost nothing." } else { "No model turn has a price and a time." })
        .note(note)
        .note(unpriced)
}
