use super::LeafWitness;
use crate::unit::{Diagnosis, Level, counted};
use strum::IntoStaticStr;
use thiserror::Error;

/// What can be said of a whole session, beside breaks, branches and tool calls.
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SessionFinding {
    /// Another witness names a leaf off the live chain.
    #[error("another leaf, {uuid}, {}, is not on the live chain", witness.description())]
    LeafDisagrees {
        /// Who names it.
        witness: LeafWitness,
        /// Its uuid.
        uuid: String,
    },
    /// The named leaf is not in the session.
    #[error("the leaf {uuid} that the last last-prompt entry names is not in this session")]
    LeafNotHere {
        /// Its uuid.
        uuid: String,
    },
    /// The conversation really parts.
    #[error("the conversation parts here into {lines} lines: {how}")]
    RealBranch {
        /// How many lines.
        lines: usize,
        /// In which way.
        how: &'static str,
    },
    /// Chain entries that the live chain does not touch.
    #[error("{} in trees that the live chain does not touch", counted(*entries, "entry"))]
    DetachedEntries {
        /// How many.
        entries: usize,
    },
    /// Preserved entries of a compaction are not here.
    #[error("this compaction kept {} verbatim that this session does not have", counted(*entries, "entry"))]
    PreservedLost {
        /// How many.
        entries: usize,
    },
    /// The column `uid` is not the payload's uuid.
    #[error("the column uid is not the uuid in the payload, in {} from here on", counted(*entries, "entry"))]
    UidDiffers {
        /// How many.
        entries: usize,
    },
    /// Payloads with bytes that are not UTF-8.
    #[error("bytes that are not UTF-8, shown as U+FFFD, in {} from here on", counted(*entries, "payload"))]
    RepairedUtf8 {
        /// How many.
        entries: usize,
    },
    /// A subagent whose starting call is not in the store.
    #[error("no session of this store has the call {call} that started this subagent")]
    SpawnNotFound {
        /// Id of the call.
        call: String,
    },
    /// A subagent without any metadata.
    #[error("no agent_metadata entry tells which call started this subagent")]
    NoAgentMetadata,
    /// Spend whose first session is a guess.
    #[error(
        "{turns} model turns are shared with other files that do not tell which was written first; this one is a guess"
    )]
    HomeGuessed {
        /// How many.
        turns: usize,
    },
}

impl Diagnosis for SessionFinding {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::RealBranch { .. } | Self::NoAgentMetadata | Self::HomeGuessed { .. } => Level::Info,
            Self::LeafDisagrees { .. }
            | Self::LeafNotHere { .. }
            | Self::DetachedEntries { .. }
            | Self::PreservedLost { .. }
            | Self::RepairedUtf8 { .. }
            | Self::SpawnNotFound { .. } => Level::Warning,
            Self::UidDiffers { .. } => Level::Error,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}
