//! The only place that opens databases; each connection can do as little as possible.

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Result};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use crate::run_dir::limits::MAX_PAYLOAD_BYTES;

/// Bytes that mean something in an SQLite URI, or that are no ASCII letter.
const URI: &AsciiSet =
    &CONTROLS.add(b' ').add(b'%').add(b'?').add(b'#').add(b'&').add(b'=').add(b'"').add(b'<').add(b'>');

/// Reads a database that nobody writes, without creating or locking anything.
pub(super) fn immutable(path: &Path) -> Result<Connection> {
    let connection = open(path, "mode=ro&immutable=1", OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// Reads a database whose header contradicts its size, as far as its pages go.
pub(super) fn lenient(path: &Path) -> Result<Connection> {
    let connection = open(path, "mode=ro&immutable=1", OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // SQLite accepts a file that is too short only in this mode.
    connection.pragma_update(None, "writable_schema", true)?;
    // A page that was cut in the middle reads as zeros, which would pass for rows without content.
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Lets SQLite recover a private copy.
pub(super) fn recovering(copy: &Path) -> Result<Connection> {
    open(copy, "mode=rw", OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// Makes an empty private database.
pub(super) fn fresh(copy: &Path) -> Result<Connection> {
    open(copy, "mode=rwc", OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
}

/// Reads a live database under SQLite's own shared lock. Only for a database in rollback-journal mode: in WAL mode SQLite
/// would create files beside it. A lock is not waited for here: SQLite asks ever more rarely, and a writer in a tight loop
/// leaves gaps of less than a millisecond.
pub(super) fn sharing(path: &Path) -> Result<Connection> {
    let connection = open(path, "mode=ro", OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(Duration::ZERO)?;
    Ok(connection)
}

#[expect(clippy::disallowed_methods, reason = "the one place where databases are opened")]
fn open(path: &Path, query: &str, flags: OpenFlags) -> Result<Connection> {
    let uri = format!("file:{}?{query}", percent_encode(path.as_os_str().as_bytes(), URI));
    let flags = flags | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false)?;
    // A little above the longest payload, so that the other columns of its row fit as well.
    let longest = i32::try_from(MAX_PAYLOAD_BYTES + (1 << 20)).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_paths_are_opened_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a b", "what?mode=rwc", "50%41", "tag#1", "笔记&x=1", "\"q\"<>'"] {
            let path = folder.path().join(name);
            let made = fresh(&path).unwrap();
            made.execute_batch("CREATE TABLE t (x)").unwrap();
            drop(made);
            assert!(path.is_file(), "{name}");
            let found: i64 =
                immutable(&path).unwrap().query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
            assert_eq!(found, 0, "{name}");
        }
    }

    #[test]
    fn reading_connections_write_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        fresh(&path).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        for connection in [immutable(&path), lenient(&path), sharing(&path)] {
            assert!(connection.unwrap().execute_batch("INSERT INTO t VALUES (1)").is_err());
        }
    }
}
