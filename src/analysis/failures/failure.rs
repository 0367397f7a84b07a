use super::Judged;
use crate::session::{Ix, Model};
use crate::transcript::FailureFields;
use crate::unit::Timestamp;
use serde::Serialize;

/// How a failure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Source {
    /// An API error in the place of an answer.
    Final,
    /// A limit with its reset as plain text in the place of an answer, not marked as an error.
    PlainLimit,
    /// A retry that the CLI announces.
    CliRetry,
    /// The result of the call that started a subagent: it died.
    AgentResult,
    /// An answer without a `stop_reason`: the stream was cut and passes as success.
    CutStream,
    /// An answer that the API ended early.
    StopReason,
    /// The harness' note that somebody interrupted.
    Interruption,
    /// Calls that were never answered, or only by a stand-in of a later process.
    OpenCalls,
    /// A reason in the manifest.
    Manifest,
}

/// A failure that a transcript records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// How it shows.
    pub source: Source,
    /// Its session, by index.
    pub session: usize,
    /// Its entry.
    pub at: Ix,
    /// When.
    pub timestamp: Option<Timestamp>,
    /// Kind, and how that is known.
    pub judged: Judged,
    /// What was said to a person.
    pub text: Box<str>,
    /// Calls that are left open.
    pub open_calls: usize,
    /// The failure, by index, that this one only tells again: a copy in a fork, or the parent's view of a dead subagent.
    pub repeats: Option<usize>,
}

impl Failure {
    /// The machine fields, where the entry has any.
    pub fn fields<'a>(&self, model: &'a Model) -> Option<&'a FailureFields> {
        model.sessions.get(self.session)?.entry(self.at)?.failure()
    }

    /// Store key and sequence number of its entry.
    pub fn place<'a>(&self, model: &'a Model) -> Option<(&'a str, i64)> {
        let session = model.sessions.get(self.session)?;
        Some((session.store_key(), session.seq(self.at)))
    }
}
