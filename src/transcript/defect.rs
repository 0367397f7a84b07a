use super::Uid;
use crate::run_dir::Position;
use crate::unit::{Diagnosis, Level};
use strum::IntoStaticStr;
use thiserror::Error;

/// Why a row is no entry.
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DefectKind {
    /// A line with nothing on it.
    #[error("a blank line: nothing is lost")]
    BlankLine,
    /// NUL bytes where text should stand: a file that was extended but never written, as after a power cut.
    #[error("{bytes} NUL bytes stand where a record should: what was written here is lost")]
    NulBlock {
        /// How many.
        bytes: usize,
    },
    /// A record that ends in the middle.
    #[error("a torn record of {bytes} bytes, it breaks at byte {at}: {reason}")]
    TornRecord {
        /// Length of what is there.
        bytes: usize,
        /// Byte at which reading stopped, counted from the start of the record.
        at: usize,
        /// What the JSON reader expected there.
        reason: String,
    },
    /// Something after the record that is no record.
    #[error("{bytes} bytes follow the JSON object in the same row and are no record")]
    TrailingData {
        /// Length of what follows.
        bytes: usize,
    },
    /// JSON, but no object.
    #[error("the payload is JSON but not an object: it begins with {begins:?}")]
    NotAnObject {
        /// The first characters.
        begins: String,
    },
    /// The column holds something else than text.
    #[error("the payload is not text: expected a JSON object, found {found}")]
    NotText {
        /// What stands there.
        found: String,
    },
    /// The sequence number is no integer, so the entry has no place in its session.
    #[error("the column seq holds no integer: the entry has no place in its session")]
    NoSequence,
}

impl Diagnosis for DefectKind {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::BlankLine => Level::Info,
            Self::TrailingData { .. } => Level::Warning,
            Self::NulBlock { .. }
            | Self::TornRecord { .. }
            | Self::NotAnObject { .. }
            | Self::NotText { .. }
            | Self::NoSequence => Level::Error,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}

/// A row, or a part of a line, that is no entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// What is wrong.
    pub kind: DefectKind,
    /// Where the row stands.
    pub position: Position,
    /// Which record of its line.
    pub part: u32,
    /// Sequence number in the store key, where it has one.
    pub seq: Option<i64>,
    /// The column `uid`, which may still name the lost entry.
    pub uid: Option<Uid>,
}
