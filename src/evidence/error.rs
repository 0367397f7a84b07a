use super::opened::Method;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why evidence cannot be read. Each sentence names the file, what was expected, what was found and what to do.
#[derive(Debug, Error)]
pub enum EvidenceError {
    /// There is no such path.
    #[error(
        "{} does not exist; give a run directory, its sessions.db, a .jsonl transcript or a folder of transcripts",
        .0.display()
    )]
    NotFound(PathBuf),
    /// The operating system refuses.
    #[error("cannot read {}; {hint}", .path.display())]
    Unreadable {
        /// File or folder.
        path: PathBuf,
        /// What to do.
        hint: &'static str,
        /// The system's words.
        source: io::Error,
    },
    /// A pipe, a device, a folder where a file belongs.
    #[error("{} is {found}, expected a regular file; copy the evidence into a regular file first", .path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// A folder without any source.
    #[error("{} holds no sessions.db and no .jsonl transcripts, found {found}; give the folder that the run wrote to", .path.display())]
    NoSource {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        found: String,
    },
    /// A run directory without its database.
    #[error(
        "{} holds a {state} but no sessions.db: the transcripts are missing; bring the database from where the run wrote it, or \
         give the folder of the CLI's own transcripts",
        .path.display()
    )]
    StateWithoutDatabase {
        /// The folder.
        path: PathBuf,
        /// The state file that shows what the folder is.
        state: &'static str,
    },
    /// The run directory lies below the folder that was given.
    #[error("{} holds no sessions.db, but {} does; give that folder", .path.display(), .below.display())]
    RunDirectoryBelow {
        /// The folder given.
        path: PathBuf,
        /// The run directory.
        below: PathBuf,
    },
    /// A journal or a log whose database is gone.
    #[error(
        "{} is missing but {beside} lies beside its place; that file alone cannot be read, bring the database back",
        .path.display()
    )]
    DatabaseMissing {
        /// Where the database should be.
        path: PathBuf,
        /// What is left.
        beside: String,
    },
    /// A database of no bytes.
    #[error("{} is empty (0 bytes), expected an SQLite database; the run wrote nothing or the file was cut off{beside}", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What lies beside it.
        beside: String,
    },
    /// Not SQLite's magic.
    #[error("{} is no SQLite database: expected \"SQLite format 3\" at its start, found {found}", .path.display())]
    NotSqlite {
        /// The file.
        path: PathBuf,
        /// Its first bytes and what they look like.
        found: String,
    },
    /// A header with figures that cannot be.
    #[error("{} has a damaged or newer SQLite header: expected {expected}, found {found}; bring an undamaged copy", .path.display())]
    BadHeader {
        /// The file.
        path: PathBuf,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// The file ends before its last page.
    #[error(
        "{} is cut off: its header says {pages} pages, expected {expected} bytes, found {found}; reading row by row, {reached}; \
         bring a complete copy", .path.display()
    )]
    CutOff {
        /// The file.
        path: PathBuf,
        /// Pages by the header.
        pages: u32,
        /// Bytes by the header.
        expected: u64,
        /// Bytes of the file.
        found: u64,
        /// How far reading gets.
        reached: Reached,
    },
    /// Another program's database.
    #[error("{} is another program's database: expected the table entries, found {found}; give the sessions.db of a run", .path.display())]
    WrongTables {
        /// The file.
        path: PathBuf,
        /// Its tables.
        found: String,
    },
    /// `entries` runs code instead of holding rows.
    #[error("entries in {} is {found}, expected an ordinary table; such a database is not read", .path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: String,
    },
    /// Another schema.
    #[error("entries in {} has another schema: expected the columns {expected}, found {found}; it may be older or newer than this tool", .path.display())]
    WrongColumns {
        /// The file.
        path: PathBuf,
        /// Expected columns.
        expected: String,
        /// Found columns.
        found: String,
    },
    /// SQLite calls the file malformed.
    #[error("{} is damaged ({detail}){applied}; expected every row, {reached}; bring an undamaged copy or a backup", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// SQLite's words.
        detail: String,
        /// What was applied to it before; empty if nothing was.
        applied: &'static str,
        /// How far reading got.
        reached: Reached,
    },
    /// Anything else that SQLite says.
    #[error("SQLite cannot read {}; copy the database together with its -wal and -journal and try the copy", .path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// SQLite's words.
        source: rusqlite::Error,
    },
    /// The temporary folder is part of the evidence.
    #[error(
        "the temporary folder {} lies inside the source {}, and nothing is written there; choose another temporary folder",
        .temp.display(), .source_folder.display()
    )]
    TempInsideSource {
        /// The temporary folder.
        temp: PathBuf,
        /// The source.
        source_folder: PathBuf,
    },
    /// The private copy could not be made.
    #[error("cannot copy {} to {}; free space there or choose another temporary folder", .from.display(), .to.display())]
    CannotCopy {
        /// Original.
        from: PathBuf,
        /// Copy.
        to: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// A writer that leaves no moment for a copy.
    #[error("{} changed during each of {attempts} attempts to read it; expected a quiet moment, wait for the run to pause and try again", .path.display())]
    NeverQuiet {
        /// The file.
        path: PathBuf,
        /// Attempts made.
        attempts: usize,
    },
    /// A state file beyond the limit.
    #[error("{} has {bytes} bytes, expected at most {limit}; it is not read", .path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
}

impl EvidenceError {
    /// The error of the operating system for `path`, with what to do.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::NotFound {
            return Self::NotFound(path.to_owned());
        }
        let hint = if source.kind() == io::ErrorKind::PermissionDenied {
            "get read permission, or copy the evidence to where you may read it"
        } else {
            "check the medium it lies on, or read a copy"
        };
        Self::Unreadable { path: path.to_owned(), hint, source }
    }

    /// The error of SQLite for `path`.
    pub(super) fn sqlite(path: &Path, source: rusqlite::Error, reached: Reached) -> Self {
        match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase) => {
                Self::Malformed { path: path.to_owned(), detail: source.to_string(), applied: "", reached }
            }
            _ => Self::Sqlite { path: path.to_owned(), source },
        }
    }
}

impl EvidenceError {
    /// The same, of a copy that was recovered: what was applied to it may not belong to it.
    pub(super) fn of_recovered(mut self, method: Method) -> Self {
        if let Self::Malformed { applied, .. } = &mut self {
            *applied = match method {
                Method::RecoveredCopyWal => {
                    " after its -wal was applied to a copy, and that may not belong to it: try a copy of the database alone"
                }
                Method::RecoveredCopyJournal => {
                    " after its -journal was rolled back on a copy, and that may not belong to it: try a copy of the database \
                     alone"
                }
                Method::Immutable | Method::ConsistentCopy | Method::PlainFiles => "",
            };
        }
        self
    }
}

/// How far the rows of a damaged database could be read, in the order of insertion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reached {
    /// Rows that were read.
    pub rows: u64,
    /// The last of them.
    pub last: Option<LastRow>,
}

/// The last row before damage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRow {
    /// Its rowid.
    pub rowid: i64,
    /// Its store key.
    pub store_key: String,
    /// Its sequence number.
    pub seq: Option<i64>,
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rows, &self.last) {
            (0, _) => write!(f, "no row could be read"),
            (rows, None) => write!(f, "{rows} rows could be read"),
            (rows, Some(LastRow { rowid, store_key, seq })) => {
                write!(f, "{rows} rows could be read, the last is {store_key} ")?;
                match seq {
                    Some(seq) => write!(f, "seq {seq} (rowid {rowid})"),
                    None => write!(f, "rowid {rowid}"),
                }
            }
        }
    }
}
