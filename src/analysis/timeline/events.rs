use crate::analysis::{Basis, FailureKind, Source};
use crate::unit::Timestamp;
use serde::Serialize;

/// What happens at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum EventKind {
    /// An API error in the place of an answer.
    ApiError,
    /// A retry that the client announces.
    ApiRetry,
    /// The call that started a subagent tells that it died.
    SubagentDied,
    /// An answer that was cut off and passes as one.
    CutStream,
    /// An answer that the API ended early.
    EndedEarly,
    /// Somebody interrupted.
    Interrupt,
    /// Calls that were left open, as by a process that was killed.
    OpenCalls,
    /// A compaction.
    Compaction,
}

/// Something that happens at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TimelineEvent {
    /// What it is.
    pub kind: EventKind,
    /// When.
    pub time: Timestamp,
    /// The session.
    pub store_key: String,
    /// The entry.
    pub seq: i64,
    /// What failed; null for a compaction.
    pub failure: Option<FailureKind>,
    /// How that is known.
    pub basis: Option<Basis>,
    /// What was said to a person.
    pub text: String,
}

impl EventKind {
    /// The event of a failure that a transcript records.
    pub(super) fn of(source: Source) -> Option<Self> {
        Some(match source {
            Source::Final | Source::PlainLimit => Self::ApiError,
            Source::CliRetry => Self::ApiRetry,
            Source::AgentResult => Self::SubagentDied,
            Source::CutStream => Self::CutStream,
            Source::StopReason => Self::EndedEarly,
            Source::Interruption => Self::Interrupt,
            Source::OpenCalls => Self::OpenCalls,
            Source::Manifest => return None,
        })
    }
}
