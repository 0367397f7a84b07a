use super::{Ladder, ladders};
use crate::analysis::cost::Spend;
use crate::analysis::{
    Attempt, Attempts, Basis, Begun, Ending, FailureClass, FailureKind, Failures, KnownBy, LeftOut, Selection,
    TimeRange, Wait, WaitVerdict,
};
use crate::run_dir::Manifest;
use crate::run_dir::names::MANIFEST;
use crate::session::{Backoff, Model};
use crate::unit::{Diagnosis, Finding, Level, Place, Span, Timestamp};
use serde::Serialize;
use strum::IntoStaticStr;
use thiserror::Error;

/// Attempts and retries of the chosen sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Retries {
    /// The time that is looked at. What it meets is told whole, with all its money.
    pub range: TimeRange,
    /// Attempts that it leaves out.
    pub attempts_left_out: LeftOut,
    /// Ladders of the CLI's own retries that it leaves out.
    pub ladders_left_out: LeftOut,
    /// The attempts of each step, in order.
    pub attempts: Vec<AttemptRow>,
    /// The CLI's own retries.
    pub ladders: Vec<Ladder>,
    /// Sums.
    pub totals: RetriesTotals,
}

/// Sums over all attempts and retries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RetriesTotals {
    /// Attempts.
    pub attempts: usize,
    /// Attempts that did not end with an answer.
    pub failed: usize,
    /// Attempts after a failure that trying again could not help.
    pub hopeless: usize,
    /// Time between attempts.
    pub waited_s: Span,
    /// Time that the CLI announced to wait.
    pub cli_waited_s: Span,
    /// Time that failed attempts took.
    pub failed_s: Span,
    /// Spend of failed attempts; where they were resumed, their work was not lost.
    pub failed_spend: Spend,
    /// Spend of the attempts that could not help.
    pub hopeless_spend: Spend,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttemptRow {
    /// The step; null where no row of the manifest fits.
    pub step: Option<String>,
    /// The process that ran the step.
    pub run: Option<String>,
    /// Which attempt of the step in this run, from 1.
    pub attempt: u32,
    /// The main thread; null where only the manifest knows the attempt.
    pub store_key: Option<String>,
    /// Its first entry.
    pub seq: Option<i64>,
    /// First sign of life.
    pub started_at: Option<Timestamp>,
    /// Last sign of life.
    pub ended_at: Option<Timestamp>,
    /// Time between the two.
    pub lasted_s: Option<Span>,
    /// How it came about.
    pub begun: Begun,
    /// How it ended.
    pub ending: Ending,
    /// What failed.
    pub kind: Option<FailureKind>,
    /// Whether trying again can help.
    pub class: Option<FailureClass>,
    /// How the kind is known.
    pub basis: Basis,
    /// Why it failed.
    pub error: Option<String>,
    /// The wait before the next attempt of the step; null for the last one, and where a time is missing.
    pub wait: Option<Wait>,
    /// It could not help: the failure before it was of a kind that stays.
    pub hopeless: bool,
    /// Who tells of it.
    pub known_by: KnownBy,
    /// What it cost.
    pub spend: Spend,
}

/// What is wrong with how often and when something was tried.
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RetryFinding {
    /// A retry that could not help.
    #[error("attempt {attempt} of {step} came after {kind}, which trying again does not change")]
    HopelessRetry {
        /// The step.
        step: String,
        /// Which.
        attempt: u32,
        /// The failure before.
        kind: FailureKind,
    },
    /// Two attempts overlap.
    #[error("attempt {attempt} of {step} began before the one before it had ended: two processes, or wrong clocks")]
    AttemptsOverlap {
        /// The step.
        step: String,
        /// Which.
        attempt: u32,
    },
    /// Longer than flower ever waits.
    #[error(
        "attempt {attempt} of {step} came {waited} after the one before it; flower waits for the network an hour at most: somebody started it again, or a clock was wrong"
    )]
    WaitTooLong {
        /// The step.
        step: String,
        /// Which.
        attempt: u32,
        /// The wait.
        waited: Span,
    },
    /// The manifest counts other attempts than the transcripts show.
    #[error("the manifest counts {claimed} attempts of {step}, the transcripts show {found}")]
    AttemptsDiffer {
        /// The step.
        step: String,
        /// As recorded.
        claimed: u64,
        /// As found.
        found: usize,
    },
    /// Entries that are dated after the end of their step.
    #[error(
        "entries of attempt {attempt} of {step} are dated after the end of the step, up to {latest}: a clock was wrong; these times count for nothing"
    )]
    DatedAfterEnd {
        /// The step.
        step: String,
        /// Which.
        attempt: u32,
        /// The latest of them.
        latest: Timestamp,
    },
    /// More attempts than flower makes.
    #[error("{attempts} attempts of {step}; flower makes {} at most", Backoff::FLOWER.attempts)]
    TooManyAttempts {
        /// The step.
        step: String,
        /// How many.
        attempts: usize,
    },
}

impl Diagnosis for RetryFinding {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::AttemptsDiffer { .. } => Level::Info,
            Self::HopelessRetry { .. }
            | Self::AttemptsOverlap { .. }
            | Self::WaitTooLong { .. }
            | Self::DatedAfterEnd { .. }
            | Self::TooManyAttempts { .. } => Level::Warning,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}

/// The attempts of the chosen sessions that a range meets; `spends` are theirs, in the order of all attempts.
pub fn retries(
    model: &Model,
    selection: &Selection,
    manifest: Option<&Manifest>,
    failures: &Failures,
    attempts: &Attempts,
    spends: &[Spend],
    range: TimeRange,
) -> (Retries, Vec<Finding>) {
    let chosen = |attempt: &Attempt| attempt.session.map_or(selection.prefix().is_none(), |at| selection.has(at));
    let mut result = Retries { range, ladders: ladders(model, selection, failures, attempts), ..Retries::default() };
    let left_out = &mut result.ladders_left_out;
    result.ladders.retain(|ladder| left_out.takes_span(range, ladder.started_at, ladder.ended_at));
    let mut findings = Vec::new();
    for (first, group) in attempts.groups().filter(|(_, group)| group.iter().any(chosen)) {
        let mut before: Option<&Attempt> = None;
        let told = result.attempts.len();
        for (at, attempt) in group.iter().enumerate() {
            let last = before.replace(attempt);
            if !result.attempts_left_out.takes_span(range, attempt.start, attempt.end) {
                continue;
            }
            let spend = spends.get(first + at).copied().unwrap_or_default();
            let hopeless = last.is_some_and(|before| was_hopeless(before, attempt, failures));
            result.attempts.push(row(model, failures, attempt, hopeless, spend));
            result.totals.add(attempt, hopeless, spend);
            findings.extend(last.and_then(|before| of_pair(model, manifest, before, attempt, hopeless)));
        }
        if result.attempts.len() > told {
            findings.extend(of_group(model, manifest, group));
        }
    }
    let announced = result.ladders.iter().map(|ladder| ladder.announced_wait_s.millis());
    result.totals.cli_waited_s = Span::from_millis(announced.fold(0, i64::saturating_add));
    (result, findings)
}

/// The failure before is of a kind that stays; a quota only until its reset.
fn was_hopeless(before: &Attempt, attempt: &Attempt, failures: &Failures) -> bool {
    let fatal = before.kind.is_some_and(|kind| kind.class() == FailureClass::Fatal);
    let failure = before.failure.and_then(|failure| failures.all.get(failure));
    let reset = failure.and_then(|failure| failure.judged.reset.as_ref()?.moment(failure.timestamp));
    let opened = reset.zip(attempt.start).is_some_and(|(reset, start)| start >= reset);
    fatal && !(before.kind == Some(FailureKind::Quota) && opened)
}

fn row(model: &Model, failures: &Failures, attempt: &Attempt, hopeless: bool, spend: Spend) -> AttemptRow {
    let session = attempt.session.and_then(|session| model.sessions.get(session));
    AttemptRow {
        step: attempt.step.clone(),
        run: attempt.run.clone(),
        attempt: attempt.n,
        store_key: session.map(|session| session.store_key().to_owned()),
        seq: session.zip(attempt.first).map(|(session, first)| session.seq(first)),
        started_at: attempt.start,
        ended_at: attempt.end,
        lasted_s: attempt.lasted(),
        begun: attempt.begun,
        ending: attempt.ending,
        kind: attempt.kind,
        class: attempt.kind.map(FailureKind::class),
        basis: attempt.basis,
        error: attempt.error(failures).map(ToOwned::to_owned),
        wait: attempt.wait,
        hopeless,
        known_by: attempt.known_by,
        spend,
    }
}

impl RetriesTotals {
    fn add(&mut self, attempt: &Attempt, hopeless: bool, spend: Spend) {
        let sum = |a: Span, b: Option<Span>| {
            Span::from_millis(a.millis().saturating_add(b.unwrap_or_default().millis().max(0)))
        };
        self.attempts += 1;
        self.waited_s = sum(self.waited_s, attempt.wait.map(|wait| wait.observed_s));
        if attempt.has_failed() {
            self.failed += 1;
            self.failed_s = sum(self.failed_s, attempt.lasted());
            self.failed_spend = self.failed_spend.plus(spend);
        }
        if hopeless {
            self.hopeless += 1;
            self.hopeless_spend = self.hopeless_spend.plus(spend);
        }
    }
}

fn of_pair(
    model: &Model,
    manifest: Option<&Manifest>,
    before: &Attempt,
    attempt: &Attempt,
    hopeless: bool,
) -> Option<Finding> {
    let (step, n) = (step_of(attempt), attempt.n);
    let found = match (before.kind.filter(|_| hopeless), before.wait) {
        (Some(kind), _) => RetryFinding::HopelessRetry { step, attempt: n, kind },
        (None, Some(wait)) if wait.verdict == WaitVerdict::Impossible => {
            RetryFinding::AttemptsOverlap { step, attempt: n }
        }
        (None, Some(wait)) if wait.is_beyond_limit() => {
            RetryFinding::WaitTooLong { step, attempt: n, waited: wait.observed_s }
        }
        (None, _) => return None,
    };
    Some(found.at(place(model, manifest, attempt)))
}

fn of_group(model: &Model, manifest: Option<&Manifest>, group: &[Attempt]) -> Vec<Finding> {
    let Some(first) = group.first() else { return Vec::new() };
    let step = || step_of(first);
    let row = first.row.and_then(|row| manifest?.rows.get(row));
    let found = group.iter().filter(|attempt| attempt.session.is_some()).count();
    // A process that was killed before its first entry leaves nothing but its reason.
    let is_silent = |attempt: &&Attempt| attempt.session.is_none() && attempt.kind == Some(FailureKind::Killed);
    let told = found + group.iter().filter(is_silent).count();
    let differs = row.and_then(|row| row.attempts).filter(|claimed| usize::try_from(*claimed) != Ok(told));
    let differs = differs.map(|claimed| {
        let found = RetryFinding::AttemptsDiffer { step: step(), claimed, found };
        found.at(place(model, manifest, first))
    });
    let most = usize::try_from(Backoff::FLOWER.attempts).unwrap_or(usize::MAX);
    let too_many = (group.len() > most).then(|| {
        RetryFinding::TooManyAttempts { step: step(), attempts: group.len() }.at(place(model, manifest, first))
    });
    let ahead = group.iter().filter_map(|attempt| {
        let found = RetryFinding::DatedAfterEnd { step: step(), attempt: attempt.n, latest: attempt.ahead? };
        Some(found.at(place(model, manifest, attempt)))
    });
    ahead.chain(differs).chain(too_many).collect()
}

fn step_of(attempt: &Attempt) -> String {
    attempt.step.clone().unwrap_or_else(|| "(no step)".to_owned())
}

/// The first entry of an attempt, and the row of its step.
fn place(model: &Model, manifest: Option<&Manifest>, attempt: &Attempt) -> Place {
    let session = attempt.session.and_then(|session| model.sessions.get(session));
    let line = attempt.row.and_then(|row| manifest?.rows.get(row)).map(|row| row.line);
    Place {
        file: line.map(|_| MANIFEST.to_owned()),
        line,
        store_key: session.map(|session| session.store_key().to_owned()),
        seq: session.zip(attempt.first).map(|(session, first)| session.seq(first)),
    }
}
