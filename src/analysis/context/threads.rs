use super::DropCause;
use super::fill::{Fill, FillSums};
use super::window::Window;
use crate::session::{Model, ModelTurn, SessionModel};
use crate::unit::Tokens;
use foldhash::HashMap;
use serde::Serialize;

/// The context of one thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThreadContext {
    /// Store key.
    pub store_key: String,
    /// Steps of the manifest that used it, in its order.
    pub steps: Vec<String>,
    /// The model that answered last.
    pub model: String,
    /// Model turns.
    pub model_turns: usize,
    /// Context of its first model turn: system prompt, tools, what the harness adds, the first prompt.
    pub floor: Tokens,
    /// Context of its last model turn.
    pub last: Tokens,
    /// Largest context of a model turn.
    pub max: Tokens,
    /// Where it goes.
    pub projection: Projection,
    /// What fills it now.
    pub fill: Fill,
}

/// Where the context of a thread goes if it grows on as it did: an estimate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Projection {
    /// Model turns since the last fall that the growth is taken from.
    pub turns: usize,
    /// Tokens by which the context grows with every model turn, on average over them; null with fewer than two.
    pub growth: Option<i64>,
    /// The window of the model; null if it is not known.
    pub window: Option<Window>,
    /// Model turns until the window is full; null if it is not known or the context does not grow.
    pub turns_to_window: Option<u64>,
    /// The largest context at which the client compacted a thread of this model by itself, as it recorded; null if it
    /// never did. It compacts below that only when it is forced to.
    pub compacts_at: Option<Tokens>,
    /// Model turns until then.
    pub turns_to_compaction: Option<u64>,
}

/// The largest context at which the client compacted by itself, by the model that had answered last.
pub(super) fn automatic_compactions<'a>(model: &'a Model, turns: &[&'a ModelTurn]) -> HashMap<&'a str, Tokens> {
    let mut by_session: HashMap<usize, Vec<&ModelTurn>> = HashMap::default();
    for turn in turns {
        by_session.entry(turn.home).or_default().push(turn);
    }
    let mut found: HashMap<&str, Tokens> = HashMap::default();
    for (home, turns) in &mut by_session {
        turns.sort_by_key(|turn| turn.at);
        let segments = model.sessions.get(*home).map(|session| session.chain.segments.as_slice()).unwrap_or_default();
        for segment in segments.iter().filter(|segment| segment.trigger.as_deref() == Some("auto")) {
            let before = turns.partition_point(|turn| turn.at < segment.boundary);
            let answered = before.checked_sub(1).and_then(|at| turns.get(at));
            let (Some(turn), Some(tokens)) = (answered, segment.pre_tokens) else { continue };
            found.entry(&turn.model).and_modify(|most| *most = tokens.max(*most)).or_insert(tokens);
        }
    }
    found
}

/// What is the same for all threads of a report.
pub(super) struct Setting<'a> {
    pub(super) given_window: Option<Tokens>,
    pub(super) compactions: HashMap<&'a str, Tokens>,
}

/// The context of a session with these turns, in order, each with what let the context fall before it.
pub(super) fn thread(
    session: &SessionModel,
    turns: &[(&ModelTurn, Option<DropCause>)],
    fill: &FillSums<'_>,
    setting: &Setting<'_>,
) -> Option<ThreadContext> {
    let (first, _) = turns.first()?;
    let (last, _) = turns.last()?;
    Some(ThreadContext {
        store_key: session.store_key().to_owned(),
        steps: Vec::new(),
        model: last.model.to_string(),
        model_turns: turns.len(),
        floor: first.usage.context(),
        last: last.usage.context(),
        max: turns.iter().map(|(turn, _)| turn.usage.context()).max().unwrap_or_default(),
        projection: projection(turns, last, setting),
        fill: fill.fill(last.usage.context()),
    })
}

fn projection(turns: &[(&ModelTurn, Option<DropCause>)], last: &ModelTurn, setting: &Setting<'_>) -> Projection {
    let from = turns.iter().rposition(|(_, drop)| drop.is_some()).unwrap_or(0);
    let grown = turns.get(from..).unwrap_or_default();
    let tokens = |turn: &ModelTurn| i64::try_from(turn.usage.context().0).unwrap_or(i64::MAX);
    let steps = i64::try_from(grown.len()).unwrap_or(i64::MAX).saturating_sub(1);
    let growth = grown.first().and_then(|(first, _)| {
        let whole = tokens(last).saturating_sub(tokens(first));
        (steps > 0).then(|| whole.saturating_add(whole.signum() * steps / 2) / steps)
    });
    let window = Window::of(&last.model, setting.given_window);
    let compacts_at = setting.compactions.get(last.model.as_ref()).copied();
    let until = |limit: Option<Tokens>| {
        let growth = growth.and_then(|growth| u64::try_from(growth).ok()).filter(|growth| *growth > 0)?;
        Some(limit?.0.saturating_sub(last.usage.context().0).div_ceil(growth))
    };
    Projection {
        turns: grown.len(),
        growth,
        window,
        turns_to_window: until(window.map(|window| window.tokens)),
        compacts_at,
        turns_to_compaction: until(compacts_at),
    }
}
