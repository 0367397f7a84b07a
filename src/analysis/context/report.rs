use super::super::curve::{CurvePoint, curve_point, turns_in_order};
use super::super::steps::{sessions_of, step_name};
use super::super::{LeftOut, Selection, TimeRange};
use super::drop_cause::{Causes, DropCause, Known};
use super::fill::{Fill, FillSums};
use super::threads::{Setting, ThreadContext, automatic_compactions, thread};
use crate::run_dir::{Kind, Manifest, StoreKey};
use crate::session::{Model, ModelTurn, SessionModel};
use crate::unit::{Timestamp, Tokens};
use foldhash::HashMap;
use serde::Serialize;

/// A fall to under nine tenths is told whatever lies before it: a context that nobody touches only grows.
const TOLD: (u64, u64) = (9, 10);

/// The context of the chosen main threads; of subagents only where no main thread is chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextReport {
    /// The time of the points and falls. Threads, and what fills them, are always those of the whole run.
    pub range: TimeRange,
    /// Points that it leaves out.
    pub points_left_out: LeftOut,
    /// One point for every model turn, in the order in which they were written.
    pub points: Vec<CurvePoint>,
    /// Where the context fell.
    pub drops: Vec<ContextDrop>,
    /// The threads in the order of their first turns.
    pub threads: Vec<ThreadContext>,
    /// What fills all of them together.
    pub fill: Fill,
}

/// A fall of the context below that of the turn before in the same thread; of the first turn of a thread below that of the
/// thread that was handed over, or else wrote before. Told if it is to under nine tenths, or by any amount where a
/// compaction or a handoff lies between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextDrop {
    /// The point after the fall, counted from 0.
    pub point: usize,
    /// Its session.
    pub store_key: String,
    /// Its entry.
    pub seq: i64,
    /// Its time.
    pub timestamp: Option<Timestamp>,
    /// Context before.
    pub from: Tokens,
    /// Context after.
    pub to: Tokens,
    /// What lies between the two points.
    pub cause: DropCause,
    /// Whether the cause stands in the evidence.
    pub known: Known,
}

/// The context of the chosen threads; `window` overrides the window of every model.
pub fn context(
    model: &Model,
    selection: &Selection,
    manifest: Option<&Manifest>,
    window: Option<Tokens>,
) -> ContextReport {
    let is_main = |session: &SessionModel| session.kind() != Kind::Subagent;
    let any_main = selection.sessions(model).any(|(_, session)| is_main(session));
    let wanted =
        |at: usize| selection.has(at) && model.sessions.get(at).is_some_and(|session| is_main(session) || !any_main);
    let turns = turns_in_order(model, wanted);
    let causes = Causes::of(manifest);
    let mut report = ContextReport::default();
    let mut by_thread: HashMap<usize, Vec<(&ModelTurn, Option<DropCause>)>> = HashMap::default();
    let mut order = Vec::new();
    for (point, turn) in turns.iter().enumerate() {
        // Threads may take turns: each is compared with itself, and its first turn with what it takes over from.
        let own = by_thread.get(&turn.home).and_then(|own| own.last());
        let last = own.map(|(last, _)| *last).or_else(|| {
            let handed = causes.handed_from(model, turn.home).and_then(|home| by_thread.get(&home)?.last());
            handed.map(|(last, _)| *last).or_else(|| turns.get(point.checked_sub(1)?).copied())
        });
        let drop = last.and_then(|last| drop_between(model, &causes, last, turn, point));
        let own = by_thread.entry(turn.home).or_insert_with(|| {
            order.push(turn.home);
            Vec::new()
        });
        own.push((turn, drop.as_ref().map(|drop| drop.cause)));
        report.drops.extend(drop);
        report.points.extend(curve_point(model, turn));
    }
    let setting = Setting { given_window: window, compactions: automatic_compactions(model, &turns) };
    let steps = steps_by_session(manifest);
    let mut all = FillSums::default();
    for home in order {
        let (Some(session), Some(turns)) = (model.sessions.get(home), by_thread.get(&home)) else { continue };
        let mut fill = FillSums::default();
        fill.add(session);
        all.join(&fill);
        let steps = steps.get(StoreKey::parse(session.store_key()).session).cloned().unwrap_or_default();
        report.threads.extend(thread(session, turns, &fill, &setting).map(|thread| ThreadContext { steps, ..thread }));
    }
    report.fill = all.fill(report.threads.iter().map(|thread| thread.last).sum());
    report
}

impl ContextReport {
    /// The same with the points and falls of a range alone.
    #[must_use]
    pub fn within(mut self, range: TimeRange) -> Self {
        self.range = range;
        let left_out = &mut self.points_left_out;
        let mut kept = 0;
        let places: Vec<Option<usize>> = self
            .points
            .iter()
            .map(|point| {
                let place = left_out.takes(range, point.timestamp).then_some(kept);
                kept += usize::from(place.is_some());
                place
            })
            .collect();
        let place = |point: usize| places.get(point).copied().flatten();
        let drops = std::mem::take(&mut self.drops).into_iter();
        self.drops = drops.filter_map(|drop| place(drop.point).map(|point| ContextDrop { point, ..drop })).collect();
        self.points.retain(|point| range.holds(point.timestamp));
        self
    }
}

fn drop_between(
    model: &Model,
    causes: &Causes<'_>,
    last: &ModelTurn,
    turn: &ModelTurn,
    point: usize,
) -> Option<ContextDrop> {
    let (from, to) = (last.usage.context(), turn.usage.context());
    if to >= from {
        return None;
    }
    let cause = causes.between(model, last, turn);
    let (part, whole) = TOLD;
    let is_deep = to.0.saturating_mul(whole) < from.0.saturating_mul(part);
    if !is_deep && !matches!(cause, DropCause::Compaction | DropCause::Handoff) {
        return None;
    }
    let at = curve_point(model, turn)?;
    let CurvePoint { store_key, seq, timestamp, .. } = at;
    Some(ContextDrop { point, store_key, seq, timestamp, from, to, cause, known: cause.known() })
}

fn steps_by_session(manifest: Option<&Manifest>) -> HashMap<&str, Vec<String>> {
    let mut steps: HashMap<&str, Vec<String>> = HashMap::default();
    for row in manifest.iter().flat_map(|manifest| &manifest.rows) {
        for session in sessions_of(row) {
            steps.entry(session).or_default().push(step_name(row));
        }
    }
    steps
}
