use strum::IntoStaticStr;
use thiserror::Error;

use super::journal::JournalFacts;
use super::wal::WalFacts;
use crate::run_dir::limits::{MAX_FILES, MAX_FOLDER_DEPTH, MAX_STORE_KEY_BYTES};
use crate::unit::{Diagnosis, Level};

/// Everything this layer says about a source that can be read, with the sentence at each variant.
#[derive(Debug, Clone, PartialEq, Eq, IntoStaticStr, Error)]
#[strum(serialize_all = "kebab-case")]
pub enum Remark {
    /// The source changed while it was read.
    #[error("the source is still being written; one consistent state is shown, later rows may be missing")]
    StillBeingWritten,
    /// An unfinished transaction was rolled back on a copy.
    #[error(
        "a transaction was not finished, by a writer that was stopped or still writes: {} pages were rolled back on a copy, \
         {} pages of the journal do not validate",
        .0.pages, .0.pages_invalid
    )]
    HotJournal(JournalFacts),
    /// A journal that belongs to a transaction over several databases that was not finished.
    #[error("the journal belongs to a transaction over several databases ({name}), not finished: it was rolled back")]
    SuperJournal {
        /// The super-journal's path.
        name: String,
    },
    /// A journal that belongs to a transaction over several databases that was finished.
    #[error(
        "the journal belongs to a transaction over several databases ({name}) that counts as finished: it was ignored"
    )]
    SuperJournalGone {
        /// The super-journal's path, which is gone.
        name: String,
    },
    /// Bytes under a journal's name that no SQLite wrote.
    #[error("a file with a journal's name is no journal: nothing was rolled back from it, as SQLite does")]
    ForeignJournal,
    /// A write-ahead log was applied on a copy.
    #[error(
        "{} frames of {} transactions were still in the write-ahead log and were applied on a copy",
        .0.frames_committed, .0.commits
    )]
    WriteAheadLog(WalFacts),
    /// A log ends in frames that were not applied.
    #[error(
        "the write-ahead log ends in {} frames of an unfinished transaction, {} frames that do not validate and {} torn bytes: \
         these were left out",
        .0.frames_uncommitted, .0.frames_invalid, .0.bytes_torn
    )]
    LogTail(WalFacts),
    /// A log whose own header does not validate.
    #[error("the header of the write-ahead log does not validate: rows that were only in the log are lost")]
    LogHeaderInvalid,
    /// A log of another page size than its database.
    #[error("the write-ahead log has pages of {log} bytes, the database of {database}: they do not belong together")]
    LogPageSize {
        /// Page size of the log.
        log: u32,
        /// Page size of the database.
        database: u32,
    },
    /// A log beside a database that is not in WAL mode.
    #[error("a write-ahead log lies beside a database that is not in WAL mode; it was applied, as SQLite does")]
    LogUnexpected,
    /// The file is longer than its header says.
    #[error("the file has {found} bytes, its header says {expected}: what follows is not used")]
    LongerThanHeader {
        /// Bytes by the header.
        expected: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// Columns this version does not know.
    #[error("entries has columns this version does not know ({names}): the store may be newer")]
    ExtraColumns {
        /// Their names.
        names: String,
    },
    /// `entries` has no rowid.
    #[error("entries has no rowid: the order of insertion over all sessions is not known")]
    NoRowid,
    /// `meta` or `summaries` cannot be read as expected.
    #[error("the table {table} cannot be read: {why}")]
    TableUnreadable {
        /// Which table.
        table: &'static str,
        /// Why.
        why: String,
    },
    /// Rows of `meta` or `summaries` with other types than expected.
    #[error("{rows} rows of the table {table} hold other types than expected and were left out")]
    RowsLeftOut {
        /// Which table.
        table: &'static str,
        /// How many.
        rows: u64,
    },
    /// Store keys that are not text, or too long.
    #[error(
        "{rows} rows have a store key that is not text of at most {MAX_STORE_KEY_BYTES} bytes: it was converted, or left empty"
    )]
    OddStoreKeys {
        /// How many rows.
        rows: u64,
    },
    /// Uids that are neither text nor NULL, or too long.
    #[error(
        "{rows} rows have a uid that is neither text of at most {MAX_STORE_KEY_BYTES} bytes nor NULL: it was left out"
    )]
    OddUids {
        /// How many rows.
        rows: u64,
    },
    /// Side questions have a run directory of their own.
    #[error("side questions have a store of their own here, not counted in this report")]
    AsideNotCounted,
    /// Another run directory lies in this one.
    #[error("another run directory lies here, not counted in this report")]
    NestedRunDirectory,
    /// Subagents of a transcript that was given alone.
    #[error(
        "{files} transcripts of subagents lie beside this one, not counted: give the session's folder to include them"
    )]
    SubagentsNotCounted {
        /// How many transcripts.
        files: usize,
    },
    /// Something else than a regular file under a transcript's name.
    #[error("this is {found}, not a regular file, and was left out")]
    NotAFile {
        /// What it is.
        found: &'static str,
    },
    /// A link to a folder.
    #[error("links to folders are not followed")]
    LinkNotFollowed,
    /// A folder below a transcript folder that cannot be listed.
    #[error("this folder cannot be listed: {why}")]
    FolderUnreadable {
        /// The system's words.
        why: String,
    },
    /// More files than are listed.
    #[error("there are more than {MAX_FILES} files: the others were left out")]
    TooManyFiles,
    /// Folders deeper than are searched.
    #[error("folders more than {MAX_FOLDER_DEPTH} deep are not searched")]
    TooDeep,
}

impl Diagnosis for Remark {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::ExtraColumns { .. }
            | Self::AsideNotCounted
            | Self::NestedRunDirectory
            | Self::SubagentsNotCounted { .. }
            | Self::LongerThanHeader { .. }
            | Self::WriteAheadLog(_) => Level::Info,
            Self::StillBeingWritten
            | Self::HotJournal(_)
            | Self::SuperJournal { .. }
            | Self::SuperJournalGone { .. }
            | Self::ForeignJournal
            | Self::LogTail(_)
            | Self::LogUnexpected
            | Self::NoRowid
            | Self::OddUids { .. }
            | Self::NotAFile { .. }
            | Self::LinkNotFollowed
            | Self::TooDeep => Level::Warning,
            Self::LogHeaderInvalid
            | Self::LogPageSize { .. }
            | Self::TableUnreadable { .. }
            | Self::RowsLeftOut { .. }
            | Self::OddStoreKeys { .. }
            | Self::FolderUnreadable { .. }
            | Self::TooManyFiles => Level::Error,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}
