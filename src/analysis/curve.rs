use super::Selection;
use super::context::{Causes, DropCause};
use crate::run_dir::{Kind, Manifest, Position};
use crate::session::{Model, ModelTurn, SessionModel};
use crate::unit::{Timestamp, Tokens};
use serde::Serialize;
use std::collections::HashMap;

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
    pub cause: DropCause,
}

/// The curve of the chosen main threads.
pub fn context_curve(model: &Model, selection: &Selection, manifest: Option<&Manifest>) -> ContextCurve {
    let is_main = |at: usize| {
        let kind = model.sessions.get(at).map(SessionModel::kind);
        selection.has(at) && matches!(kind, Some(Kind::Main | Kind::Other))
    };
    let causes = Causes::of(manifest);
    let mut curve = ContextCurve::default();
    let mut before: Option<(&ModelTurn, Tokens)> = None;
    for (point, turn) in turns_in_order(model, is_main).into_iter().enumerate() {
        let context = turn.usage.context();
        if let Some((last, from)) = before.filter(|(_, from)| context.0.saturating_mul(10) < from.0.saturating_mul(7)) {
            curve.drops.push(Drop { point, from, to: context, cause: causes.between(model, last, turn) });
        }
        before = Some((turn, context));
        curve.points.extend(curve_point(model, turn));
    }
    curve
}

/// The model turns of the sessions that `wanted` takes, in the order in which they were written.
///
/// Files say nothing about the order among them; the time stamps do. Inside of a file its own order holds, whatever the
/// clock did: a turn counts as no earlier than those before it, also one without a time.
pub(super) fn turns_in_order(model: &Model, wanted: impl Fn(usize) -> bool) -> Vec<&ModelTurn> {
    let mut newest: HashMap<u32, Option<Timestamp>> = HashMap::new();
    let turns = model.usage.turns.iter().filter(|turn| wanted(turn.home));
    let mut keyed: Vec<_> = turns
        .map(|turn| match turn.position {
            Position::Database { .. } => (None, turn),
            Position::Line { file, .. } => {
                let newest = newest.entry(file).or_default();
                *newest = (*newest).max(turn.timestamp);
                (*newest, turn)
            }
        })
        .collect();
    keyed.sort_by_key(|(time, turn)| (*time, turn.position));
    keyed.into_iter().map(|(_, turn)| turn).collect()
}

pub(super) fn curve_point(model: &Model, turn: &ModelTurn) -> Option<CurvePoint> {
    let session = model.sessions.get(turn.home)?;
    Some(CurvePoint {
        store_key: session.store_key().to_owned(),
        seq: session.seq(turn.at),
        timestamp: turn.timestamp,
        context: turn.usage.context(),
    })
}
