use super::picture::{Hue, Mark, Measure, Picture, Series, Track};
use crate::unit::{Tokens, counted};
use std::collections::BTreeSet;

/// What the figure of the context shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFigure {
    /// First line of the picture.
    pub title: String,
    /// Model turns, in the order of writing.
    pub turns: Vec<ContextTurn>,
    /// What happened before a turn, counted from 0: the turn and the kind of the event.
    pub events: Vec<(usize, String)>,
    /// The window of the model, if it is known, with what it is called.
    pub window: Option<(String, Tokens)>,
}

/// A model turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextTurn {
    /// Its context; `None` where it is not recorded.
    pub context: Option<Tokens>,
    /// Its session, by a number: each session is a curve of its own.
    pub session: usize,
}

/// Before the first turn of each session but the first one.
const NEW_SESSION: &str = "new session";
/// A window so many times as high as the curve would press it flat: then it is told in words.
const FAR: u64 = 4;

/// The context of each model turn, what made it fall, and the window.
pub fn context(figure: ContextFigure) -> Picture {
    let amount = |tokens: Tokens| i64::try_from(tokens.0).unwrap_or(i64::MAX);
    let begins = begins(&figure.turns);
    // What made the context fall where a session begins is that it begins.
    let fallen = figure.events.iter().filter(|(at, _)| begins.binary_search(at).is_err());
    let fallen = fallen.map(|(at, kind)| (*at, kind.as_str()));
    let events: Vec<(usize, &str)> = fallen.chain(begins.iter().skip(1).map(|at| (*at, NEW_SESSION))).collect();
    let mut names: Vec<&str> = events.iter().map(|(_, kind)| *kind).collect();
    names.sort_unstable();
    names.dedup();
    let place = |kind: &str| names.binary_search(&kind).unwrap_or_default();
    let marks = events.iter().map(|(at, kind)| Mark { at: i64::try_from(*at).unwrap_or(i64::MAX), kind: place(kind) });
    let count = |name: &str| events.iter().filter(|(_, kind)| *kind == name).count();
    // The curve has the first colour.
    let kinds =
        names.iter().enumerate().map(|(n, name)| Series::new(format!("{name}: {}", count(name)), Hue::Nth(n + 1)));
    let highest = figure.turns.iter().filter_map(|turn| turn.context).map(|tokens| tokens.0).max().unwrap_or(0);
    let near = figure.window.as_ref().filter(|(_, window)| window.0 / FAR <= highest);
    let far = figure.window.as_ref().filter(|_| near.is_none());
    let track = Track {
        point: "model turn".into(),
        measure: Measure::Count,
        name: "context".into(),
        levels: near.map(|(name, window)| (format!("{name}: {window}"), amount(*window))).into_iter().collect(),
        kinds: kinds.collect(),
        marks: marks.collect(),
        points: figure.turns.iter().map(|turn| turn.context.map(amount)).collect(),
        curves: figure.turns.iter().map(|turn| turn.session).collect(),
    };
    let has_usage = figure.turns.iter().any(|turn| turn.context.is_some());
    let unknown = figure.turns.iter().filter(|turn| turn.context.is_none()).count();
    let whose = match begins.len() {
        0 | 1 => "the main thread".to_owned(),
        threads => format!("{threads} main threads, each with a curve of its own"),
    };
    Picture::new(
        figure.title,
        "Context of a model turn: input, cache reads and cache writes. A wedge marks what came before a turn.",
    )
    .panel(
        format!("Context in tokens, by model turn of {whose}"),
        track,
        if has_usage {
            "The usage of every model turn is zero."
        } else {
            "No model turn of the main thread has usage."
        },
    )
    .note(far.map(|(name, window)| format!("{name}: {window}, far above the highest context, {}.", Tokens(highest))))
    .note((unknown > 0).then(|| format!("{} without usage: gaps in the curve.", counted(unknown, "model turn"))))
}

/// The first turn of each session.
fn begins(turns: &[ContextTurn]) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    turns.iter().enumerate().filter(|(_, turn)| seen.insert(turn.session)).map(|(at, _)| at).collect()
}
