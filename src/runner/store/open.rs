use super::known::Known;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use thiserror::Error;

/// How long a lock of another process is waited for. Source: spec/runner.md, section 13.
const BUSY: Duration = Duration::from_secs(5);

/// How often the store is tried in that time.
const TRIES: u32 = 50;

/// The schema, statement by statement.
const SCHEMA: [&str; 4] = [
    include_str!("../../../queries/runner/create_entries.sql"),
    include_str!("../../../queries/runner/create_entries_uid.sql"),
    include_str!("../../../queries/runner/create_meta.sql"),
    include_str!("../../../queries/runner/create_summaries.sql"),
];

/// Statements that name every column.
const STATEMENTS: [&str; 3] = [
    include_str!("../../../queries/runner/insert_entry.sql"),
    include_str!("../../../queries/runner/write_meta.sql"),
    include_str!("../../../queries/runner/write_summary.sql"),
];

/// A store that entries are appended to.
#[derive(Debug)]
pub(in crate::runner) struct Store {
    pub(in crate::runner) connection: Connection,
    /// What was written last.
    pub(super) known: Known,
}

/// Why a store could not be opened, written or read.
#[derive(Debug, Error)]
pub(in crate::runner) enum StoreError {
    /// It cannot be opened or set up.
    #[error("cannot open the store {}: {said}; check that the folder is writable and the file is a store of sessions", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        said: String,
    },
    /// A statement failed.
    #[error("the store cannot be used: {0}")]
    Sqlite(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(said(&error))
    }
}

/// What SQLite said, without the statement.
fn said(error: &rusqlite::Error) -> String {
    if let rusqlite::Error::SqlInputError { msg, .. } = error { msg.clone() } else { error.to_string() }
}

impl Store {
    /// Opens the store, and makes it if there is none.
    pub(in crate::runner) fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = |error| StoreError::Open { path: path.to_owned(), said: said(&error) };
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place that opens a database for writing: the runner's own"
        )]
        let opened =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE);
        let connection = opened.map_err(failed)?;
        prepare_patiently(&connection).map_err(failed)?;
        Ok(Self { connection, known: Known::default() })
    }
}

/// Two runners that begin at once: switching to a log is refused without waiting while another one is at it.
fn prepare_patiently(connection: &Connection) -> rusqlite::Result<()> {
    for _ in 0..TRIES {
        match prepare(connection) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => thread::sleep(BUSY / TRIES),
            prepared => return prepared,
        }
    }
    prepare(connection)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    // One flush to the disk per frame instead of four. Where the log cannot be used SQLite keeps its journal.
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    SCHEMA.iter().try_for_each(|statement| connection.execute(statement, []).map(drop))?;
    // A store of another kind is noticed before anything is paid for.
    STATEMENTS.iter().try_for_each(|statement| connection.prepare(statement).map(drop))
}
