use super::picture::{Hue, Mark, Measure, Picture, Series, Track};
use crate::unit::{Tokens, counted};

/// What the figure of the context shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFigure {
    /// First line of the picture.
    pub title: String,
    /// Context of each model turn of the main thread; `None` where it is not recorded.
    pub turns: Vec<Option<Tokens>>,
    /// What happened before a turn, counted from 0: the turn and the kind of the event.
    pub events: Vec<(usize, String)>,
    /// The window of the model, if it is known, with what it is called.
    pub window: Option<(String, Tokens)>,
}

/// The context of each model turn, what made it fall, and the window.
pub fn context(figure: ContextFigure) -> Picture {
    let amount = |tokens: Tokens| i64::try_from(tokens.0).unwrap_or(i64::MAX);
    let mut names: Vec<&str> = figure.events.iter().map(|(_, kind)| kind.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let place = |kind: &str| names.binary_search(&kind).unwrap_or_default();
    let marks =
        figure.events.iter().map(|(at, kind)| Mark { at: i64::try_from(*at).unwrap_or(i64::MAX), kind: place(kind) });
    let count = |name: &str| figure.events.iter().filter(|(_, kind)| kind == name).count();
    // The curve has the first colour.
    let kinds =
        names.iter().enumerate().map(|(n, name)| Series::new(format!("{name}: {}", count(name)), Hue::Nth(n + 1)));
    let highest = figure.turns.iter().flatten().map(|tokens| tokens.0).max().unwrap_or(0);
    // A window far above the curve would press it flat: then it is told instead.
    let near = figure.window.as_ref().filter(|(_, window)| window.0 / 8 <= highest);
    let far = figure.window.as_ref().filter(|_| near.is_none());
    let track = Track {
        point: "model turn".into(),
        measure: Measure::Count,
        name: "context".into(),
        levels: near.map(|(name, window)| (format!("{name}: {window}"), amount(*window))).into_iter().collect(),
        kinds: kinds.collect(),
        marks: marks.collect(),
        points: figure.turns.iter().map(|turn| turn.map(amount)).collect(),
    };
    let has_usage = figure.turns.iter().any(Option::is_some);
    let unknown = figure.turns.iter().filter(|turn| turn.is_none()).count();
    Picture::new(
        figure.title,
        "Context of a model turn: input, cache reads and cache writes. A wedge marks what came before a turn.",
    )
    .panel(
        "Context in tokens, by model turn of the main thread",
        track,
        if has_usage {
            "The usage of every model turn is zero."
        } else {
            "No model turn of the main thread has usage."
        },
    )
    .note(far.map(|(name, window)| format!("{name}: {window}, far above the curve.")))
    .note((unknown > 0).then(|| format!("{} without usage: gaps in the curve.", counted(unknown, "model turn"))))
}
