use super::Selection;
use crate::run_dir::{Kind, Position};
use crate::session::{Model, ModelTurn, SessionModel};
use crate::unit::{Timestamp, Tokens};
use serde::Serialize;

/// The context of the main threads, one point for every model turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ContextCurve {
    /// In the order in which they were written.
    pub points: Vec<CurvePoint>,
    /// Falls to under 70 % of the point before.
    pub drops: Vec<Drop>,
}

/// The context of one model turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CurvePoint {
    /// Session.
    pub store_key: String,
    /// First entry of the turn.
    pub seq: i64,
    /// Its time.
    pub timestamp: Option<Timestamp>,
    /// Input, cache reads and cache writes.
    pub context: Tokens,
}

/// A fall of the context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drop {
    /// The point after the fall, counted from 0.
    pub point: usize,
    /// Context before.
    pub from: Tokens,
    /// Context after.
    pub to: Tokens,
    /// What lies between the two points.
    pub cause: &'static str,
}

/// The curve of the chosen main threads.
pub fn context_curve(model: &Model, selection: &Selection) -> ContextCurve {
    let is_main = |turn: &&ModelTurn| {
        let kind = model.sessions.get(turn.home).map(SessionModel::kind);
        selection.has(turn.home) && matches!(kind, Some(Kind::Main | Kind::Other))
    };
    let mut turns: Vec<&ModelTurn> = model.usage.turns.iter().filter(is_main).collect();
    // Files say nothing about the order among them; the time stamps do.
    turns.sort_by_key(|turn| match turn.position {
        Position::Database { .. } => (None, turn.position),
        Position::Line { .. } => (turn.timestamp, turn.position),
    });
    let mut curve = ContextCurve::default();
    let mut before: Option<(&ModelTurn, Tokens)> = None;
    for (point, turn) in turns.into_iter().enumerate() {
        let Some(session) = model.sessions.get(turn.home) else { continue };
        let context = turn.usage.context();
        if let Some((last, from)) = before.filter(|(_, from)| context.0.saturating_mul(10) < from.0.saturating_mul(7)) {
            curve.drops.push(Drop { point, from, to: context, cause: cause(session, last, turn) });
        }
        before = Some((turn, context));
        curve.points.push(CurvePoint {
            store_key: session.store_key().to_owned(),
            seq: session.seq(turn.at),
            timestamp: turn.timestamp,
            context,
        });
    }
    curve
}

fn cause(session: &SessionModel, last: &ModelTurn, turn: &ModelTurn) -> &'static str {
    let between = |boundary| last.at < boundary && boundary < turn.at;
    if last.home != turn.home {
        "another session"
    } else if session.chain.segments.iter().any(|segment| between(segment.boundary)) {
        "compaction"
    } else {
        "same session, no compaction recorded: load layers, a rewind or another model"
    }
}
