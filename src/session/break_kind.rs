use crate::transcript::{Label, Uid};
use crate::unit::{Diagnosis, Level, Span, counted};
use strum::IntoStaticStr;
use thiserror::Error;

/// Why a chain is not whole at some entry.
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum BreakKind {
    /// The parent was never written here.
    #[error("its parent {parent} was never written to this store")]
    PhantomParent {
        /// `parentUuid`.
        parent: Uid,
    },
    /// The parent is what healing adds to an interrupted call at every load.
    #[error(
        "its parent is the result that healing adds to the interrupted call at {call}; it is fed to the model and never stored"
    )]
    HealedParent {
        /// Sequence number of the entry with the call.
        call: i64,
    },
    /// The parent is missing right after a long pause or a change of version.
    #[error("its parent {parent} is missing right after {after}: a resume that did not find its end")]
    ResumeBreak {
        /// `parentUuid`.
        parent: Uid,
        /// What happened just before.
        after: String,
    },
    /// Sequence numbers are missing just before it.
    #[error("its parent {parent} is missing, and so are the rows {from} to {to} before it: a lost page")]
    LostRows {
        /// `parentUuid`.
        parent: Uid,
        /// First missing sequence number.
        from: i64,
        /// Last missing sequence number.
        to: i64,
    },
    /// The parent is a row that could not be read.
    #[error("its parent {parent} is a row that cannot be read")]
    UnreadableParent {
        /// `parentUuid`.
        parent: Uid,
    },
    /// The row just before cannot be read and may be the parent.
    #[error("its parent {parent} is not here; the row {row} just before it cannot be read and may be it")]
    UnreadableBefore {
        /// `parentUuid`.
        parent: Uid,
        /// Sequence number of that row.
        row: i64,
    },
    /// The parent is an entry of another session.
    #[error("its parent {parent} is in another session, {store_key}")]
    ParentInOtherKey {
        /// `parentUuid`.
        parent: Uid,
        /// Where the parent is.
        store_key: String,
    },
    /// The entry before a compaction is not here.
    #[error("the entry before this compaction, {parent}, is not in this session")]
    LostLogicalParent {
        /// `logicalParentUuid`.
        parent: Uid,
    },
    /// A root that is neither the first entry nor a compaction boundary.
    #[error("it names no parent, though it is neither the first entry nor a compaction boundary")]
    MidFileRoot,
    /// The links lead in a circle.
    #[error("the parents lead in a circle; it is cut here")]
    Cycle,
    /// The entry is its own parent.
    #[error("it names itself as its parent")]
    SelfParent,
    /// The same entry twice.
    #[error("the same entry stands at {first} already")]
    DuplicateUuid {
        /// Sequence number of the first one.
        first: i64,
    },
    /// Two different entries with one uuid.
    #[error("a different entry with the same uuid stands at {first}")]
    DuplicateUuidDiffers {
        /// Sequence number of the first one.
        first: i64,
    },
    /// The time stamps go back.
    #[error("its time stamp is {back} before that of the entry written before it")]
    OutOfTimeOrder {
        /// How far.
        back: Span,
    },
    /// Entries carry the id of another session.
    #[error("{} from here on with the session id {session_id}", counted(*entries, "entry"))]
    ForeignSession {
        /// That id.
        session_id: Label,
        /// How many.
        entries: usize,
    },
    /// Two lines were written at the same time.
    #[error("two lines that part at {at} were written in turns: two processes wrote to one session")]
    InterleavedWriters {
        /// Sequence number of the branch point.
        at: i64,
    },
}

impl Diagnosis for BreakKind {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::HealedParent { .. } | Self::DuplicateUuid { .. } | Self::ParentInOtherKey { .. } => Level::Info,
            Self::PhantomParent { .. }
            | Self::ResumeBreak { .. }
            | Self::LostLogicalParent { .. }
            | Self::MidFileRoot
            | Self::OutOfTimeOrder { .. }
            | Self::ForeignSession { .. }
            | Self::InterleavedWriters { .. } => Level::Warning,
            Self::LostRows { .. }
            | Self::UnreadableParent { .. }
            | Self::UnreadableBefore { .. }
            | Self::Cycle
            | Self::SelfParent
            | Self::DuplicateUuidDiffers { .. } => Level::Error,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}
