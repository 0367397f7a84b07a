use super::super::horizon::horizon;
use super::super::outages::episodes;
use super::super::sessions::description;
use super::super::steps::{sessions_of, step_name};
use super::super::tools::{FirstCopies, is_likely_denied};
use super::super::{Attempt, Ending, Failure, Failures, KnownBy, LeftOut, Selection, TimeRange, attempts, failures};
use super::activity::activity;
use super::events::{EventKind, TimelineEvent};
use super::span::{SpanKind, SpanOutcome, TimelineSpan, Unplaced};
use crate::run_dir::{Kind, Manifest, ManifestRow, StoreKey};
use crate::session::{Call, Ix, Model, SessionModel};
use crate::transcript::Entry;
use crate::unit::Timestamp;
use foldhash::HashMap;
use serde::Serialize;

/// The run on one axis. Spans and events stand in the order of time, then of the kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// The time that is looked at. What has no time is told in any.
    pub range: TimeRange,
    /// Spans that it leaves out.
    pub spans_left_out: LeftOut,
    /// Events that it leaves out.
    pub events_left_out: LeftOut,
    /// First moment of all; null without any.
    pub from: Option<Timestamp>,
    /// Last moment of all.
    pub to: Option<Timestamp>,
    /// What takes time.
    pub spans: Vec<TimelineSpan>,
    /// What happens at one moment.
    pub events: Vec<TimelineEvent>,
    /// What has no place on the axis, and why.
    pub unplaced: Vec<Unplaced>,
}

/// The chosen sessions and the steps that used them, on one axis.
pub fn timeline(model: &Model, selection: &Selection, manifest: Option<&Manifest>) -> Timeline {
    let mut timeline = Timeline::default();
    let keys: HashMap<&str, &str> = selection
        .sessions(model)
        .filter(|(_, session)| session.kind() == Kind::Main)
        .map(|(_, session)| (StoreKey::parse(session.store_key()).session, session.store_key()))
        .collect();
    let is_chosen =
        |row: &ManifestRow| selection.prefix().is_none() || sessions_of(row).any(|id| keys.contains_key(id.as_str()));
    let rows = manifest.map(|manifest| manifest.rows.as_slice()).unwrap_or_default();
    rows.iter().filter(|row| is_chosen(row)).for_each(|row| timeline.step(row, &keys));
    let failures = failures(model);
    let attempts = attempts(model, manifest, &failures);
    for (at, attempt) in attempts.all.iter().enumerate() {
        let row = attempt.row.and_then(|row| rows.get(row));
        if attempt.session.map_or_else(|| row.is_some_and(is_chosen), |session| selection.has(session)) {
            let session = attempt.session.and_then(|session| model.sessions.get(session));
            let step = row.map(step_name).or_else(|| attempt.step.clone());
            timeline.attempt(attempt, attempts.next(at), session, step);
        }
    }
    let firsts = FirstCopies::of(model, |_| true);
    for (at, session) in selection.sessions(model) {
        timeline.activity(session, |entry| firsts.is_first(at, entry));
        firsts.calls(at, session).for_each(|call| timeline.call(session, call));
        let told_once = failures.of(at).filter(|(_, failure)| failure.repeats.is_none());
        told_once.for_each(|(_, failure)| timeline.failure(session, failure));
        let boundaries = session.chain.segments.iter().map(|segment| segment.boundary);
        let own = boundaries.filter(|ix| session.entry(*ix).is_some_and(|entry| firsts.is_first(at, entry)));
        own.for_each(|ix| timeline.compaction(session, ix));
    }
    timeline.outages(model, &failures, selection);
    if let Some(horizon) = horizon(model) {
        timeline.believe(horizon);
    }
    timeline.spans.sort_by(|a, b| {
        let order = |span: &TimelineSpan| (span.start, span.kind);
        order(a).cmp(&order(b)).then_with(|| (&a.store_key, a.seq).cmp(&(&b.store_key, b.seq)))
    });
    timeline.events.sort_by(|a, b| (a.time, &a.store_key, a.seq).cmp(&(b.time, &b.store_key, b.seq)));
    let starts = timeline.spans.iter().map(|span| span.start).chain(timeline.events.iter().map(|event| event.time));
    let ends = timeline.spans.iter().map(TimelineSpan::last).chain(timeline.events.iter().map(|event| event.time));
    (timeline.from, timeline.to) = (starts.min(), ends.max());
    timeline
}

/// What stands for the step of an attempt that none is known of.
const NO_STEP: &str = "(no step)";

/// Why something has no place.
const NO_TIME: &str = "no time stamp that can be read";
const NO_END: &str = "its result has no time stamp that can be read: only its start is shown";
const NO_ENTRY: &str = "only the manifest knows of it, and it does not tell when";
const NO_MOMENT: &str = "only the manifest tells of this failure, and not when it was";
const NO_START: &str = "it never started, or its start cannot be read";
const ENDS_EARLY: &str = "it ends before it starts: only its start is shown";

impl Timeline {
    fn step(&mut self, row: &ManifestRow, keys: &HashMap<&str, &str>) {
        let key = row.session_id.as_deref().and_then(|id| keys.get(id).copied());
        let name = step_name(row);
        let Some(start) = row.started_at else {
            return self.unplaced(SpanKind::Step.to_string(), &name, key, None, NO_START);
        };
        let span = TimelineSpan::new(SpanKind::Step, name, start, row.ended_at);
        if row.ended_at.is_some() && span.end.is_none() {
            self.unplaced(SpanKind::Step.to_string(), &span.name, key, None, ENDS_EARLY);
        }
        let outcome = match row.ok {
            _ if row.ended_at.is_none() => Some(SpanOutcome::Open),
            Some(true) => Some(SpanOutcome::Ok),
            Some(false) => Some(SpanOutcome::Failed),
            None => None,
        };
        self.spans.push(TimelineSpan { store_key: key.map(ToOwned::to_owned), outcome, ..span });
    }

    fn attempt(
        &mut self,
        attempt: &Attempt,
        next: Option<&Attempt>,
        session: Option<&SessionModel>,
        step: Option<String>,
    ) {
        let name = step.unwrap_or_else(|| NO_STEP.to_owned());
        let key = session.map(SessionModel::store_key);
        if let Some(reason) = attempt.reason.as_deref().filter(|_| attempt.failure.is_none() && attempt.has_failed()) {
            let text = format!("{name}: {}", reason.lines().next().unwrap_or_default());
            self.unplaced("failure".to_owned(), &text, key, None, NO_MOMENT);
        }
        let seq = session.zip(attempt.first).map(|(session, first)| session.seq(first));
        let Some(start) = attempt.start else {
            return self.unplaced(SpanKind::Attempt.to_string(), &name, key, seq, NO_ENTRY);
        };
        let own = TimelineSpan {
            store_key: key.map(ToOwned::to_owned),
            attempt: Some(attempt.n),
            guessed: attempt.known_by == KnownBy::Guess,
            ..TimelineSpan::new(SpanKind::Attempt, name, start, attempt.end)
        };
        // A wait that ends before it begins is no time; `retries` tells of it.
        let until = next.and_then(|next| next.start);
        if let (Some(from), Some(until), Some(wait)) =
            (attempt.end, until, attempt.wait.filter(|_| until >= attempt.end))
        {
            let span = TimelineSpan::new(SpanKind::Wait, own.name.clone(), from, Some(until));
            let (store_key, attempt, guessed) = (own.store_key.clone(), own.attempt, own.guessed);
            self.spans.push(TimelineSpan { store_key, attempt, guessed, wait: Some(wait.verdict), ..span });
        }
        let outcome = match attempt.ending {
            Ending::Answered => SpanOutcome::Ok,
            Ending::Failed => SpanOutcome::Failed,
            Ending::Interrupted => SpanOutcome::Interrupted,
            Ending::Unfinished => SpanOutcome::Open,
        };
        self.spans.push(TimelineSpan { seq, outcome: Some(outcome), failure: attempt.kind, ..own });
    }

    /// Failures of the service that belong together, as `outages` tells them.
    fn outages(&mut self, model: &Model, failures: &Failures, selection: &Selection) {
        let episodes = episodes(model, failures);
        let hitting = episodes.iter().filter(|episode| episode.hits(failures, selection));
        self.spans.extend(hitting.map(|episode| {
            let kinds: Vec<String> = episode.kinds(failures).iter().map(ToString::to_string).collect();
            let end = episode.recovered.unwrap_or(episode.last);
            let outcome = if episode.recovered.is_some() { SpanOutcome::Ok } else { SpanOutcome::Open };
            TimelineSpan {
                outcome: Some(outcome),
                failures: Some(episode.failures.len()),
                ..TimelineSpan::new(SpanKind::Outage, kinds.join(", "), episode.first, Some(end))
            }
        }));
    }

    fn activity(&mut self, session: &SessionModel, is_own: impl Fn(&Entry) -> bool) {
        let kind = if session.kind() == Kind::Subagent { SpanKind::Subagent } else { SpanKind::Session };
        let name = description(session);
        let (times, unplaced) = activity(session, is_own);
        self.unplaced.extend(unplaced);
        self.spans.extend(times.into_iter().map(|active| TimelineSpan {
            store_key: Some(session.store_key().to_owned()),
            seq: Some(active.seq),
            entries: Some(active.entries),
            ..TimelineSpan::new(kind, name.clone(), active.start, Some(active.end))
        }));
    }

    fn call(&mut self, session: &SessionModel, call: &Call) {
        let time = |at| session.entry(at).and_then(|entry| entry.timestamp);
        let (key, seq) = (session.store_key(), session.seq(call.at));
        let Some(start) = time(call.at) else {
            return self.unplaced(SpanKind::ToolCall.to_string(), &call.name, Some(key), Some(seq), NO_TIME);
        };
        let answered = call.answer.as_ref().and_then(|answer| time(answer.at));
        let span = TimelineSpan::new(SpanKind::ToolCall, call.name.to_string(), start, answered);
        if span.end.is_none() && call.answer.is_some() {
            let why = if answered.is_some() { ENDS_EARLY } else { NO_END };
            self.unplaced(SpanKind::ToolCall.to_string(), &call.name, Some(key), Some(seq), why);
        }
        let (store_key, seq, outcome) = (Some(key.to_owned()), Some(seq), Some(outcome(call)));
        self.spans.push(TimelineSpan { store_key, seq, outcome, ..span });
    }

    fn failure(&mut self, session: &SessionModel, failure: &Failure) {
        let Some(kind) = EventKind::of(failure.source) else { return };
        let (failed, basis) = (Some(failure.judged.kind), Some(failure.judged.basis));
        self.event(session, failure.at, |time, store_key, seq| TimelineEvent {
            kind,
            time,
            store_key,
            seq,
            failure: failed,
            basis,
            text: failure.text.to_string(),
        });
    }

    fn compaction(&mut self, session: &SessionModel, at: Ix) {
        let (kind, failure, basis, text) = (EventKind::Compaction, None, None, String::new());
        self.event(session, at, |time, store_key, seq| TimelineEvent {
            kind,
            time,
            store_key,
            seq,
            failure,
            basis,
            text,
        });
    }

    fn event(&mut self, session: &SessionModel, at: Ix, event: impl FnOnce(Timestamp, String, i64) -> TimelineEvent) {
        let (key, seq) = (session.store_key(), session.seq(at));
        match session.entry(at).and_then(|entry| entry.timestamp) {
            Some(time) => self.events.push(event(time, key.to_owned(), seq)),
            None => self.unplaced("event".to_owned(), "", Some(key), Some(seq), NO_TIME),
        }
    }

    /// Says what has no place; of the same kind in a row in one session the first with a count.
    pub(super) fn unplaced(
        &mut self,
        kind: String,
        name: &str,
        key: Option<&str>,
        seq: Option<i64>,
        why: &'static str,
    ) {
        if let Some(last) = self.unplaced.last_mut()
            && (last.kind == kind && last.name == name && last.store_key.as_deref() == key && last.why == why)
            && seq.is_some()
        {
            last.count += 1;
            return;
        }
        let store_key = key.map(ToOwned::to_owned);
        self.unplaced.push(Unplaced { kind, name: name.to_owned(), store_key, seq, count: 1, why });
    }
}

fn outcome(call: &Call) -> SpanOutcome {
    match &call.answer {
        None => SpanOutcome::Open,
        Some(answer) if answer.denial.is_some() => SpanOutcome::Denied,
        Some(answer) if is_likely_denied(answer) => SpanOutcome::LikelyDenied,
        Some(answer) if answer.is_error => SpanOutcome::Failed,
        Some(_) => SpanOutcome::Ok,
    }
}
