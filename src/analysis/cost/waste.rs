use super::TurnCost;
use super::spend::Spend;
use crate::analysis::attempts::{Attempt, Attempts, Begun};
use crate::analysis::{Selection, TimeRange};
use crate::session::{Model, ModelTurn, SessionModel, Standing};
use serde::Serialize;

/// Spend that led nowhere (spec/cost.md, Views). One turn may be in several of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Waste {
    /// On branches that were abandoned.
    pub abandoned_branches: Spend,
    /// Of subagents that ended without a usable result: no result, an error, or an API error told as a result.
    pub killed_subagents: Spend,
    /// Of attempts that failed, their subagents included. No waste as such: where a later attempt resumed the session, the
    /// work lived on.
    pub failed_attempts: Spend,
    /// Of failed attempts that nobody went on with: the next one began in another session, or the step ended without an
    /// answer.
    pub lost_attempts: Spend,
    /// Of failed attempts whose step began again in another session instead of resuming: their work was done again.
    pub redone_after_restart: Spend,
}

/// The waste among the chosen turns.
pub(super) fn waste(
    model: &Model,
    selection: &Selection,
    attempts: &Attempts,
    costs: &[TurnCost],
    range: TimeRange,
) -> Waste {
    let redone = redone(attempts);
    let lost = lost(attempts);
    let failed: Vec<bool> = model.sessions.iter().map(|session| ended_without_result(model, session)).collect();
    let mut waste = Waste::default();
    let turns = model.usage.turns.iter().zip(costs);
    for (turn, cost) in turns.filter(|(turn, cost)| selection.has(turn.home) && range.holds(cost.at)) {
        if abandoned(model, turn) {
            waste.abandoned_branches.add(turn, cost);
        }
        if failed.get(turn.home) == Some(&true) {
            waste.killed_subagents.add(turn, cost);
        }
        let Some(index) = attempts.of_entry(turn.home, turn.at, cost.at) else { continue };
        if attempts.all.get(index).is_some_and(Attempt::has_failed) {
            waste.failed_attempts.add(turn, cost);
        }
        if lost.get(index) == Some(&true) {
            waste.lost_attempts.add(turn, cost);
        }
        if redone.get(index) == Some(&true) {
            waste.redone_after_restart.add(turn, cost);
        }
    }
    waste
}

/// For each attempt whether its work was done again: it failed, and a later attempt of its step began anew in another
/// session. An attempt that ended well handed over instead.
fn redone(attempts: &Attempts) -> Vec<bool> {
    let mut redone = vec![false; attempts.all.len()];
    for (first, group) in attempts.groups() {
        let mut begun_anew = false;
        for (attempt, redone) in group.iter().zip(redone.iter_mut().skip(first)).rev() {
            begun_anew &= attempt.has_failed();
            *redone = begun_anew;
            begun_anew |= attempt.begun == Begun::Restarted;
        }
    }
    redone
}

/// For each attempt whether it failed and its work was lost.
fn lost(attempts: &Attempts) -> Vec<bool> {
    let mut lost = vec![false; attempts.all.len()];
    for (first, group) in attempts.groups() {
        let mut goes_on = false;
        for (attempt, lost) in group.iter().zip(lost.iter_mut().skip(first)).rev() {
            let survives = goes_on || !attempt.has_failed();
            *lost = !survives;
            goes_on = survives && attempt.begun == Begun::Resumed;
        }
    }
    lost
}

fn abandoned(model: &Model, turn: &ModelTurn) -> bool {
    let home = model.sessions.get(turn.home);
    home.is_some_and(|home| home.chain.standing[turn.at] == Standing::Branch)
}

/// A subagent whose starting call has no result, an error, or in its place the text of an API error
/// (spec/errors.md, What errors look like).
fn ended_without_result(model: &Model, session: &SessionModel) -> bool {
    let Some(agent) = &session.agent else { return false };
    let Some((spawn, id)) = agent.spawn.as_ref().zip(agent.metadata.tool_use_id.as_ref()) else { return false };
    let starter = model.session(&spawn.store_key).map(|starter| starter.calls.as_slice()).unwrap_or_default();
    let from = starter.partition_point(|call| call.at < spawn.at);
    let same_entry = starter.get(from..).unwrap_or_default().iter().take_while(|call| call.at == spawn.at);
    let mut call = same_entry.filter(|call| call.id.as_ref() == Some(id));
    call.next().is_some_and(|call| match &call.answer {
        None => true,
        Some(answer) => answer.is_error || answer.excerpt.starts_with("API Error:"),
    })
}
