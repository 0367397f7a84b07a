use strum::IntoStaticStr;
use thiserror::Error;

use crate::unit::{Diagnosis, Finding, Level, Place};

/// Something wrong in `manifest.json` or `lineage.json`, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateProblem {
    /// Name of the file.
    pub file: &'static str,
    /// Line, counted from 1.
    pub line: u64,
    /// Row of the manifest, counted from 1.
    pub row: Option<usize>,
    /// What is wrong.
    pub fault: StateFault,
}

impl StateProblem {
    /// Where it stands.
    pub fn place(&self) -> Place {
        Place { line: Some(self.line), ..Place::file(self.file) }
    }

    /// As a finding; the sentence starts with the row.
    pub fn finding(&self) -> Finding {
        let finding = self.fault.at(self.place());
        match self.row {
            Some(row) => Finding { message: format!("row {row}: {}", finding.message), ..finding },
            None => finding,
        }
    }
}

/// What can be wrong in a state file. Whatever it is, the rest of the file is read.
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case", prefix = "state-")]
pub enum StateFault {
    /// The file cannot be opened.
    #[error("the file is there but cannot be read: {reason}")]
    Unreadable {
        /// What the system says.
        reason: String,
    },
    /// Nothing but blanks.
    #[error("the file is empty")]
    Empty,
    /// UTF-8 with a byte order mark.
    #[error("the file starts with a byte order mark, which is skipped")]
    ByteOrderMark,
    /// Valid at its start, but of another kind.
    #[error("the file holds {found} where {expected} was expected")]
    WrongTop {
        /// What the file should hold.
        expected: &'static str,
        /// What it holds.
        found: &'static str,
    },
    /// The file ends in the middle.
    #[error("the file ends at byte {byte}, where {expected} was expected; what stands before is kept")]
    Truncated {
        /// Length of the file.
        byte: usize,
        /// What should have followed.
        expected: &'static str,
    },
    /// No JSON, in the middle of the file.
    #[error("expected {expected} at byte {byte}, found {found}; {skipped} bytes are skipped")]
    Broken {
        /// Offset at which reading stopped.
        byte: usize,
        /// What should have stood there.
        expected: &'static str,
        /// What stands there.
        found: String,
        /// Bytes up to the next row, or to the end.
        skipped: usize,
    },
    /// Something behind the end.
    #[error("{bytes} bytes follow the end of the JSON text at byte {byte}; they are not read")]
    Trailing {
        /// Offset at which they start.
        byte: usize,
        /// How many.
        bytes: usize,
    },
    /// A row that is no object.
    #[error("expected an object, found {found}; the row is left out")]
    RowNotObject {
        /// What it is.
        found: &'static str,
    },
    /// A value of another type.
    #[error("`{key}` should be {expected}, found {found}")]
    WrongType {
        /// The key.
        key: String,
        /// The type it should have.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A key that every row has.
    #[error("`{key}` is missing")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A key twice in one object.
    #[error("`{key}` occurs more than once; the last value counts")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A number that JSON does not have.
    #[error("`{key}` is {literal}, which is no JSON; it is read as unknown")]
    NotFinite {
        /// The key.
        key: String,
        /// What stands there.
        literal: String,
    },
    /// A number that no run can reach.
    #[error("`{key}` is {number}, beyond anything possible; it is read as unknown")]
    TooLarge {
        /// The key.
        key: String,
        /// The number as it stands there.
        number: String,
    },
    /// A number below zero.
    #[error("`{key}` is {number}, below zero")]
    Negative {
        /// The key.
        key: String,
        /// The number as it stands there.
        number: String,
    },
    /// The step ended before it started.
    #[error("`ended_at` is {millis} ms before `started_at`")]
    EndsBeforeStart {
        /// By how much.
        millis: u64,
    },
    /// Half of a surrogate pair.
    #[error("`{key}` has half of a surrogate pair; U+FFFD stands in its place")]
    LoneSurrogate {
        /// The key.
        key: String,
    },
    /// Bytes that are no UTF-8.
    #[error("`{key}` has bytes that are no UTF-8; U+FFFD stands in their place")]
    InvalidUtf8 {
        /// The key.
        key: String,
    },
    /// A string with an escape that JSON does not have.
    #[error("`{key}` has an escape that JSON does not have; it is kept as it stands")]
    BadEscape {
        /// The key.
        key: String,
    },
    /// The value of an unknown key is no JSON.
    #[error("the value of the unknown key `{key}` is no JSON")]
    NotJson {
        /// The key.
        key: String,
    },
    /// More than is kept.
    #[error("{more} more {what} are left out: at most {kept} are kept")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many are kept.
        kept: usize,
        /// How many are not.
        more: usize,
    },
}

impl Diagnosis for StateFault {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::Empty
            | Self::Unreadable { .. }
            | Self::WrongTop { .. }
            | Self::Truncated { .. }
            | Self::Broken { .. }
            | Self::RowNotObject { .. } => Level::Error,
            Self::Trailing { .. }
            | Self::WrongType { .. }
            | Self::MissingKey { .. }
            | Self::DuplicateKey { .. }
            | Self::NotFinite { .. }
            | Self::TooLarge { .. }
            | Self::Negative { .. }
            | Self::EndsBeforeStart { .. }
            | Self::InvalidUtf8 { .. }
            | Self::BadEscape { .. }
            | Self::NotJson { .. }
            | Self::TooMany { .. } => Level::Warning,
            Self::ByteOrderMark | Self::LoneSurrogate { .. } => Level::Info,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}
