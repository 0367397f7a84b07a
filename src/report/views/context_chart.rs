use super::evidence::Opening;
use crate::analysis::ContextReport;
use crate::report::chart::{self, ContextFigure, ContextTurn, Picture};
use std::collections::BTreeMap;

/// The curve of the context as a picture, with what made it fall and the window.
pub fn context_chart(result: &ContextReport, opening: &Opening) -> Picture {
    // The window of the longest thread: others may have another one, and a table shows them all.
    let longest = result.threads.iter().max_by_key(|thread| thread.model_turns);
    let window = longest.and_then(|thread| Some((thread, thread.projection.window.as_ref()?)));
    let mut sessions: BTreeMap<&str, usize> = BTreeMap::new();
    let turns = result.points.iter().map(|point| {
        let next = sessions.len();
        let session = *sessions.entry(&point.store_key).or_insert(next);
        ContextTurn { context: Some(point.context), session }
    });
    chart::context(ContextFigure {
        title: opening.title("Context"),
        turns: turns.collect(),
        events: result.drops.iter().map(|drop| (drop.point, drop.cause.to_string())).collect(),
        window: window.map(|(thread, window)| (format!("window of {}", thread.model), window.tokens)),
    })
}
