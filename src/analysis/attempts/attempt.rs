use super::Wait;
use crate::analysis::{Basis, FailureKind, Failures};
use crate::session::Ix;
use crate::unit::{Span, Timestamp};
use serde::Serialize;

/// One try at a step: one process of the CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The step; `None` without a manifest, or where no row of it fits.
    pub step: Option<String>,
    /// The process that ran the step; `None` also where it left no row.
    pub run: Option<String>,
    /// The row of the manifest, by index; `None` for a process that was killed before it wrote one.
    pub row: Option<usize>,
    /// The main thread, by index; `None` for an attempt that only the manifest knows.
    pub session: Option<usize>,
    /// Which attempt of the step in this run, from 1.
    pub n: u32,
    /// Its first entry in the main thread.
    pub first: Option<Ix>,
    /// Time of its first entry.
    pub start: Option<Timestamp>,
    /// Last sign of life, subagents included.
    pub end: Option<Timestamp>,
    /// The latest time of an entry of it that is dated after the end of its step: a clock was wrong, and it counts for
    /// nothing.
    pub ahead: Option<Timestamp>,
    /// How it ended.
    pub ending: Ending,
    /// The failure that ended it, by index.
    pub failure: Option<usize>,
    /// Why it failed, as the manifest says.
    pub reason: Option<String>,
    /// The kind of that failure.
    pub kind: Option<FailureKind>,
    /// How the kind is known.
    pub basis: Basis,
    /// How it came about.
    pub begun: Begun,
    /// Who tells of it.
    pub known_by: KnownBy,
    /// The wait before the next attempt.
    pub wait: Option<Wait>,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Ending {
    /// With an answer.
    Answered,
    /// With a failure.
    Failed,
    /// Somebody interrupted.
    Interrupted,
    /// In the middle: killed, or still running.
    Unfinished,
}

/// How an attempt came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Begun {
    /// In a new session.
    First,
    /// It goes on in the session of an attempt before.
    Resumed,
    /// It begins again, in another session than the attempt before.
    Restarted,
}

/// Who tells of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum KnownBy {
    /// The manifest and the transcript, with the same number of attempts.
    Both,
    /// Only the manifest: no entry of it is in the store.
    Manifest,
    /// Only the transcript: the manifest counts fewer attempts, or there is none.
    Transcript,
    /// The transcript; the step is a guess by time or by session.
    Guess,
}

impl Attempt {
    /// It did not end with an answer.
    pub fn has_failed(&self) -> bool {
        self.ending != Ending::Answered
    }

    /// Why it failed: as the manifest says, else as the transcript.
    pub fn error<'a>(&'a self, failures: &'a Failures) -> Option<&'a str> {
        let recorded = || failures.all.get(self.failure?).map(|failure| &*failure.text);
        self.reason.as_deref().or_else(recorded)
    }

    /// How long it lasted.
    pub fn lasted(&self) -> Option<Span> {
        Some(self.end?.since(self.start?))
    }
}
