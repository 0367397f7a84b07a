use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::fingerprint::Mark;
use super::{EvidenceError, header, journal, wal};
use crate::run_dir::names::{JOURNAL_ENDING, SHM_ENDING, WAL_ENDING};

/// A database with the files that SQLite keeps beside it.
#[derive(Debug, Clone)]
pub(super) struct DatabaseFiles {
    /// As the caller named it, for messages.
    pub(super) shown: PathBuf,
    pub(super) database: PathBuf,
    pub(super) wal: PathBuf,
    pub(super) journal: PathBuf,
    pub(super) shm: PathBuf,
    /// The run directory, where nothing may be written.
    pub(super) run_dir: Option<PathBuf>,
}

/// The state of all three files that make up the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) database: Mark,
    pub(super) wal: Option<Mark>,
    pub(super) journal: Option<Mark>,
}

impl DatabaseFiles {
    /// Follows links first: SQLite keeps journal and log beside the file that a link leads to.
    pub(super) fn of(shown: &Path, run_dir: Option<&Path>) -> Result<Self, EvidenceError> {
        let database = fs::canonicalize(shown).map_err(|error| EvidenceError::io(shown, error))?;
        let [wal, journal, shm] = [WAL_ENDING, JOURNAL_ENDING, SHM_ENDING].map(|ending| beside(&database, ending));
        Ok(Self { shown: shown.to_owned(), database, wal, journal, shm, run_dir: run_dir.map(Path::to_owned) })
    }

    /// The state of the files now.
    pub(super) fn marks(&self) -> Result<Marks, EvidenceError> {
        let Some(database) = Mark::take(&self.database, header::LENGTH)? else {
            return Err(EvidenceError::NotFound(self.shown.clone()));
        };
        let wal = Mark::take(&self.wal, wal::HEADER_LENGTH)?;
        let journal = Mark::take(&self.journal, journal::HEADER_LENGTH)?;
        if database.bytes == 0 {
            let left = [(&wal, WAL_ENDING), (&journal, JOURNAL_ENDING)];
            let left: Vec<_> = left.iter().filter(|(mark, _)| mark.is_some()).map(|(_, ending)| *ending).collect();
            let beside = if left.is_empty() { String::new() } else { format!("; beside it: {}", left.join(", ")) };
            return Err(EvidenceError::Empty { path: self.shown.clone(), beside });
        }
        Ok(Marks { database, wal, journal })
    }
}

impl Marks {
    /// Whether a log holds frames: an empty one, or one with only its header, does not.
    pub(super) fn wal_has_content(&self) -> bool {
        self.wal.as_ref().is_some_and(|wal| wal.bytes > 32)
    }

    pub(super) fn journal_state(&self) -> journal::State {
        self.journal.as_ref().map_or(journal::State::Finished, |mark| journal::state(&mark.head))
    }

    /// Whether the database alone is the whole truth. Source: spec/evidence.md rule 2.
    pub(super) fn is_quiet(&self) -> bool {
        !self.wal_has_content() && self.journal_state() != journal::State::Hot
    }

    /// Whether SQLite would use a log: then opening the database in place would write beside it.
    pub(super) fn in_wal_mode(&self) -> bool {
        self.wal.is_some() || self.says_wal()
    }

    /// Whether a copy of first the database, then the log or journal, made between these marks and `after`, is of one moment.
    ///
    /// With a log that held frames all the time and was not started anew, it always is: whatever a checkpoint wrote to the
    /// database meanwhile stands in the log as well, which is read on top, up to its last commit. Without one, nothing may
    /// have moved.
    pub(super) fn frame_one_moment(&self, after: &Self) -> bool {
        let unmoved = self.database == after.database && self.journal == after.journal;
        match (&self.wal, &after.wal) {
            (None, None) => unmoved,
            (Some(a), Some(b)) if self.wal_has_content() && self.says_wal() => {
                let same_use = a.inode == b.inode && a.head == b.head && a.bytes <= b.bytes;
                same_use && self.database.inode == after.database.inode && self.journal == after.journal
            }
            (Some(a), Some(b)) => unmoved && a == b,
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Whether only the clock of the file system can tell that nobody writes: in WAL mode SQLite's change counter does not
    /// move with each commit.
    pub(super) fn need_a_tick(&self) -> bool {
        self.says_wal() && !self.wal_has_content()
    }

    /// Whether the database says that it is written through a log.
    pub(super) fn says_wal(&self) -> bool {
        header::parse(&self.database.head).is_ok_and(|header| header.wal)
    }
}

/// The path with an ending added to its file name.
pub(super) fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    PathBuf::from(name)
}
