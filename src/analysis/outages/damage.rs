//! What an outage cost: attempts that failed in it, subagents that it killed.

use super::episode::Episode;
use crate::analysis::cost::{Spend, TurnCost};
use crate::analysis::{Attempts, Failures, Outcome, Outcomes, Source};
use crate::run_dir::Kind;
use crate::session::Model;
use std::collections::{BTreeMap, BTreeSet};

/// Spend of every attempt and of every session.
pub(super) struct Spent {
    pub(super) attempts: Vec<Spend>,
    pub(super) sessions: Vec<Spend>,
}

impl Spent {
    pub(super) fn new(model: &Model, attempts: &Attempts, costs: &[TurnCost]) -> Self {
        let mut sessions = vec![Spend::default(); model.sessions.len()];
        for (turn, cost) in model.usage.turns.iter().zip(costs) {
            if let Some(own) = sessions.get_mut(turn.home) {
                own.add(turn, cost);
            }
        }
        Self { attempts: attempts.spends(model, costs), sessions }
    }
}

/// Who was hit by an episode, and how it went on for each.
#[derive(Debug, Default)]
pub(super) struct Damage {
    /// By session: the outcome of its last failure in the episode.
    pub(super) threads: BTreeMap<usize, Outcome>,
    /// Attempts in which something failed, by index.
    pub(super) attempts: BTreeSet<usize>,
    /// Of them, the ones that it ended.
    pub(super) failed: BTreeMap<usize, Outcome>,
    /// Subagents that never answered again.
    pub(super) lost_subagents: Vec<usize>,
}

impl Damage {
    pub(super) fn of(
        episode: &Episode,
        model: &Model,
        failures: &Failures,
        attempts: &Attempts,
        outcomes: &Outcomes<'_>,
    ) -> Self {
        let mut damage = Self::default();
        for (index, failure) in episode.failures.iter().filter_map(|index| Some((*index, failures.all.get(*index)?))) {
            let outcome = outcomes.of_thread(failure);
            damage.threads.insert(failure.session, outcome);
            let Some(attempt) = attempts.of_entry(failure.session, failure.at, failure.timestamp) else { continue };
            damage.attempts.insert(attempt);
            let ended_it = attempts.all.get(attempt).is_some_and(|attempt| attempt.failure == Some(index));
            if ended_it && failure.source != Source::AgentResult {
                damage.failed.insert(attempt, outcome);
            }
        }
        let is_subagent = |at: &usize| model.sessions.get(*at).is_some_and(|session| session.kind() == Kind::Subagent);
        let lost = damage.threads.iter().filter(|(at, outcome)| **outcome == Outcome::Final && is_subagent(at));
        damage.lost_subagents = lost.map(|(at, _)| *at).collect();
        damage
    }

    /// Spend of the attempts that failed.
    pub(super) fn failed_spend(&self, spent: &Spent) -> Spend {
        self.failed.keys().filter_map(|attempt| spent.attempts.get(*attempt)).copied().sum()
    }

    /// Spend whose work nobody went on with: of attempts that were not resumed, and of subagents that were lost in others.
    pub(super) fn lost_spend(&self, spent: &Spent, attempts: &Attempts) -> Spend {
        let lost: BTreeSet<usize> = self
            .failed
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Outcome::Restarted | Outcome::Final))
            .map(|(attempt, _)| *attempt)
            .collect();
        let whole = lost.iter().filter_map(|attempt| spent.attempts.get(*attempt));
        let lost_mains: BTreeSet<usize> =
            lost.iter().filter_map(|attempt| attempts.all.get(*attempt)?.session).collect();
        let others = self.lost_subagents.iter().filter(|at| !lost_mains.contains(&attempts.main_of(**at)));
        let parts = others.filter_map(|at| spent.sessions.get(*at));
        whole.chain(parts).copied().sum()
    }
}
