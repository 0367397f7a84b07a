use crate::analysis::{FailureKind, WaitVerdict};
use crate::unit::{Span, Timestamp};
use serde::Serialize;

/// What takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SpanKind {
    /// A step, as the manifest times it.
    Step,
    /// One try at a step, from its first entry to its last sign of life.
    Attempt,
    /// The time between two attempts of a step.
    Wait,
    /// A time in which a main thread wrote entries. A pause in which no call was open ends it.
    Session,
    /// The same of a subagent.
    Subagent,
    /// A tool call, from its entry to that of its result.
    ToolCall,
    /// An outage, from its first failure to the first answer after it, or to its last failure.
    Outage,
}

/// How something ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SpanOutcome {
    /// As it should.
    Ok,
    /// With an error.
    Failed,
    /// A call that was denied.
    Denied,
    /// A call that reads like it was denied: a guess.
    LikelyDenied,
    /// Somebody interrupted an attempt.
    Interrupted,
    /// It has no recorded end: an attempt that was killed or still runs, a call without a result, a step that never ended, an
    /// outage without an answer after it.
    Open,
}

/// Something that takes time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TimelineSpan {
    /// What it is.
    pub kind: SpanKind,
    /// The step, also of attempts and waits; the description of a session; the tool; the kinds of failures of an outage.
    pub name: String,
    /// The session; of a step the last living one, if the store has it; null for outages, which may hit many.
    pub store_key: Option<String>,
    /// The entry that begins it; null for steps and outages.
    pub seq: Option<i64>,
    /// When it begins.
    pub start: Timestamp,
    /// When it ends; null if its end is not known. An outage without an answer after it ends with its last failure.
    pub end: Option<Timestamp>,
    /// From start to end.
    pub duration_s: Option<Span>,
    /// How it ended; null where nothing tells, and for times of a session.
    pub outcome: Option<SpanOutcome>,
    /// Entries of a time of a session; null for the others.
    pub entries: Option<usize>,
    /// Failures of an outage, those told twice counted once; null for the others.
    pub failures: Option<usize>,
    /// Which attempt of the step, from 1; of a wait the one before it.
    pub attempt: Option<u32>,
    /// What ended an attempt.
    pub failure: Option<FailureKind>,
    /// What is to be made of a wait.
    pub wait: Option<WaitVerdict>,
    /// Which step an attempt belongs to is a guess.
    pub guessed: bool,
}

impl TimelineSpan {
    /// A span that nothing more is known of; it has no end if `end` is before `start`.
    pub(super) fn new(kind: SpanKind, name: String, start: Timestamp, end: Option<Timestamp>) -> Self {
        let end = end.filter(|end| *end >= start);
        Self {
            kind,
            name,
            store_key: None,
            seq: None,
            start,
            end,
            duration_s: end.map(|end| end.since(start)),
            outcome: None,
            entries: None,
            failures: None,
            attempt: None,
            failure: None,
            wait: None,
            guessed: false,
        }
    }

    /// When it ends, or begins if it is open.
    pub fn last(&self) -> Timestamp {
        self.end.unwrap_or(self.start)
    }
}

/// Something that has no place on the axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unplaced {
    /// What it is: a kind of span, `event`, `entry` or `failure`.
    pub kind: String,
    /// Its name, as that of a span; of a failure the step and the reason; empty for entries and events.
    pub name: String,
    /// The session, if it belongs to one.
    pub store_key: Option<String>,
    /// The entry; of several the first.
    pub seq: Option<i64>,
    /// How many.
    pub count: usize,
    /// Why it cannot be placed.
    pub why: &'static str,
}
