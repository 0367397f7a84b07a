use super::pairing::{Pair, pairs};
use super::segment::{Segment, segments};
use super::steps_of::{Owner, StepsOf};
use super::{Attempt, Begun, Ending, KnownBy, Wait};
use crate::analysis::{Basis, Evidence, FailureKind, Failures, judge};
use crate::run_dir::{Kind as KeyKind, Manifest, ManifestRow, StoreKey};
use crate::session::{Ix, Model};
use crate::unit::{Span, Timestamp};
use std::collections::{BTreeMap, HashMap};

/// How much of a wait may be the start of the CLI, at most. Less than flower lets pass between two probes: a start that was
/// slow once must not hide that it waited for the network.
const LONGEST_START_UP: Span = Span::from_millis(10_000);

/// Every attempt of every step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Attempts of one step stand together, in order; steps by their first sign of life.
    pub all: Vec<Attempt>,
    by_session: HashMap<usize, Vec<usize>>,
    main_of: Vec<usize>,
}

/// Rebuilds the attempts (spec/errors.md, Retries): the transcripts tell when and how each went, the manifest which step it
/// was and why it failed.
pub fn attempts(model: &Model, manifest: Option<&Manifest>, failures: &Failures) -> Attempts {
    let nothing = Manifest::default();
    let manifest = manifest.unwrap_or(&nothing);
    let steps = StepsOf::new(manifest);
    let mut owned: BTreeMap<Owner, Vec<Segment>> = BTreeMap::new();
    for segment in segments(model, failures, &steps) {
        let session = model.sessions.get(segment.session).map(|session| StoreKey::parse(session.store_key()).session);
        owned.entry(steps.of(session.unwrap_or_default(), segment.start)).or_default().push(segment);
    }
    let mut groups: Vec<Vec<Attempt>> = Vec::new();
    for (at, row) in manifest.rows.iter().enumerate() {
        let mut own = owned.remove(&Owner::Row(at)).unwrap_or_default();
        let guessed = owned.remove(&Owner::ByTime(at)).unwrap_or_default();
        let guessed_sessions: Vec<usize> = guessed.iter().map(|segment| segment.session).collect();
        own.extend(guessed);
        let mut group = of_row(at, row, joined(ordered(own), row.attempts), failures);
        for attempt in &mut group {
            let is_guess = attempt.session.is_some_and(|session| guessed_sessions.binary_search(&session).is_ok());
            attempt.known_by = if is_guess { KnownBy::Guess } else { attempt.known_by };
        }
        groups.push(group);
    }
    for (owner, segments) in owned {
        let step = match owner {
            Owner::Outside(row) => manifest.rows.get(row).map(|row| row.step.clone()),
            Owner::Row(_) | Owner::ByTime(_) | Owner::None => None,
        };
        groups.extend(without_row(step.as_ref(), segments, failures));
    }
    groups.sort_by_key(|group| group.iter().find_map(|attempt| attempt.start));
    Attempts::new(model, groups.into_iter().flatten().collect())
}

/// Segments in the order in which they ran. In one session the sequence number tells, whatever its clock says; time only
/// puts sessions beside each other.
fn ordered(mut segments: Vec<Segment>) -> Vec<Segment> {
    segments.sort_by_key(|segment| (segment.session, segment.first));
    let mut before: Option<(usize, Option<Timestamp>)> = None;
    let reached = |segment: Segment| {
        let earlier = before.filter(|(session, _)| *session == segment.session).and_then(|(_, reached)| reached);
        let reached = segment.start.max(earlier);
        before = Some((segment.session, reached));
        (reached, segment)
    };
    let mut reached: Vec<_> = segments.into_iter().map(reached).collect();
    reached.sort_by_key(|(reached, segment)| (*reached, segment.session, segment.first));
    reached.into_iter().map(|(_, segment)| segment).collect()
}

/// Segments after an answer belong to the same attempt: somebody said more, nothing was tried again. A cut stream passes
/// as an answer; what follows it is a new attempt where the manifest counts several.
fn joined(segments: Vec<Segment>, claimed: Option<u64>) -> Vec<Segment> {
    let retried = claimed.is_some_and(|attempts| attempts > 1);
    let is_over = |last: &Segment| last.ending == Ending::Answered && !(retried && last.failure.is_some());
    let mut joined: Vec<Segment> = Vec::new();
    for segment in segments {
        match joined.last_mut().filter(|last| is_over(last) && last.session == segment.session) {
            Some(last) => {
                let ahead = last.ahead.max(segment.ahead);
                *last = Segment { first: last.first, start: last.start, follows: last.follows, ahead, ..segment };
            }
            None => joined.push(segment),
        }
    }
    joined
}

fn of_row(at: usize, row: &ManifestRow, segments: Vec<Segment>, failures: &Failures) -> Vec<Attempt> {
    let same_count = row.attempts.and_then(|n| usize::try_from(n).ok()) == Some(segments.len());
    let said = |segment: &Segment| failures.all.get(segment.failure?).map(|failure| &*failure.text);
    let segments = segments.into_iter().map(|segment| (segment, said(&segment))).collect();
    let pairs = pairs(row, segments);
    let last = pairs.len().saturating_sub(1);
    let mut group = Vec::new();
    for (i, pair) in pairs.into_iter().enumerate() {
        let known_by = match (&pair.segment, same_count) {
            (None, _) => KnownBy::Manifest,
            (Some(_), true) => KnownBy::Both,
            (Some(_), false) => KnownBy::Transcript,
        };
        let gave_up = i == last && row.ok == Some(false);
        let tried_again = i < last && pair.segment.is_none_or(|segment| segment.failure.is_some());
        let failed = pair.error.is_some() || gave_up || tried_again;
        let attempt = Attempt {
            step: Some(row.step.clone()),
            run: row.run.clone(),
            row: Some(at),
            known_by,
            ..described(pair, group.last(), failed, failures)
        };
        let begun = begun(&attempt, group.last(), row.resumed);
        group.push(Attempt { begun, ..attempt });
    }
    let start_up = group.first().and_then(|first| Some(first.start?.since(row.started_at?)));
    with_waits(group, start_up.filter(|span| *span >= Span::default()).map(|span| span.min(LONGEST_START_UP)))
}

/// How an attempt came about where the transcript does not tell: an attempt that left no entry is resumed or not as the
/// manifest says; without its word, one that begins its session begins again.
fn begun(attempt: &Attempt, before: Option<&Attempt>, resumed: Option<bool>) -> Begun {
    let untold = before.is_some_and(|before| attempt.session.is_none() || before.session.is_none());
    match (attempt.begun, resumed) {
        (Begun::Restarted, Some(true)) if untold => Begun::Resumed,
        (Begun::Restarted, None) if attempt.session.is_none() => Begun::Resumed,
        (begun, _) => begun,
    }
}

/// Attempts of processes that left no row: each that begins after an answer is a try of its own.
fn without_row(step: Option<&String>, segments: Vec<Segment>, failures: &Failures) -> Vec<Vec<Attempt>> {
    let mut groups: Vec<Vec<Attempt>> = Vec::new();
    for segment in segments {
        let pair = Pair { segment: Some(segment), error: None };
        let goes_on = |last: &Attempt| last.has_failed() && last.session == Some(segment.session);
        let known_by = if step.is_some() { KnownBy::Guess } else { KnownBy::Transcript };
        let failed = segment.ending != Ending::Answered;
        let open = groups.last_mut().filter(|group| group.last().is_some_and(goes_on));
        let before = open.as_ref().and_then(|group| group.last());
        let attempt = Attempt { step: step.cloned(), known_by, ..described(pair, before, failed, failures) };
        match open {
            Some(group) => group.push(attempt),
            None => groups.push(vec![attempt]),
        }
    }
    groups.into_iter().map(|group| with_waits(group, None)).collect()
}

/// An attempt without the step that it belongs to.
fn described(pair: Pair, before: Option<&Attempt>, failed: bool, failures: &Failures) -> Attempt {
    let Pair { segment, error } = pair;
    let told = error.as_deref().map(|error| judge(&Evidence::text(error)));
    let is_killed = told.as_ref().is_some_and(|told| told.kind == FailureKind::Killed);
    let ending = match segment.map(|segment| segment.ending) {
        Some(Ending::Answered) | None if is_killed => Ending::Unfinished,
        Some(Ending::Answered) | None if failed => Ending::Failed,
        Some(ending) => ending,
        None => Ending::Answered,
    };
    // That a stream was cut tells why an attempt failed; that it failed, it does not tell.
    let failure = segment.and_then(|segment| segment.failure).filter(|_| ending != Ending::Answered);
    let recorded = failure.and_then(|failure| failures.all.get(failure));
    // What the transcript records beats what the manifest says, unless it only tells by what is missing.
    let (kind, basis) = match (recorded, told) {
        (Some(recorded), Some(told)) if recorded.judged.basis != Basis::Fields && told.kind != FailureKind::Unknown => {
            (Some(told.kind), told.basis)
        }
        (Some(recorded), _) => (Some(recorded.judged.kind), recorded.judged.basis),
        (None, Some(told)) => (Some(told.kind), told.basis),
        (None, None) if ending == Ending::Unfinished => (Some(FailureKind::Killed), Basis::Absence),
        (None, None) if ending == Ending::Answered => (None, Basis::Nothing),
        (None, None) => (Some(FailureKind::Unknown), Basis::Nothing),
    };
    let session = segment.map(|segment| segment.session);
    Attempt {
        step: None,
        run: None,
        row: None,
        session,
        n: before.map_or(1, |before| before.n.saturating_add(1)),
        first: segment.map(|segment| segment.first),
        start: segment.and_then(|segment| segment.start),
        ahead: segment.and_then(|segment| segment.ahead),
        end: segment.and_then(|segment| segment.end),
        ending,
        failure,
        reason: error,
        kind,
        basis,
        begun: match (segment, before) {
            (Some(segment), _) if segment.follows => Begun::Resumed,
            (_, Some(_)) => Begun::Restarted,
            (_, None) => Begun::First,
        },
        known_by: KnownBy::Transcript,
        wait: None,
    }
}

fn with_waits(mut group: Vec<Attempt>, start_up: Option<Span>) -> Vec<Attempt> {
    let next: Vec<Attempt> = group.iter().skip(1).cloned().collect();
    for (attempt, next) in group.iter_mut().zip(next) {
        attempt.wait = Wait::between(attempt, &next, start_up);
    }
    group
}

impl Attempts {
    fn new(model: &Model, all: Vec<Attempt>) -> Self {
        let mut by_session: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, attempt) in all.iter().enumerate() {
            by_session.entry(attempt.session.unwrap_or(usize::MAX)).or_default().push(at);
        }
        for own in by_session.values_mut() {
            own.sort_by_key(|at| all.get(*at).map(|attempt| (attempt.first, attempt.start)));
        }
        let mains: HashMap<(&str, &str), usize> = model
            .sessions
            .iter()
            .enumerate()
            .filter(|(_, session)| session.kind() == KeyKind::Main)
            .map(|(at, session)| (StoreKey::parse(session.store_key()), at))
            .map(|(key, at)| ((key.project, key.session), at))
            .collect();
        let main_of = model.sessions.iter().enumerate().map(|(at, session)| {
            let key = StoreKey::parse(session.store_key());
            mains.get(&(key.project, key.session)).copied().unwrap_or(at)
        });
        Self { main_of: main_of.collect(), by_session, all }
    }

    /// The main thread of a session, by index; of a main thread itself.
    pub fn main_of(&self, session: usize) -> usize {
        self.main_of.get(session).copied().unwrap_or(session)
    }

    /// The attempt, by index, in which an entry was written: in a main thread by its place, in a subagent by its time; what a
    /// subagent wrote before all of them, by a clock that went back, was written in the first.
    pub fn of_entry(&self, session: usize, at: Ix, timestamp: Option<Timestamp>) -> Option<usize> {
        let main = self.main_of(session);
        let own = self.by_session.get(&main)?;
        let attempt = |index: &usize| self.all.get(*index);
        let begun = if main == session {
            own.partition_point(|index| attempt(index).is_some_and(|attempt| attempt.first <= Some(at)))
        } else {
            let timestamp = timestamp?;
            let is_before = |a: &Attempt| a.start.is_none_or(|start| start <= timestamp);
            own.partition_point(|index| attempt(index).is_some_and(is_before)).max(1)
        };
        own.get(begun.checked_sub(1)?).copied()
    }

    /// The attempt after this one of the same step.
    pub fn next(&self, index: usize) -> Option<&Attempt> {
        self.all.get(index.saturating_add(1)).filter(|attempt| attempt.n > 1)
    }

    /// The attempts after this one of the same step.
    pub fn after(&self, index: usize) -> &[Attempt] {
        let later = self.all.get(index.saturating_add(1)..).unwrap_or_default();
        let same = later.iter().take_while(|attempt| attempt.n > 1).count();
        later.get(..same).unwrap_or_default()
    }

    /// The attempts of one step after another, with the index of the first.
    pub fn groups(&self) -> impl Iterator<Item = (usize, &[Attempt])> {
        let mut at = 0;
        self.all.chunk_by(|a, b| b.n == a.n.saturating_add(1)).map(move |group| {
            let first = at;
            at += group.len();
            (first, group)
        })
    }
}
