//! Private copies of a database: the only place that writes files, and never into a source.

use rusqlite::backup::{Backup, StepResult};
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

use super::database_files::{DatabaseFiles, Marks, beside};
use super::error::Reached;
use super::journal::{self, JournalFacts, State};
use super::wal::{self, WalFacts};
use super::{EvidenceError, connection};
use crate::run_dir::names::{JOURNAL_ENDING, SESSIONS_DB, WAL_ENDING};

/// Pauses before the attempts: a live writer commits in bursts, so the later ones are longer.
const PAUSES_MS: [u64; 7] = [0, 3, 10, 25, 50, 100, 200];

/// Attempts on a database in WAL mode, for which there is no last resort: six rounds of the pauses, two seconds.
const ATTEMPTS: usize = 42;

/// Longer than one tick of a file system's clock (4 ms on common kernels): a file that keeps its time stamp for this long was
/// not written to.
const TICK: Duration = Duration::from_millis(8);

/// Attempts after which a database in rollback-journal mode is read under SQLite's lock.
const ROUND: u32 = 7;

/// Tries for the shared lock of a live database, a millisecond apart: at least five seconds.
const LOCK_ATTEMPTS: usize = 5000;

/// A database of one moment in a private folder that disappears with this value.
#[derive(Debug)]
pub(super) struct PrivateCopy {
    _folder: TempDir,
    pub(super) database: PathBuf,
    pub(super) parts: Parts,
    /// Whether the header of the original says WAL mode.
    pub(super) wal_mode: bool,
    /// Attempts in which the source moved.
    pub(super) retries: u32,
}

/// What was copied along with the database.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// What a hot journal holds.
    pub(super) journal: Option<JournalFacts>,
    /// The super-journal of a journal that was left out because its transaction was finished.
    pub(super) super_journal_gone: Option<String>,
    /// What a log holds.
    pub(super) wal: Option<WalFacts>,
}

/// Copies the database with its journal or log, as often as it takes to get one moment.
///
/// Source: spec/evidence.md rule 3.
pub(super) fn of_one_moment(files: &DatabaseFiles, temp: &Path) -> Result<PrivateCopy, EvidenceError> {
    for (retries, pause) in (0..).zip(PAUSES_MS.into_iter().cycle().take(ATTEMPTS)) {
        sleep(Duration::from_millis(pause));
        let folder = private_folder(files, temp)?;
        let database = folder.path().join(SESSIONS_DB);
        let before = files.marks()?;
        if retries == ROUND && !before.in_wal_mode() {
            return snapshot(files, folder, database);
        }
        wait_for_tick(&before);
        let parts = copy_files(files, &before, &database);
        if before.frame_one_moment(&files.marks()?) {
            let wal_mode = before.says_wal();
            return Ok(PrivateCopy { _folder: folder, database, parts: parts?, wal_mode, retries });
        }
    }
    Err(EvidenceError::NeverQuiet { path: files.shown.clone(), attempts: ATTEMPTS })
}

/// Waits where only time can tell whether somebody writes.
pub(super) fn wait_for_tick(marks: &Marks) {
    if marks.need_a_tick() {
        sleep(TICK);
    }
}

/// A folder for nobody else, never inside the source. Source: spec/evidence.md rules 3 and 6.
fn private_folder(files: &DatabaseFiles, temp: &Path) -> Result<TempDir, EvidenceError> {
    if let Some(run_dir) = &files.run_dir
        && let (Ok(inner), Ok(outer)) = (fs::canonicalize(temp), fs::canonicalize(run_dir))
        && inner.starts_with(outer)
    {
        return Err(EvidenceError::TempInsideSource { temp: temp.to_owned(), source_folder: run_dir.clone() });
    }
    tempfile::Builder::new()
        .prefix("flower-analyze-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(temp)
        .map_err(|source| EvidenceError::CannotCopy { from: files.shown.clone(), to: temp.to_owned(), source })
}

fn copy_files(files: &DatabaseFiles, marks: &Marks, database: &Path) -> Result<Parts, EvidenceError> {
    copy(&files.database, database, u64::MAX)?;
    let mut parts = Parts::default();
    if marks.wal_has_content() {
        let to = beside(database, WAL_ENDING);
        copy(&files.wal, &to, u64::MAX)?;
        parts.wal = Some(wal::read(&to).map_err(|error| EvidenceError::io(&to, error))?);
    }
    if marks.journal_state() == State::Hot {
        let facts = journal::read(&files.journal).map_err(|error| EvidenceError::io(&files.journal, error))?;
        let to = beside(database, JOURNAL_ENDING);
        match &facts.super_journal {
            Some(name) if !super_journal_exists(name, files) => {
                parts.super_journal_gone = Some(name.clone());
                return Ok(parts);
            }
            // Without the name at its end, SQLite looks for no file outside of the private folder, and deletes none.
            Some(name) => copy(&files.journal, &to, facts.bytes.saturating_sub(journal::super_record_length(name)))?,
            None => copy(&files.journal, &to, u64::MAX)?,
        }
        parts.journal = Some(facts);
    }
    Ok(parts)
}

/// The evidence may have been moved: the file is also looked for beside the database.
fn super_journal_exists(name: &str, files: &DatabaseFiles) -> bool {
    let recorded = Path::new(name);
    let moved = recorded.file_name().map(|name| files.database.with_file_name(name));
    recorded.exists() || moved.is_some_and(|path| path.exists())
}

#[expect(clippy::disallowed_methods, reason = "writes into the private folder only")]
fn copy(from: &Path, to: &Path, limit: u64) -> Result<(), EvidenceError> {
    let original = File::open(from).map_err(|error| EvidenceError::io(from, error))?;
    let written = File::create_new(to).and_then(|mut copy| io::copy(&mut original.take(limit), &mut copy));
    written.map(|_| ()).map_err(|source| EvidenceError::CannotCopy { from: from.to_owned(), to: to.to_owned(), source })
}

/// The last resort for a writer that never pauses: SQLite's own shared lock holds it back for the length of one copy. In
/// WAL mode SQLite would write beside the source, so there this is refused. No plain reading of the source may happen at
/// the same time: closing a file drops the process's locks on it.
fn snapshot(files: &DatabaseFiles, folder: TempDir, database: PathBuf) -> Result<PrivateCopy, EvidenceError> {
    let error = |error| EvidenceError::sqlite(&files.shown, error, Reached::default());
    let source = connection::sharing(&files.database).map_err(error)?;
    let mut target = connection::fresh(&database).map_err(error)?;
    let backup = Backup::new(&source, &mut target).map_err(error)?;
    for _ in 0..LOCK_ATTEMPTS {
        if backup.step(-1).map_err(error)? == StepResult::Done {
            drop(backup);
            let parts = Parts::default();
            return Ok(PrivateCopy { _folder: folder, database, parts, wal_mode: false, retries: ROUND });
        }
        sleep(Duration::from_millis(1));
    }
    let attempts = PAUSES_MS.len() + LOCK_ATTEMPTS;
    Err(EvidenceError::NeverQuiet { path: files.shown.clone(), attempts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_the_database_and_leaves_nothing_beside_it() {
        let source = tempfile::tempdir().unwrap();
        let path = source.path().join(SESSIONS_DB);
        let writer = connection::fresh(&path).unwrap();
        writer.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)").unwrap();
        let temp = tempfile::tempdir().unwrap();
        let files = DatabaseFiles::of(&path, Some(source.path())).unwrap();
        let folder = private_folder(&files, temp.path()).unwrap();
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
        let database = folder.path().join(SESSIONS_DB);
        let copy = snapshot(&files, folder, database).unwrap();
        let copied = connection::immutable(&copy.database).unwrap();
        let sum: i64 = copied.query_row("SELECT sum(x) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(sum, 3);
        assert_eq!(fs::read_dir(source.path()).unwrap().count(), 1);
        drop(copy);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }
}
