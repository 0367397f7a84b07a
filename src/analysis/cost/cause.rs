use crate::unit::Usd;
use serde::Serialize;
use strum::IntoStaticStr;

/// Why the figure of the manifest is not what the transcript says (spec/cost.md, Reconciling).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum CauseKind {
    /// The client carried its total on across a resume or fork, and the attempts were added up.
    CumulativeResume,
    /// The total of an earlier session of the same process was carried on.
    CarriedTotal,
    /// The total of a process that ran outside of these steps was carried on.
    OtherProcess,
    /// The manifest does not hold what the client's own totals say.
    ManifestContradictsClient,
    /// A process was killed: what it spent is in no result.
    KilledAttempt,
    /// The client paid for calls that leave no entry.
    HiddenCalls,
    /// Messages of this time are counted at the session that wrote them first.
    SharedWithFork,
    /// A stream was cut: the output count is a placeholder.
    PlaceholderUsage,
    /// The client does not count an answer whose stream was cut.
    CutStream,
    /// Nothing tells how long the cache keeps what was written to it, or how much of it that was.
    CacheWriteDuration,
    /// Nothing tells when a model answered, and its price changed.
    UndatedPrice,
    /// A session that no step names is counted at the step that ran at that time.
    AssignedByTime,
    /// A count of tokens cannot be read.
    UnreadableUsage,
    /// A model has no price: its tokens are not in the measured figure.
    Unpriced,
    /// The client's prices are not those of the table.
    ClientPriceTable,
    /// The client left out what its subagents spent.
    Subagents,
    /// Nothing that is known explains it.
    Unexplained,
}

impl CauseKind {
    /// Stable code, as JSON carries it.
    pub fn code(self) -> &'static str {
        self.into()
    }
}

impl Serialize for CauseKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// One cause of a difference, with what shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Which cause.
    pub code: CauseKind,
    /// The part of reported minus measured that it makes; null where it cannot be told.
    pub amount_usd: Option<Usd>,
    /// What shows it, for people.
    pub evidence: String,
}

impl Cause {
    pub(super) fn new(code: CauseKind, amount_usd: impl Into<Option<Usd>>, evidence: impl Into<String>) -> Self {
        Self { code, amount_usd: amount_usd.into(), evidence: evidence.into() }
    }
}
