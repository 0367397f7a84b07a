use super::damage::{Damage, Spent};
use super::episode::{Episode, believed, episodes, is_of_outage};
use crate::analysis::cost::{Spend, TurnCost};
use crate::analysis::horizon::horizon;
use crate::analysis::layers::Answer;
use crate::analysis::{
    Attempt, Attempts, Evidence, Failure, FailureKind, Failures, Judge, KnownBy, LeftOut, NotJudged, Outcome, Outcomes,
    Resumable, Selection, Source, TimeRange, WaitVerdict, judge,
};
use crate::run_dir::Kind;
use crate::session::{Backoff, Call, Model};
use crate::unit::{Span, Timestamp};
use serde::Serialize;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The outages that hit chosen sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Outages {
    /// The time that is looked at. What it meets is told whole.
    pub range: TimeRange,
    /// Outages that it leaves out.
    pub outages_left_out: LeftOut,
    /// In the order of time.
    pub outages: Vec<Outage>,
    /// Failures of the service without a time, or with one years after everything else: they are in no outage.
    pub without_time: usize,
}

/// One episode in which the service or the way to it failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outage {
    /// First failure.
    pub first_failure: Timestamp,
    /// Last failure.
    pub last_failure: Timestamp,
    /// First answer after it, of any session; null if none came.
    pub first_success: Option<Timestamp>,
    /// From the first failure to the first success, or to the last failure.
    pub lasted_s: Span,
    /// Failures, those told twice counted once.
    pub failures: usize,
    /// Of them, retries that the CLI announced.
    pub cli_retries: usize,
    /// Kinds.
    pub kinds: Vec<FailureKind>,
    /// Steps that were hit.
    pub steps: Vec<String>,
    /// Threads that were hit.
    pub threads: Vec<HitThread>,
    /// Tool calls that ran when it began, or that it left without a result.
    pub calls_in_flight: Vec<InFlight>,
    /// Attempts that it ended.
    pub failed_attempts: usize,
    /// Time between those attempts and the next ones.
    pub waited_s: Span,
    /// Probes of the network in that time: an estimate from the part of the waits that the backoff does not explain.
    pub probes_likely: i64,
    /// Spend of the attempts that it ended; where they were resumed, their work was not lost.
    pub failed_spend: Spend,
    /// Spend whose work nobody went on with.
    pub lost_spend: Spend,
    /// Subagents that never answered again.
    pub lost_subagents: Vec<String>,
    /// Calls that it left without a result.
    pub orphan_calls: usize,
    /// How it ended for the main threads: the worst of them.
    pub ended: Outcome,
    /// Whether the main threads that were hit, themselves or a subagent of theirs, can be resumed now: the worst of them;
    /// null where the store has none of them.
    pub resumable: Option<Answer>,
}

/// A thread that was hit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HitThread {
    /// Session.
    pub store_key: String,
    /// It is a subagent.
    pub is_subagent: bool,
    /// How it went on.
    pub outcome: Outcome,
    /// Whether it can be resumed now; null for subagents, which are never resumed.
    pub resumable: Option<Resumable>,
}

/// A tool call during an outage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InFlight {
    /// Session.
    pub store_key: String,
    /// Entry with the call.
    pub seq: i64,
    /// Tool.
    pub tool: String,
    /// The telling part of its input.
    pub input: String,
    /// It got a result.
    pub answered: bool,
}

/// The outages that hit chosen sessions and that a range meets. `costs` are those of `model.usage.turns`, in their order; `resumable` is asked
/// once for each main thread that was hit.
pub fn outages(
    model: &Model,
    selection: &Selection,
    failures: &Failures,
    attempts: &Attempts,
    costs: &[TurnCost],
    resumable: &Judge<'_>,
    range: TimeRange,
) -> Result<Outages, NotJudged> {
    let episodes = episodes(model, failures);
    let outcomes = Outcomes::new(model, attempts);
    let spent = Spent::new(model, attempts, costs);
    let mut scene = Scene { model, failures, attempts, spent, resumable, verdicts: BTreeMap::new() };
    let mut outages_left_out = LeftOut::default();
    let mut outages = Vec::new();
    for episode in episodes.iter().filter(|episode| episode.hits(failures, selection)) {
        let damage = Damage::of(episode, model, failures, attempts, &outcomes);
        let end = episode.recovered.unwrap_or(episode.last);
        if outages_left_out.takes_span(range, Some(episode.first), Some(end)) {
            outages.push((scene.outage(episode, &damage)?, damage));
        }
    }
    in_flight(model, &mut outages);
    let horizon = horizon(model);
    let is_timeless = |failure: &&Failure| believed(failure, horizon).is_none() && is_of_outage(failure);
    let timeless = failures.all.iter().filter(is_timeless).count();
    // What only the manifest knows has no time of its own.
    let told = attempts.all.iter().filter(|attempt| attempt.known_by == KnownBy::Manifest);
    let told = told.filter_map(|attempt| attempt.reason.as_deref());
    let told = told.filter(|reason| judge(&Evidence::text(reason)).kind.is_of_the_service()).count();
    let outages = outages.into_iter().map(|(outage, _)| outage).collect();
    Ok(Outages { range, outages_left_out, outages, without_time: timeless + told })
}

/// Everything that is known of a store with outages.
struct Scene<'a> {
    model: &'a Model,
    failures: &'a Failures,
    attempts: &'a Attempts,
    spent: Spent,
    resumable: &'a Judge<'a>,
    /// Main threads that were judged, by index.
    verdicts: BTreeMap<usize, Resumable>,
}

impl Scene<'_> {
    fn outage(&mut self, episode: &Episode, damage: &Damage) -> Result<Outage, NotJudged> {
        let mains: BTreeSet<usize> = damage.threads.keys().map(|at| self.attempts.main_of(*at)).collect();
        for at in &mains {
            self.judge(*at)?;
        }
        let threads: Vec<HitThread> =
            damage.threads.iter().filter_map(|(at, outcome)| self.thread(*at, *outcome)).collect();
        let worst = threads.iter().filter(|thread| !thread.is_subagent).map(|thread| thread.outcome).max();
        let ended = || damage.failed.keys().filter_map(|attempt| self.attempts.all.get(*attempt));
        let waits = ended().filter_map(|attempt| attempt.wait).map(|wait| wait.observed_s.millis().max(0));
        let steps = damage.attempts.iter().filter_map(|attempt| self.attempts.all.get(*attempt)?.step.clone());
        let key = |at: &usize| self.model.sessions.get(*at).map(|session| session.store_key().to_owned());
        Ok(Outage {
            first_failure: episode.first,
            last_failure: episode.last,
            first_success: episode.recovered,
            lasted_s: episode.recovered.unwrap_or(episode.last).since(episode.first),
            failures: episode.failures.len(),
            cli_retries: episode.own(self.failures).filter(|failure| failure.source == Source::CliRetry).count(),
            kinds: episode.kinds(self.failures),
            steps: steps.collect::<BTreeSet<_>>().into_iter().collect(),
            calls_in_flight: Vec::new(),
            failed_attempts: damage.failed.len(),
            waited_s: Span::from_millis(waits.fold(0, i64::saturating_add)),
            probes_likely: ended().filter_map(probes).sum(),
            failed_spend: damage.failed_spend(&self.spent),
            lost_spend: damage.lost_spend(&self.spent, self.attempts),
            lost_subagents: damage.lost_subagents.iter().filter_map(key).collect(),
            orphan_calls: 0,
            ended: worst.or_else(|| threads.iter().map(|thread| thread.outcome).max()).unwrap_or(Outcome::Final),
            resumable: mains.iter().filter_map(|at| self.verdicts.get(at)).map(|judged| judged.verdict).max(),
            threads,
        })
    }

    /// Asks for the verdict on a session once; subagents are never resumed.
    fn judge(&mut self, at: usize) -> Result<(), NotJudged> {
        let session = self.model.sessions.get(at).filter(|session| session.kind() != Kind::Subagent);
        if let (Some(session), Entry::Vacant(place)) = (session, self.verdicts.entry(at)) {
            place.insert((self.resumable)(session)?);
        }
        Ok(())
    }

    fn thread(&self, at: usize, outcome: Outcome) -> Option<HitThread> {
        let session = self.model.sessions.get(at)?;
        Some(HitThread {
            store_key: session.store_key().to_owned(),
            is_subagent: session.kind() == Kind::Subagent,
            outcome,
            resumable: self.verdicts.get(&at).cloned(),
        })
    }
}

/// How often flower looked for the network before it went on: what of the wait the backoff does not explain.
fn probes(attempt: &Attempt) -> Option<i64> {
    let wait = attempt.wait.filter(|wait| wait.verdict == WaitVerdict::Longer)?;
    let explained = wait.longest_s?.millis().saturating_add(wait.start_up_s.unwrap_or_default().millis());
    let waited = wait.observed_s.millis().saturating_sub(explained).min(Backoff::OFFLINE.millis());
    (attempt.kind == Some(FailureKind::Network)).then_some(waited / Backoff::PROBE.millis())
}

/// Gives each call to the first outage that it met: one that began while it ran, or that left it without a result.
fn in_flight(model: &Model, outages: &mut [(Outage, Damage)]) {
    for (at, session) in model.sessions.iter().enumerate() {
        for call in &session.calls {
            let time = |ix| session.entry(ix).and_then(|entry| entry.timestamp);
            let Some(called) = time(call.at) else { continue };
            let answered = call.answer.as_ref().map(|answer| time(answer.at));
            let met = match answered {
                Some(None) => None,
                Some(Some(answered)) => {
                    let index = outages.partition_point(|(outage, _)| outage.first_failure < called);
                    outages.get_mut(index).filter(|(outage, _)| outage.first_failure < answered)
                }
                None => {
                    let index = outages.partition_point(|(outage, _)| outage.last_failure < called);
                    outages.get_mut(index).filter(|(_, damage)| damage.threads.contains_key(&at))
                }
            };
            if let Some((outage, _)) = met {
                outage.orphan_calls += usize::from(call.answer.is_none());
                outage.calls_in_flight.push(shown(session.store_key(), session.seq(call.at), call));
            }
        }
    }
}

fn shown(store_key: &str, seq: i64, call: &Call) -> InFlight {
    InFlight {
        store_key: store_key.to_owned(),
        seq,
        tool: call.name.to_string(),
        input: call.input.to_string(),
        answered: call.answer.is_some(),
    }
}
