use crate::analysis::{Attempts, FailureKind, Failures, Selection, Source};
use crate::session::{Ix, Model, SessionModel};
use crate::transcript::Retry;
use crate::unit::{Span, Timestamp};
use serde::Serialize;
use std::collections::BTreeSet;

/// Retries that the CLI announced one after another for the same request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ladder {
    /// Session.
    pub store_key: String,
    /// Its first entry.
    pub seq: i64,
    /// The step in which it happened.
    pub step: Option<String>,
    /// Which attempt of the step.
    pub attempt: Option<u32>,
    /// First failure.
    pub started_at: Option<Timestamp>,
    /// When it was over: the answer, or the final error.
    pub ended_at: Option<Timestamp>,
    /// Retries announced.
    pub retries: usize,
    /// How many the CLI would have made.
    pub max: Option<u64>,
    /// What it announced to wait altogether.
    pub announced_wait_s: Span,
    /// Kinds of its failures.
    pub kinds: Vec<FailureKind>,
    /// How it ended.
    pub end: LadderEnd,
}

/// How retries of the CLI ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum LadderEnd {
    /// With an answer.
    Recovered,
    /// With a final error.
    GaveUp,
    /// With neither: the process was stopped.
    Broken,
}

/// The CLI's retries of the chosen sessions (spec/errors.md, Retries).
pub fn ladders(model: &Model, selection: &Selection, failures: &Failures, attempts: &Attempts) -> Vec<Ladder> {
    let chosen = selection.sessions(model);
    chosen.flat_map(|(at, session)| of_session(at, session, failures, attempts)).collect()
}

fn of_session(at: usize, session: &SessionModel, failures: &Failures, attempts: &Attempts) -> Vec<Ladder> {
    let mut open: Option<(Ladder, u64, Ix)> = None;
    let mut closed: Vec<(Ladder, Ix)> = Vec::new();
    let announced =
        failures.of(at).filter(|(_, failure)| failure.source == Source::CliRetry && failure.repeats.is_none());
    for (_, failure) in announced {
        let entry = session.entry(failure.at);
        let retry = entry.and_then(|entry| entry.failure()?.retry).unwrap_or_default();
        let number = retry.attempt.unwrap_or(1);
        // The count begins again, or something else was written in between: another request.
        let goes_on = open.take_if(|(_, last, before)| number <= *last || is_over(session, *before, failure.at));
        closed.extend(goes_on.map(|(ladder, _, last)| (ladder, last)));
        let (ladder, last, before) = open.get_or_insert_with(|| {
            let attempt =
                attempts.of_entry(at, failure.at, failure.timestamp).and_then(|index| attempts.all.get(index));
            let step = attempt.and_then(|attempt| attempt.step.clone());
            (begun(session, failure.at, step, attempt.map(|attempt| attempt.n)), number, failure.at)
        });
        (*last, *before) = (number, failure.at);
        add(ladder, retry, failure.judged.kind, failure.timestamp);
    }
    closed.extend(open.map(|(ladder, _, last)| (ladder, last)));
    closed.into_iter().map(|(ladder, last)| ended(session, ladder, last)).collect()
}

fn begun(session: &SessionModel, at: Ix, step: Option<String>, attempt: Option<u32>) -> Ladder {
    Ladder {
        store_key: session.store_key().to_owned(),
        seq: session.seq(at),
        step,
        attempt,
        started_at: None,
        ended_at: None,
        retries: 0,
        max: None,
        announced_wait_s: Span::default(),
        kinds: Vec::new(),
        end: LadderEnd::Broken,
    }
}

fn add(ladder: &mut Ladder, retry: Retry, kind: FailureKind, at: Option<Timestamp>) {
    ladder.retries += 1;
    ladder.started_at = ladder.started_at.or(at);
    ladder.max = ladder.max.max(retry.max);
    let wait = retry.wait.unwrap_or_default().millis();
    ladder.announced_wait_s = Span::from_millis(ladder.announced_wait_s.millis().saturating_add(wait));
    let kinds: BTreeSet<FailureKind> = ladder.kinds.iter().copied().chain([kind]).collect();
    ladder.kinds = kinds.into_iter().collect();
}

/// An answer, an error or a prompt stands between two announcements.
fn is_over(session: &SessionModel, before: Ix, at: Ix) -> bool {
    let between = session.session.entries.get(before.position() + 1..at.position()).unwrap_or_default();
    between.iter().any(|entry| entry.is_answer() || entry.flags.api_error || entry.is_prompt())
}

fn ended(session: &SessionModel, ladder: Ladder, last: Ix) -> Ladder {
    let after = session.session.entries.get(last.position() + 1..).unwrap_or_default();
    let end = after.iter().find_map(|entry| match () {
        () if entry.is_answer() => Some((LadderEnd::Recovered, entry.timestamp)),
        () if entry.flags.api_error => Some((LadderEnd::GaveUp, entry.timestamp)),
        () if entry.is_prompt() || entry.is_retry_notice() => Some((LadderEnd::Broken, None)),
        () => None,
    });
    let (end, ended_at) = end.unwrap_or((LadderEnd::Broken, None));
    Ladder { ended_at, end, ..ladder }
}
