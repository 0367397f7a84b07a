use super::picture::{Amount, Axis, Flow, Hue, Measure, Picture, Series, Track};
use crate::unit::Tokens;

/// What the figure of the cache shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheFigure {
    /// First line of the picture.
    pub title: String,
    /// In the order of time.
    pub turns: Vec<CacheTurn>,
}

/// What a model turn read from the cache, wrote into it, and sent past it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheTurn {
    /// Tokens read from the cache.
    pub read: Tokens,
    /// Tokens written for five minutes.
    pub written_short: Tokens,
    /// Tokens written for an hour.
    pub written_long: Tokens,
    /// Input tokens that the cache had no part in.
    pub uncached: Tokens,
}

const NO_USAGE: &str = "No model turn has usage.";

/// Input tokens of each model turn by what the cache did with them, and the part that it served.
pub fn cache(figure: CacheFigure) -> Picture {
    let amount = |tokens: Tokens| i64::try_from(tokens.0).unwrap_or(i64::MAX);
    let parts = |turn: &CacheTurn| [turn.read, turn.written_short, turn.written_long, turn.uncached].map(amount);
    let sums = figure.turns.iter().map(parts).fold([0_i64; 4], |mut sums, parts| {
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum = sum.saturating_add(part));
        sums
    });
    let names = ["read from the cache", "written for 5 minutes", "written for 1 hour", "not cached"];
    let hues = [Hue::Nth(0), Hue::Nth(1), Hue::Nth(2), Hue::Nth(6)];
    let shown = |sum: i64| Tokens(u64::try_from(sum).unwrap_or(0));
    let series =
        names.iter().zip(hues).zip(sums).map(|((name, hue), sum)| Series::new(format!("{name}: {}", shown(sum)), hue));
    let amounts = (0_i64..)
        .zip(&figure.turns)
        .flat_map(|(at, turn)| (0..).zip(parts(turn)).map(move |(series, value)| Amount { at, series, value }));
    let flow = Flow {
        axis: Axis::Number("model turn".into()),
        measure: Measure::Count,
        sums_up: false,
        series: series.collect(),
        amounts: amounts.collect(),
    };
    let served = |turn: &CacheTurn| {
        let whole = parts(turn).into_iter().map(i128::from).sum::<i128>();
        let mille = i128::from(amount(turn.read)).checked_mul(1000)?.checked_div(whole)?;
        i64::try_from(mille).ok()
    };
    let track = Track {
        point: "model turn".into(),
        measure: Measure::Share,
        name: "served by the cache".into(),
        points: figure.turns.iter().map(served).collect(),
        curves: Vec::new(),
        levels: Vec::new(),
        kinds: Vec::new(),
        marks: Vec::new(),
    };
    let none = figure.turns.is_empty();
    Picture::new(figure.title, "")
        .panel("Input tokens by model turn", flow, if none { NO_USAGE } else { "No model turn has input tokens." })
        .panel(
            "Part of the input that was read from the cache",
            track,
            if none { NO_USAGE } else { "No input was read from the cache." },
        )
}
