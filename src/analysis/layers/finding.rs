use crate::layers::{Layer, LoadFault};
use crate::session::{BreakKind, CallFaultKind};
use crate::unit::{Diagnosis, Level, counted};
use strum::IntoStaticStr;
use thiserror::Error;

/// What is to be said of a session as it is fed.
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum LayerFinding {
    /// A layer made half of a pair of call and result.
    #[error("the layer {} breaks a pair of call and result: {fault}", layer.name())]
    PairingBroken {
        /// Which layer.
        layer: Layer,
        /// What is wrong now.
        fault: CallFaultKind,
    },
    /// A pair that was wrong before is fed as it is.
    #[error("fed as it is stored: {fault}")]
    PairingFed {
        /// What is wrong.
        fault: CallFaultKind,
    },
    /// The model is given the call, but not its result.
    #[error(
        "the result for {id} stands at {result}, off the live path that its call is on: the API refuses such a history (400); healing adds none, since there is one"
    )]
    ResultOffPath {
        /// Call id.
        id: String,
        /// Sequence number of the result.
        result: i64,
    },
    /// The model is given the result, but not its call.
    #[error(
        "the call {id} stands at {call}, off the live path that its result is on: the API refuses such a history (400); healing does not help"
    )]
    CallOffPath {
        /// Call id.
        id: String,
        /// Sequence number of the call.
        call: i64,
    },
    /// Results stand behind something else in their message.
    #[error("{} behind other content of the same message: the API wants results first (400); whether the harness puts them there is not known", counted(*results, "result"))]
    TextBeforeResults {
        /// How many.
        results: usize,
    },
    /// The live path begins where its history breaks off.
    #[error("the live path begins here, and the history before it is not fed: {0}")]
    PathBroken(BreakKind),
    /// Rows that could not be read.
    #[error("{} that cannot be read: what they say is not fed, and whether the live path led through them is not known", counted(*rows, "row"))]
    RowsUnreadable {
        /// How many.
        rows: usize,
    },
    /// There is no entry to go on from.
    #[error("there is no entry to go on from: nothing of this session can be resumed")]
    NoLeaf,
    /// Entries that the live leaf reached before and does not reach any more.
    #[error("the live leaf does not reach {} any more that it reached before the layer {}", counted(*entries, "entry"), layer.name())]
    HistoryLost {
        /// Which layer.
        layer: Layer,
        /// How many.
        entries: usize,
    },
    /// A protected entry is not as it was.
    #[error(
        "the layer {} changes or drops an entry that is to stay as it is: {}",
        layer.name(),
        protected(*summary, *stand_in)
    )]
    ProtectedTouched {
        /// Which layer.
        layer: Layer,
        /// It is the summary of a compaction.
        summary: bool,
        /// It stands in the place of an answer, which the layer prune drops whoever wrote it.
        stand_in: bool,
    },
    /// Thinking that was signed with another history before it.
    #[error("{} with a signature behind the first change: models that bind thinking to what stands before it may refuse them", counted(*blocks, "thinking block"))]
    SignedThinking {
        /// How many.
        blocks: usize,
    },
    /// The leaf is an added entry without a time stamp.
    #[error(
        "the leaf is an added entry without a time stamp: CLI 2.1.197 refuses the resume (No conversation found), 2.1.332 takes it; this session is of {version}"
    )]
    HealedLeafWithoutTime {
        /// The CLI that wrote the session.
        version: String,
        /// That CLI is known to refuse it, or not known to take it.
        refused: bool,
    },
    /// Other entries hang below the call beside its added result.
    #[error("{} left beside the added result, below the same call: only the first one was moved", counted(*entries, "entry"))]
    BesideHealed {
        /// How many.
        entries: usize,
    },
    /// The links lead nowhere in the middle of a session.
    #[error("this entry becomes a root, since every entry above it is dropped: the history before it is lost")]
    RelinkedToRoot,
    /// Denials without a mark.
    #[error("{} by the text of the result, which carries no toolDenialKind: the layer prune does not see them", counted(*calls, "likely denial"))]
    LikelyDenials {
        /// How many.
        calls: usize,
    },
    /// A call that was answered goes with a denied one.
    #[error(
        "the id {id} of a denied call stands at several calls: the layer prune takes out all of them, answered ones too"
    )]
    RepeatedIdPruned {
        /// The id.
        id: String,
    },
    /// A result is told with the command of another call.
    #[error(
        "the id {id} stands at several calls: the layer expire goes by the last one and may tell another command than the one that ran"
    )]
    RepeatedIdExpired {
        /// The id.
        id: String,
    },
    /// A stand-in for an answer held a call.
    #[error("the dropped stand-in for an answer holds {}, whose result stays alone", counted(*calls, "call"))]
    SyntheticCallDropped {
        /// How many.
        calls: usize,
    },
    /// What the layers could not treat as usual.
    #[error("{0}")]
    Load(LoadFault),
}

fn protected(summary: bool, stand_in: bool) -> &'static str {
    match (summary, stand_in) {
        (true, _) => "the summary of a compaction",
        (false, true) => "a stand-in for an answer that the harness marked as its own",
        (false, false) => "one that the harness marked as its own",
    }
}

/// What a finding means for the resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// Nothing.
    None,
    /// Something is lost that is not meant to be.
    Loss,
    /// It is refused.
    Refused,
}

impl LayerFinding {
    /// The layer that caused it; `None` if it was there before.
    pub(super) fn layer(&self) -> Option<Layer> {
        match self {
            Self::PairingBroken { layer, .. }
            | Self::HistoryLost { layer, .. }
            | Self::ProtectedTouched { layer, .. } => Some(*layer),
            Self::HealedLeafWithoutTime { .. } | Self::BesideHealed { .. } => Some(Layer::Heal),
            Self::RelinkedToRoot | Self::RepeatedIdPruned { .. } | Self::SyntheticCallDropped { .. } => {
                Some(Layer::Prune)
            }
            Self::RepeatedIdExpired { .. } => Some(Layer::Expire),
            Self::Load(LoadFault::LoneSurrogate) => Some(Layer::Trim),
            Self::PairingFed { .. }
            | Self::ResultOffPath { .. }
            | Self::CallOffPath { .. }
            | Self::TextBeforeResults { .. }
            | Self::PathBroken(_)
            | Self::RowsUnreadable { .. }
            | Self::NoLeaf
            | Self::SignedThinking { .. }
            | Self::LikelyDenials { .. }
            | Self::Load(_) => None,
        }
    }

    /// Whether the same is told of what is stored.
    pub(super) fn is_of_the_store(&self) -> bool {
        matches!(self, Self::PairingFed { .. } | Self::PathBroken(_) | Self::RowsUnreadable { .. })
    }

    /// What it means for the resume.
    pub(super) fn effect(&self) -> Effect {
        match self {
            Self::PairingBroken { fault, .. } | Self::PairingFed { fault } => effect_of(fault),
            Self::ResultOffPath { .. }
            | Self::CallOffPath { .. }
            | Self::NoLeaf
            | Self::HealedLeafWithoutTime { refused: true, .. }
            | Self::Load(LoadFault::LoneSurrogate) => Effect::Refused,
            Self::HistoryLost { .. }
            | Self::PathBroken(_)
            | Self::RowsUnreadable { .. }
            | Self::BesideHealed { .. }
            | Self::RelinkedToRoot
            | Self::ProtectedTouched { stand_in: false, .. }
            | Self::RepeatedIdPruned { .. } => Effect::Loss,
            Self::HealedLeafWithoutTime { refused: false, .. }
            | Self::ProtectedTouched { stand_in: true, .. }
            | Self::SignedThinking { .. }
            | Self::TextBeforeResults { .. }
            | Self::LikelyDenials { .. }
            | Self::RepeatedIdExpired { .. }
            | Self::SyntheticCallDropped { .. }
            | Self::Load(LoadFault::TooManyBlocks | LoadFault::NotAnObject) => Effect::None,
        }
    }
}

/// The CLI answers a call whose id has no result at all by itself, or leaves it out (spec/runner.md section 14); the API refuses the rest.
fn effect_of(fault: &CallFaultKind) -> Effect {
    match fault {
        CallFaultKind::OrphanCall { healable: true, .. } => Effect::Loss,
        CallFaultKind::ResultBeforeCall { linked: false, .. } => Effect::None,
        CallFaultKind::OrphanCall { healable: false, .. }
        | CallFaultKind::ResultBeforeCall { linked: true, .. }
        | CallFaultKind::ResultWithoutCall { .. }
        | CallFaultKind::SecondResult { .. }
        | CallFaultKind::HiddenResult { .. }
        | CallFaultKind::ResultOnOtherBranch { .. }
        | CallFaultKind::ResultNotNext { .. }
        | CallFaultKind::ToolNameTooLong { .. } => Effect::Refused,
    }
}

impl Diagnosis for LayerFinding {
    fn code(&self) -> &'static str {
        if let Self::Load(fault) = self { fault.code() } else { self.into() }
    }

    fn level(&self) -> Level {
        match self {
            Self::Load(fault) => fault.level(),
            Self::PairingBroken { .. }
            | Self::ResultOffPath { .. }
            | Self::CallOffPath { .. }
            | Self::NoLeaf
            | Self::HistoryLost { .. }
            | Self::ProtectedTouched { stand_in: false, .. }
            | Self::HealedLeafWithoutTime { refused: true, .. } => Level::Error,
            Self::LikelyDenials { .. } | Self::SignedThinking { .. } | Self::PairingFed { .. } => Level::Info,
            Self::HealedLeafWithoutTime { refused: false, .. }
            | Self::TextBeforeResults { .. }
            | Self::PathBroken(_)
            | Self::RowsUnreadable { .. }
            | Self::ProtectedTouched { stand_in: true, .. }
            | Self::BesideHealed { .. }
            | Self::RelinkedToRoot
            | Self::RepeatedIdPruned { .. }
            | Self::RepeatedIdExpired { .. }
            | Self::SyntheticCallDropped { .. } => Level::Warning,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}
