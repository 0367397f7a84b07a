use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};

use super::copy::{self, PrivateCopy};
use super::database_files::{DatabaseFiles, Marks};
use super::error::Reached;
use super::journal::State;
use super::opened::{Method, Recovery};
use super::schema::{self, Shape};
use super::{EvidenceError, Remark, connection, integrity, recovery};

const FIRST_ROW: &str = include_str!("../../queries/store/first_row.sql");

/// A database that is open for reading: the source itself, or a private copy of one moment.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) connection: Connection,
    /// The file that is open.
    pub(super) file: PathBuf,
    pub(super) shape: Shape,
    pub(super) bytes: u64,
    pub(super) method: Method,
    pub(super) recovery: Option<Recovery>,
    pub(super) remarks: Vec<Remark>,
    /// Attempts in which the source moved.
    pub(super) retries: u32,
    hold: Hold,
}

/// What keeps the open file as it is.
#[derive(Debug)]
enum Hold {
    /// Nothing: the source, as it was when it was opened.
    Source(Marks),
    /// It is our own.
    Copy { _folder: PrivateCopy },
}

impl Store {
    /// Opens the source itself if it is quiet, otherwise a recovered copy.
    ///
    /// Source: spec/evidence.md rules 2, 3 and 5.
    pub(super) fn open(files: &DatabaseFiles, temp: &Path) -> Result<Self, EvidenceError> {
        let marks = files.marks()?;
        if !marks.is_quiet() {
            return Self::copied(files, temp);
        }
        copy::wait_for_tick(&marks);
        let opened = Self::immutable(files, marks);
        match opened {
            Ok(store) if store.is_unchanged(files)? => Ok(store),
            Err(failed) if files.marks()? == failed.marks => Err(failed.error),
            Ok(_) | Err(_) => {
                let mut store = Self::copied(files, temp)?;
                store.note_writer();
                Ok(store)
            }
        }
    }

    /// Opens a recovered private copy.
    pub(super) fn copied(files: &DatabaseFiles, temp: &Path) -> Result<Self, EvidenceError> {
        let copy = copy::of_one_moment(files, temp)?;
        let mut remarks = Vec::new();
        let (method, recovery) = recovery::recover(&copy, &files.shown, &mut remarks)?;
        let bytes = integrity::check(&copy.database, &files.shown, &mut remarks)?;
        let error = |error| EvidenceError::sqlite(&files.shown, error, Reached::default()).of_recovered(method);
        let connection = connection::immutable(&copy.database).map_err(error)?;
        let shape = schema::check(&connection, &files.shown, &mut remarks)?;
        probe(&connection, shape).map_err(error)?;
        let (file, retries) = (copy.database.clone(), copy.retries);
        if retries > 0 {
            remarks.push(Remark::StillBeingWritten);
        }
        let hold = Hold::Copy { _folder: copy };
        Ok(Self { connection, file, shape, bytes, method, recovery, remarks, retries, hold })
    }

    /// Whether what was read so far is of one moment.
    pub(super) fn is_unchanged(&self, files: &DatabaseFiles) -> Result<bool, EvidenceError> {
        match &self.hold {
            Hold::Source(marks) => Ok(files.marks()? == *marks),
            Hold::Copy { .. } => Ok(true),
        }
    }

    /// Counts one more attempt that a writer spoiled.
    pub(super) fn note_writer(&mut self) {
        self.retries += 1;
        if !self.remarks.contains(&Remark::StillBeingWritten) {
            self.remarks.push(Remark::StillBeingWritten);
        }
    }

    /// The size in bytes from which the rows are read in several threads.
    pub(super) fn is_small(&self) -> bool {
        self.bytes < 2 << 20
    }

    fn immutable(files: &DatabaseFiles, marks: Marks) -> Result<Self, Box<Failed>> {
        let mut remarks = Vec::new();
        if marks.journal_state() == State::Foreign {
            remarks.push(Remark::ForeignJournal);
        }
        let opened = integrity::check(&files.database, &files.shown, &mut remarks).and_then(|bytes| {
            let error = |error| EvidenceError::sqlite(&files.shown, error, Reached::default());
            let connection = connection::immutable(&files.database).map_err(error)?;
            let shape = schema::check(&connection, &files.shown, &mut remarks)?;
            probe(&connection, shape).map_err(error)?;
            Ok((connection, shape, bytes))
        });
        match opened {
            Ok((connection, shape, bytes)) => Ok(Self {
                connection,
                file: files.database.clone(),
                shape,
                bytes,
                method: Method::Immutable,
                recovery: None,
                remarks,
                retries: 0,
                hold: Hold::Source(marks),
            }),
            Err(error) => Err(Box::new(Failed { error, marks })),
        }
    }
}

struct Failed {
    error: EvidenceError,
    marks: Marks,
}

/// Opening succeeds on anything; only a statement shows whether the rows can be read.
fn probe(connection: &Connection, shape: Shape) -> rusqlite::Result<()> {
    if shape.has_rowid {
        let _first: Option<i64> = connection.query_row(FIRST_ROW, [i64::MIN], |row| row.get(0)).optional()?;
    }
    Ok(())
}
